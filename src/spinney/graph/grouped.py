"""Graphs of several groups, and the pairs of columns in which they differ."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney._core.pairs import PairIndex, pair_nodes, to_matrix, to_pairs
from spinney._core.text import counted, probability_text, shorten_end, signed
from spinney.exceptions import InputError
from spinney.graph.differences import Coupling, compare_strengths, couple, strengths_of_pairs
from spinney.graph.graph import LearnedGraph
from spinney.graph.network_test import NetworkTest
from spinney.graph.plots.comparison import difference_graph, plot_edge_classes, two_graph_looks
from spinney.graph.words import as_text, rows_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LARGE_Z = 3.0
"""Standard errors beyond which strengths are different."""
LIKELY = 0.5
MOST_LISTED = 8
MOST_COMPARED = 10
"""Most comparisons of two groups listed."""
LONGEST_NAME = 60
"""Longest name; longer ones are cut."""
UNEQUAL = 2.0
"""Ratio of group sizes that calls for a caution."""
FEWER_ROWS = (
    "Fewer rows show fewer edges, so an edge that only a larger group has may be one that the "
    "smaller one is too small to show. The probabilities take this into account in part; to "
    "compare groups of equal size, learn with"
)
SEVERAL = (
    "Each pair of groups is compared separately; the largest of several probabilities is too large "
    "to be read as that of one comparison."
)
DIFFERENCE_IS = (
    "A difference here is an edge that one group has and the other lacks, or an edge of both "
    "whose strengths are three standard errors apart. Groups may still differ in means and "
    "variances, and a difference may be too small to show in this many rows. To see what chance "
    "alone can produce, split one group at random and compare the halves."
)


class TwoGroups(NamedTuple):
    """Comparison of two groups, for every pair of columns.

    Attributes
    ----------
    differs : array of shape (n_pairs,)
        Probability that just one of them has the edge; NaN where one is unknown, 0 where both are
        required or both forbidden.
    coupling : Coupling
        The joint probabilities, and the shares of pairs in all states.
    strength_difference, strength_z : arrays of shape (n_pairs,)
        Of edges in both graphs, strength in the second less that in the first, and the difference
        of their artanh over its standard error; see
        :func:`spinney.graph.differences.compare_strengths`. Both are given the neighbours in
        either graph.
    """

    differs: Floats
    coupling: Coupling
    strength_difference: Floats
    strength_z: Floats

    @property
    def n_expected(self) -> float:
        """Expected number of pairs in which the groups differ."""
        return float(np.nansum(self.differs))

    @property
    def unequal(self) -> Bools:
        """Edges of both graphs whose strengths are clearly different, shape (n_pairs,)."""
        return np.abs(np.nan_to_num(self.strength_z)) > LARGE_Z


@dataclass(frozen=True, eq=False, repr=False)
class GroupedGraphs:
    """What :func:`spinney.learn_groups` finds: a graph per group, and their differences.

    Attributes
    ----------
    by : str
        The group column.
    columns : tuple of str
        All columns that a graph has, in the order of the table.
    graphs : dict of LearnedGraph
        By name of the group.
    couplings : dict of TwoGroups
        By the names of two groups, in order.
    warnings : tuple of str
        Warnings raised while learning.
    tests : dict of NetworkTest
        Whether each two networks differ as wholes, if `permutations` asked for it.

    names : tuple of str
        The groups, in order.
    sizes : tuple of int
        Rows of each.
    differences : pandas.DataFrame
        Every pair of columns, those most probably different first: ``source``, ``target``; for
        each group ``probability_<name>`` and ``strength_<name>`` (missing where the group's graph
        has no such edge); for each two groups ``differs_<a>_<b>``, the probability that just one
        of them has the edge; ``differs``, the largest of these; and for edges in both graphs
        ``strength_difference`` (b less a, given the neighbours in either graph) and
        ``strength_z`` (over its standard error), with ``_<a>_<b>`` behind if there are more than
        two groups.
    expected_differences : float
        Expected number of pairs of columns in which groups differ, summed over all pairs of groups.
    """

    by: str
    columns: tuple[str, ...]
    graphs: dict[str, LearnedGraph]
    couplings: dict[tuple[str, str], TwoGroups]
    warnings: tuple[str, ...] = ()
    tests: dict[tuple[str, str], NetworkTest] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups, in order."""
        return tuple(self.graphs)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each group."""
        return tuple(len(graph.learner.table_.once) for graph in self.graphs.values())

    @property
    def expected_differences(self) -> float:
        """Expected number of pairs in which groups differ, summed over all pairs of groups."""
        return sum(found.n_expected for found in self.couplings.values())

    @property
    def probabilities(self) -> dict[str, Floats]:
        """Probability of every pair of columns in each group, shape (n_pairs,); NaN if unknown."""
        return {
            name: _on_all(self.columns, graph, graph.scores) for name, graph in self.graphs.items()
        }

    @property
    def strengths(self) -> dict[str, Floats]:
        """Strength of the edges of each group, shape (n_pairs,); NaN of all other pairs."""
        return {
            name: _on_all(self.columns, graph, graph.known_strengths)
            for name, graph in self.graphs.items()
        }

    @property
    def differs(self) -> Floats:
        """Largest probability of each pair of columns that two groups differ, shape (n_pairs,)."""
        # NaN only where no two groups are known.
        return np.fmax.reduce([two.differs for two in self.couplings.values()])

    @property
    def differences(self) -> pd.DataFrame:
        """Every pair of columns, those most probably different first; see the class.

        Pairs of a wide table that are listed for no group are left out.
        """
        columns = np.array(self.columns, dtype=object)
        first, second = pair_nodes(len(columns))
        table: dict[str, Any] = {"source": columns[first], "target": columns[second]}
        for name, values in self.probabilities.items():
            table[f"probability_{name}"] = values
        for name, values in self.strengths.items():
            table[f"strength_{name}"] = values
        for (a, b), found in self.couplings.items():
            table[_free(f"differs_{a}_{b}", table)] = found.differs
        table["differs"] = self.differs
        for (a, b), found in self.couplings.items():
            ending = "" if len(self.couplings) == 1 else f"_{a}_{b}"
            table[_free(f"strength_difference{ending}", table)] = found.strength_difference
            table[_free(f"strength_z{ending}", table)] = found.strength_z
        frame = pd.DataFrame(table)
        if any(graph.judged.numbers is not None for graph in self.graphs.values()):
            # Only pairs that were not judged have probability 0.
            judged = [values != 0.0 for values in self.probabilities.values()]
            frame = frame[np.any(judged, axis=0)]
        return frame.sort_values("differs", ascending=False, kind="stable", ignore_index=True)

    @property
    def drawn(self) -> dict[tuple[str, str], nx.Graph]:
        """Each pair of groups as it is drawn; see :func:`plots.comparison.difference_graph`."""
        return {(a, b): self._drawn(a, b) for a, b in self.couplings}

    def _drawn(self, a: str, b: str) -> nx.Graph:
        in_order = (a, b) in self.couplings
        two = self.couplings[(a, b) if in_order else (b, a)]
        edges = _edges(self.columns, self.graphs[a]), _edges(self.columns, self.graphs[b])
        only = two.coupling.posterior[:, 1:3]
        in_first = only[:, 0] > only[:, 1] if in_order else only[:, 1] > only[:, 0]
        return difference_graph(self.columns, edges, two.differs, in_first, two.unequal)

    def plot(
        self, first: str | None = None, second: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the differences between two groups; by default the first two.

        Lines are wide where a difference is probable, and grey where both have the edge.

        Parameters
        ----------
        first, second : str, optional
            The groups.
        ax : matplotlib axes, optional
            Where; by default on new axes of the right size.
        """
        known = next(iter(self.couplings))
        a, b = known[0] if first is None else first, known[1] if second is None else second
        for name in (a, b):
            check_choice(name, self.names, "group")
        if a == b:
            raise InputError(f"A group does not differ from itself: {a!r}.")
        graph = self._drawn(a, b)
        return plot_edge_classes(graph, two_graph_looks(a, b), ax, title=f"{a} and {b}")

    def summary(self) -> str:
        """Say in plain words how the groups differ, and what to be careful about."""
        return as_text(self.sentences(), self.cautions())

    def sentences(self) -> list[str]:
        """Describe the groups, and each two of them."""
        sizes = ", ".join(
            f"{_short(name)} ({rows_in_words(size, graph.learner.table_.drawn)}, "
            f"{counted(graph.n_edges, 'edge')})"
            for (name, graph), size in zip(self.graphs.items(), self.sizes, strict=True)
        )
        told = [f"{len(self.names)} groups by {_short(self.by)}: {sizes}."]
        ranked = sorted(self.couplings, key=lambda two: -self.couplings[two].n_expected)
        for two in [two for two in self.couplings if two in ranked[:MOST_COMPARED]]:
            told += [_of_two(self, *two), _of_strengths(self, *two)]
            if two in self.tests:
                told.append(self.tests[two].sentence())
        if len(ranked) > MOST_COMPARED:
            told.append(
                f"Of {len(ranked)} comparisons, these {MOST_COMPARED} have the most differences."
            )
        return [sentence for sentence in told if sentence]

    def cautions(self) -> list[str]:
        """List what to be careful about, in a sentence or two each."""
        notes = list(self.warnings)
        smallest, largest = min(self.sizes), max(self.sizes)
        if largest > UNEQUAL * smallest:
            sizes = f"The groups have from {smallest:,} to {largest:,} rows."
            notes.append(f"{sizes} {FEWER_ROWS} rows={smallest}.")
        if len(self.names) > 2:
            notes.append(SEVERAL)
        return [*notes, DIFFERENCE_IS]

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n} {m}" for n, m in zip(self.names, self.sizes, strict=True))
        return (
            f"<GroupedGraphs: {len(self.graphs)} groups by {self.by!r} ({sizes} rows), "
            f"{len(self.columns)} columns; expected {self.expected_differences:.1f} differences>"
        )


def compare_groups(columns: tuple[str, ...], a: LearnedGraph, b: LearnedGraph) -> TwoGroups:
    """Compare the graphs of two groups on all `columns`; either may lack some of them.

    Pairs required or forbidden in both cannot differ, and do not enter the coupling.
    """
    judged = [_on_all(columns, graph, graph.scores) for graph in (a, b)]
    constrained = np.logical_and(*(_user_constrained(columns, graph) for graph in (a, b)))
    coupling = couple(*(np.where(constrained, np.nan, values) for values in judged))
    known = constrained & ~np.isnan(judged[0]) & ~np.isnan(judged[1])
    differs = np.where(known, 0.0, coupling.differs)
    either = to_matrix(_edges(columns, a) | _edges(columns, b)) > 0.0
    measured = [
        strengths_of_pairs(graph.learner.table_, either, _places(columns, graph))
        for graph in (a, b)
    ]
    values, errors = zip(*measured, strict=True)
    shared = _edges(columns, a) & _edges(columns, b)
    difference, z = (np.where(shared, x, np.nan) for x in compare_strengths(values, errors))
    return TwoGroups(differs, coupling, difference, z)


def _places(columns: tuple[str, ...], graph: LearnedGraph) -> NDArray[np.intp]:
    """Return where the columns of a graph are among all columns."""
    place = {name: k for k, name in enumerate(columns)}
    return np.array([place[name] for name in graph.names])


def _on_all(columns: tuple[str, ...], graph: LearnedGraph, matrix: NDArray[Any]) -> Floats:
    """Spread a graph's values over the pairs of all columns; NaN where it has none."""
    places = _places(columns, graph)
    whole = np.full((len(columns), len(columns)), np.nan)
    whole[np.ix_(places, places)] = matrix
    return to_pairs(whole)


def _edges(columns: tuple[str, ...], graph: LearnedGraph) -> Bools:
    """Edges of a graph among all pairs of columns, shape (n_pairs,)."""
    return _on_all(columns, graph, graph.joined) > 0.0


def _user_constrained(columns: tuple[str, ...], graph: LearnedGraph) -> Bools:
    d, learner = len(graph.names), graph.learner
    constrained = np.union1d(learner._required, learner._forbidden).astype(np.int64)
    matrix = PairIndex(d, constrained).matrix(np.ones(len(constrained)))
    return _on_all(columns, graph, matrix) > 0.0


def _free(name: str, taken: Container[str]) -> str:
    """Make a column name unique: groups may be called "a_b" or "z"."""
    while name in taken:
        name += "_"
    return name


# Words


def _of_two(grouped: GroupedGraphs, first: str, second: str) -> str:
    differs = grouped.couplings[first, second].differs
    known = ~np.isnan(differs)
    total, likely = int(known.sum()), int((differs[known] > LIKELY).sum())
    n_expected = float(differs[known].sum())
    text = (
        f"{_short(first)} and {_short(second)}: of {counted(total, 'pair')}, {likely or 'none'} "
        f"{'are edges' if likely > 1 else 'is an edge'} in only one of the two with a probability "
        f"above 1/2; the expected number of differences is {n_expected:.1f}."
    )
    if (~known).any():
        text += f" For {counted(int((~known).sum()), 'pair')} there is too little data."
    order = [k for k in np.argsort(-np.nan_to_num(differs, nan=-1.0), kind="stable") if known[k]]
    shown = [int(k) for k in order[: min(likely, MOST_LISTED)]]
    if shown:
        more = likely - len(shown)
        tail = f"; and {more} more" if more else ""
        text += f" {'; '.join(_pair(grouped, first, second, k) for k in shown)}{tail}."
    return text


def _pair(grouped: GroupedGraphs, first: str, second: str, pair: int) -> str:
    posterior = grouped.couplings[first, second].coupling.posterior[pair]
    owner = first if posterior[1] > posterior[2] else second
    probability = probability_text(grouped.couplings[first, second].differs[pair])
    return f"{_names(grouped, pair)} only in {_short(owner)} ({probability})"


def _of_strengths(grouped: GroupedGraphs, first: str, second: str) -> str:
    """Describe edges that both groups have, but with different strengths."""
    found = grouped.couplings[first, second]
    size = np.where(found.unequal, np.abs(found.strength_z), 0.0)
    chosen = [int(k) for k in np.argsort(-size, kind="stable") if size[k]]
    if not chosen:
        return ""
    a, b = grouped.strengths[first], grouped.strengths[second]
    told = [
        f"{_names(grouped, k)} ({signed(a[k])} in {_short(first)}, {signed(b[k])} in "
        f"{_short(second)}, {f'{found.strength_z[k]:+.1f}'.replace('-', '−')} standard errors)"
        for k in chosen[:MOST_LISTED]
    ]
    more = len(chosen) - len(told)
    return (
        f"{counted(len(chosen), 'edge')} of both {_short(first)} and {_short(second)} "
        f"{'differs' if len(chosen) == 1 else 'differ'} in strength: {'; '.join(told)}"
        f"{f'; and {more} more' if more else ''}."
    )


def _names(grouped: GroupedGraphs, pair: int) -> str:
    u, v = (grouped.columns[int(nodes[pair])] for nodes in pair_nodes(len(grouped.columns)))
    return f"{_short(u)} – {_short(v)}"


def _short(name: str) -> str:
    return shorten_end(name, LONGEST_NAME)
