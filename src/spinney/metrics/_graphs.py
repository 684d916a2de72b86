"""Graphs in whatever form they come, read once as matrices whose nodes agree.

A graph may be a square array (boolean, or weights of which zero means no edge), a sparse matrix, a
data frame with the same names on both sides, or an undirected networkx graph. Two graphs with
names are matched by name. Nodes called 0 … d-1 or x0 … x{d-1} (what a table without column names
gives) are positions, not names; data frames also have positions, so that they can be compared with
plain arrays. A networkx graph has no order that one could rely on, so its names need a partner.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from spinney._core.pairs import to_pairs
from spinney.exceptions import InputError

__all__ = ["Graph", "aligned", "read_graph", "score_pairs"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Graph:
    """A graph as a matrix.

    Attributes
    ----------
    weights : array of shape (d, d)
        Symmetric, with a zero diagonal.
    adjacency : boolean array of shape (d, d)
        Where the edges are: the weights that are not zero, or what a networkx graph calls edges.
    names : tuple or None
        Names of the nodes, or None where only positions count.
    ordered : bool
        Whether the order of the nodes means something.
    """

    weights: Floats
    adjacency: Flags
    names: tuple[Hashable, ...] | None = None
    ordered: bool = True

    def take(self, order: list[int]) -> Graph:
        """Put the nodes into another order."""
        chosen = np.ix_(order, order)
        return Graph(self.weights[chosen], self.adjacency[chosen], self.names, self.ordered)


def read_graph(graph: Any, what: str) -> Graph:
    """Read a graph of any kind; `what` names it in messages."""
    if isinstance(graph, nx.Graph):
        return _read_networkx(graph, what)
    if isinstance(graph, pd.DataFrame):
        if list(graph.index) != list(graph.columns):
            raise InputError(
                f"The rows and columns of the {what} must carry the same names in the same order. "
                "Use frame.loc[frame.columns]."
            )
        names = tuple(graph.columns)
        weights = _square(graph.to_numpy(), what, names)
        return Graph(weights, weights != 0, _real_names(names))
    if sparse.issparse(graph):
        graph = graph.toarray()  # type: ignore[attr-defined]  # the stubs' base class lacks it
    weights = _square(graph, what, None)
    return Graph(weights, weights != 0)


def _read_networkx(graph: Any, what: str) -> Graph:
    if graph.is_directed():
        raise InputError(f"The {what} is a directed graph. Use graph.to_undirected().")
    nodes = tuple(graph.nodes)
    positions = _positions(nodes)
    index = positions if positions is not None else {node: k for k, node in enumerate(nodes)}
    weights = np.zeros((len(nodes), len(nodes)))
    adjacency = np.zeros(weights.shape, dtype=bool)
    for u, v, weight in graph.edges(data="weight", default=1.0):
        i, j = index[u], index[v]
        if i != j:  # loops, like the diagonal of a matrix, are ignored
            weights[i, j] = weights[j, i] = weight
            adjacency[i, j] = adjacency[j, i] = True
    weights = _square(weights, what, nodes)
    if positions is not None:
        return Graph(weights, adjacency)
    return Graph(weights, adjacency, nodes, ordered=False)


def _positions(nodes: tuple[Hashable, ...]) -> dict[Hashable, int] | None:
    """Positions of nodes that are called by their number, or None."""
    d = len(nodes)
    for expected in ([*range(d)], [f"x{k}" for k in range(d)]):
        if set(nodes) == set(expected):
            return {node: k for k, node in enumerate(expected)}
    return None


def _real_names(names: tuple[Hashable, ...]) -> tuple[Hashable, ...] | None:
    """Drop names that only repeat the position; in another order they are names."""
    plain = [tuple(range(len(names))), tuple(f"x{k}" for k in range(len(names)))]
    return None if names in plain else names


def _square(values: Any, what: str, names: tuple[Hashable, ...] | None) -> Floats:
    try:
        matrix = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The {what} is a {type(values).__name__} that cannot be read as a graph. Pass a "
            "square matrix, a data frame or a networkx graph."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"The {what} must be a square matrix, but its shape is {matrix.shape}.")

    def called(pair: Any) -> str:
        return " and ".join(repr(names[k]) if names else str(k) for k in pair)

    np.fill_diagonal(matrix, 0.0)
    if np.isnan(matrix).any():
        pair = np.argwhere(np.isnan(matrix))[0]
        raise InputError(f"The {what} has no value (NaN) for nodes {called(pair)}.")
    # Solvers leave rounding between the two triangles; a graph that is directed differs by more.
    # Equality is asked first: infinite scores are equal, though their difference is not a number.
    finite = matrix[np.isfinite(matrix)]
    slack = 1e-8 * np.abs(finite).max(initial=0.0)
    same = (matrix == matrix.T) | np.isclose(matrix, matrix.T, rtol=1e-6, atol=slack)
    same &= (matrix != 0) == (matrix.T != 0)
    if not same.all():
        pair = np.argwhere(~same)[0]
        raise InputError(
            f"The {what} is not symmetric: nodes {called(pair)} differ by direction. "
            "Decide what an edge is first, for example with np.maximum(A, A.T)."
        )
    return matrix


def aligned(estimated: Any, truth: Any, what: str = "estimated graph") -> tuple[Graph, Graph]:
    """Read two graphs over the same nodes; the first is put into the order of the second."""
    first, second = read_graph(estimated, what), read_graph(truth, "true graph")
    if len(first.weights) != len(second.weights):
        raise InputError(
            f"The {what} has {len(first.weights)} nodes, the true graph {len(second.weights)}."
        )
    if first.names is not None and second.names is not None:
        missing = [name for name in second.names if name not in set(first.names)]
        if missing:
            raise InputError(f"The {what} lacks the node {missing[0]!r} of the true graph.")
        order = [first.names.index(name) for name in second.names]
        return first.take(order), second
    for graph, role in ((first, what), (second, "true graph")):
        if graph.names is not None and not graph.ordered:
            raise InputError(
                f"The {role} names its nodes (first: {graph.names[0]!r}) but the other graph has "
                "only positions. Give that one as a data frame with names on rows and columns."
            )
    return first, second


def score_pairs(scores: Any, truth: Any) -> tuple[Floats, Flags]:
    """Scores and truths of all pairs, in the order of :mod:`spinney._core.pairs`."""
    first, second = aligned(scores, truth, "matrix of scores")
    return to_pairs(first.weights), to_pairs(second.adjacency) != 0
