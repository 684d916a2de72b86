"""The graph learned again from other rows of its table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_pairs, named_pairs, pair_numbers, pairs_among
from spinney._core.resampling import Draw, run_draws
from spinney.exceptions import InputError, SpinneyError
from spinney.graph.columns import centralities
from spinney.graph.graph import LearnedGraph
from spinney.graph.learning import learn
from spinney.graph.stability import Stability, cases_of, edges_and_strengths
from spinney.judge.judge import find_judge
from spinney.judge.learner import FEWEST_ROWS, Learner
from spinney.scores import Scores, read_scores
from spinney.tables import Table, part_of

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

BOOTSTRAP, SUBSET = "bootstrap", "subset"
DROPPED: Floats = np.linspace(0.05, 0.75, 10).round(3)
"""Shares of the cases that subsets lack, those of R's bootnet."""
LEAST_SAMPLES, MOST_SAMPLES = 20, 1000
LONG_S = 600.0
"""Seconds that two cores may take by default; a table that takes longer has fewer samples."""
FIXED_S, PER_PAIR_S, PER_VALUE_S = 0.01, 1e-4, 2e-6
"""Seconds of one core for a fit, for each pair of columns and for each value: 853 rows and 11
columns take 0.03 s, 200 and 300 take 4.5 s, 20,000 and 40 take 1.6 s."""


def learn_stability(
    graph: LearnedGraph | Any,
    n_samples: int | None = None,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = -1,
    progress: bool = False,
    stop: Callable[[], bool] | None = None,
) -> Stability:
    """Learn the graph again from bootstrap samples of the rows, and from subsets of them.

    A bootstrap sample has as many rows as the table, drawn with replacement; a subset lacks 5 % to
    75 % of them, in ten steps [1]_. Each is learned with the settings of the graph (cut or target,
    required and forbidden pairs, judge). Where rows belong to units, whole units are drawn.

    Parameters
    ----------
    graph : LearnedGraph, or a table
        A table is learned first, with the default settings.
    n_samples : int, optional
        Number of bootstrap samples, and of subsets. By default 1,000, fewer for large tables.
    checkpoint : path, optional
        File to which finished samples are written at once. A later call with the same graph and
        `random_state` goes on from there.
    random_state : int
        Seed of the draws.
    n_jobs : int, optional
        Processes; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show a progress bar.
    stop : callable, optional
        Called before every few samples; if it returns True, no further sample is begun. For time
        limits.

    Returns
    -------
    Stability
        How often each edge is found again, bootstrap intervals of strengths, and the CS
        coefficient of each centrality.

    Raises
    ------
    InputError
        If there are too few rows or units, or the checkpoint belongs to another run.

    See Also
    --------
    spinney.StabilitySelection : Random halves of the rows, for any estimator.

    References
    ----------
    .. [1] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks and
       their accuracy. Behavior Research Methods 50, 195-212.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(300, 5, random_state=0).X)
    >>> stability = learn_stability(graph, 20, n_jobs=1)
    >>> stability
    <Stability: 5 columns, 20 bootstrap samples, 20 subsets>
    >>> stability.frequencies[graph.joined].min()
    np.float64(1.0)
    """
    seed = whole_number(random_state, "random_state", 0)
    if not isinstance(graph, LearnedGraph):
        graph = learn(graph, n_jobs=n_jobs)
    if not isinstance(graph.learner, Learner):
        raise InputError(
            f"learn_stability takes a graph by spinney.learn; this one is by {graph.estimator}. "
            "Use spinney.StabilitySelection."
        )
    table = graph.learner.table_
    n_cases, what = cases_of(table)
    if n_cases < 2 * FEWEST_ROWS:
        raise InputError(
            f"Stability needs {2 * FEWEST_ROWS} {what} or more to draw from; there are {n_cases}."
        )
    if n_samples is None:
        n_samples = default_samples(len(table), len(table.columns))
    n_samples = whole_number(n_samples, "n_samples", LEAST_SAMPLES)
    # A bootstrap sample has lost the order of the rows, which may matter.
    shares = read_scores(table).row_shares if table.units is None else None
    found = run_draws(
        _learn_draws,
        [Draw(kind, k) for k in range(n_samples) for kind in (BOOTSTRAP, SUBSET)],
        {"graph": fingerprint(table, graph.learner), "random_state": seed},
        # Without the fitted attributes, which are large.
        shared=(replace(graph.learner), table, seed, shares),
        checkpoint=checkpoint,
        n_jobs=n_jobs,
        progress=bool(progress),
        label="bootstrap samples and subsets",
        stop=stop,
    )
    parts = {kind: [r for r in found if r["kind"] == kind] for kind in (BOOTSTRAP, SUBSET)}
    return Stability(graph, parts[BOOTSTRAP], n_samples=n_samples, subsets=parts[SUBSET])


def default_samples(n: int, d: int) -> int:
    """Count the samples, and subsets, that a table gets by default: by its size alone.

    Examples
    --------
    >>> default_samples(853, 11), default_samples(20_000, 40), default_samples(500, 500)
    (1000, 300, 100)
    """
    return int(np.clip(LONG_S / seconds_of_a_fit(n, d) // 100 * 100, 100, MOST_SAMPLES))


def seconds_of_a_fit(n: int, d: int) -> float:
    """Predict the seconds that one core takes to learn from a table.

    Examples
    --------
    >>> round(seconds_of_a_fit(853, 11), 3)
    0.034
    """
    return FIXED_S + PER_PAIR_S * n_pairs(d) + PER_VALUE_S * n * d


def _learn_draws(
    draws: list[Draw], learner: Learner, table: Table, seed: int, shares: Floats | None
) -> list[dict[str, Any]]:
    """Learn from some draws, each as plain JSON."""
    codes = np.arange(len(table))
    learner = replace(learner, judge=find_judge(learner.judge))  # read once
    if table.units is not None:
        codes = np.unique(table.units, return_inverse=True)[1]
    n_cases, found = int(codes.max()) + 1, []
    for draw in draws:
        told: dict[str, Any] = draw._asdict()
        try:
            if draw.kind == BOOTSTRAP:
                chosen = draw.rng(seed).integers(n_cases, size=n_cases)
                rows, places = rows_of(chosen, codes)
                # A unit that comes twice is two units.
                drawn = replace(table.take(rows), units=None if table.units is None else places)
                pairs, strengths = learn_rows(learner, drawn, np.arange(len(rows)), shares)
            else:
                told["dropped"] = _dropped(draw.number, n_cases)
                size = round((1.0 - told["dropped"]) * n_cases)
                kept = draw.rng(seed).permutation(n_cases)[:size]
                pairs, strengths = learn_rows(learner, table, np.flatnonzero(np.isin(codes, kept)))
        except Exception as error:
            raise failed(f"The {draw.kind} {draw.number + 1}", error) from error
        joined, sizes = edges_and_strengths(pairs, strengths, len(table.names))
        central = {"degree": joined.sum(axis=1)} | centralities(joined, sizes, table.nominal)
        told |= {"pairs": pairs.astype(int).tolist(), "strengths": strengths.tolist()}
        told["centralities"] = {name: values.tolist() for name, values in central.items()}
        found.append(told)
    return found


def _dropped(number: int, n_cases: int) -> float:
    """Return the share of cases that a subset lacks; ten cases are always left."""
    shares = DROPPED[(1.0 - DROPPED) * n_cases >= FEWEST_ROWS]
    return float(shares[number % len(shares)])


def whole_number(value: Any, name: str, least: int) -> int:
    """Return a count; refuse what is no whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be a whole number from {least} on, not {value!r}.")
    return int(value)


# Draws, each learned once


def rows_of(chosen: Ints, units: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the rows of the chosen units, one unit after the other, and the place of each.

    Examples
    --------
    >>> rows_of(np.array([1, 0, 1]), np.array([0, 1, 0, 1]))
    (array([1, 3, 0, 2, 1, 3]), array([0, 0, 1, 1, 2, 2]))
    """
    order, sizes = np.argsort(units, kind="stable"), np.bincount(units)
    counts = sizes[chosen]
    places = np.repeat(np.arange(len(chosen)), counts)
    within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat((np.cumsum(sizes) - sizes)[chosen], counts) + within], places


class Fit(NamedTuple):
    """A graph learned from some rows: the model, its places among all columns, its scores."""

    model: Learner
    places: Ints
    scores: Scores


def fit_rows(
    learner: Learner, table: Table, rows: Ints, shares: Floats | None = None
) -> Fit | None:
    """Learn from some rows: from scores to strengths, with no checks and no words.

    Parameters
    ----------
    learner : Learner
        The settings.
    table : Table
        All rows, read and checked.
    rows : int array
        Which; one may come several times.
    shares : array of shape (d, d), optional
        Share of each pair's rows that says as much if rows are independent, where the order of
        `rows` cannot tell it.

    Returns
    -------
    Fit, or None if fewer than two columns vary in these rows
    """
    part: Any = part_of(table, rows, "in this sample")
    if len(part.columns) < 2:
        return None
    names = table.names
    places = np.array([names.index(name) for name in part.names], dtype=np.intp)
    constraints: dict[str, Any] = {
        what: pairs_among(named_pairs(getattr(learner, what), names, what), part.names)
        for what in ("required", "forbidden")
    }
    scores = read_scores(part)
    if shares is not None:
        scores = replace(scores, row_shares=shares[np.ix_(places, places)])
    plain: dict[str, Any] = {"n_jobs": 1, "progress": False, "device": "cpu"}
    return Fit(replace(learner, **constraints, **plain).fit_read(part, scores), places, scores)


def learn_rows(learner: Learner, table: Table, rows: Ints, shares: Floats | None = None) -> Floats:
    """Learn from some rows as :func:`fit_rows`, and return the edges.

    Returns
    -------
    array of shape (2, n_edges)
        Numbers of the pairs of `table` that are edges, rising, and their strengths; 0 where one
        cannot be measured. A column that does not vary in these rows has no edges.
    """
    fit = fit_rows(learner, table, rows, shares)
    if fit is None:
        return np.empty((2, 0))
    u, v = np.nonzero(np.triu(fit.model.adjacency_, 1))
    numbers = pair_numbers(fit.places[u], fit.places[v], len(table.names))
    return np.stack([numbers.astype(float), np.nan_to_num(fit.model.edge_weights_[u, v])])


def fingerprint(table: Table, learner: Learner) -> str:
    """Name the table and the settings that the graphs of all draws depend on."""
    without = ("random_state", "n_jobs", "progress", "device", "judge", "units")
    told = {k: v for k, v in learner.get_params().items() if k not in without}
    columns = [(column.name, column.kind, len(column.levels)) for column in table.columns]
    values = np.ascontiguousarray(table.values)
    judge = find_judge(learner.judge).fingerprint
    return str(joblib.hash([values, table.units, columns, told, judge]))


def failed(what: str, error: Exception) -> SpinneyError:
    """Say which draw could not be learned."""
    kind = InputError if isinstance(error, ValueError) else SpinneyError
    return kind(f"{what} could not be learned: {error}")
