"""Posterior of one rooted forest, given log-weights of any size: many networks at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._pairs import n_nodes, pair_nodes
from spinney.exceptions import InputError
from spinney.forests._engines import Networks, Pattern, solve
from spinney.forests._threads import run_jobs
from spinney.forests._tiles import LANES
from spinney.posterior._scales import CALM, margins, rewrite

__all__ = ["ForestPosterior", "forest_log_partition", "forest_posterior", "solve_batch"]

Floats = NDArray[np.float64]
Want = Literal["each", "partition"]


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
        that are hopeless at this tolerance get probability zero.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.

    Returns
    -------
    ForestPosterior

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Notes
    -----
    :func:`spinney.forests.edge_marginals` with ``log=True`` gives the same without a tolerance, a
    hundred times slower for weights beyond the range of doubles.

    Examples
    --------
    A triangle with two weights that no double can hold. One edge of the three is left out:

    >>> forest_posterior([5000.0, 5000.0, 4999.0]).probabilities.round(3)
    array([0.788, 0.788, 0.424])
    """
    rows, single = _read_rows(log_weights)
    check_numbers(root_weight=root_weight, tolerance=tolerance)
    probabilities = np.zeros(rows.shape)
    log_partition = np.zeros(len(rows))

    def job(part: slice) -> None:
        probabilities[part], log_partition[part] = solve_batch(rows[part], root_weight, tolerance)

    run_jobs([partial(job, part) for part in _batches(len(rows))], threads)
    if single:
        return ForestPosterior(probabilities[0], float(log_partition[0]))
    return ForestPosterior(probabilities, log_partition)


def forest_log_partition(
    log_weights: ArrayLike,
    *,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    threads: int | None = None,
) -> float | Floats:
    r"""Sum over all rooted forests, as a logarithm, without the edge probabilities.

    .. math:: \log \sum_F \prod_{e \in F} e^{\ell_e} \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    log_weights, root_weight, threads
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
    check_numbers(root_weight=root_weight, tolerance=tolerance)
    log_partition = np.zeros(len(rows))

    def job(part: slice) -> None:
        log_partition[part] = solve_batch(rows[part], root_weight, tolerance, want="partition")[1]

    run_jobs([partial(job, part) for part in _batches(len(rows))], threads)
    return float(log_partition[0]) if single else log_partition


def _batches(n: int) -> list[slice]:
    return [slice(k, k + LANES) for k in range(0, n, LANES)]


def _read_rows(log_weights: ArrayLike) -> tuple[Floats, bool]:
    """Read log-weights as one row per network; tell whether a single network was given."""
    weights = np.asarray(log_weights, dtype=float, order="C")
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


def check_numbers(**numbers: float) -> None:
    """Refuse what must be positive and finite and is not."""
    for name, value in numbers.items():
        if not 0 < value < np.inf:
            raise InputError(f"{name} must be positive and finite, not {value!r}.")


def solve_batch(
    rows: Floats, root_weight: float, tolerance: float, *, want: Want = "each"
) -> tuple[Floats, Floats]:
    """Solve at most eight networks on this thread; log-weights are finite or -inf.

    Returns probabilities and log-partitions; with ``want="partition"`` the former are zeros of
    shape (n_networks, 0).
    """
    n, n_edges = rows.shape
    d = n_nodes(n_edges)
    # Only ratios to the root weight matter, so that roots may weigh one from here on.
    rows = rows - np.log(root_weight)
    probabilities = np.zeros((n, n_edges if want == "each" else 0))
    log_partition = np.full(n, d * np.log(root_weight))
    wild = rows.max(axis=1, initial=-np.inf) > CALM
    for i in np.flatnonzero(wild):
        probabilities[i], log_partition_i = _solve_wild(rows[i], d, tolerance, want)
        log_partition[i] += log_partition_i
    calm = np.flatnonzero(~wild)
    if len(calm):
        part = rows if len(calm) == n else rows[calm]
        probabilities[calm], log_partitions = _solve_calm(part, d, tolerance, want)
        log_partition[calm] += log_partitions
    return np.minimum(probabilities, 1.0, out=probabilities), log_partition


def _solve_calm(rows: Floats, d: int, tolerance: float, want: Want) -> tuple[Floats, Floats]:
    """Solve networks side by side, on the pattern of all edges that any of them has."""
    hopeless, _ = margins(d, tolerance)
    # The way over the ground is a bottleneck of one, and enough: looking for better ones, and a
    # pattern for each batch, cost what they gain.
    rows = np.where(rows < -hopeless, -np.inf, rows)
    present = (rows > -np.inf).any(axis=0)
    columns = np.flatnonzero(present)
    first, second = (nodes[columns].astype(np.int64) for nodes in pair_nodes(d))
    pattern = Pattern(d, first, second, columns, np.ones(len(columns)), np.ones(d))
    log_partition, each, _, _ = solve(Networks(pattern, rows, log=True), want=want, threads=1)
    if want == "partition":
        return np.zeros((len(rows), 0)), log_partition
    probabilities = np.zeros(rows.shape)
    probabilities[:, columns] = each
    return probabilities, log_partition


def _solve_wild(row: Floats, d: int, tolerance: float, want: Want) -> tuple[Floats, float]:
    """Solve a network that no double can hold, by its rewritten form."""
    plain = rewrite(row, d, tolerance)
    n_edges = len(plain.first)
    edges, ones = np.arange(n_edges), np.ones(n_edges)
    pattern = Pattern(d + 1, plain.first, plain.second, edges, ones, np.zeros(d + 1))
    networks = Networks(pattern, plain.log_weights[None], log=True)
    log_partition, each, _, _ = solve(networks, want=want, threads=1)
    total = float(log_partition[0]) + plain.log_scale
    if want == "partition":
        return np.zeros(0), total
    probabilities = np.zeros(len(row))
    probabilities[plain.pairs] = plain.shares * each[0, plain.edges]
    return probabilities, total
