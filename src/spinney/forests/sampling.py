"""Exact samples of spanning trees and rooted forests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.compile import kernel
from spinney._core.pairs import pair_nodes, to_matrix
from spinney.exceptions import InputError
from spinney.forests._extended_range import (
    LN2,
    WideNetwork,
    from_log,
    from_plain,
    wide_resist,
    wide_shares,
)
from spinney.forests.inputs import no_tree, read_count, read_ground, read_matrix

METHODS = ("auto", "wilson", "elimination")

STEPS_PER_ENTRY = 2.0
"""A draw by elimination costs about this many steps of a walk, times d squared."""


@dataclass(frozen=True)
class SampledForests:
    """Random forests.

    Attributes
    ----------
    parents : array of shape (n_samples, d)
        The next node on the way to the root; -1 for the root itself. A spanning tree, which has
        no root of its own, is rooted at its last node.
    method : str
        The algorithm that drew them.
    """

    parents: Ints
    method: str

    @property
    def n_trees(self) -> Ints:
        """Number of trees of each forest."""
        counts: Ints = (self.parents < 0).sum(axis=1)
        return counts

    @property
    def adjacency(self) -> Bools:
        """Edges of each forest, as symmetric matrices of shape (n_samples, d, d)."""
        n, d = self.parents.shape
        edges = np.zeros((n, d, d), dtype=np.bool_)
        row, child = np.nonzero(self.parents >= 0)
        parent = self.parents[row, child]
        edges[row, child, parent] = edges[row, parent, child] = True
        return edges

    def edges(self, i: int = 0) -> list[tuple[int, int]]:
        """List the edges (u, v), u < v, of the i-th forest."""
        pairs = ((int(p), child) for child, p in enumerate(self.parents[i]) if p >= 0)
        return sorted((min(pair), max(pair)) for pair in pairs)


def sample(
    W: ArrayLike,
    ground: ArrayLike = 1.0,
    n_samples: int = 1,
    *,
    log: bool = False,
    random_state: Any = None,
    method: str = "auto",
) -> SampledForests:
    r"""Draw rooted forests (or, with ``ground=0``, spanning trees) with their exact probability.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    ground : float or array of shape (d,)
        Root weight of each node.
    n_samples : int
        How many to draw, independently.
    log : bool
        Whether `W` holds log-weights.
    random_state : int, numpy Generator, or None
        Seed of the draws.
    method : {"auto", "wilson", "elimination"}
        Wilson's loop-erased walks, killed at each node with the chance of being a root, take
        :math:`\sum_u s_u R_{u,\text{ground}}` steps on average, which is few unless the weights
        span many decades: a strong edge far from any root traps a walk. "elimination"
        undoes the star-mesh steps one by one in a time that does not depend on the weights. "auto"
        chooses by the expected number of steps.

    Returns
    -------
    SampledForests

    Notes
    -----
    Sampling by elimination. Let node k be eliminated, and let T' be a random tree of the remaining
    network. Each edge (i, j) of T' was there before, or is fill, in proportion to the two parts of
    its weight. Drop the fill; k then joins each component C of what is left by one edge, to j in C
    with probability proportional to :math:`w_{kj}`. This is right because the trees that m
    components of masses :math:`w_k(C)` can be joined to by fill weigh, by Cayley's formula,
    :math:`\prod_C w_k(C) \, s_k^{m-2} / s_k^{m-1}`: just what k's own star weighs, over
    :math:`s_k`.

    References
    ----------
    .. [1] D. B. Wilson (1996). Generating random spanning trees more quickly than the cover time.
       STOC 28.

    Examples
    --------
    >>> drawn = sample([[0, 2, 0], [2, 0, 1], [0, 1, 0]], n_samples=1000, random_state=1)
    >>> drawn.parents.shape, bool(drawn.adjacency[:, 0, 2].any())
    ((1000, 3), False)
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; it is {method!r}.")
    n_samples = read_count(n_samples, "n_samples", least=0)
    rng = read_random_state(random_state)
    pairs, d = read_matrix(W, log=log, as_log=log)
    roots = read_ground(ground, d)
    first, second = (ends.astype(np.int64) for ends in pair_nodes(d))
    weights = from_log(pairs[0]) if log else from_plain(pairs[0])
    own = from_plain(roots if roots.any() else np.empty(0))
    network = WideNetwork(d, first, second, *weights, *own)
    ones = np.ones(len(first)), np.zeros(len(first), dtype=np.int64)
    shares, x, totals, scales, z, _ = wide_shares(network, *ones)
    if z == 0.0:
        raise InputError(no_tree(roots, "W"))
    with np.errstate(divide="ignore", over="ignore"):
        log_shares, log_totals = np.log(shares) + LN2 * x, np.log(totals) + LN2 * scales
        log_network = _log_network(pairs, roots, d, log)
        if method == "auto":
            wide_resist(shares, x, totals, scales)  # from here on resistances
            log_steps = np.log(shares[:-1, -1]) + LN2 * x[:-1, -1]
            log_steps += np.logaddexp.reduce(log_network[:-1], axis=1)
            few = np.exp(log_steps).sum() <= STEPS_PER_ENTRY * d**2
            method = "wilson" if few else "elimination"
    parents = np.full((n_samples, d), -1, dtype=np.int64)
    if method == "wilson":
        _wilson(_walk(log_network), parents, rng)
    else:
        _undo_elimination(log_network, log_totals, log_shares, parents, rng)
    return SampledForests(parents, method)


def sample_sets(
    W: Floats,
    sets: Iterable[Ints],
    n_samples: int,
    rng: np.random.Generator,
    ground: float = 1.0,
    *,
    log: bool = False,
) -> Ints:
    """Draw forests of some sets of nodes, one set after the other.

    Returns
    -------
    array of shape (n_samples, d)
        Parents as in :class:`SampledForests`; nodes of no set, or alone in one, are roots.
    """
    parents = np.full((n_samples, len(W)), -1, dtype=np.int64)
    for nodes in (own for own in sets if len(own) > 1):
        inside = W[np.ix_(nodes, nodes)]
        drawn = sample(inside, ground, n_samples, log=log, random_state=rng).parents
        parents[:, nodes] = np.where(drawn < 0, -1, nodes[drawn])
    return parents


def _log_network(pairs: Floats, roots: Floats, d: int, log: bool) -> Floats:
    """Log-weights between all nodes, the ground among them if there is one."""
    own, log_roots = pairs[0] if log else np.log(pairs[0]), np.log(roots)
    matrix = to_matrix(own, diagonal=-np.inf)
    if roots.any():
        matrix = np.block([[matrix, log_roots[:, None]], [log_roots, np.full((1, 1), -np.inf)]])
    return np.ascontiguousarray(matrix)


def _walk(log_network: Floats) -> Floats:
    """Cumulative chances of each step of the walk; the last node is where walks are killed."""
    if len(log_network) == 1:
        return np.ones((1, 1))
    chances = np.exp(log_network - log_network.max(axis=1, keepdims=True))
    steps: Floats = chances.cumsum(axis=1)
    return np.ascontiguousarray(steps / steps[:, -1:])


@kernel
def _wilson(steps: Floats, parents: Ints, rng: np.random.Generator) -> None:
    size = steps.shape[0]
    d = parents.shape[1]
    following = np.empty(size, dtype=np.int64)
    done = np.empty(size, dtype=np.bool_)
    for sample_row in range(parents.shape[0]):
        done[:] = False
        done[size - 1] = True
        for start in range(size - 1):
            u = start
            while not done[u]:  # later visits overwrite earlier ones: that erases the loops
                v = int(np.searchsorted(steps[u], rng.random(), side="right"))
                following[u] = v
                u = v
            u = start
            while not done[u]:
                done[u] = True
                if following[u] < d:
                    parents[sample_row, u] = following[u]
                u = following[u]


@kernel
def draw_by_logs(log_weights: Floats, rng: np.random.Generator) -> int:
    """Draw a position with probability proportional to the exponential of its entry."""
    parts = np.exp(log_weights - log_weights.max())
    target = parts.sum() * rng.random()
    last = 0
    for i in range(len(parts)):
        if parts[i] > 0.0:
            last = i  # should rounding leave a rest, the last possible one is taken
            target -= parts[i]
            if target < 0.0:
                break
    return last


@kernel
def _undo_elimination(
    log_network: Floats,
    log_totals: Floats,
    log_shares: Floats,
    parents: Ints,
    rng: np.random.Generator,
) -> None:
    size, d = log_network.shape[0], parents.shape[1]
    above = np.empty(size, dtype=np.int64)  # the tree so far, hung from its last node
    origin = np.full(size, -1)  # the node whose fill the edge to `above` is; -1: of the network
    top = np.empty(size, dtype=np.int64)
    members = np.empty(size, dtype=np.int64)
    chances = np.empty(size)
    for sample_row in range(parents.shape[0]):
        for k in range(size - 2, -1, -1):
            for j in range(k + 1, size):  # what is left of the tree without the fill of k
                top[j] = j
                while top[j] < size - 1 and origin[top[j]] != k:
                    top[j] = above[top[j]]
            for first in range(k + 1, size):
                end, count = top[first], 0
                if end < 0:  # in a component that has been joined
                    continue
                for j in range(first, size):
                    if top[j] == end:
                        top[j] = -1
                        members[count] = j
                        chances[count] = log_shares[k, j]
                        count += 1
                j = members[draw_by_logs(chances[:count], rng)]
                chances[0] = log_network[k, j]
                for m in range(k):
                    chances[m + 1] = log_shares[m, k] + log_shares[m, j] + log_totals[m]
                fill = draw_by_logs(chances[: k + 1], rng) - 1
                if end == size - 1:
                    above[k], origin[k] = j, fill
                    continue
                below = k
                while below != end:  # turn the way from j to the top, and hang it from k
                    further, its_fill = above[j], origin[j]
                    above[j], origin[j] = below, fill
                    below, j, fill = j, further, its_fill
        for u in range(min(d, size - 1)):
            parents[sample_row, u] = above[u] if above[u] < d else -1
