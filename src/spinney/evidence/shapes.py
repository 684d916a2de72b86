"""Dependence of any shape: all scores of two columns at once, alone and given all others."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney.evidence.channels import even
from spinney.evidence.matrices import (
    block_sizes,
    chi_squared_deviate,
    fisher_z,
    null_spread,
)
from spinney.evidence.measured import Measured
from spinney.scores import Scores

__all__ = ["CHANNELS", "channels", "first_scores"]

CHANNELS = even(
    "shapes",
    shapes_z="normal deviate of m times the squared correlations of all scores of the two columns, "
    "but for that of two normal scores [Neyman's smooth test]",
    information="artanh √(1 - exp(-2 I)), I the mutual information of all scores were they normal, "
    "less its bias: Fisher's z of the normal correlation that holds as much",
    partial_any="artanh of the size of the pair's block in the inverse correlation matrix of the "
    "first two scores of ordered columns and all classes of nominal ones",
    partial_any_z="normal deviate of that size squared, which is chi-squared for independent pairs",
    partial_shapes_z="the same with all scores",
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "shapes", as matrices of columns by columns."""
    scores, rows = measured.scores, measured.rows
    every = np.arange(len(scores.owners))
    any_kind, any_z = _partial(measured, first_scores(scores, 2))
    straight = np.where(np.logical_or.outer(scores.nominal, scores.nominal), 0.0, 1.0)
    mean, variance = measured.moments
    _, linear = measured.moments_of(scores.starts)
    bent = rows * (measured.squares - straight * measured.score**2)
    left = mean - straight * rows / np.maximum(rows - 1.0, 1.0)
    bent_variance = np.maximum(variance - straight * linear, 0.5 * variance)
    excess = np.maximum(measured.information - mean / np.maximum(2.0 * rows, 1.0), 0.0)
    return {
        "shapes_z": np.where(left > 0.5, chi_squared_deviate(bent, left, bent_variance), 0.0),
        "information": fisher_z(np.sqrt(-np.expm1(-2.0 * excess))),
        "partial_any": fisher_z(any_kind),
        "partial_any_z": any_z,
        "partial_shapes_z": _partial(measured, every)[1],
    }


def first_scores(scores: Scores, count: int) -> Ints:
    """Places of the first scores of ordered columns, and of all classes of nominal ones."""
    order = np.arange(len(scores.owners)) - scores.starts[scores.owners]
    return np.flatnonzero(scores.nominal[scores.owners] | (order < count))


def _partial(measured: Measured, places: Ints) -> tuple[Floats, Floats]:
    """Size of each pair's block in the inverse of some scores, and its deviate."""
    rows, q = measured.rows, len(places)
    starts = np.searchsorted(measured.scores.owners[places], np.arange(measured.d))
    worth = q * (1.0 + 2.0 * measured.apart)
    sizes = block_sizes(measured.inverse_of(places, worth), starts)
    spread = null_spread(rows, measured.scaled(worth), q, measured.apart)
    moments = measured.moments if q == len(measured.R) else measured.moments_of(places)
    return sizes, chi_squared_deviate(rows * (sizes / spread) ** 2, *moments)
