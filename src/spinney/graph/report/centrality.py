"""How central each node of a graph is."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

__all__ = ["betweenness", "closeness"]

Floats = NDArray[np.float64]

MOST_EXACT = 1_000_000
"""Nodes times edges from which on betweenness is estimated: a few seconds."""
AT_ONCE = 500
"""Nodes from which distances to all others are held at a time."""
SEED = 20261116


def betweenness(graph: nx.Graph) -> tuple[Floats, str]:
    """Share of the shortest paths between other nodes that pass through each node.

    In large graphs it is estimated from the paths that start at some nodes only; the second
    return value then says so.

    Examples
    --------
    >>> betweenness(nx.path_graph(3))
    (array([0., 1., 0.]), '')
    """
    d = graph.number_of_nodes()
    most = MOST_EXACT // max(graph.number_of_edges(), 1)
    if d <= most:
        found, note = nx.betweenness_centrality(graph), ""
    else:
        starts = max(most, 10)
        found = nx.betweenness_centrality(graph, k=starts, seed=SEED)
        note = (
            f"Betweenness is estimated: from the shortest paths that start at {starts:,} of the "
            f"{d:,} columns."
        )
    return np.array([found[node] for node in graph], dtype=float), note


def closeness(graph: nx.Graph) -> Floats:
    """Inverse mean distance to the nodes that can be reached, times the share of them.

    Examples
    --------
    >>> closeness(nx.path_graph(3))
    array([0.66666667, 1.        , 0.66666667])
    """
    d = graph.number_of_nodes()
    if not graph.number_of_edges():
        return np.zeros(d)
    joined = nx.to_scipy_sparse_array(graph, weight=None, format="csr")
    found = np.zeros(d)
    for start in range(0, d, AT_ONCE):
        # As networkx defines it, which takes minutes for thousands of nodes.
        rows = np.arange(start, min(start + AT_ONCE, d))
        distances = dijkstra(joined, directed=False, indices=rows, unweighted=True)
        reached = np.isfinite(distances)
        others = reached.sum(axis=1) - 1
        total = np.where(reached, distances, 0.0).sum(axis=1)
        found[rows] = others**2 / np.maximum(total, 1.0) / (d - 1)
    return found
