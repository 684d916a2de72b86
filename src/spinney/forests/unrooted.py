r"""Exact sums over unrooted forests of a few variables (the paper's §4).

.. math:: Z_k = \sum_{\text{partitions of } V \text{ into at most } k \text{ sets}}
          \prod_i \det Q(W_{V_i})

by dynamic programming over subsets: the set that holds the smallest node is chosen first,
:math:`F_k(S) = \sum_{A \ni \min S} t(A) F_{k-1}(S \setminus A)`, where t(A) sums over the spanning
trees of A. That is 3^d / 2 products, so d is at most 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.compile import as_writeable, kernel
from spinney._core.pairs import n_nodes, to_matrix
from spinney._core.threads import run_in_threads
from spinney.exceptions import DataWarning, InputError
from spinney.forests import inputs
from spinney.forests._extended_range import (
    LN2,
    from_log,
    from_plain,
    wide_add,
    wide_eliminate,
    wide_log,
    wide_normal,
    wide_resist,
)
from spinney.forests.inputs import Samples
from spinney.forests.sampling import SampledForests, draw_by_logs, sample

MAX_NODES = 12

ABSENT = -(10**12)
"""Exponent of edges of weight zero: too faint for any sum, but slopes in them are still slopes."""


@dataclass(frozen=True)
class UnrootedEvaluation:
    r"""What :func:`evaluate_unrooted` returns.

    Attributes
    ----------
    log_partition : array of shape (n,)
        :math:`\log Z_k(\beta \circ W^j)` of each sample.
    gradient : array of shape (n_pairs,) or (n, n_pairs)
        Its derivative in :math:`\beta_e`, summed over the samples or of each.
    """

    log_partition: Floats
    gradient: Floats


def evaluate_unrooted(
    beta: ArrayLike,
    W: ArrayLike | Samples,
    max_trees: int | None = None,
    *,
    log: bool = False,
    per_sample: bool = False,
    threads: int | None = None,
) -> UnrootedEvaluation:
    r"""Evaluate the exact sum over unrooted forests of at most `max_trees` trees, for each sample.

    .. math:: Z(\beta \circ W^j) = \sum_F \prod_{e \in F} \beta_e w_e^j

    Parameters
    ----------
    beta : array of shape (n_pairs,)
        Edge weights, at least zero.
    W : array of shape (n, n_pairs), or Samples
        Weights of each sample, at least zero (log-weights if `log`).
    max_trees : int, optional
        Most trees; all forests by default. One gives spanning trees.
    log : bool
        Whether `W` holds log-weights.
    per_sample : bool
        Whether the gradient is wanted for each sample rather than summed.
    threads : int, optional
        Most threads to use.

    Examples
    --------
    Z = 1 + a for one pair of weight a.

    >>> result = evaluate_unrooted([2.0], [[1.0], [3.0]])
    >>> np.exp(result.log_partition).round(9), result.gradient.round(6)
    (array([3., 7.]), array([0.761905]))
    """
    weights = as_writeable(inputs.read_float_array(beta, "beta"))
    d = n_nodes(weights.size)
    samples = inputs.read_samples(W, log, weights.size)
    inputs.check_weights(weights, "beta", log=False)
    samples.check()
    table = as_writeable(samples.table)
    log_z, each = _solve(weights, table, d, max_trees, samples.log, inputs.read_threads(threads))
    return UnrootedEvaluation(log_z, each if per_sample else each.sum(axis=0))


def log_partition_unrooted(
    W: ArrayLike, max_trees: int | None = None, *, log: bool = False
) -> float:
    r"""Sum over all unrooted forests of at most `max_trees` trees, as a logarithm.

    .. math:: Z = \sum_F \prod_{e \in F} W_e

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights, d at most 12; the diagonal is ignored.
    max_trees : int, optional
        Most trees; all forests by default. One gives spanning trees.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge).

    Examples
    --------
    Three nodes have seven forests.

    >>> round(float(np.exp(log_partition_unrooted(np.ones((3, 3))))), 9)
    7.0
    """
    pairs, d = inputs.read_matrix(W, log=log, as_log=log)
    log_z, _ = _solve(np.ones(pairs.shape[1]), pairs, d, max_trees, log, 1)
    return float(log_z[0])


def edge_marginals_unrooted(
    W: ArrayLike, max_trees: int | None = None, *, log: bool = False
) -> Floats:
    r"""Probability that each edge lies in a random unrooted forest of at most `max_trees` trees.

    .. math:: P(e \in F), \qquad P(F) \propto \prod_{e \in F} W_e

    Parameters are those of :func:`log_partition_unrooted`.

    Examples
    --------
    >>> edge_marginals_unrooted(np.ones((3, 3))).round(3)  # 3 of 7
    array([[0.   , 0.429, 0.429],
           [0.429, 0.   , 0.429],
           [0.429, 0.429, 0.   ]])
    """
    pairs, d = inputs.read_matrix(W, log=log, as_log=log)
    _, each = _solve(np.ones(pairs.shape[1]), pairs, d, max_trees, log, 1)
    return to_matrix(each[0])


def read_levels(d: int, max_trees: int | None) -> int:
    """Check the size of the problem; return the most sets, or 0 where there is no limit."""
    if d > MAX_NODES:
        raise InputError(
            f"Exact unrooted forests visit every subset of nodes and are meant for {MAX_NODES} "
            f"nodes; there are {d}. Use rooted forests: log_partition or evaluate."
        )
    most = d if max_trees is None else inputs.read_count(max_trees, "max_trees")
    return 0 if most >= d else most


def _solve(
    beta: Floats, W: Floats, d: int, max_trees: int | None, log: bool, threads: int | None
) -> tuple[Floats, Floats]:
    """Return log-partitions and ``w dlogZ/d(beta w)`` of each sample."""
    levels = read_levels(d, max_trees)
    weight, exponent = from_log(W) if log else from_plain(W)
    factor, shift = from_plain(beta)
    product = factor * weight
    scale = np.where(product > 0, exponent + shift, ABSENT)
    product[product == 0] = 1.0
    log_z = np.zeros(len(W))
    each = np.zeros(W.shape)

    def job(rows: Ints) -> None:
        for j in rows:
            total, octaves, slope, further = subset_slopes(d, product[j], scale[j], levels)
            log_z[j] = wide_log(total, octaves) if octaves > ABSENT // 2 else -np.inf
            power = np.clip(exponent[j] + further, -2000, 2000).astype(np.int32)
            each[j] = np.ldexp(weight[j] * slope, power)

    parts = np.array_split(np.arange(len(W)), 8)
    run_in_threads([partial(job, part) for part in parts if len(part)], threads)
    empty = np.flatnonzero(np.isneginf(log_z))
    if len(empty):
        each[empty] = np.nan
        warn(
            f"In sample {empty[0]} the edges of positive weight leave more than {max_trees} "
            "components, so there is no such forest and the log-partition is -inf.",
            DataWarning,
            stacklevel=3,
        )
    return log_z, each


def sample_unrooted(
    W: ArrayLike,
    max_trees: int | None = None,
    n_samples: int = 1,
    *,
    log: bool = False,
    random_state: Any = None,
) -> SampledForests:
    r"""Draw unrooted forests of at most `max_trees` trees with their exact probability.

    .. math:: P(F) \propto \prod_{e \in F} W_e

    First the partition of the nodes is drawn, set by set: with k sets left for the nodes S, the
    one that holds the smallest of them is A with probability
    :math:`t(A) F_{k-1}(S \setminus A) / F_k(S)`, where t(A) sums over the spanning trees of A and
    :math:`F_k(S)` over the forests of k trees on S; see :func:`log_partition_unrooted`. Then each
    set gets a spanning tree of its own. All samples that share a set, whatever the rest of their
    partitions, draw its trees together.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights, d at most 12; the diagonal is ignored.
    max_trees : int, optional
        Most trees; all forests by default. One gives spanning trees.
    n_samples : int
        How many to draw, independently.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge).
    random_state : int, numpy Generator, or None
        Seed of the draws.

    Returns
    -------
    SampledForests
        Trees hang from their last nodes; ``method`` is ``"subsets"``.

    Raises
    ------
    InputError
        If there are more than 12 nodes, or no forest of so few trees.

    Examples
    --------
    With all weights one, three nodes have seven forests, and each edge is in three of them.

    >>> drawn = sample_unrooted(np.ones((3, 3)), n_samples=7000, random_state=0)
    >>> round(float(drawn.adjacency[:, 0, 1].mean()), 2)
    0.43
    >>> sample_unrooted(np.ones((3, 3)), max_trees=1, n_samples=5, random_state=0).n_trees
    array([1, 1, 1, 1, 1])
    """
    n_samples = inputs.read_count(n_samples, "n_samples", least=0)
    rng = read_random_state(random_state)
    pairs, d = inputs.read_matrix(W, log=log, as_log=log)
    levels = read_levels(d, max_trees)
    mantissas, exponents = from_log(pairs[0]) if log else from_plain(pairs[0])
    trees, trees_x, forests, forests_x = subset_tables(d, mantissas, exponents, levels)
    if not forests[-1].any():
        raise InputError(
            f"The edges of positive weight leave more than {max_trees} components, so there is no "
            "forest of so few trees. Raise max_trees."
        )
    blocks = np.zeros((n_samples, d), dtype=np.int64)
    with np.errstate(divide="ignore"):
        log_trees, log_forests = np.log(trees) + LN2 * trees_x, np.log(forests) + LN2 * forests_x
    draw_partitions(levels, log_trees, log_forests, rng, blocks)
    parents = np.full((n_samples, d), -1, dtype=np.int64)
    _draw_trees(to_matrix(pairs[0]), log, blocks, rng, parents)
    return SampledForests(parents, "subsets")


def _draw_trees(
    weights: Floats, log: bool, blocks: Ints, rng: np.random.Generator, parents: Ints
) -> None:
    """Fill in a spanning tree for each set of each sample, set by set in rising order."""
    order = np.argsort(blocks, axis=None, kind="stable")
    subsets, starts = np.unique(blocks.ravel()[order], return_index=True)
    stops = np.append(starts[1:], order.size)
    for subset, start, stop in zip(subsets.tolist(), starts, stops[: starts.size], strict=True):
        nodes = np.array([i for i in range(len(weights)) if subset >> i & 1], dtype=np.int64)
        if nodes.size < 2:  # a node alone is its own root; zeros fill the rows of `blocks`
            continue
        rows = order[start:stop] // blocks.shape[1]
        inside = np.ascontiguousarray(weights[np.ix_(nodes, nodes)])
        trees = sample(inside, 0.0, rows.size, log=log, random_state=rng).parents
        parents[np.ix_(rows, nodes)] = np.where(trees < 0, -1, nodes[trees])


@kernel
def _pair(u: int, v: int, d: int) -> int:
    """Find the number of a pair, u < v, in the order of :mod:`spinney._core.pairs`."""
    return u * (2 * d - u - 1) // 2 + v - u - 1


@kernel
def _take_subset(
    subset: int, d: int, mantissas: Floats, exponents: Ints, nodes: Ints, a: Floats, x: Ints
) -> int:
    """List the nodes of a subset, copy the weights among them, and return how many there are."""
    size = 0
    for v in range(d):
        if subset >> v & 1:
            for i in range(size):
                e = _pair(nodes[i], v, d)
                a[i, size], x[i, size] = mantissas[e], exponents[e]
            nodes[size] = v
            size += 1
    return size


@kernel
def subset_tables(
    d: int, products: Floats, scales: Ints, levels: int
) -> tuple[Floats, Ints, Floats, Ints]:
    """Sum over the spanning trees of every subset, and over its partitions into k sets.

    Wide numbers: two arrays of mantissas, shapes (2^d,) and (2^d, levels + 1), each followed by its
    exponents. With `levels` 0, one column holds the partitions into any number of sets.
    """
    n_subsets = 1 << d
    a, x = np.zeros((d, d)), np.zeros((d, d), dtype=np.int64)
    totals, shifts = np.zeros(d), np.zeros(d, dtype=np.int64)
    nodes = np.zeros(d, dtype=np.int64)
    trees = np.zeros(n_subsets)
    trees_x = np.zeros(n_subsets, dtype=np.int64)
    for subset in range(1, n_subsets):
        size = _take_subset(subset, d, products, scales, nodes, a, x)
        trees[subset], trees_x[subset] = wide_eliminate(a, x, size, totals, shifts)
    forests = np.zeros((n_subsets, levels + 1))
    forests_x = np.zeros((n_subsets, levels + 1), dtype=np.int64)
    forests[0, 0] = 1.0
    for subset in range(1, n_subsets):
        lowest = subset & -subset
        rest = subset ^ lowest
        others = rest
        while True:
            t, tx = trees[lowest | others], trees_x[lowest | others]
            left = rest ^ others
            for k in range(max(levels, 1)):
                to = k + 1 if levels else 0
                m, e = wide_add(
                    forests[subset, to],
                    forests_x[subset, to],
                    t * forests[left, k],
                    tx + forests_x[left, k],
                )
                forests[subset, to], forests_x[subset, to] = m, e
            if others == 0:
                break
            others = (others - 1) & rest
        for k in range(levels + 1):
            m, e = wide_normal(forests[subset, k], forests_x[subset, k])
            forests[subset, k], forests_x[subset, k] = m, e
    return trees, trees_x, forests, forests_x


@kernel
def draw_partitions(
    levels: int, log_trees: Floats, log_forests: Floats, rng: np.random.Generator, blocks: Ints
) -> None:
    """Draw partitions with the probability of their forests, from logarithms of `subset_tables`.

    Each row of `blocks` takes the sets as numbers of d bits, smallest nodes first, then zeros.
    """
    everything = len(log_trees) - 1
    first = 1 if levels else 0
    choices = np.empty(len(log_trees), dtype=np.int64)
    chances = np.empty(len(log_trees))
    for row in range(blocks.shape[0]):
        # How many sets: k stays zero where one column holds any number of them.
        k = first + draw_by_logs(log_forests[everything, first:], rng)
        left, n_sets = everything, 0
        while left:
            lowest = left & -left
            rest = left ^ lowest
            below = k - 1 if levels else 0
            count, others = 0, rest
            while True:
                choices[count] = lowest | others
                chances[count] = log_trees[lowest | others] + log_forests[rest ^ others, below]
                count += 1
                if others == 0:
                    break
                others = (others - 1) & rest
            blocks[row, n_sets] = choices[draw_by_logs(chances[:count], rng)]
            left ^= blocks[row, n_sets]
            n_sets += 1
            k = below


@kernel
def subset_slopes(
    d: int, products: Floats, scales: Ints, levels: int
) -> tuple[float, int, Floats, Ints]:
    """Sum over all forests, and find its slope in the weight of each pair, relative to the sum.

    Wide numbers; none of the weights is zero, and `levels` 0 means no limit.
    """
    everything = (1 << d) - 1
    trees, trees_x, forests, forests_x = subset_tables(d, products, scales, levels)
    total, total_x = 0.0, 0
    for k in range(levels + 1):
        total, total_x = wide_add(total, total_x, forests[everything, k], forests_x[everything, k])
    slopes, slopes_x = np.zeros(len(products)), np.zeros(len(products), dtype=np.int64)
    a, x = np.zeros((d, d)), np.zeros((d, d), dtype=np.int64)
    totals, shifts = np.zeros(d), np.zeros(d, dtype=np.int64)
    nodes = np.zeros(d, dtype=np.int64)
    for subset in range(1, everything + 1):
        rest = everything ^ subset
        left, left_x = 0.0, 0
        for k in range(max(levels, 1)):
            left, left_x = wide_add(left, left_x, forests[rest, k], forests_x[rest, k])
        chance, chance_x = wide_normal(
            trees[subset] * left / total, trees_x[subset] + left_x - total_x
        )
        size = _take_subset(subset, d, products, scales, nodes, a, x)
        if size < 2 or chance == 0.0 or chance_x < ABSENT + ABSENT // 2:
            continue  # it takes two absent edges to join these nodes
        wide_eliminate(a, x, size, totals, shifts)
        wide_resist(a, x, totals[:size], shifts[:size])
        for i in range(size):
            for j in range(i + 1, size):
                e = _pair(nodes[i], nodes[j], d)
                slopes[e], slopes_x[e] = wide_add(
                    slopes[e], slopes_x[e], chance * a[i, j], chance_x + x[i, j]
                )
    return total, total_x, slopes, slopes_x
