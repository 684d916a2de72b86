"""The Gaussian likelihood of rows under a learned graph, by which graphs can be compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney.scores import Scores, read_scores
from spinney.tables import Table

__all__ = ["constrained_covariance", "mean_log_likelihood"]

Floats = NDArray[np.float64]

SMALLEST = 1e-3
"""Smallest eigenvalue of a correlation matrix that is not one, as gaps may make it."""
TOLERANCE, MAX_ITER = 1e-7, 200


def mean_log_likelihood(table: Table, adjacency: NDArray[np.bool_], rows: Table) -> float:
    """Mean log-density of the scores of rows, under the normal distribution with this graph.

    The distribution is fitted to the scores of `table` by maximum likelihood, given the zeros of
    its inverse covariance (:func:`constrained_covariance`). `rows` are scored as the same values of
    `table` are, or as those between which they lie. Missing values are integrated out.
    """
    scores = read_scores(table)
    chosen = scores.nominal[scores.owners]  # the normal score of a column, or all of its classes
    chosen[scores.starts] = True
    owners = scores.owners[chosen]
    Z = scores.values[:, chosen]
    M = scores.present[:, owners].astype(float)
    covariance = constrained_covariance(
        _correlations(Z, M), adjacency[np.ix_(owners, owners)] | (owners[:, None] == owners)
    )
    X, there = _score_rows(table, scores, rows)[:, chosen], rows.present[:, owners]
    total = 0.0
    patterns, which = np.unique(there, axis=0, return_inverse=True)
    for k, seen in enumerate(patterns):
        own = X[which.ravel() == k][:, seen]
        factor = np.linalg.cholesky(covariance[np.ix_(seen, seen)])
        size = np.linalg.solve(factor, own.T)
        constant = 2.0 * np.log(np.diag(factor)).sum() + seen.sum() * np.log(2.0 * np.pi)
        total -= 0.5 * (float((size**2).sum()) + len(own) * constant)
    return total / len(X)


def _correlations(Z: Floats, M: Floats) -> Floats:
    """Correlations of scores by the rows that have both, made positive definite."""
    R = Z.T @ Z / np.sqrt(np.maximum((Z**2).T @ M * (M.T @ Z**2), 1e-300))
    values, vectors = np.linalg.eigh(R)
    if values[0] >= SMALLEST:
        return np.asarray(R)
    R = (vectors * np.maximum(values, SMALLEST)) @ vectors.T
    size = np.sqrt(np.diag(R))
    return np.asarray(R / size / size[:, None])


def constrained_covariance(S: Floats, joined: NDArray[np.bool_]) -> Floats:
    """Fit a covariance by maximum likelihood whose inverse is 0 where two are not joined [1]_.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman (2009). The elements of statistical learning,
       algorithm 17.1.

    Examples
    --------
    >>> S = np.array([[1, 0.5, 0.4], [0.5, 1, 0.6], [0.4, 0.6, 1]])
    >>> W = constrained_covariance(S, np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    >>> W.round(3), np.linalg.inv(W).round(3)[0, 2] + 0.0
    (array([[1. , 0.5, 0.3],
           [0.5, 1. , 0.6],
           [0.3, 0.6, 1. ]]), np.float64(0.0))
    """
    W, d = S.copy(), len(S)
    for _ in range(MAX_ITER):
        before = W.copy()
        for k in range(d):
            near = np.flatnonzero(joined[k] & (np.arange(d) != k))
            others = np.arange(d) != k
            slopes = np.linalg.solve(W[np.ix_(near, near)], S[near, k])
            W[others, k] = W[k, others] = W[np.ix_(others, near)] @ slopes
        if np.abs(W - before).max() < TOLERANCE:
            break
    return W


def _score_rows(table: Table, scores: Scores, rows: Table) -> Floats:
    """Give rows the scores that their values have in a table, 0 where one is missing."""
    found = np.zeros((len(rows), len(scores.owners)))
    for k, (start, count) in enumerate(zip(scores.starts, scores.counts, strict=True)):
        there = rows.present[:, k]
        known, first = np.unique(table.values[:, k], return_index=True)
        if np.isnan(known[-1]):
            known, first = known[:-1], first[:-1]
        for own in range(start, start + count):
            found[there, own] = np.interp(rows.values[there, k], known, scores.values[first, own])
    return found
