"""Components of small graphs and trees that join them, compiled: solvers ask at every step."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Bools, Ints
from spinney._core.compile import kernel


@kernel
def pair_component_labels(joined: Bools, d: int) -> Ints:
    """Label the nodes as :func:`spinney._core.components.component_labels` does.

    `joined` says which pairs of `d` nodes are edges.

    Pairs are in the order of :mod:`spinney._core.pairs`. Solvers call this at every step, on
    graphs so small that building a matrix would take most of the time.
    """
    leader = np.arange(d)
    pair = 0
    for u in range(d):
        for v in range(u + 1, d):
            if joined[pair]:
                a, b = u, v
                while leader[a] != a:
                    a = leader[a]
                while leader[b] != b:
                    b = leader[b]
                # The smaller leads, so that a set is met at its leader first.
                leader[max(a, b)] = min(a, b)
            pair += 1
    labels = np.empty(d, dtype=np.int64)
    number = 0
    for node in range(d):
        if leader[node] == node:
            labels[node] = number
            number += 1
        else:
            labels[node] = labels[leader[node]]
    return labels


@kernel
def join_greedily(first: Ints, second: Ints, d: int) -> Bools:
    """Take the edges that close no cycle, one after the other (Kruskal).

    Parameters
    ----------
    first, second : int64 arrays of shape (n_edges,)
        Nodes that the edges join, the edge to be taken first at the head.
    d : int
        Number of nodes.

    Returns
    -------
    bool array of shape (n_edges,)

    Examples
    --------
    >>> join_greedily(np.array([0, 1, 0]), np.array([1, 2, 2]), 3)
    array([ True,  True, False])
    """
    above = np.arange(d)
    taken = np.zeros(len(first), dtype=np.bool_)
    left = d - 1
    for e in range(len(first)):
        if left == 0:
            break
        u, v = first[e], second[e]
        while above[u] != u:
            above[u] = above[above[u]]
            u = above[u]
        while above[v] != v:
            above[v] = above[above[v]]
            v = above[v]
        if u != v:
            above[u] = v
            taken[e] = True
            left -= 1
    return taken
