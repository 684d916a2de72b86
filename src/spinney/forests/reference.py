r"""The forest algebra written to be read: plain numpy, one network at a time.

A rooted forest on d nodes is a spanning tree of the *grounded network*, in which one more node,
the ground, is joined to node i by its root weight :math:`g_i`. So there is only one theorem to
compute with, and only one elimination. With no ground the last node plays its part.

The fast kernels are tested against this module. What is asked once, for one network, calls it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from spinney._core.arrays import Floats
from spinney.exceptions import InputError
from spinney.forests.inputs import read_count, read_ground, read_matrix

MAX_NODES = 8
"""Eight nodes have 561 948 forests; nine have ten million."""

Edge = tuple[int, int]


def grounded_network(W: Floats, ground: Floats) -> Floats:
    """Add the ground as a last node, unless every root weight is zero.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric edge weights; the diagonal is ignored.
    ground : array of shape (d,)
        Root weight of each node.

    Returns
    -------
    array of shape (d + 1, d + 1) or (d, d)

    Examples
    --------
    >>> grounded_network(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2))
    array([[0., 2., 1.],
           [2., 0., 1.],
           [1., 1., 0.]])
    """
    d = len(W)
    size = d + 1 if np.any(ground > 0) else d
    network = np.zeros((size, size))
    network[:d, :d] = W
    if size > d:
        network[:d, d] = network[d, :d] = ground
    np.fill_diagonal(network, 0.0)
    return network


def eliminate(network: Floats) -> tuple[Floats, Floats]:
    r"""Eliminate all nodes but the last, without a subtraction (star-mesh transformation).

    Removing node k joins its neighbours among each other:

    .. math:: s_k = \sum_{j>k} w_{kj}, \quad p_{kj} = w_{kj} / s_k, \quad
              w_{ij} \leftarrow w_{ij} + p_{ki}\, w_{kj}, \qquad Z = \prod_k s_k .

    Returns
    -------
    totals : array of shape (N - 1,)
        The conductances :math:`s_k`. A zero says that the network is not connected.
    shares : array of shape (N, N)
        Row k holds :math:`p_{kj}` for j > k: where a walk from k, watched on the nodes not yet
        eliminated, goes next. Zero elsewhere.

    References
    ----------
    .. [1] W. K. Grassmann, M. I. Taksar and D. P. Heyman (1985). Regenerative analysis and steady
       state distributions for Markov chains. Operations Research 33.

    Examples
    --------
    >>> totals, shares = eliminate(np.ones((4, 4)))  # Cayley: 4 ** 2 trees
    >>> float(totals.prod().round(12))
    16.0
    """
    w = np.array(network, dtype=float)  # a copy: elimination overwrites it
    size = len(w)
    totals = np.zeros(max(size - 1, 0))
    shares = np.zeros_like(w)
    for k in range(size - 1):
        rest = slice(k + 1, None)
        totals[k] = w[k, rest].sum()
        if totals[k] > 0:
            shares[k, rest] = w[k, rest] / totals[k]
        w[rest, rest] += np.outer(shares[k, rest], w[k, rest])  # the diagonal is never read
    return totals, shares


def log_partition_reference(W: Floats, ground: Floats) -> float:
    """Sum over trees or forests, as a logarithm; see :func:`spinney.forests.log_partition`.

    Examples
    --------
    >>> round(log_partition_reference(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2)), 6)
    1.609438
    """
    totals, _ = eliminate(grounded_network(W, ground))
    with np.errstate(divide="ignore"):
        return float(np.log(totals).sum())


def resistances(totals: Floats, shares: Floats) -> Floats:
    r"""Find the effective resistance of every pair, from the last eliminated node back.

    .. math:: y = R\,p_k, \qquad R_{ku} = 1/s_k + y_u - \tfrac12\, p_k^\top y .

    The one subtraction is harmless: with :math:`R_{ij} = |x_i - x_j|^2`, the last two terms are
    :math:`|x_u - \sum_j p_{kj} x_j|^2`, and what cancels is at most :math:`(d-1)/s_k` (Foster).

    Examples
    --------
    >>> resistances(*eliminate(np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0.0]]))).round(3)
    array([[0. , 0.4, 0.6],
           [0.4, 0. , 0.6],
           [0.6, 0.6, 0. ]])
    """
    size = len(shares)
    R = np.zeros((size, size))
    for k in reversed(range(size - 1)):
        rest = slice(k + 1, None)
        p = shares[k, rest]
        y = R[rest, rest] @ p
        R[k, rest] = R[rest, k] = 1 / totals[k] + y - 0.5 * (p @ y)
    return R


def greens_function(totals: Floats, shares: Floats) -> Floats:
    r"""Invert the grounded Laplacian, entry by entry to full accuracy.

    .. math:: G_{ku} = \sum_{j>k} p_{kj} G_{ju} + [u = k]/s_k

    Every term is positive. The last node is the ground, where G vanishes.

    Examples
    --------
    >>> greens_function(*eliminate(np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0.0]]))).round(3)
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """
    size = len(shares) - 1
    G = np.zeros((size, size))
    for k in reversed(range(size)):
        rest = slice(k + 1, None)
        G[k, rest] = G[rest, k] = G[rest, rest] @ shares[k, k + 1 : size]
        G[k, k] = 1 / totals[k] + shares[k, k + 1 : size] @ G[rest, k]
    return G


@dataclass(frozen=True)
class ForestList:
    """All forests of a graph with their weights.

    Attributes
    ----------
    forests : list of tuples of edges
        Each forest as its edges (u, v), u < v, in the order of the pairs.
    log_weights : array of shape (n_forests,)
        Logarithm of the weight of each forest.
    n_trees : array of shape (n_forests,)
        How many trees each forest has; a single node is a tree.
    n_nodes : int
        Number of nodes d.
    """

    forests: list[tuple[Edge, ...]]
    log_weights: NDArray[np.float64]
    n_trees: NDArray[np.intp]
    n_nodes: int

    @property
    def log_partition(self) -> float:
        """Logarithm of the sum of all weights; -inf where there is no forest."""
        return float(logsumexp(self.log_weights)) if self.forests else -np.inf

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each forest."""
        return np.exp(self.log_weights - self.log_partition)

    @property
    def edge_marginals(self) -> NDArray[np.float64]:
        """Probability of each edge, as a symmetric matrix."""
        marginals = np.zeros((self.n_nodes, self.n_nodes))
        for forest, probability in zip(self.forests, self.probabilities, strict=True):
            for u, v in forest:
                marginals[u, v] += probability
                marginals[v, u] += probability
        return marginals


def enumerate(
    W: ArrayLike,
    ground: ArrayLike = 1.0,
    *,
    log: bool = False,
    rooted: bool = True,
    max_trees: int | None = None,
) -> ForestList:
    r"""List every forest of positive weight.

    .. math:: w(F) = \prod_{e \in F} W_e \prod_{T \in F} \sum_{i \in T} g_i

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights, d at most 8; the diagonal is ignored.
    ground : float or array of shape (d,)
        Root weight. All zero: spanning trees only.
    log : bool
        Whether `W` holds log-weights.
    rooted : bool
        Whether each tree is weighted by its choice of root. If not, `ground` is ignored and a
        forest weighs the product of its edges (the paper's §4).
    max_trees : int, optional
        Keep forests of at most this many trees.

    Examples
    --------
    >>> listed = enumerate([[0, 2], [2, 0]])
    >>> listed.forests, np.exp(listed.log_weights).round(9)
    ([(), ((0, 1),)], array([1., 4.]))
    """
    log_pairs, d = read_matrix(W, log=log, as_log=True)
    if d > MAX_NODES:
        raise InputError(f"Listing all forests is meant for {MAX_NODES} nodes; the graph has {d}.")
    roots = read_ground(ground, d)
    spanning = rooted and not roots.any()
    wanted = d if max_trees is None else read_count(max_trees, "max_trees")
    most = 1 if spanning else wanted
    edges = [(u, v) for u in range(d) for v in range(u + 1, d)]
    forests, log_weights, n_trees = [], [], []
    for chosen, labels in _acyclic_subsets(log_pairs[0], edges, d):
        trees = set(labels)
        if len(trees) > most:
            continue
        log_weight = float(sum(log_pairs[0][e] for e in chosen))
        if rooted and not spanning:
            masses = [sum(roots[i] for i in range(d) if labels[i] == tree) for tree in trees]
            if min(masses) == 0:
                continue
            log_weight += float(np.log(masses).sum())
        forests.append(tuple(edges[e] for e in chosen))
        log_weights.append(log_weight)
        n_trees.append(len(trees))
    return ForestList(forests, np.array(log_weights), np.array(n_trees, dtype=np.intp), d)


def _acyclic_subsets(
    log_weights: NDArray[np.float64], edges: list[Edge], d: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every acyclic set of present edges with the tree that each node belongs to."""
    stack: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = [(0, (), tuple(range(d)))]
    while stack:
        e, chosen, labels = stack.pop()
        if e == len(edges):
            yield chosen, labels
            continue
        u, v = edges[e]
        # Popped last in, first out: leave the edge out first, so the empty forest leads.
        if labels[u] != labels[v] and log_weights[e] > -np.inf:
            joined = tuple(labels[u] if label == labels[v] else label for label in labels)
            stack.append((e + 1, (*chosen, e), joined))
        stack.append((e + 1, chosen, labels))
