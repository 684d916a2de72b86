"""How often half of the rows give the same edges."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.pairs import (
    named_pairs,
    pair_ends,
    pair_index,
    pair_nodes,
    pairs_among,
    to_matrix,
    to_pairs,
)
from spinney._core.text import counted, listed, probability_text
from spinney.exceptions import InputError, SpinneyError
from spinney.graph.centrality import betweenness, closeness
from spinney.graph.graph import LearnedGraph
from spinney.graph.learning import learn
from spinney.graph.words import as_text
from spinney.judge.judged_graph import FEWEST_ROWS
from spinney.judge.learner import Learner
from spinney.models.halves import (
    Half,
    Selected,
    fit_halves,
    half_in_words,
    recorded_notes,
    settings_of,
)
from spinney.scale.tasks import on_cluster
from spinney.tables import Table, part_of

__all__ = ["Halves", "learn_halves"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CENTRALITIES: dict[str, Callable[[nx.Graph], Floats]] = {
    "degree": lambda graph: np.array([count for _, count in graph.degree], dtype=float),
    "betweenness": betweenness,
    "closeness": closeness,
}


@dataclass(frozen=True, eq=False, repr=False)
class Halves:
    """How often each pair was an edge in fits to random halves of the rows.

    Attributes
    ----------
    names : tuple of str
        The columns.
    frequencies : array of shape (d, d)
        Share of the fits that have the pair as an edge: how stable it is, not how probable. NaN for
        unknown pairs, and everywhere if no fit was finished.
    n_fits : int
        Number of finished fits.
    n_splits : int
        Number of requested splits, of two fits each.
    n_rows : int
        Rows of a half.
    probabilities : array of shape (d, d)
        Probabilities learned from all rows.
    adjacency : bool array of shape (d, d)
        The edges learned from all rows.
    warnings : tuple of str
        Warnings raised in the fits, with how often.
    halves : tuple of int arrays
        The edges of each fit, as numbers of pairs.
    """

    names: tuple[str, ...]
    frequencies: Floats
    n_fits: int
    n_splits: int
    n_rows: int
    probabilities: Floats
    adjacency: Bools
    warnings: tuple[str, ...] = field(default=())
    halves: tuple[NDArray[np.intp], ...] = field(default=())

    fitted_to = "halves"

    @cached_property
    def centralities(self) -> pd.DataFrame:
        """Degree, betweenness and closeness of each column in the fits: where 95 % of them lie.

        One row per column of the table: ``degree_low``, ``degree_high``, and so on. Half of the
        rows show fewer edges, so a number of the whole table may lie above its interval.
        """
        d = len(self.names)
        found: dict[str, list[Floats]] = {name: [] for name in CENTRALITIES}
        for pairs in self.halves:
            graph = nx.empty_graph(d)
            graph.add_edges_from(np.column_stack(pair_ends(pairs, d)).tolist())
            for name, measure in CENTRALITIES.items():
                found[name].append(measure(graph))
        ends = {
            f"{name}_{end}": np.quantile(values, share, axis=0)
            for name, values in found.items()
            if values
            for end, share in (("low", 0.025), ("high", 0.975))
        }
        return pd.DataFrame(ends, index=range(d))

    @property
    def is_complete(self) -> bool:
        """Whether all fits were finished in time."""
        return self.n_fits == 2 * self.n_splits

    @property
    def pairs(self) -> pd.DataFrame:
        """Every pair, the most frequent first: its frequency, probability, whether it is an edge.

        Columns are ``source``, ``target``, ``frequency``, ``probability`` and ``edge``.
        """
        names = np.array(self.names, dtype=object)
        first, second = pair_nodes(len(names))
        table = pd.DataFrame(
            {
                "source": names[first],
                "target": names[second],
                "frequency": to_pairs(self.frequencies),
                "probability": to_pairs(self.probabilities),
                "edge": to_pairs(self.adjacency) > 0.0,
            }
        )
        order = ["frequency", "probability"]
        return table.sort_values(order, ascending=False, kind="stable", ignore_index=True)

    def summary(self) -> str:
        """Say in plain words what is stable, and how to read it beside a probability."""
        return as_text(self.sentences(), self.cautions())

    def sentences(self) -> list[str]:
        """Say which edges halves of the rows show, which not, and how to read that."""
        pairs = self.pairs
        edges = pairs[pairs["edge"] & (pairs["frequency"] < SHAKY)].iloc[::-1]
        others = pairs[~pairs["edge"] & (pairs["frequency"] > SHAKY)]
        told = [
            _counts(self),
            _listed("Edges that halves mostly do not show", edges),
            _listed("Pairs without an edge here that came in more than half of the fits", others),
            HOW_TO_READ,
        ]
        return [text for text in told if text]

    def cautions(self) -> list[str]:
        """List the warnings raised in the fits."""
        return list(self.warnings)

    def __repr__(self) -> str:
        return f"<Halves: {len(self.names)} columns, {self.n_fits} fits to half of the rows>"


def learn_halves(
    graph: LearnedGraph | Any,
    n_splits: int = 50,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    stop: Callable[[], bool] | None = None,
) -> Halves:
    r"""Learn the graph again from random halves of the rows, and count how often each edge occurs.

    .. math:: \hat\Pi_e = \frac{1}{2B} \sum_{b=1}^{B}
              \left(1[e \in \hat G(A_b)] + 1[e \in \hat G(\bar A_b)]\right)

    with :math:`A_b, \bar A_b` the two halves of the b-th split (complementary pairs [1]_). Every
    half is learned with the settings of the graph (cut or target, required and forbidden pairs,
    judge) and a seed of its own, which depends on nothing but its place.

    Parameters
    ----------
    graph : LearnedGraph, or a table
        A table is learned first, with the default settings.
    n_splits : int
        Number B of splits; there are twice as many fits.
    checkpoint : path, optional
        File, or existing folder, to which each finished fit is written at once. A later call with
        the same graph, `n_splits` and `random_state` goes on from there.
    random_state : int
        Seed of the splits and of the fits.
    n_jobs : int, optional
        Threads within a fit; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show a progress bar.
    stop : callable, optional
        Asked before each fit; if it says True, no other is begun, and the frequencies are those of
        the fits that are finished. For limits of time.

    Returns
    -------
    Halves

    Raises
    ------
    InputError
        If there are too few rows, or the checkpoint belongs to another run.

    See Also
    --------
    spinney.StabilitySelection : The same for any estimator, with bounds on false edges.

    References
    ----------
    .. [1] R. D. Shah and R. J. Samworth (2013). Variable selection with error control: another
       look at stability selection. Journal of the Royal Statistical Society B 75, 55-80.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(300, 5, random_state=0).X)
    >>> halves = learn_halves(graph, 5)
    >>> halves
    <Halves: 5 columns, 10 fits to half of the rows>
    >>> halves.frequencies[graph.joined].min()
    np.float64(1.0)
    """
    seed, n_splits = _whole(random_state, "random_state", 0), _whole(n_splits, "n_splits", 1)
    if not isinstance(graph, LearnedGraph):
        graph = learn(graph, n_jobs=n_jobs)
    table, learner = graph.learner.table_, graph.learner
    if len(table) < 2 * FEWEST_ROWS:
        raise InputError(
            f"Stability needs {2 * FEWEST_ROWS} rows or more, so that each half has {FEWEST_ROWS}; "
            f"there are {len(table)}."
        )
    settings = settings_of(table, learner, seed, n_splits)
    settings["judge"] = f"{learner.judge_.name} {learner.judge_.fingerprint}"
    plain = replace(learner)  # without the fitted attributes, which are large
    # Fits run one after another, each on all threads; on a cluster each has one thread.
    threads = 1 if on_cluster() else n_jobs
    done = fit_halves(
        _fit,
        table,
        settings,
        shared=(plain, table, n_splits, threads),
        checkpoint=checkpoint,
        n_jobs=1,
        progress=bool(progress),
        stop=stop,
    )
    return _counted(graph, done, n_splits)


Task = tuple[Half, NDArray[np.intp], int]


def _fit(task: Task, learner: Learner, table: Table, n_splits: int, n_jobs: int | None) -> Selected:
    """Learn one half; columns that do not vary in it have no edges there."""
    where, rows, seed = task
    part: Any = part_of(table, rows, "in this half")
    names, d = table.names, len(table.names)
    if len(part.columns) < 2:
        return Selected(where, np.empty(0, dtype=np.intp), [])
    constraints: dict[str, Any] = {
        what: pairs_among(named_pairs(getattr(learner, what), names, what), part.names)
        for what in ("required", "forbidden")
    }
    model = replace(
        learner,
        **constraints,
        rows="all",  # of the half
        precision=None,
        random_state=seed,
        n_jobs=n_jobs,
        progress=False,
    )
    with recorded_notes() as notes:
        try:
            model.fit(part)
        except Exception as error:
            kind = InputError if isinstance(error, ValueError) else SpinneyError
            raise kind(
                f"The {half_in_words(where, n_splits)} ({len(rows)} rows) could not be learned: "
                f"{error}"
            ) from error
    places = np.array([names.index(name) for name in part.names])
    edges = np.argwhere(np.triu(model.adjacency_, 1))
    pairs = [pair_index(int(places[u]), int(places[v]), d) for u, v in edges]
    return Selected(where, np.sort(np.array(pairs, dtype=np.intp)), notes)


def _counted(graph: LearnedGraph, done: list[Selected], n_splits: int) -> Halves:
    d = len(graph.names)
    votes = np.zeros(d * (d - 1) // 2)
    for selected in done:
        votes[selected.pairs] += 1.0
    shares = votes / len(done) if done else np.full_like(votes, np.nan)
    frequencies = to_matrix(shares)
    frequencies[np.isnan(graph.scores)] = np.nan
    return Halves(
        graph.names,
        frequencies,
        len(done),
        n_splits,
        len(graph.learner.table_) // 2,
        graph.scores,
        graph.joined,
        tuple(_counted_notes(done)),
        tuple(selected.pairs for selected in done),
    )


def _counted_notes(done: list[Selected]) -> list[str]:
    counts: dict[str, int] = {}
    for selected in done:
        for text in dict.fromkeys(text for _, text in selected.notes):
            counts[text] = counts.get(text, 0) + 1
    return [f"In {count} of {len(done)} fits: {text}" for text, count in counts.items()]


def _whole(value: Any, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be a whole number from {least} on, not {value!r}.")
    return int(value)


# Words

FIRM, SHAKY = 0.9, 0.5
"""Frequencies from which an edge is called stable, and below which it is called unstable."""
MOST_LISTED = 5

HOW_TO_READ = (
    "A probability states how sure an edge is given all rows. A frequency is not a probability: it "
    "is the share of random halves of the rows in which the edge is found, and half of the rows "
    "show less. A true but weak edge can have a probability of 0.9 and be found in 40 % of the "
    "halves. So a high frequency supports an edge. An edge with a low one is near the limit of "
    "what so many rows can show, or depends on a few of them: look at its data first."
)


def _counts(halves: Halves) -> str:
    if not halves.n_fits:
        return "Time was up before the first fit to half of the rows: nothing is known of halves."
    text = (
        f"The graph was learned again from random halves of the rows ({halves.n_rows:,} each), "
        f"{counted(halves.n_fits, 'time')}."
    )
    if not halves.is_complete:
        text += (
            f" ({2 * halves.n_splits} were asked for, but time was up: frequencies are less exact.)"
        )
    edges = halves.pairs.query("edge")
    firm, shaky = (edges["frequency"] >= FIRM).sum(), (edges["frequency"] < SHAKY).sum()
    return (
        f"{text} {firm} of {counted(len(edges), 'edge')} {'was' if firm == 1 else 'were'} found in "
        f"at least {100 * FIRM:.0f} % of the fits, and {shaky} in fewer than half."
    )


def _listed(title: str, pairs: pd.DataFrame) -> str:
    told = [
        f"{row['source']} – {row['target']} (in {100 * row['frequency']:.0f} % of the fits, "
        f"probability {probability_text(row['probability'])})"
        for row in pairs.to_dict("records")
    ]
    return f"{title}: {listed(told, most=MOST_LISTED)}." if told else ""
