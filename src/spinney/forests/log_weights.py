"""Rooted forests whose weights are given by logarithms of any size: many networks at once.

A network is *in range* if none of its log-weights, relative to the root weight, is so large that
plain doubles could not hold it. Networks in range are solved side by side; each of the others is
rewritten first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_nodes, pair_nodes
from spinney.exceptions import InputError
from spinney.forests._input import read_float_array
from spinney.forests._layout import UNIT
from spinney.forests._networks import Networks, Pattern
from spinney.forests._rewriting import LARGEST_LOG, margins, rewrite
from spinney.forests._solve import solve
from spinney.forests.context import Context, read_context
from spinney.forests.samples import Samples
from spinney.forests.threads import run_in_threads

__all__ = [
    "BATCH_SIZE",
    "ForestPosterior",
    "forest_log_partition",
    "forest_posterior",
    "solve_batch",
]

Floats = NDArray[np.float64]
Want = Literal["each", "partition"]

BATCH_SIZE = UNIT
"""Networks that are solved together: side by side, or a few at a time where registers are small.

The same on every processor: networks of a batch share the pattern of all their edges, so that a
result might depend on it in its last digits."""

_ONE_THREAD = Context(threads=1)


@dataclass(frozen=True)
class ForestPosterior:
    """What :func:`forest_posterior` returns.

    Attributes
    ----------
    probabilities : array of shape (n_pairs,) or (n_networks, n_pairs)
        Probability that each pair is an edge of the forest.
    log_partition : float or array of shape (n_networks,)
        Logarithm of the sum over all rooted forests.
    """

    probabilities: Floats
    log_partition: float | Floats


def forest_posterior(
    log_weights: ArrayLike,
    *,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    threads: int | None = None,
    context: Context | None = None,
) -> ForestPosterior:
    r"""Edge probabilities of a random rooted forest whose weights are given by their logarithms.

    .. math:: P(F) \propto \prod_{e \in F} e^{\ell_e} \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    log_weights : array of shape (n_pairs,) or (n_networks, n_pairs)
        Log-weights of the pairs, in the order of ``np.triu_indices(d, 1)``; -inf for no edge.
    root_weight : float
        Weight :math:`\alpha > 0` of a root.
    tolerance : float
        Most by which a probability may be off for the sake of speed (besides rounding). Edges
        that are negligible at this tolerance get probability zero.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.
    context : Context, optional
        Threads, engine and device in one, in place of `threads`.

    Returns
    -------
    ForestPosterior

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Notes
    -----
    :func:`edge_marginals` with ``log=True`` gives the same without a tolerance, a
    hundred times slower for weights beyond the range of doubles.

    Examples
    --------
    A triangle with two weights that no double can hold. One edge of the three is left out:

    >>> forest_posterior([5000.0, 5000.0, 4999.0]).probabilities.round(3)
    array([0.788, 0.788, 0.424])
    """
    rows, single = _read_rows(log_weights)
    _check_positive(root_weight=root_weight, tolerance=tolerance)
    how = read_context(context, threads)
    one = how if how.threads == 1 else replace(how, threads=1)
    probabilities = np.zeros(rows.shape)
    log_partition = np.zeros(len(rows))

    def job(part: slice) -> None:
        probabilities[part], log_partition[part] = solve_batch(
            rows[part], root_weight, tolerance, context=one
        )

    run_in_threads([partial(job, part) for part in _batches(len(rows))], how.threads)
    if single:
        return ForestPosterior(probabilities[0], float(log_partition[0]))
    return ForestPosterior(probabilities, log_partition)


def forest_log_partition(
    log_weights: ArrayLike,
    *,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    threads: int | None = None,
    context: Context | None = None,
) -> float | Floats:
    r"""Sum over all rooted forests, as a logarithm, without the edge probabilities.

    .. math:: \log \sum_F \prod_{e \in F} e^{\ell_e} \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    log_weights, root_weight, threads, context
        As in :func:`forest_posterior`.
    tolerance : float
        Most by which the result may be off for the sake of speed (besides rounding): forests that
        are left out have at most this probability.

    Returns
    -------
    float or array of shape (n_networks,)

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Examples
    --------
    Two nodes that are joined, with either as the root, or not:

    >>> float(np.exp(forest_log_partition([np.log(3.0)])).round(9))  # 2 · 3 + 1
    7.0
    """
    rows, single = _read_rows(log_weights)
    _check_positive(root_weight=root_weight, tolerance=tolerance)
    how = read_context(context, threads)
    one = how if how.threads == 1 else replace(how, threads=1)
    log_partition = np.zeros(len(rows))

    def job(part: slice) -> None:
        log_partition[part] = solve_batch(
            rows[part], root_weight, tolerance, want="partition", context=one
        )[1]

    run_in_threads([partial(job, part) for part in _batches(len(rows))], how.threads)
    return float(log_partition[0]) if single else log_partition


def _batches(n: int) -> list[slice]:
    return [slice(k, k + BATCH_SIZE) for k in range(0, n, BATCH_SIZE)]


def _read_rows(log_weights: ArrayLike) -> tuple[Floats, bool]:
    """Read log-weights as one row per network; tell whether a single network was given."""
    weights = read_float_array(log_weights, "log_weights")
    if weights.ndim not in (1, 2):
        raise InputError(
            "log_weights must have a column per pair, shape (n_pairs,) or (n_networks, n_pairs); "
            f"it has shape {weights.shape}."
        )
    rows = np.atleast_2d(weights)
    n_nodes(rows.shape[1])
    bad = np.argwhere(np.isnan(rows) | (rows == np.inf))
    if len(bad):
        row, e = bad[0]
        raise InputError(
            f"log_weights[{row}, {e}] is {rows[row, e]}. Log-weights are finite, or -inf for no "
            "edge."
        )
    return rows, weights.ndim == 1


def _check_positive(**numbers: float) -> None:
    for name, value in numbers.items():
        if not isinstance(value, Real) or not 0 < value < np.inf:
            raise InputError(f"{name} must be positive and finite, not {value!r}.")


def solve_batch(
    rows: Floats,
    root_weight: float,
    tolerance: float,
    *,
    want: Want = "each",
    context: Context = _ONE_THREAD,
) -> tuple[Floats, Floats]:
    """Solve a few networks on this thread, and check nothing: for jobs of :func:`run_in_threads`.

    Parameters
    ----------
    rows : array of shape (n_networks, n_pairs)
        Log-weights, finite or -inf; best :data:`BATCH_SIZE` networks.
    root_weight, tolerance : float
        As in :func:`forest_posterior`.
    want : {"each", "partition"}
        Whether edge probabilities are wanted.
    context : Context
        Engine and device; `threads` had better be one.

    Returns
    -------
    probabilities : array of shape (n_networks, n_pairs), or (n_networks, 0) if not wanted
    log_partitions : array of shape (n_networks,)

    Examples
    --------
    >>> probabilities, log_partitions = solve_batch(np.log([[3.0]]), 1.0, 1e-10)
    >>> probabilities.round(3), np.exp(log_partitions).round(9)
    (array([[0.857]]), array([7.]))
    """
    n, n_edges = rows.shape
    d = n_nodes(n_edges)
    # Only ratios to the root weight matter, so that roots may weigh one from here on.
    rows = rows - np.log(root_weight)
    probabilities = np.zeros((n, n_edges if want == "each" else 0))
    log_partition = np.full(n, d * np.log(root_weight))
    out_of_range = rows.max(axis=1, initial=-np.inf) > LARGEST_LOG
    for i in np.flatnonzero(out_of_range):
        probabilities[i], rewritten = _solve_rewritten(rows[i], d, tolerance, want, context)
        log_partition[i] += rewritten
    others = np.flatnonzero(~out_of_range)
    if len(others):
        part = rows if len(others) == n else rows[others]
        probabilities[others], in_range = _solve_in_range(part, d, tolerance, want, context)
        log_partition[others] += in_range
    return np.minimum(probabilities, 1.0, out=probabilities), log_partition


def _solve_in_range(
    rows: Floats, d: int, tolerance: float, want: Want, context: Context
) -> tuple[Floats, Floats]:
    """Solve networks side by side, on the pattern of all edges that any of them has."""
    negligible, _ = margins(d, tolerance)
    # The way over the ground is a bottleneck of one, and enough: looking for better ones, and a
    # pattern for each batch, cost what they gain.
    rows = np.where(rows < -negligible, -np.inf, rows)
    present = (rows > -np.inf).any(axis=0)
    columns = np.flatnonzero(present)
    first, second = (nodes[columns].astype(np.int64) for nodes in pair_nodes(d))
    pattern = Pattern(d, first, second, columns, np.ones(len(columns)), np.ones(d))
    networks = Networks(pattern, Samples.unchecked(rows, log=True))
    log_partition, each, *_ = solve(networks, want, context)
    if want == "partition":
        return np.zeros((len(rows), 0)), log_partition
    probabilities = np.zeros(rows.shape)
    probabilities[:, columns] = each
    return probabilities, log_partition


def _solve_rewritten(
    row: Floats, d: int, tolerance: float, want: Want, context: Context
) -> tuple[Floats, float]:
    """Solve a network that no double can hold, by its rewritten form."""
    plain = rewrite(row, d, tolerance)
    n_edges = len(plain.first)
    edges, ones = np.arange(n_edges), np.ones(n_edges)
    pattern = Pattern(d + 1, plain.first, plain.second, edges, ones, np.zeros(d + 1))
    networks = Networks(pattern, Samples.unchecked(plain.log_weights[None], log=True))
    log_partition, each, *_ = solve(networks, want, context)
    total = float(log_partition[0]) + plain.log_scale
    if want == "partition":
        return np.zeros(0), total
    probabilities = np.zeros(len(row))
    probabilities[plain.pairs] = plain.shares * each[0, plain.edges]
    return probabilities, total
