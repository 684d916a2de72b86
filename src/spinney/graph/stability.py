"""How stable a graph is: what bootstrap samples and subsets of its rows show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, pair_ends, pair_nodes, to_matrix, to_pairs
from spinney._core.text import counted, listed
from spinney.graph.columns import CENTRALITIES, bridges, centralities
from spinney.graph.graph import LearnedGraph
from spinney.graph.words import as_text
from spinney.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Records = Sequence[dict[str, Any]]

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
ENDS = (0.025, 0.975)
"""Quantiles between which 95 % of the samples lie."""


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """What :func:`spinney.learn_stability` finds: a graph learned again from rows of its table.

    Attributes
    ----------
    graph : LearnedGraph
        The graph of all rows.
    samples : sequence of dict
        The finished bootstrap samples: ``pairs`` (numbers of the edges), ``strengths``, and
        ``centralities`` by name.
    n_samples : int
        Bootstrap samples, and subsets, that were asked for.
    subsets : sequence of dict
        As `samples`, with ``dropped``, the share of cases that they lack.

    frequencies : array of shape (d, d)
        Share of the samples that have the pair as an edge: how stable it is, not how probable. NaN
        for unknown pairs, and everywhere if no sample was finished.
    pairs : pandas.DataFrame
        Every pair, the most frequent first: ``source``, ``target``, ``frequency``,
        ``probability``, ``edge``, ``strength`` (0 where the graph has no edge), and between
        ``strength_low`` and ``strength_high`` those of 95 % of the samples, 0 in samples without
        the edge.
    centralities : pandas.DataFrame
        Where 95 % of the samples lie, one row per column of the table: ``degree_low``,
        ``degree_high``, ``strength_low``, and so on.
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
    """

    graph: LearnedGraph
    samples: Records
    _: KW_ONLY
    n_samples: int
    subsets: Records

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.graph.names

    @property
    def n_fits(self) -> int:
        """Number of finished samples."""
        return len(self.samples)

    @cached_property
    def _strengths(self) -> tuple[Ints, Floats]:
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
        """Share of the samples that have the pair as an edge, shape (d, d)."""
        votes = np.zeros(n_pairs(len(self.names)))
        for sample in self.samples:
            votes[sample["pairs"]] += 1.0
        found = to_matrix(votes / self.n_fits if self.n_fits else np.full_like(votes, np.nan))
        found[np.isnan(self.graph.scores)] = np.nan
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
                "probability": to_pairs(self.graph.scores),
                "edge": to_pairs(self.graph.joined) > 0.0,
                "strength": to_pairs(np.nan_to_num(self.graph.known_strengths)),
                "strength_low": ends[0],
                "strength_high": ends[1],
            }
        )
        order = ["frequency", "probability"]
        return table.sort_values(order, ascending=False, kind="stable", ignore_index=True)

    def _drawn(self, name: str) -> Floats:
        """One centrality in all samples, shape (n_fits, d)."""
        found = [sample["centralities"][name] for sample in self.samples]
        return np.array(found, dtype=float).reshape(len(found), len(self.names))

    @cached_property
    def centralities(self) -> pd.DataFrame:
        """Where 95 % of the samples lie; see the class."""
        names = self.samples[0]["centralities"] if self.n_fits else ()
        return self._intervals({name: self._drawn(name) for name in names})

    def bridges(self, groups: Sequence[str]) -> pd.DataFrame:
        """Where 95 % of the samples lie, by :func:`spinney.graph.columns.bridges`.

        `groups` has the group of each column.
        """
        d, nominal = len(self.names), self.graph.nominal
        found = [
            bridges(*edges_and_strengths(sample["pairs"], sample["strengths"], d), nominal, groups)
            for sample in self.samples
        ]
        names = found[0] if found else ()
        return self._intervals({name: np.array([each[name] for each in found]) for name in names})

    def _intervals(self, drawn: dict[str, Floats]) -> pd.DataFrame:
        ends = {}
        for name, values in drawn.items():
            ends[f"{name}_low"], ends[f"{name}_high"] = np.quantile(values, ENDS, axis=0)
        return pd.DataFrame(ends, index=range(len(self.names)))

    @property
    def is_complete(self) -> bool:
        """Whether all samples and subsets were finished."""
        return min(len(self.samples), len(self.subsets)) == self.n_samples

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

    @cached_property
    def original(self) -> dict[str, Floats]:
        """Each centrality in the graph of all rows, shape (d,)."""
        graph = self.graph
        found = centralities(graph.joined, np.nan_to_num(graph.known_strengths), graph.nominal)
        return {name: found[name] for name in CENTRALITIES}

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

    def plot(
        self,
        what: str = "case_dropping",
        ax: Axes | None = None,
        *,
        centrality: str = "strength",
    ) -> Axes:
        """Draw the stability.

        Parameters
        ----------
        what : {"case_dropping", "edges", "edge_differences", "centrality_differences"}
            Correlations by the share of cases dropped, intervals of strengths, or which of each
            two edges or columns differ.
        ax : matplotlib axes, optional
            Where; by default on new axes of the right size.
        centrality : str
            Which, for ``"centrality_differences"``.
        """
        from spinney.graph.plots.strengths import plot_stability

        return plot_stability(self, what, ax, centrality)

    def summary(self) -> str:
        """Say in plain words what is stable."""
        return as_text(self.sentences(), self.cautions())

    def sentences(self) -> list[str]:
        """Say in four sentences which edges, strengths and centralities are stable."""
        if not self.n_fits:
            return ["Time ran out before the first fit, so there is no result."]
        edges = self.pairs[self.pairs["edge"]]
        firm, shaky = (edges["frequency"] >= FIRM).sum(), (edges["frequency"] < SHAKY).sum()
        least = edges[edges["frequency"] < FIRM].iloc[::-1]
        others = self.pairs[~self.pairs["edge"] & (self.pairs["frequency"] > SHAKY)]
        named = f"Least stable: {_named(least)}." if len(least) else "All edges are stable."
        if len(others):
            named += f" Not an edge, but found in most bootstrap samples: {_named(others)}."
        samples, subsets = counted(self.n_fits, "bootstrap sample"), len(self.subsets)
        asked = "" if self.is_complete else f" ({self.n_samples:,} of each were requested)"
        told = [
            f"Stability from {samples} and {counted(subsets, 'subset')}{asked}: {firm} of "
            f"{counted(len(edges), 'edge')} found in at least {100 * FIRM:.0f} % of the bootstrap "
            f"samples, {shaky} in fewer than half.",
            named,
        ]
        if subsets:
            words = [f"{_word(name)} {value:.2f}" for name, value in self.cs.dropna().items()]
            told.append(
                f"CS coefficients (stable from {STABLE} on; not to be interpreted below {POOR}): "
                f"{', '.join(words) or 'none, because there is nothing to compare'}."
            )
        pairs, nodes = self.edge_differences, self.centrality_differences
        nodes = nodes[nodes["centrality"] == "strength"]
        told.append(
            "Differences (95 % bootstrap intervals without 0, not corrected for multiple tests): "
            f"{pairs['differs'].sum()} of {counted(len(pairs), 'pair')} of edges in strength, "
            f"{nodes['differs'].sum()} of {counted(len(nodes), 'pair')} of columns in summed "
            "strength."
        )
        return told

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


def edges_and_strengths(
    pairs: ArrayLike, strengths: ArrayLike, d: int
) -> tuple[NDArray[np.bool_], Floats]:
    """Return the edges of a sample and their strengths, shape (d, d) each."""
    numbers = np.asarray(pairs, dtype=np.int64)
    joined, sizes = np.zeros(n_pairs(d)), np.zeros(n_pairs(d))
    joined[numbers], sizes[numbers] = 1.0, strengths
    return to_matrix(joined) > 0.0, to_matrix(sizes)


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


def cases_of(table: Table) -> tuple[int, str]:
    """Count what is drawn, and name it: rows (whole, also where weights repeat them), or units."""
    if table.units is None or table.weighted:
        return len(table.once), "rows"
    return len(np.unique(table.units)), "units"
