"""Centralities of the nodes of a graph, in the order of its nodes."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

__all__ = ["CENTRALITIES", "betweenness", "closeness", "expected_influence", "node_strength"]

Floats = NDArray[np.float64]

MOST_EXACT = 1_000_000
"""Nodes times edges beyond which betweenness is estimated; up to this it takes seconds."""
AT_ONCE = 500
"""Nodes whose distances to all others are held at once."""
SEED = 20261116


def node_strength(graph: nx.Graph, key: str = "strength") -> Floats:
    """Sum of the strengths of a node's edges, signs left out; NaN where none is known.

    Examples
    --------
    >>> graph = nx.Graph([(0, 1, {"strength": 0.5}), (1, 2, {"strength": -0.25})])
    >>> node_strength(graph), expected_influence(graph)
    (array([0.5 , 0.75, 0.25]), array([ 0.5 ,  0.25, -0.25]))
    """
    return _sums(graph, key, np.abs)


def expected_influence(graph: nx.Graph, key: str = "strength") -> Floats:
    """Sum of the strengths of a node's edges with their signs [1]_; NaN where none is known.

    References
    ----------
    .. [1] D. J. Robinaugh, A. J. Millner and R. J. McNally (2016). Identifying highly influential
       nodes in the complicated grief network. Journal of Abnormal Psychology 125, 747-757.
    """
    return _sums(graph, key, np.asarray)


def _sums(graph: nx.Graph, key: str, of: Callable[[Floats], Floats]) -> Floats:
    found = []
    for node in graph:
        own = np.array([edge.get(key, np.nan) for edge in graph[node].values()], dtype=float)
        known = own[np.isfinite(own)]
        found.append(np.nan if own.size and not known.size else of(known).sum())
    return np.array(found, dtype=float)


def betweenness(graph: nx.Graph) -> Floats:
    """Share of the shortest paths between other nodes that pass through each node.

    In large graphs it is estimated from the paths that start at a sample of nodes.

    Examples
    --------
    >>> betweenness(nx.path_graph(3))
    array([0., 1., 0.])
    """
    d, most = graph.number_of_nodes(), MOST_EXACT // max(graph.number_of_edges(), 1)
    found = nx.betweenness_centrality(graph, k=None if d <= most else max(most, 10), seed=SEED)
    return np.array([found[node] for node in graph], dtype=float)


def closeness(graph: nx.Graph) -> Floats:
    """Inverse mean distance to the reachable nodes, times their share of all nodes.

    Examples
    --------
    >>> closeness(nx.path_graph(3))
    array([0.66666667, 1.        , 0.66666667])
    """
    d = graph.number_of_nodes()
    found = np.zeros(d)
    if not graph.number_of_edges():
        return found
    joined = nx.to_scipy_sparse_array(graph, weight=None, format="csr")
    for start in range(0, d, AT_ONCE):
        # The definition of networkx, whose own function takes minutes for thousands of nodes.
        rows = np.arange(start, min(start + AT_ONCE, d))
        distances = dijkstra(joined, directed=False, indices=rows, unweighted=True)
        reached = np.isfinite(distances)
        others = reached.sum(axis=1) - 1
        total = np.where(reached, distances, 0.0).sum(axis=1)
        found[rows] = others**2 / np.maximum(total, 1.0) / (d - 1)
    return found


CENTRALITIES: dict[str, Callable[[nx.Graph], Floats]] = {
    "strength": node_strength,
    "expected_influence": expected_influence,
    "betweenness": betweenness,
    "closeness": closeness,
}
"""Those whose stability is measured, by their columns in the table of nodes."""
