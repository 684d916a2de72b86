"""The most probable rooted forest: a maximum-weight spanning tree of the grounded network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.compile import kernel
from spinney.exceptions import InputError
from spinney.forests._networks import no_tree
from spinney.forests._single import read_network

__all__ = ["Forest", "join_greedily", "most_probable"]

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Forest:
    """A rooted forest.

    Attributes
    ----------
    edges : list of tuples (u, v)
        Edges, u < v, in order.
    roots : list of int
        One root per tree; empty for a spanning tree, which has no root.
    log_weight : float
        Logarithm of the product of edge and root weights.
    """

    edges: list[tuple[int, int]]
    roots: list[int]
    log_weight: float


def most_probable(W: ArrayLike, ground: ArrayLike = 1.0, *, log: bool = False) -> Forest:
    r"""Find the rooted forest (or, with ``ground=0``, the spanning tree) of largest weight.

    .. math:: \max_{F, \text{roots}} \; \prod_{e \in F} W_e \prod_{r} g_r

    By Kruskal's greedy choice on logarithms, so weights of any range will do. An edge is taken
    only if it beats a root; ties go to the root, then to the earlier pair.

    Parameters are those of :func:`log_partition`, for one matrix.

    References
    ----------
    .. [1] J. B. Kruskal (1956). On the shortest spanning subtree of a graph and the traveling
       salesman problem. Proceedings of the AMS 7.

    Examples
    --------
    >>> most_probable([[0, 3, 0.5], [3, 0, 0.2], [0.5, 0.2, 0]])
    Forest(edges=[(0, 1)], roots=[0, 2], log_weight=1.09861228866810...)
    """
    network, log_weights, roots = read_network(W, ground, log)
    d = network.d
    with np.errstate(divide="ignore"):
        candidates = np.concatenate([np.log(roots), log_weights])
    first = np.concatenate([np.arange(d), network.first])
    second = np.concatenate([np.full(d, d), network.second])
    order = np.argsort(-candidates, kind="stable")
    order = order[candidates[order] > -np.inf]
    edges, chosen_roots, log_weight = [], [], 0.0
    for e in order[join_greedily(first[order], second[order], d + 1)]:
        u, v = int(first[e]), int(second[e])
        log_weight += float(candidates[e])
        if v == d:
            chosen_roots.append(u)
        else:
            edges.append((u, v))
    needed = d if roots.any() else d - 1
    if len(edges) + len(chosen_roots) < needed:
        raise InputError(no_tree(roots, "W"))
    return Forest(sorted(edges), sorted(chosen_roots), log_weight)


@kernel
def join_greedily(first: Integers, second: Integers, d: int) -> NDArray[np.bool_]:
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
