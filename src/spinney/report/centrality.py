"""How central each node of a graph is."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

__all__ = ["betweenness", "closeness"]

Floats = NDArray[np.float64]

MOST_EXACT = 5_000_000
"""Nodes times edges from which on betweenness is estimated: a few seconds."""
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
        note = f"betweenness is estimated from the shortest paths that start at {starts:,} of the "
        note += f"{d:,} columns."
        note = note[0].upper() + note[1:]
    return np.array([found[node] for node in graph], dtype=float), note


def closeness(graph: nx.Graph) -> Floats:
    """Inverse mean distance to the nodes that can be reached, times the share of them.

    Examples
    --------
    >>> closeness(nx.path_graph(3))
    array([0.66666667, 1.        , 0.66666667])
    """
    found = nx.closeness_centrality(graph)
    return np.array([found[node] for node in graph], dtype=float)
