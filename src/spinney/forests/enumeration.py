r"""Every forest of a small graph, one by one: the oracle of the tests, and useful for teaching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from spinney.exceptions import InputError
from spinney.forests._input import read_count, read_ground, read_matrix

MAX_NODES = 8
"""Eight nodes have 561 948 forests; nine have ten million."""

Edge = tuple[int, int]


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
