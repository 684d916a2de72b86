"""Fit the cloud: how the summaries of the training tables are spread.

:class:`spinney.evidence.out_of_distribution.Cloud` has the formulas, and reads what is made here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.covariance import empirical_covariance, shrunk_covariance

from spinney._core.pairs import n_pairs
from spinney.evidence import CHANNELS
from spinney.evidence.out_of_distribution import (
    LEAST_SCALE,
    LEVELS,
    N_FREE,
    N_SIZES,
    N_TAILS,
    Cloud,
    adjust,
    log_work,
    normal_scores,
    size_terms,
    summarise,
)
from spinney.exceptions import InputError

__all__ = ["CALIBRATION", "MIN_TABLES", "fit_cloud", "table_summaries_from_pairs", "tail_of"]

Floats = NDArray[np.float64]

MIN_TABLES = 800
"""Fewest tables a cloud is made of: half a per cent of a quarter of them is one table."""
CALIBRATION = 0.25
"""Share of the tables that the cuts are read off."""
SHRINKAGE = 0.02
"""Summaries repeat each other; without it, their nearly empty directions would decide alone."""
RIDGE = 30.0
"""Ridge of the polynomials: it weighs as much as so many tables at the end of the range."""


def table_summaries_from_pairs(
    values: ArrayLike, n_nodes: ArrayLike, n_samples: ArrayLike
) -> Floats:
    """Summarise many tables whose evidence lies in one list of pairs.

    Parameters
    ----------
    values : array of shape (n_pairs of all tables, n_channels)
        Evidence of the pairs as the judge reads it
        (:func:`spinney.evidence.judge_inputs`), table after table; any floating type.
    n_nodes, n_samples : arrays of shape (n_tables,) or numbers
        Columns and rows of each table; numbers if there is one table.

    Returns
    -------
    array of shape (n_tables, n_summaries)

    Raises
    ------
    InputError
        If the tables need another number of pairs than there are.
    """
    pairs = np.asarray(values)
    columns, rows = np.atleast_1d(n_nodes, n_samples)
    ends = np.cumsum([n_pairs(int(d)) for d in columns])
    if len(pairs) != ends[-1] or pairs.shape[1] != len(CHANNELS):
        raise InputError(
            f"Tables of {len(columns)} sizes with {len(CHANNELS)} channels need an array of shape "
            f"({ends[-1]}, {len(CHANNELS)}); got {pairs.shape}."
        )
    if columns.min() < 2:
        raise InputError("A table with a single column has no pairs, hence no evidence.")
    parts = zip(np.split(pairs, ends[:-1]), columns, rows, strict=True)
    return np.array([summarise(part, int(d), int(n)) for part, d, n in parts])


def fit_cloud(summaries: ArrayLike, *, random_state: int = 0) -> Cloud:
    """Fit the cloud of many tables.

    Parameters
    ----------
    summaries : array of shape (n_tables, n_summaries)
        One row per table, as :func:`table_summaries_from_pairs` gives them; 20,000 or more for cuts
        that can be relied on; the first two are ``log_d`` and ``log_n``.
    random_state : int
        Which of the tables serve to fit, and which to read the cuts off.

    Raises
    ------
    InputError
        If there are too few tables, or a number is missing.
    """
    x = np.asarray(summaries, dtype=np.float64)
    if len(x) < MIN_TABLES:
        raise InputError(f"A cloud needs {MIN_TABLES} tables or more; got {len(x)}.")
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise InputError(f"Summary {column} of table {row} is not finite.")
    order = np.random.default_rng(random_state).permutation(len(x))
    n_held = int(CALIBRATION * len(x))
    held, fitted = x[order[:n_held]], x[order[n_held:]]
    sizes = _size_ranges(x[:, :N_SIZES])
    location, log_scale = _fit_by_size(fitted, sizes)
    adjusted = adjust(fitted, sizes, location, log_scale)
    quantiles = np.quantile(adjusted, LEVELS, axis=0).T
    z = normal_scores(adjusted, quantiles)
    center = z.mean(axis=0)
    covariance = shrunk_covariance(empirical_covariance(z), shrinkage=SHRINKAGE)
    whitening = np.linalg.inv(np.linalg.cholesky(covariance))
    tail = np.zeros(N_TAILS)  # not known yet
    used = np.array([len(fitted), len(held)], dtype=np.float64)
    parts = (sizes, location, log_scale, quantiles, center, whitening, tail, tail, used)
    cloud = Cloud(*parts)
    cloud = Cloud.from_arrays(cloud.to_arrays())  # as it will be read back, to the last bit
    z = cloud.normal_scores(held)
    single, joint = (tail_of(scores) for scores in (single_scores(z), cloud.joint_scores(z)))
    return replace(cloud, single_tail=single, joint_tail=joint)


def single_scores(z: Floats) -> Floats:
    """Largest score of a single summary; sizes have their own notice."""
    return np.abs(z[..., N_SIZES:]).max(axis=-1)


def _size_ranges(sizes: Floats) -> Floats:
    """Find the least and largest log d, log n and log of pairs times rows among tables."""
    everything = np.column_stack([sizes, log_work(sizes)])
    return np.stack([everything.min(axis=0), everything.max(axis=0)], axis=1)


def _fit_by_size(x: Floats, ranges: Floats) -> tuple[Floats, Floats]:
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
    """Least squares with a small ridge, so that the cubic does not swing where tables are rare."""
    penalty = RIDGE * np.eye(terms.shape[1])
    penalty[0, 0] = 0.0
    coefficients = np.linalg.solve(terms.T @ terms + penalty, terms.T @ x)
    return np.asarray(coefficients, dtype=np.float64)


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
