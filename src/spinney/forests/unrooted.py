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
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.compile import as_writeable
from spinney._core.pairs import n_nodes, pair_nodes, to_matrix
from spinney._core.threads import run_in_threads
from spinney.exceptions import DataWarning, InputError
from spinney.forests._input import (
    check_weights,
    read_count,
    read_float_array,
    read_matrices,
)
from spinney.forests._subsets import run_subsets, run_subsets_wide
from spinney.forests._wide import from_log, from_plain
from spinney.forests.context import Context, read_context
from spinney.forests.samples import Samples, read_samples

__all__ = [
    "MAX_NODES",
    "UnrootedEvaluation",
    "edge_marginals_unrooted",
    "evaluate_unrooted",
    "log_partition_unrooted",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_NODES = 12

# With weights within these bounds no product over twelve nodes leaves the range of doubles.
SMALLEST, LARGEST = 1e-22, 1e22
# Log-weights beyond this make no doubles, or too few digits of one.
MOST_LOG = 700.0


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
    context: Context | None = None,
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
    context : Context, optional
        In place of `threads`, of which it is read; there is one engine for unrooted forests.

    Examples
    --------
    Z = 1 + a for one pair of weight a.

    >>> result = evaluate_unrooted([2.0], [[1.0], [3.0]])
    >>> np.exp(result.log_partition).round(9), result.gradient.round(6)
    (array([3., 7.]), array([0.761905]))
    """
    weights = as_writeable(read_float_array(beta, "beta"))
    samples = read_samples(W, log)
    if weights.ndim != 1 or samples.table.ndim != 2 or samples.n_pairs != len(weights):
        raise InputError(
            f"beta must have one weight per pair and W a column per pair; their shapes are "
            f"{weights.shape} and {samples.shape}."
        )
    check_weights(weights, "beta", log=False)
    samples.check()
    table = as_writeable(samples.weights)
    threads = read_context(context, threads).threads
    log_z, each = _solve(weights, table, n_nodes(len(weights)), max_trees, samples.log, threads)
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
    pairs, d = read_one(W, log)
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
    pairs, d = read_one(W, log)
    _, each = _solve(np.ones(pairs.shape[1]), pairs, d, max_trees, log, 1)
    return to_matrix(each[0])


def read_one(W: ArrayLike, log: bool) -> tuple[Floats, int]:
    """Read one matrix: its pairs, shape (1, n_pairs), and the number of nodes."""
    pairs, shape, d = read_matrices(W, log=log, as_log=log)
    if shape:
        raise InputError("W must be one matrix, shape (d, d); loop over the stack.")
    return pairs, d


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
    plain = np.exp(np.clip(W, -MOST_LOG, MOST_LOG)) * ~np.isneginf(W) if log else W
    with np.errstate(over="ignore"):
        products = beta * plain
    outside = (products > LARGEST) | ((products < SMALLEST) & (products > 0))
    outside |= (products == 0) & (beta > 0) & (plain > 0)
    if log:  # whatever beta makes of them: these were clipped
        outside |= (np.abs(W) > MOST_LOG) & ~np.isneginf(W)
    out_of_range = outside.any(axis=1)
    log_z = np.zeros(len(W))
    each = np.zeros(W.shape)

    def plain_job(rows: Integers) -> None:
        run_subsets(d, first, second, rows, products, plain, levels, log_z, each)

    def wide_job(rows: Integers) -> None:
        weight, exponent = from_log(W[rows]) if log else from_plain(W[rows])
        factor, shift = from_plain(beta)
        product, scale = factor * weight, np.where(factor > 0, exponent + shift, 0)
        run_subsets_wide(
            d, first, second, rows, product, scale, weight, exponent, levels, log_z, each
        )

    jobs = []
    in_range, others = np.flatnonzero(~out_of_range), np.flatnonzero(out_of_range)
    for rows, job in ((in_range, plain_job), (others, wide_job)):
        jobs += [partial(job, part) for part in np.array_split(rows, 8) if len(part)]
    run_in_threads(jobs, threads)
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
