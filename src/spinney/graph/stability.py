"""How stable a graph is: bootstrap samples of the rows, and subsets without some of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.choices import check_choice
from spinney._core.pairs import n_pairs, pair_ends, pair_nodes, to_matrix, to_pairs
from spinney._core.text import counted, listed
from spinney.exceptions import InputError
from spinney.graph.centrality import CENTRALITIES
from spinney.graph.durations import default_samples
from spinney.graph.graph import LearnedGraph
from spinney.graph.learning import learn
from spinney.graph.resampling import Draw, failed, fingerprint, learn_rows, rows_of, run_draws
from spinney.graph.words import as_text
from spinney.judge.judge import find_judge
from spinney.judge.judged_graph import FEWEST_ROWS
from spinney.judge.learner import Learner
from spinney.scores import read_scores
from spinney.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DROPPED", "STATISTICS", "Stability", "cs_coefficient", "learn_stability"]

Floats = NDArray[np.float64]
Records = Sequence[dict[str, Any]]

BOOTSTRAP, SUBSET = "bootstrap", "subset"
DROPPED: Floats = np.linspace(0.05, 0.75, 10).round(3)
"""Shares of the cases that subsets lack, those of R's bootnet."""
STATISTICS = ("edges", *CENTRALITIES)
"""What subsets are compared with the whole table in: strengths of all pairs, and centralities."""
CORRELATION, CONFIDENCE = 0.7, 0.95
"""Correlation that subsets must reach, and the share of them that must reach it."""
STABLE, POOR = 0.5, 0.25
"""CS coefficients from which a centrality may be interpreted, and below which it must not be."""
FIRM, SHAKY = 0.9, 0.5
"""Frequencies from which an edge is called stable, and below which it is called unstable."""
MOST_COMPARED = 200
"""Most edges of which each two are compared: the strongest."""
MOST_LISTED = 5
LEAST_SAMPLES = 20
ENDS = (0.025, 0.975)
"""Quantiles between which 95 % of the samples lie."""


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """What :func:`spinney.learn_stability` finds.

    Attributes
    ----------
    graph : LearnedGraph
        The graph of all rows.
    n_samples : int
        Bootstrap samples, and subsets, that were asked for.
    samples, subsets : sequences of dict
        The finished ones: ``pairs`` (numbers of the edges), ``strengths``, and ``centralities`` by
        name; subsets also have ``dropped``, the share of cases that they lack.

    frequencies : array of shape (d, d)
        Share of bootstrap samples that have the pair as an edge; NaN for unknown pairs.
    pairs : pandas.DataFrame
        Every pair, the most frequent first: ``source``, ``target``, ``frequency``,
        ``probability``, ``edge``, ``strength`` (0 where the graph has no edge), and between
        ``strength_low`` and ``strength_high`` those of 95 % of the bootstrap samples, 0 in samples
        without the edge.
    cs : pandas.Series
        CS coefficient of the strengths of edges and of each centrality; NaN where all columns of
        the graph have the same.
    case_dropping : pandas.DataFrame
        By ``statistic`` and ``dropped``: ``subsets``, the mean ``correlation`` with the whole
        table, ``low`` and ``high`` (of 95 % of the subsets) and ``share_above``, the share of
        subsets whose correlation is 0.7 or more.
    edge_differences : pandas.DataFrame
        Each two edges: ``first``, ``second``, the ``difference`` of their strengths, ``low`` and
        ``high`` (of 95 % of the bootstrap samples), and whether it ``differs`` from 0. Of more
        than 200 edges the strongest.
    centrality_differences : pandas.DataFrame
        The same of each two columns, by ``centrality``.
    centralities : pandas.DataFrame
        Where 95 % of the bootstrap samples lie, one row per column of the table:
        ``degree_low``, ``degree_high``, ``strength_low``, and so on.
    """

    graph: LearnedGraph
    n_samples: int
    samples: Records
    subsets: Records

    fitted_to = "bootstrap samples"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.graph.names

    @property
    def n_fits(self) -> int:
        """Number of finished bootstrap samples."""
        return len(self.samples)

    @property
    def is_complete(self) -> bool:
        """Whether all samples and subsets were finished."""
        return min(len(self.samples), len(self.subsets)) == self.n_samples

    # Edges

    @cached_property
    def _strengths(self) -> tuple[NDArray[np.int64], Floats]:
        """Numbers of the pairs that are an edge anywhere, and their strengths in all samples."""
        own = np.flatnonzero(to_pairs(self.graph.joined))
        found = [np.asarray(sample["pairs"], dtype=np.int64) for sample in self.samples]
        numbers = np.unique(np.concatenate([own, *found]))
        values = np.zeros((len(found), len(numbers)))
        for row, pairs, sample in zip(values, found, self.samples, strict=True):
            row[np.searchsorted(numbers, pairs)] = sample["strengths"]
        return numbers, values

    @cached_property
    def frequencies(self) -> Floats:
        """Share of bootstrap samples that have the pair as an edge, shape (d, d)."""
        votes = np.zeros(n_pairs(len(self.names)))
        for sample in self.samples:
            votes[sample["pairs"]] += 1.0
        found = to_matrix(votes / self.n_fits if self.n_fits else np.full_like(votes, np.nan))
        found[np.isnan(self.graph.probabilities)] = np.nan
        return found

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Every pair, the most frequent first; see the class."""
        names = np.array(self.names, dtype=object)
        first, second = pair_nodes(len(names))
        ends = np.zeros((2, len(first)))
        numbers, values = self._strengths
        ends[:, numbers] = np.quantile(values, ENDS, axis=0) if len(values) else np.nan
        table = pd.DataFrame(
            {
                "source": names[first],
                "target": names[second],
                "frequency": to_pairs(self.frequencies),
                "probability": to_pairs(self.graph.probabilities),
                "edge": to_pairs(self.graph.joined) > 0.0,
                "strength": to_pairs(np.nan_to_num(self.graph.known_strengths)),
                "strength_low": ends[0],
                "strength_high": ends[1],
            }
        )
        order = ["frequency", "probability"]
        return table.sort_values(order, ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def edge_differences(self) -> pd.DataFrame:
        """Each two edges, from the strongest positive to the strongest negative; see the class."""
        strengths = to_pairs(np.nan_to_num(self.graph.known_strengths))
        edges = np.flatnonzero(to_pairs(self.graph.joined))
        edges = edges[np.argsort(-np.abs(strengths[edges]), kind="stable")[:MOST_COMPARED]]
        edges = edges[np.argsort(-strengths[edges], kind="stable")]
        u, v = pair_ends(edges, len(self.names))
        labels = [f"{self.names[i]} – {self.names[j]}" for i, j in zip(u, v, strict=True)]
        numbers, values = self._strengths
        drawn = values[:, np.searchsorted(numbers, edges)]
        return _differences(labels, strengths[edges], drawn)

    # Centralities

    @cached_property
    def original(self) -> dict[str, Floats]:
        """Each centrality in the graph of all rows, shape (d,)."""
        strengths = to_pairs(np.nan_to_num(self.graph.known_strengths))
        edges = np.flatnonzero(to_pairs(self.graph.joined))
        return _centralities(edges, strengths[edges], len(self.names))

    def _drawn(self, name: str) -> Floats:
        """One centrality in all bootstrap samples, shape (n_fits, d)."""
        found = [sample["centralities"][name] for sample in self.samples]
        return np.array(found, dtype=float).reshape(len(found), len(self.names))

    @cached_property
    def centralities(self) -> pd.DataFrame:
        """Where 95 % of the bootstrap samples lie; see the class."""
        d, drawn = len(self.names), {name: self._drawn(name) for name in CENTRALITIES}
        both = [np.concatenate(pair_ends(np.array(s["pairs"]), d)) for s in self.samples]
        degrees = {"degree": np.array([np.bincount(own, minlength=d) for own in both])}
        ends: dict[str, Floats] = {}
        for name, values in (degrees | drawn).items() if self.n_fits else ():
            low, high = np.quantile(values, ENDS, axis=0)
            ends |= {f"{name}_low": low, f"{name}_high": high}
        return pd.DataFrame(ends, index=range(len(self.names)))

    @cached_property
    def centrality_differences(self) -> pd.DataFrame:
        """Each two columns, the most central first; see the class."""
        found = []
        for name, values in self.original.items():
            order = np.argsort(-values, kind="stable")[:MOST_COMPARED]
            labels = [self.names[k] for k in order]
            table = _differences(labels, values[order], self._drawn(name)[:, order])
            table.insert(0, "centrality", name)
            found.append(table)
        return pd.concat(found, ignore_index=True)

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """Correlation of each subset with the whole table: ``dropped``, and each statistic."""
        d, whole = len(self.names), to_pairs(np.nan_to_num(self.graph.known_strengths))
        found = []
        for subset in self.subsets:
            own = np.zeros(n_pairs(d))
            own[subset["pairs"]] = subset["strengths"]
            row = {"dropped": subset["dropped"], "edges": _correlation(whole, own)}
            for name, values in self.original.items():
                row[name] = _correlation(values, np.array(subset["centralities"][name]))
            found.append(row)
        return pd.DataFrame(found, columns=["dropped", *STATISTICS])

    @cached_property
    def case_dropping(self) -> pd.DataFrame:
        """Correlations by the share of cases dropped; see the class."""
        found: list[dict[str, Any]] = []
        for name in STATISTICS:
            for dropped, values in self.correlations.dropna(subset=name).groupby("dropped")[name]:
                low, high = np.quantile(values, ENDS)
                told = {"statistic": name, "dropped": dropped, "subsets": len(values)}
                told |= {"correlation": values.mean(), "low": low, "high": high}
                found.append({**told, "share_above": (values >= CORRELATION).mean()})
        columns = ["statistic", "dropped", "subsets", "correlation", "low", "high", "share_above"]
        return pd.DataFrame(found, columns=columns)

    @cached_property
    def cs(self) -> pd.Series[float]:
        """CS coefficient of each statistic; see :func:`cs_coefficient`."""
        table = self.correlations
        found = {name: cs_coefficient(table["dropped"], table[name]) for name in STATISTICS}
        return pd.Series(found, name="cs")

    # Words and pictures

    def plot(self, what: str = "case_dropping", ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the stability.

        Parameters
        ----------
        what : {"case_dropping", "edges", "edge_differences", "centrality_differences"}
            Correlations by the share of cases dropped, intervals of strengths, or which of each
            two edges or columns differ.
        ax : matplotlib axes, optional
            Where; by default on new axes of the right size.
        **options
            For ``"centrality_differences"``: ``centrality``, by default ``"strength"``.
        """
        from spinney.graph.plots import stability as plots

        draw = {
            "case_dropping": plots.plot_case_dropping,
            "edges": plots.plot_edge_intervals,
            "edge_differences": plots.plot_edge_differences,
            "centrality_differences": plots.plot_centrality_differences,
        }
        return draw[check_choice(what, draw, "what")](self, ax, **options)

    def summary(self) -> str:
        """Say in plain words what is stable."""
        return as_text(self.sentences(), self.cautions())

    def sentences(self) -> list[str]:
        """Say in four sentences which edges, strengths and centralities are stable."""
        if not self.n_fits:
            return ["Time was up before the first sample: nothing is known of stability."]
        edges = self.pairs[self.pairs["edge"]]
        firm, shaky = (edges["frequency"] >= FIRM).sum(), (edges["frequency"] < SHAKY).sum()
        asked = "" if self.is_complete else f" ({self.n_samples:,} of each were asked for)"
        told = [
            f"Stability from {counted(self.n_fits, 'bootstrap sample')} and "
            f"{counted(len(self.subsets), 'subset')}{asked}: {firm} of "
            f"{counted(len(edges), 'edge')} came in at least {100 * FIRM:.0f} % of the samples, "
            f"{shaky} in fewer than half."
        ]
        least = edges[edges["frequency"] < FIRM].iloc[::-1]
        others = self.pairs[~self.pairs["edge"] & (self.pairs["frequency"] > SHAKY)]
        named = [f"Least stable: {_named(least)}." if len(least) else "All edges are stable."]
        named += [f"Not an edge, but in most samples: {_named(others)}."] if len(others) else []
        told.append(" ".join(named))
        if len(self.subsets):
            words = [f"{_word(name)} {value:.2f}" for name, value in self.cs.dropna().items()]
            told.append(
                f"CS coefficients (from {STABLE} on stable, below {POOR} not to be interpreted): "
                f"{', '.join(words) or 'none, for there is nothing to compare'}."
            )
        told.append(self._of_differences())
        return told

    def _of_differences(self) -> str:
        edges, nodes = self.edge_differences, self.centrality_differences
        nodes = nodes[nodes["centrality"] == "strength"]
        return (
            f"Differences (95 % bootstrap intervals without 0, not corrected for their number): "
            f"{edges['differs'].sum()} of {counted(len(edges), 'pair')} of edges in strength, "
            f"{nodes['differs'].sum()} of {counted(len(nodes), 'pair')} of columns in summed "
            "strength."
        )

    def cautions(self) -> list[str]:
        """Name the centralities that must not be interpreted."""
        if not len(self.subsets):
            return []
        poor = [_word(str(name)) for name, value in self.cs.items() if value < POOR]
        if not poor:
            return []
        return [f"The order of columns by {listed(poor)} is not stable: do not interpret it."]

    def __repr__(self) -> str:
        return (
            f"<Stability: {len(self.names)} columns, {self.n_fits:,} bootstrap samples, "
            f"{len(self.subsets):,} subsets>"
        )


def cs_coefficient(dropped: ArrayLike, correlations: ArrayLike) -> float:
    """Return the largest share of cases that can be dropped without losing the order of nodes.

    That is, such that with 95 % probability the correlation with the values of the whole table is
    0.7 or more [1]_; 0 if even the smallest share is too much, NaN if nothing is known.

    Parameters
    ----------
    dropped, correlations : arrays of shape (n_subsets,)
        The share that each subset lacks, and its correlation with the whole table.

    References
    ----------
    .. [1] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks and
       their accuracy. Behavior Research Methods 50, 195-212.

    Examples
    --------
    >>> cs_coefficient([0.1, 0.1, 0.5, 0.5], [0.9, 0.8, 0.9, 0.6])
    0.1
    """
    shares, values = np.asarray(dropped, dtype=float), np.asarray(correlations, dtype=float)
    if np.isnan(values).all():
        return np.nan
    above = values >= CORRELATION
    enough = [s for s in np.unique(shares) if above[shares == s].mean() >= CONFIDENCE]
    return float(max(enough, default=0.0))


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
        Asked before every few samples; if it says True, no other is begun. For limits of time.

    Returns
    -------
    Stability

    Raises
    ------
    InputError
        If there are too few rows or units, or the checkpoint belongs to another run.

    See Also
    --------
    spinney.graph.learn_halves : Random halves of the rows.

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
    seed = _whole(random_state, "random_state", 0)
    if not isinstance(graph, LearnedGraph):
        graph = learn(graph, n_jobs=n_jobs)
    if not isinstance(graph.learner, Learner):
        raise InputError(
            f"Stability is that of a graph by spinney.learn, and this one is by {graph.estimator}. "
            "Use spinney.StabilitySelection."
        )
    table, learner = graph.learner.table_, graph.learner
    if n_samples is None:
        n_samples = default_samples(len(table), len(table.columns))
    n_samples = _whole(n_samples, "n_samples", LEAST_SAMPLES)
    n_cases = len(table) if table.units is None else len(np.unique(table.units))
    what = "rows" if table.units is None else "units"
    if n_cases < 2 * FEWEST_ROWS:
        raise InputError(
            f"Stability needs {2 * FEWEST_ROWS} {what} or more to draw from; there are {n_cases}."
        )
    plain = replace(learner)  # without the fitted attributes, which are large
    shares = read_scores(table).row_shares if table.units is None else None
    found = run_draws(
        _learn_draws,
        [Draw(kind, k) for k in range(n_samples) for kind in (BOOTSTRAP, SUBSET)],
        {"graph": fingerprint(table, learner), "random_state": seed},
        shared=(plain, table, seed, shares),
        checkpoint=checkpoint,
        n_jobs=n_jobs,
        progress=bool(progress),
        label="bootstrap samples and subsets",
        stop=stop,
    )
    parts = {kind: [r for r in found if r["kind"] == kind] for kind in (BOOTSTRAP, SUBSET)}
    return Stability(graph, n_samples, parts[BOOTSTRAP], parts[SUBSET])


def _learn_draws(
    draws: list[Draw], learner: Learner, table: Table, seed: int, shares: Floats | None
) -> list[dict[str, Any]]:
    """Learn from some draws, each as plain JSON."""
    d, codes = len(table.names), np.arange(len(table))
    learner = replace(learner, judge=find_judge(learner.judge))  # read once
    if table.units is not None:
        codes = np.unique(table.units, return_inverse=True)[1]
    found = []
    for draw in draws:
        told: dict[str, Any] = draw._asdict()
        try:
            if draw.kind == BOOTSTRAP:
                pairs, strengths = _bootstrapped(draw.rng(seed), learner, table, codes, shares)
            else:
                told["dropped"] = _dropped(draw.number, int(codes.max()) + 1)
                rows = _subset(draw.rng(seed), codes, told["dropped"])
                pairs, strengths = learn_rows(learner, table, rows)
        except Exception as error:
            raise failed(f"The {draw.kind} {draw.number + 1}", error) from error
        numbers = pairs.astype(np.int64)
        central = _centralities(numbers, strengths, d)
        told |= {"pairs": numbers.tolist(), "strengths": strengths.tolist()}
        told["centralities"] = {name: values.tolist() for name, values in central.items()}
        found.append(told)
    return found


def _bootstrapped(
    rng: np.random.Generator,
    learner: Learner,
    table: Table,
    codes: NDArray[Any],
    shares: Floats | None,
) -> Floats:
    """Learn from units drawn with replacement; one that comes twice is two units."""
    n_cases = int(codes.max()) + 1
    rows, places = rows_of(rng.integers(n_cases, size=n_cases), codes)
    drawn = table.take(rows)
    units = None if table.units is None else places
    return learn_rows(learner, replace(drawn, units=units), np.arange(len(rows)), shares)


def _subset(rng: np.random.Generator, codes: NDArray[Any], dropped: float) -> NDArray[np.intp]:
    """Draw units without replacement, rows in their order."""
    n_cases = int(codes.max()) + 1
    kept = rng.permutation(n_cases)[: round((1.0 - dropped) * n_cases)]
    return np.flatnonzero(np.isin(codes, kept))


def _dropped(number: int, n_cases: int) -> float:
    """Return the share of cases that a subset lacks; ten cases are always left."""
    shares = DROPPED[(1.0 - DROPPED) * n_cases >= FEWEST_ROWS]
    return float(shares[number % len(shares)])


def _centralities(pairs: NDArray[Any], strengths: Floats, d: int) -> dict[str, Floats]:
    graph = nx.empty_graph(d)
    for u, v, value in zip(*pair_ends(pairs, d), strengths.tolist(), strict=True):
        graph.add_edge(int(u), int(v), strength=value)
    return {name: measure(graph) for name, measure in CENTRALITIES.items()}


def _correlation(first: Floats, second: Floats) -> float:
    """Return Pearson's correlation: NaN where the first is constant, 0 where the second is."""
    if np.ptp(first) == 0.0:
        return np.nan
    a, b = first - first.mean(), second - second.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0.0 else 0.0


def _differences(labels: Sequence[str], values: Floats, drawn: Floats) -> pd.DataFrame:
    """Compare each two: the difference, and between what 95 % of the samples have it."""
    i, j = np.triu_indices(len(labels), 1)
    names = np.array(labels, dtype=object)
    ends = np.full((2, len(i)), np.nan)
    for k in range(len(labels) - 1 if len(drawn) else 0):
        ends[:, i == k] = np.quantile(drawn[:, [k]] - drawn[:, k + 1 :], ENDS, axis=0)
    return pd.DataFrame(
        {
            "first": names[i],
            "second": names[j],
            "difference": values[i] - values[j],
            "low": ends[0],
            "high": ends[1],
            "differs": (ends[0] > 0.0) | (ends[1] < 0.0),
        }
    )


def _named(pairs: pd.DataFrame) -> str:
    told = [
        f"{row['source']} – {row['target']} ({100 * row['frequency']:.0f} %)"
        for row in pairs.to_dict("records")
    ]
    return listed(told, most=MOST_LISTED)


def _word(name: Any) -> str:
    return str(name).replace("_", " ")


def _whole(value: Any, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name} must be a whole number from {least} on, not {value!r}.")
    return int(value)
