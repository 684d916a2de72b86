"""How summaries are placed among those of other tables: by size, by quantiles, by tails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from spinney.evidence.summaries import N_FREE, N_SIZES

__all__ = [
    "LEVELS",
    "N_TAILS",
    "adjust",
    "fit_by_size",
    "normal_scores",
    "size_ranges",
    "size_terms",
    "tail_of",
]

Floats = NDArray[np.float64]

LEAST_SCALE = 1e-3
"""Spread of a summary that is the same in all tables."""
RIDGE = 1e-3
"""Ridge of the polynomials, in units of the number of tables."""
N_TAILS = 64
_TAIL = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05])
LEVELS = np.concatenate([_TAIL, np.linspace(0.1, 0.9, 17), 1.0 - _TAIL[::-1]])
"""Probabilities whose quantiles are kept of each summary."""
_SCORES = ndtri(LEVELS)


def size_ranges(sizes: Floats) -> Floats:
    """Find the least and largest log d, log n and log of pairs times rows among tables."""
    everything = np.column_stack([sizes, _log_work(sizes)])
    return np.stack([everything.min(axis=0), everything.max(axis=0)], axis=1)


def _log_work(sizes: Floats) -> Floats:
    """Logarithm of pairs times rows: large tables may be known only as narrow or as short ones."""
    log_d, log_n = np.moveaxis(sizes, -1, 0)
    work: Floats = log_d + np.log(np.maximum(np.expm1(log_d), LEAST_SCALE)) + log_n
    return work


def size_terms(sizes: Floats, ranges: Floats) -> Floats:
    """Polynomial terms up to the third degree in log d and log n, each scaled to -1 … 1.

    A cubic must not be trusted outside, so sizes beyond the ranges count as the nearest inside:
    d first, then n, then as many rows as tables with so many pairs have at most.
    """
    inside = np.clip(sizes, *ranges[:N_SIZES].T)
    excess = np.maximum(_log_work(inside) - ranges[N_SIZES, 1], 0.0)
    inside = np.stack([inside[..., 0], inside[..., 1] - excess], axis=-1)
    middle = ranges[:N_SIZES].mean(axis=1)
    half = np.maximum(np.ptp(ranges[:N_SIZES], axis=1) / 2.0, LEAST_SCALE)
    d, n = np.moveaxis((inside - middle) / half, -1, 0)
    terms = [d**i * n**j for i in range(4) for j in range(4 - i)]
    return np.stack(terms, axis=-1)


def fit_by_size(x: Floats, ranges: Floats) -> tuple[Floats, Floats]:
    """Fit where summaries lie and how wide they spread, given the size.

    Sizes themselves, and gaps, levels and ties, which have nothing to do with them, stay as they
    are.
    """
    terms = size_terms(x[:, :N_SIZES], ranges)
    location = _ridge(terms, x)
    residuals = np.abs(x - terms @ location)
    # A residual near zero has a logarithm far down, which says little about the spread around it.
    floor = np.maximum(0.1 * residuals.mean(axis=0), LEAST_SCALE)
    log_scale = _ridge(terms, np.log(residuals + floor))
    location[:, :N_FREE] = 0.0
    log_scale[:, :N_FREE] = 0.0
    return location, log_scale


def _ridge(terms: Floats, x: Floats) -> Floats:
    """Least squares with a small ridge, so that the cubic stays tame where tables are rare."""
    penalty = RIDGE * len(terms) * np.eye(terms.shape[1])
    penalty[0, 0] = 0.0
    coefficients = np.linalg.solve(terms.T @ terms + penalty, terms.T @ x)
    return np.asarray(coefficients, dtype=np.float64)


def adjust(x: Floats, sizes: Floats, location: Floats, log_scale: Floats) -> Floats:
    """Take out what the size of a table explains: r = (x - μ) / σ."""
    terms = size_terms(x[..., :N_SIZES], sizes)
    return (x - terms @ location) / np.exp(terms @ log_scale)


def normal_scores(adjusted: Floats, quantiles: Floats) -> Floats:
    """Score each column by its own quantiles."""
    z = np.empty_like(adjusted)
    for k, knots in enumerate(quantiles):
        z[..., k] = _normal_score(adjusted[..., k], knots)
    return z


def _normal_score(r: Floats, knots: Floats) -> Floats:
    # Equal quantiles (a share that is mostly zero) get the middle of their scores.
    places, which = np.unique(knots, return_inverse=True)
    scores = np.bincount(which, weights=_SCORES) / np.bincount(which)
    middle = float(np.median(knots))
    below, above = np.minimum(r - places[0], 0.0), np.maximum(r - places[-1], 0.0)
    lower = _SCORES[-1] / max(middle - places[0], LEAST_SCALE)
    upper = _SCORES[-1] / max(places[-1] - middle, LEAST_SCALE)
    z: Floats = np.interp(r, places, scores) + lower * below + upper * above
    return z


def tail_of(scores: Floats) -> Floats:
    """Scores that a share exp(-t) of tables passes, t evenly spaced from 0 to log(m + 1).

    A table that passes all but k of the m held ones has rank k + 1 among m + 1, hence the share
    (k + 1) / (m + 1); so a share p belongs to the score that p (m + 1) - 1 of them pass.
    """
    falling = np.sort(scores)[::-1]
    shares = np.exp(np.linspace(0.0, -np.log(len(scores) + 1.0), N_TAILS))
    passed = np.floor(shares * (len(scores) + 1.0) + 1e-9).astype(np.int64) - 1
    tail = falling[np.minimum(passed, len(scores) - 1)]
    return tail.astype(np.float32).astype(np.float64)
