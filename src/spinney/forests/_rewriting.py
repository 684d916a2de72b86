r"""Networks whose weights span hundreds of decades, rewritten as plain ones.

Log-weights of thousands fit no double. Numbers with an exponent of their own would do (the log
engine), but slowly. Two facts about random spanning trees help. Let *M*
be a maximum spanning tree of a network of N nodes, and :math:`b_e` the smallest weight on its path
between the ends of an edge *e*.

**Pruning.** The resistance of that path bounds the one of the network, so
:math:`P(e) = w_e R_e \le (N-1)\, w_e / b_e`. Leave out a set D of edges: the law of the tree is now
the old one given that it avoids D, so no probability has changed by more than
:math:`P(T \cap D \ne \emptyset) \le \sum_{e \in D} (N-1)\, w_e / b_e`.

**Splitting.** Cut the sorted weights of *M* at a gap: its edges above the gap join nodes to
clusters, and no edge between clusters weighs more than what is below. If a tree does not span some
cluster from within, then an edge f of *M* joins two of its parts there, and the cycle that f closes
in the tree passes an edge g between clusters. Exchange g for f: a tree that lacks j such edges
becomes one that lacks j - 1, and f and g tell which it was. So

.. math:: P(\text{some cluster is not spanned}) \;\le\;
          x = \sum_{g\ \text{between clusters}} w_g \sum_{f \in M\ \text{above the gap}} 1 / w_f ,

for the odds are at most :math:`x + x^2 + \dots`. Given that all are spanned, the trees within
clusters and the tree of the contracted network are independent. Independent trees are the blocks of
one network that hangs together at single nodes, and the weights of a block may be multiplied by any
number. Thus a network with wide gaps between its scales becomes a plain one with as many nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel

LARGEST_LOG = 600.0
"""Log-weights of at most this size make plain numbers; a sum of 10^28 of them still does."""


def margins(d: int, tolerance: float) -> tuple[float, float]:
    r"""How far below its bottleneck an edge is negligible, and how wide a gap separates scales.

    For *d* nodes and the ground: :math:`\log(2 E d / t)`, so that at most *t*/2 is pruned from E
    edges, and :math:`\log(2 E d^2 / t)`, so that at most d gaps cost at most *t*/2 together.

    Examples
    --------
    >>> [round(m, 1) for m in margins(1000, 1e-10)]
    [43.8, 50.7]
    """
    log_edges = np.log(0.5 * d * (d + 1.0))
    negligible = np.log(2.0) + log_edges + np.log(float(d)) - np.log(tolerance)
    return float(negligible), float(negligible + np.log(float(d)))


class Edges(NamedTuple):
    """The pairs that a network may have as edges, and those of each node.

    Attributes
    ----------
    d : int
        Number of nodes, without the ground.
    first, second : int64 arrays of shape (n_edges,)
        The nodes that each edge joins, first < second.
    start, others, numbers : int64 arrays
        Node v is joined to ``others[start[v]:start[v + 1]]``, by the edges of those `numbers`.
    """

    d: int
    first: Ints
    second: Ints
    start: Ints
    others: Ints
    numbers: Ints

    @classmethod
    def of(cls, d: int, first: Ints, second: Ints) -> Edges:
        """Sort edges by their nodes."""
        joined = np.concatenate([first, second])
        by_node = np.argsort(joined, kind="stable")
        start = np.searchsorted(joined[by_node], np.arange(d + 1)).astype(np.int64)
        others = np.concatenate([second, first])[by_node]
        return cls(d, first, second, start, others, by_node % max(len(first), 1))


@kernel
def maximum_tree(edges: Edges, log_weights: Floats) -> tuple[Ints, Ints, Floats]:
    """Grow a maximum spanning tree from the ground, node d, whose edges all weigh one (Prim).

    Returns the nodes in the order of their joining, the parent of each node, and the log-weight of
    the link to it. A log-weight of -inf means that there is no edge.
    """
    d = edges.d
    order = np.empty(d, dtype=np.int64)
    parent = np.full(d, d, dtype=np.int64)
    link = np.zeros(d)
    waiting = np.ones(d, dtype=np.bool_)
    for t in range(d):
        v = -1
        for u in range(d):
            if waiting[u] and (v < 0 or link[u] > link[v]):
                v = u
        waiting[v] = False
        order[t] = v
        for k in range(edges.start[v], edges.start[v + 1]):
            u, weight = edges.others[k], log_weights[edges.numbers[k]]
            if waiting[u] and weight > link[u]:
                link[u], parent[u] = weight, v
    return order, parent, link


@kernel
def bottlenecks(order: Ints, link: Floats, first: Ints, second: Ints) -> Floats:
    """Find the smallest log-weight on the tree's path between the ends of each pair.

    A tree that grows by its heaviest link has passed all heavier ones when it comes to a lighter
    one. So between two nodes the bottleneck is the lightest link of those that joined behind the
    first, up to the second: a minimum over a range of the order, the lower of the minima of two
    ranges of 2^k links that cover it.
    """
    d = len(order)
    place = np.empty(d, dtype=np.int64)
    n_levels = 1
    while 2**n_levels <= d:
        n_levels += 1
    lowest = np.empty((n_levels, d))
    for t in range(d):
        place[order[t]] = t
        lowest[0, t] = link[order[t]]
    for k in range(1, n_levels):
        half = 2 ** (k - 1)
        for t in range(d - 2 * half + 1):
            lowest[k, t] = min(lowest[k - 1, t], lowest[k - 1, t + half])
    found = np.empty(len(first))
    for e in range(len(first)):
        one, other = place[first[e]], place[second[e]]
        begin, end = min(one, other) + 1, max(one, other) + 1
        k = 0
        while 2 ** (k + 1) <= end - begin:
            k += 1
        found[e] = min(lowest[k, begin], lowest[k, end - 2**k])
    return found


class Rewritten(NamedTuple):
    """A network on d + 1 nodes, the last one the ground, that has the same spanning trees.

    Attributes
    ----------
    first, second : arrays of shape (n_edges,)
        The nodes that its edges join, first < second; no pair twice.
    log_weights : array of shape (n_edges,)
        Their log-weights.
    log_scale : float
        What its log-partition lacks.
    pairs : array of shape (n_kept,)
        Pairs of the old network that are left.
    edges : array of shape (n_kept,)
        The edge that each of them has become.
    shares : array of shape (n_kept,)
        Its share in the weight of that edge, which may stand for several pairs in parallel.
    """

    first: Ints
    second: Ints
    log_weights: Floats
    log_scale: float
    pairs: Ints
    edges: Ints
    shares: Floats


def rewrite(log_weights: Floats, edges: Edges, tolerance: float) -> Rewritten:
    """Prune a network with root weights of one, and split it wherever there is a gap.

    Parameters
    ----------
    log_weights : array of shape (n_edges,)
        Log-weights of the edges, -inf for none.
    edges : Edges
        The pairs that they join.
    tolerance : float
        Most by which any probability may change.

    Examples
    --------
    Two nodes that are surely joined, and hang together from the ground:

    >>> edges = Edges.of(2, np.array([0]), np.array([1]))
    >>> plain = rewrite(np.array([5000.0]), edges, 1e-10)
    >>> plain.first, plain.second
    (array([0, 1]), array([1, 2]))
    >>> plain.pairs, plain.edges
    (array([0]), array([0]))
    >>> log_total = plain.log_weights.sum() + plain.log_scale  # log(2 exp(5000)): two roots
    >>> round(float(log_total - 5000.0), 9)
    0.693147181
    """
    negligible, _ = margins(edges.d, tolerance)
    order, parent, link = maximum_tree(edges, log_weights)
    on_path = bottlenecks(order, link, edges.first, edges.second)
    pairs = np.flatnonzero(log_weights >= on_path - negligible)
    ends = np.stack([edges.first[pairs], edges.second[pairs]])
    tree = order, parent, link
    return _split(tree, pairs, ends, log_weights[pairs], on_path[pairs], tolerance)


def _split(
    tree: tuple[Ints, Ints, Floats],
    pairs: Ints,
    pair_ends: Ints,
    kept: Floats,
    on_path: Floats,
    tolerance: float,
) -> Rewritten:
    """Split what pruning has left, edges of log-weights `kept`, wherever there is a gap."""
    order, parent, link = tree
    d = len(order)
    negligible, gap = margins(d, tolerance)
    descending = np.sort(link)[::-1]
    cuts = np.flatnonzero(descending[:-1] - descending[1:] >= gap)
    floors = descending[np.append(cuts, d - 1)]  # the smallest link of each level, finest first
    starts = np.append(0, cuts + 1)
    # The middle of what the level can hold: its links, and edges fainter than these.
    shifts = 0.5 * (descending[starts] + floors - negligible)
    node_level = np.searchsorted(-floors, -link)
    ends = np.concatenate([pair_ends, np.stack([np.arange(d), np.full(d, d)])], axis=1)
    coarsest = np.full(d, len(floors) - 1)
    levels = np.concatenate([np.searchsorted(-floors, -on_path), coarsest])
    shifted = np.concatenate([kept, np.zeros(d)]) - shifts[levels]
    # Leaves of the tree first: in networks that are close to a tree this order makes little fill.
    label = np.empty(d + 1, dtype=np.int64)
    label[order], label[d] = np.arange(d)[::-1], d
    tops = label[_clusters(order, parent, node_level, len(floors))[levels, ends]]
    low, high = tops.min(axis=0), tops.max(axis=0)
    codes, edges = np.unique(low * (d + 1) + high, return_inverse=True)
    highest = np.full(len(codes), -np.inf)
    np.maximum.at(highest, edges, shifted)
    total = np.bincount(edges, np.exp(shifted - highest[edges]), len(codes))
    summed = highest + np.log(total)
    counts = np.bincount(node_level, minlength=len(floors))
    return Rewritten(
        (codes // (d + 1)).astype(np.int64),
        (codes % (d + 1)).astype(np.int64),
        summed,
        float(counts @ shifts),
        pairs,
        edges[: len(pairs)],
        np.exp(shifted - summed[edges])[: len(pairs)],
    )


@kernel
def _clusters(order: Ints, parent: Ints, node_level: Ints, n_levels: int) -> Ints:
    """Name the cluster of each node at each level, row by row; the ground is node d.

    In the tree that hangs from the ground a cluster is named after its highest node. So the block
    of a cluster and the coarser block in which it is a node meet in that node alone.
    """
    d = len(order)
    names = np.empty((n_levels, d + 1), dtype=np.int64)
    for level in range(n_levels):
        names[level, d] = d
        for t in range(d):
            v = order[t]
            names[level, v] = v if node_level[v] >= level else names[level, parent[v]]
    return names
