"""Comparison of graphs: shared edges, edges of some graphs only, and opposite signs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import counted, listed
from spinney.exceptions import InputError
from spinney.graph.plots.comparison import (
    GAINED,
    LOST,
    OTHER_SIGN,
    SHARED,
    EdgeLook,
    draw_comparison_page,
    two_graph_looks,
)
from spinney.graph.report.graph_files import EdgeList, EdgeNumbers, Pair

__all__ = ["GraphComparison", "compare_graphs"]

SOME = "in some"
"""State of an edge that some, but not all, of more than two graphs have."""


@dataclass(frozen=True, eq=False)
class GraphComparison:
    """Comparison of several graphs, on the columns that all of them have.

    Attributes
    ----------
    graphs : tuple of EdgeList
        The graphs, with unique labels.
    names : tuple of str
        Columns that all of them have.
    left_out : dict of str to tuple of str
        By label, columns that some graphs lack; they are not compared.
    table : pandas.DataFrame
        One row per edge of any graph, differences first: ``source``, ``target``, ``state``
        (``"shared"``, ``"gained"``: only in the second, ``"lost"``: only in the first,
        ``"other sign"``; of more than two graphs ``"in some"``), ``graphs``, their number,
        and for each graph ``edge_…``, its number (``probability_…``), ``strength_…`` and
        ``sign_…``.
    jaccard : array of shape (k, k)
        Shared edges of two graphs over all edges of either; 1 where neither has any.
    """

    graphs: tuple[EdgeList, ...]
    names: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]

    @cached_property
    def edge_sets(self) -> dict[str, set[Pair]]:
        """Edges between compared columns, by the graphs' labels."""
        known = set(self.names)
        return {
            graph.label: {pair for pair in graph.edges if known.issuperset(pair)}
            for graph in self.graphs
        }

    @cached_property
    def jaccard(self) -> NDArray[np.float64]:
        """Shared edges of two graphs over all edges of either, shape (k, k)."""
        sets = list(self.edge_sets.values())
        return np.array([[len(a & b) / len(a | b) if a | b else 1.0 for b in sets] for a in sets])

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per edge of any graph; see the class."""
        place = {name: k for k, name in enumerate(self.names)}
        pairs = set().union(*self.edge_sets.values())
        rows = [self._row(*sorted(pair, key=place.__getitem__)) for pair in pairs]
        order = {GAINED: 0, LOST: 1, OTHER_SIGN: 2, SOME: 3, SHARED: 4}
        rows.sort(
            key=lambda row: (
                order[row["state"]],
                -row["graphs"],
                -_best(row),
                place[row["source"]],
                place[row["target"]],
            )
        )
        own = [name for graph in self.graphs for name in _columns_of(graph)]
        return pd.DataFrame(rows, columns=["source", "target", "state", "graphs", *own])

    def count(self, state: str) -> int:
        """Count the edges of a state."""
        return int((self.table["state"] == state).sum())

    @property
    def union(self) -> nx.Graph:
        """All edges of all graphs on the compared columns, with their ``state`` and ``share``."""
        graph = nx.Graph()
        graph.add_nodes_from(self.names)
        many = len(self.graphs) > 2
        for row in self.table.to_dict("records"):
            state = f"{row['graphs']}" if many else row["state"]
            graph.add_edge(row["source"], row["target"], state=state, share=self._share(row))
        return graph

    def sentences(self, numbered: bool = False) -> list[str]:
        """Say in plain words what the graphs share and where they differ.

        `numbered` numbers more than two graphs, so that headings can refer to them.
        """
        return list(self._tell(numbered))

    def draw(self, title: str | None = None) -> Any:
        """Draw all edges in one layout, on a new page."""
        labels = [graph.label for graph in self.graphs]
        looks = two_graph_looks(*labels) if len(labels) == 2 else _looks_by_count(len(labels))
        return draw_comparison_page(self.union, looks, title=title)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and text, for JSON."""
        graphs = [
            {
                "label": graph.label,
                "columns": len(graph.names),
                "edges": len(self.edge_sets[graph.label]),
                "score": graph.score or None,
            }
            for graph in self.graphs
        ]
        edges = [
            {
                **{key: row[key] for key in ("source", "target", "state", "graphs")},
                "by_graph": {graph.label: _side(row, graph) for graph in self.graphs},
            }
            for row in self.table.to_dict("records")
        ]
        states = self.table["state"].value_counts()
        return {
            "graphs": graphs,
            "columns": list(self.names),
            "left_out": {label: list(names) for label, names in self.left_out.items()},
            "counts": {str(state): int(count) for state, count in states.items()},
            "jaccard": self.jaccard.tolist(),
            "edges": edges,
        }

    def _row(self, source: str, target: str) -> dict[str, Any]:
        pair = (source, target) if source <= target else (target, source)
        inside = [pair in graph.edges for graph in self.graphs]
        signs = {graph.edges[pair].sign for graph in self.graphs if pair in graph.edges}
        if len(inside) > 2:
            state = SHARED if all(inside) else SOME
        elif all(inside):
            state = OTHER_SIGN if {1, -1} <= signs else SHARED
        else:
            state = LOST if inside[0] else GAINED
        row: dict[str, Any] = {"source": source, "target": target, "state": state}
        row["graphs"] = sum(inside)
        for graph in self.graphs:
            other = EdgeNumbers(score=graph.others.get(pair, math.nan))
            numbers = graph.edges.get(pair, other)
            values = (pair in graph.edges, numbers.score, numbers.strength, numbers.sign)
            row |= zip(_columns_of(graph), values, strict=True)
        return row

    def _share(self, row: dict[Any, Any]) -> float:
        """Width of the line of an edge: its score, if that is a share."""
        if any(graph.score in ("weight", "") for graph in self.graphs):
            return 0.45
        sides = [[row[key] for key in _columns_of(graph)[:2]] for graph in self.graphs]
        known = [score for edge, score in sides if edge and math.isfinite(score)]
        return max(known, default=0.45)

    def _tell(self, numbered: bool) -> Iterator[str]:
        sets = self.edge_sets
        labels = list(sets)
        sizes = ", ".join(f"{label}: {counted(len(sets[label]), 'edge')}" for label in labels)
        yield f"{sizes} among {counted(len(self.names), 'column')}."
        for label, names in self.left_out.items():
            yield (
                f"Not compared, because not all graphs have them: {counted(len(names), 'column')} "
                f"of {label} ({listed(names)})."
            )
        if len(labels) == 2:
            yield from self._tell_two(*labels)
        else:
            yield from self._tell_many(labels, numbered)
        for graph in self.graphs:
            if not graph.whole:
                yield (
                    f"{graph.label} names only columns that have an edge. The other columns of the "
                    "table are taken to have none."
                )

    def _tell_two(self, first: str, second: str) -> Iterator[str]:
        opposite = self.count(OTHER_SIGN)
        both = self.count(SHARED) + opposite
        yield (
            f"{counted(both, 'edge')} in both, {self.count(GAINED)} only in {second} (gained), "
            f"{self.count(LOST)} only in {first} (lost): Jaccard index {self.jaccard[0, 1]:.2f}."
        )
        if opposite:
            rows = self.table[self.table["state"] == OTHER_SIGN]
            pairs = [f"{u} – {v}" for u, v in rows[["source", "target"]].to_numpy()]
            yield f"Opposite signs in {counted(opposite, 'shared edge')}: {listed(pairs)}."

    def _tell_many(self, labels: list[str], numbered: bool) -> Iterator[str]:
        everywhere = self.count(SHARED)
        yield f"{counted(everywhere, 'edge')} in all {len(labels)}, {self.count(SOME)} in some."
        for k, label in enumerate(labels):
            others = set().union(*(self.edge_sets[name] for name in labels if name != label))
            alone = len(self.edge_sets[label] - others)
            nearest = max(
                (j for j in range(len(labels)) if j != k), key=lambda j: self.jaccard[k, j]
            )
            number = f"({k + 1}) " if numbered else ""
            yield (
                f"{number}{label}: {counted(alone, 'edge')} of its own; most like "
                f"{labels[nearest]} (Jaccard index {self.jaccard[k, nearest]:.2f})."
            )


def compare_graphs(graphs: Sequence[EdgeList]) -> GraphComparison:
    """Compare two or more graphs on the columns that all of them have.

    Parameters
    ----------
    graphs : sequence of EdgeList
        At least two. The first of two counts as the earlier one: edges only in the second are
        gained. Equal labels are numbered.

    Returns
    -------
    GraphComparison

    Raises
    ------
    InputError
        If there are fewer than two, or if they have fewer than two columns in common.

    Examples
    --------
    >>> before = EdgeList("before", ("a", "b", "c"), edges={("a", "b"): EdgeNumbers()})
    >>> after = EdgeList("after", ("a", "b", "c", "d"), edges={("b", "c"): EdgeNumbers()})
    >>> found = compare_graphs([before, after])
    >>> found.table[["source", "target", "state"]]
      source target   state
    0      b      c  gained
    1      a      b    lost
    >>> found.left_out
    {'after': ('d',)}
    """
    if len(graphs) < 2:
        raise InputError("Comparing needs two graphs or more.")
    graphs = _told_apart(graphs)
    whole = [graph for graph in graphs if graph.whole] or list(graphs)
    everything = list(dict.fromkeys(name for graph in graphs for name in graph.names))
    by_whole = set().union(*(graph.names for graph in whole))
    known = [set(graph.names) if graph.whole else set(graph.names) | by_whole for graph in graphs]
    common = set.intersection(*known)
    names = tuple(name for name in everything if name in common)
    if len(names) < 2:
        raise InputError(
            f"{graphs[0].label} and {graphs[-1].label} have {counted(len(names), 'column')} in "
            "common, so there is nothing to compare. Are these graphs of the same table?"
        )
    left_out = {
        graph.label: tuple(name for name in graph.names if name not in common) for graph in graphs
    }
    return GraphComparison(tuple(graphs), names, {k: v for k, v in left_out.items() if v})


def _columns_of(graph: EdgeList) -> list[str]:
    """Name the columns of a graph in the table."""
    keys = ("edge", graph.score or "score", "strength", "sign")
    return [f"{key}_{graph.label}" for key in keys]


def _told_apart(graphs: Sequence[EdgeList]) -> list[EdgeList]:
    """Make labels unique by numbering equal ones."""
    labels = [graph.label for graph in graphs]
    numbered = [
        f"{label} ({labels[: k + 1].count(label)})" if labels.count(label) > 1 else label
        for k, label in enumerate(labels)
    ]
    return [replace(graph, label=label) for graph, label in zip(graphs, numbered, strict=True)]


def _looks_by_count(n_graphs: int) -> dict[str, EdgeLook]:
    """Choose how edges look by the number of graphs with them: the more, the darker."""
    looks = {}
    for k in range(1, n_graphs + 1):
        share = (k - 1) / (n_graphs - 1)
        grey = round(200 - 160 * share)
        dashes: Any = "solid" if k > n_graphs / 2 else (0, (2.6, 1.3))
        label = f"in all {k}" if k == n_graphs else f"in {k} of {n_graphs}"
        looks[str(k)] = EdgeLook(label, f"#{grey:02X}{grey:02X}{grey:02X}", dashes)
    return looks


def _best(row: dict[str, Any]) -> float:
    """Largest score of an edge, to sort by."""
    values = [abs(v) for k, v in row.items() if isinstance(v, float) and "strength_" not in k]
    return max((value for value in values if math.isfinite(value)), default=0.0)


def _side(row: dict[Any, Any], graph: EdgeList) -> dict[str, Any]:
    """Take the values of one graph from a row; None where unknown."""
    values = [row[name] for name in _columns_of(graph)]
    keys = ("edge", "score", "strength", "sign")
    return {k: v if v == v else None for k, v in zip(keys, values, strict=True)}
