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
from spinney._core.pairs import n_nodes, pair_nodes, to_matrix
from spinney._core.threads import run_in_threads
from spinney.exceptions import DataWarning, InputError
from spinney.forests._extended_range import (
    from_log,
    from_plain,
    wide_add,
    wide_eliminate,
    wide_log,
    wide_normal,
    wide_plain,
    wide_resist,
)
from spinney.forests._input import (
    check_weights,
    read_count,
    read_float_array,
    read_matrix,
    read_threads,
)
from spinney.forests.samples import Samples, check_shapes, read_samples
from spinney.forests.sampling import SampledForests, sample

MAX_NODES = 12


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
    r"""Evaluate the exact sum over forests of at most `max_trees` trees, for each sample.

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
    weights = as_writeable(read_float_array(beta, "beta"))
    samples = read_samples(W, log)
    check_shapes(weights, samples)
    check_weights(weights, "beta", log=False)
    samples.check()
    table = as_writeable(samples.table)
    log_z, each = _solve(
        weights, table, n_nodes(len(weights)), max_trees, samples.log, read_threads(threads)
    )
    return UnrootedEvaluation(log_z, each if per_sample else each.sum(axis=0))


def log_partition_unrooted(
    W: ArrayLike, max_trees: int | None = None, *, log: bool = False
) -> float:
    """Sum over all unrooted forests of one matrix, as a logarithm.

    Examples
    --------
    Three nodes have seven forests.

    >>> round(float(np.exp(log_partition_unrooted(np.ones((3, 3))))), 9)
    7.0
    """
    pairs, d = read_matrix(W, log=log, as_log=log)
    log_z, _ = _solve(np.ones(pairs.shape[1]), pairs, d, max_trees, log, 1)
    return float(log_z[0])


def edge_marginals_unrooted(
    W: ArrayLike, max_trees: int | None = None, *, log: bool = False
) -> Floats:
    """Probability of each edge in a random unrooted forest of at most `max_trees` trees.

    Examples
    --------
    >>> edge_marginals_unrooted(np.ones((3, 3))).round(3)  # 3 of 7
    array([[0.   , 0.429, 0.429],
           [0.429, 0.   , 0.429],
           [0.429, 0.429, 0.   ]])
    """
    pairs, d = read_matrix(W, log=log, as_log=log)
    _, each = _solve(np.ones(pairs.shape[1]), pairs, d, max_trees, log, 1)
    return to_matrix(each[0])


def read_levels(d: int, max_trees: int | None) -> int:
    """Check the size of the problem; return the most sets, or 0 where there is no limit."""
    if d > MAX_NODES:
        raise InputError(
            f"Exact unrooted forests visit every subset of nodes and are meant for {MAX_NODES} "
            f"nodes; there are {d}. Use rooted forests: log_partition or evaluate."
        )
    most = d if max_trees is None else read_count(max_trees, "max_trees")
    return 0 if most >= d else most


def _solve(
    beta: Floats, W: Floats, d: int, max_trees: int | None, log: bool, threads: int | None
) -> tuple[Floats, Floats]:
    """Return log-partitions and ``w dlogZ/d(beta w)`` of each sample."""
    levels = read_levels(d, max_trees)
    first, second = (nodes.astype(np.int64) for nodes in pair_nodes(d))
    weight, exponent = from_log(W) if log else from_plain(W)
    factor, shift = from_plain(beta)
    product = factor * weight
    scale = np.where(product > 0, exponent + shift, 0)
    log_z = np.zeros(len(W))
    each = np.zeros(W.shape)

    def job(rows: Ints) -> None:
        given = (product[rows], scale[rows], weight[rows], exponent[rows])
        run_subsets(d, first, second, rows, *given, levels, log_z, each)

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
    n_samples = read_count(n_samples, "n_samples", least=0)
    rng = read_random_state(random_state)
    pairs, d = read_matrix(W, log=log, as_log=log)
    levels = read_levels(d, max_trees)
    mantissas, exponents = from_log(pairs[0]) if log else from_plain(pairs[0])
    tables = subset_tables(d, mantissas, exponents, levels)
    if not tables[2][-1].any():
        raise InputError(
            f"The edges of positive weight leave more than {max_trees} components, so there is no "
            "forest of so few trees. Raise max_trees."
        )
    blocks = np.zeros((n_samples, d), dtype=np.int64)
    draw_partitions(d, levels, *tables, rng, blocks)
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
def _members(subset: int, d: int, nodes: Ints) -> int:
    count = 0
    for i in range(d):
        if subset >> i & 1:
            nodes[count] = i
            count += 1
    return count


@kernel
def _neighbours(d: int, first: Ints, second: Ints, weights: Floats, out: Ints) -> None:
    """Write each node's neighbours as the bits of a number."""
    out[:] = 0
    for e in range(len(first)):
        if weights[e] > 0.0:
            out[first[e]] |= 1 << second[e]
            out[second[e]] |= 1 << first[e]


@kernel
def _lowest_component(subset: int, d: int, neighbours: Ints) -> int:
    """Find the component of a subset's smallest node."""
    component = subset & -subset
    while True:
        wider = component
        for i in range(d):
            if component >> i & 1:
                wider |= neighbours[i] & subset
        if wider == component:
            return component
        component = wider


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
        size = _members(subset, d, nodes)
        _copy_subset(d, nodes, size, products, scales, a, x)
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
            for k in range(max(levels, 1) if t > 0.0 else 0):
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
    d: int,
    levels: int,
    trees: Floats,
    trees_x: Ints,
    forests: Floats,
    forests_x: Ints,
    rng: np.random.Generator,
    blocks: Ints,
) -> None:
    """Draw partitions with the probability of their forests, from what `subset_tables` returned.

    Each row of `blocks` takes the sets as numbers of d bits, smallest nodes first, then zeros.
    """
    everything = (1 << d) - 1
    first = 1 if levels else 0
    for row in range(blocks.shape[0]):
        # How many sets: k stays zero where one column holds any number of them.
        k = first + _draw_wide(forests[everything, first:], forests_x[everything, first:], rng)
        left = everything
        count = 0
        while left and count < d:  # d sets at most: nothing is written beyond them
            lowest = left & -left
            rest = left ^ lowest
            below = k - 1 if levels else 0
            total, total_x = forests[left, k], forests_x[left, k]
            target = rng.random()
            chosen = 0
            others = rest
            while True:  # the order of the sum that `total` is
                subset = lowest | others
                after = rest ^ others
                part = trees[subset] * forests[after, below]
                if part > 0.0:
                    chosen = subset  # should rounding leave a rest, the last possible set is taken
                    shift = trees_x[subset] + forests_x[after, below] - total_x
                    target -= wide_plain(part / total, shift)
                    if target < 0.0:
                        break
                if others == 0:
                    break
                others = (others - 1) & rest
            blocks[row, count] = chosen
            count += 1
            left ^= chosen
            k = below


@kernel
def _draw_wide(mantissas: Floats, exponents: Ints, rng: np.random.Generator) -> int:
    """Draw a position with probability proportional to its wide number."""
    total, total_x = 0.0, 0
    for i in range(len(mantissas)):
        total, total_x = wide_add(total, total_x, mantissas[i], exponents[i])
    target = rng.random()
    chosen = 0
    for i in range(len(mantissas)):
        if mantissas[i] > 0.0:
            chosen = i
            target -= wide_plain(mantissas[i] / total, exponents[i] - total_x)
            if target < 0.0:
                break
    return chosen


@kernel
def run_subsets(
    d: int,
    first: Ints,
    second: Ints,
    rows: Ints,
    products: Floats,
    scales: Ints,
    weights: Floats,
    exponents: Ints,
    levels: int,
    log_z: Floats,
    each: Floats,
) -> None:
    """Fill in log-partitions and ``w dlogZ/d(beta w)`` at `rows`; `levels` 0 means no limit.

    ``products`` and ``scales`` are the networks' weights, ``weights`` and ``exponents`` those that
    the derivatives are multiplied by: a row for each of `rows`, in wide numbers.
    """
    n_subsets = 1 << d
    everything = n_subsets - 1
    a, x = np.zeros((d, d)), np.zeros((d, d), dtype=np.int64)
    totals, shifts = np.zeros(d), np.zeros(d, dtype=np.int64)
    y, z = np.zeros(d), np.zeros(d, dtype=np.int64)
    nodes = np.zeros(d, dtype=np.int64)
    neighbours = np.zeros(d, dtype=np.int64)
    for r in range(len(rows)):
        trees, trees_x, forests, forests_x = subset_tables(d, products[r], scales[r], levels)
        total, total_x = 0.0, 0
        for k in range(levels + 1):
            total, total_x = wide_add(
                total, total_x, forests[everything, k], forests_x[everything, k]
            )
        log_z[rows[r]] = wide_log(total, total_x)
        if total == 0.0:
            continue
        _neighbours(d, first, second, products[r], neighbours)
        for subset in range(1, n_subsets):
            left_m, left_x = 0.0, 0
            for k in range(max(levels, 1)):
                other = everything ^ subset
                left_m, left_x = wide_add(left_m, left_x, forests[other, k], forests_x[other, k])
            if trees[subset] == 0.0:
                # No tree, yet a slope: an absent edge would join the two halves of a subset.
                half = _lowest_component(subset, d, neighbours)
                other = subset ^ half
                chance, chance_x = wide_normal(
                    trees[half] * trees[other] * left_m / total,
                    trees_x[half] + trees_x[other] + left_x - total_x,
                )
                if chance > 0.0:
                    for e in range(len(first)):
                        u, v = first[e], second[e]
                        if subset >> u & subset >> v & (half >> u ^ half >> v) & 1:
                            each[rows[r], e] += wide_plain(
                                chance * weights[r, e], chance_x + exponents[r, e]
                            )
                continue
            chance, chance_x = wide_normal(
                trees[subset] * left_m / total, trees_x[subset] + left_x - total_x
            )
            size = _members(subset, d, nodes)
            if chance == 0.0 or size < 2:
                continue
            _copy_subset(d, nodes, size, products[r], scales[r], a, x)
            wide_eliminate(a, x, size, totals, shifts)
            wide_resist(a, x, size, totals, shifts, y, z)
            for i in range(size):
                for j in range(i + 1, size):
                    u, v = nodes[i], nodes[j]
                    e = _pair(u, v, d)
                    each[rows[r], e] += wide_plain(
                        chance * weights[r, e] * a[i, j], chance_x + exponents[r, e] + x[i, j]
                    )


@kernel
def _copy_subset(
    d: int, nodes: Ints, size: int, mantissas: Floats, exponents: Ints, a: Floats, x: Ints
) -> None:
    for i in range(size):
        for j in range(i + 1, size):
            u, v = nodes[i], nodes[j]
            e = _pair(u, v, d)
            a[i, j], x[i, j] = mantissas[e], exponents[e]
