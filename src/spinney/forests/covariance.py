"""Covariances of edges in a random rooted forest, summed over samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import reduction
from spinney._core.pairs import n_pairs, to_matrix
from spinney.forests.context import Context
from spinney.forests.evaluation import Evaluator

__all__ = ["edge_covariance"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

RESISTANCES_AT_ONCE = 4_000_000
"""Resistances that are in memory together, all pairs of some samples."""


def edge_covariance(
    beta: Floats,
    W: Floats,
    nodes: Integers,
    n_nodes: int,
    ground: float = 1.0,
    *,
    context: Context | None = None,
) -> Floats:
    r"""Sum over samples of the covariance of edges in a random rooted forest.

    .. math:: \operatorname{Cov}(e, f) = -K_{ef}^2, \quad
              \operatorname{Var}(e) = K_{ee} (1 - K_{ee}), \qquad
              K_{ef} = \tfrac12 \sqrt{w_e w_f} \, (R_{ad} + R_{bc} - R_{ac} - R_{bd})

    for :math:`e = \{a, b\}` and :math:`f = \{c, d\}`: edges of a random forest are a determinantal
    process whose kernel is the transfer current [1]_. It is the Hessian of the log-partition in the
    logarithms of the weights.

    Parameters
    ----------
    beta : array of shape (n_edges,)
        Edge weights.
    W : array of shape (n, n_edges)
        Weights of each sample, which those are multiplied by.
    nodes : array of shape (n_edges, 2)
        The nodes that each edge joins.
    n_nodes : int
        Number of nodes.
    ground : float
        Root weight, positive.
    context : Context, optional
        How to compute: threads, engine, device.

    Returns
    -------
    array of shape (n_edges, n_edges)

    Notes
    -----
    Differences of resistances lose digits where weights span many decades. That is good enough for
    the direction of a step, which is what it is meant for.

    References
    ----------
    .. [1] R. Burton and R. Pemantle (1993). Local characteristics, entropy and limit theorems for
       spanning trees and domino tilings via transfer-impedances. Annals of Probability 21.

    Examples
    --------
    One edge of weight 3: it is in six of seven rooted forests.

    >>> edge_covariance(np.array([3.0]), np.ones((1, 1)), np.array([[0, 1]]), 2).round(6)
    array([[0.122449]])
    """
    first, second = np.ascontiguousarray(nodes.T)
    total = np.zeros((len(beta), len(beta)))
    everywhere = n_pairs(n_nodes)
    if not len(beta):
        return total
    # The row of each pair; that of a node and itself is one past the last.
    rows = to_matrix(np.arange(everywhere), diagonal=everywhere).astype(np.int64)
    columns = rows[first, second]
    weights = np.zeros(everywhere)
    weights[columns] = beta
    evaluator = Evaluator(weights, ground, n_nodes=n_nodes, context=context)
    at_once = max(1, RESISTANCES_AT_ONCE // everywhere)
    for begin in range(0, len(W), at_once):
        part = W[begin : begin + at_once]
        samples = np.ones((len(part), everywhere))
        samples[:, columns] = part
        found = evaluator.evaluate(samples, per_sample=True).weighted_resistance
        # One row per pair, so that the loop over samples is the inner one.
        resistance = np.zeros((everywhere + 1, len(part)))
        np.divide(found.T, samples.T, out=resistance[:-1], where=samples.T > 0)
        weight = np.ascontiguousarray((beta * part).T)
        _add_covariance(resistance, weight, first, second, rows, total)
    lower = np.tril(total, -1)
    return total + lower.T


@reduction
def _add_covariance(
    resistance: Floats,
    weight: Floats,
    first: Integers,
    second: Integers,
    rows: Integers,
    total: Floats,
) -> None:
    """Add to the lower triangle; `resistance` has a row per pair and `weight` one per edge."""
    for e in range(len(first)):
        a, b = first[e], second[e]
        x, own = weight[e], resistance[rows[a, b]]
        variance = 0.0
        for j in range(own.size):
            p = x[j] * own[j]
            variance += p * (1.0 - p)
        total[e, e] += variance
        for f in range(e):
            c, d = first[f], second[f]
            ad, bc = resistance[rows[a, d]], resistance[rows[b, c]]
            ac, bd = resistance[rows[a, c]], resistance[rows[b, d]]
            y = weight[f]
            shared = 0.0
            for j in range(own.size):
                current = ad[j] + bc[j] - ac[j] - bd[j]
                shared += x[j] * y[j] * current * current
            total[e, f] -= 0.25 * shared
