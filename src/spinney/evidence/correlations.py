"""Correlations of normal scores, and partial ones given all other columns."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats
from spinney.evidence.channels import odd
from spinney.evidence.matrices import normal_deviate, partial_correlation
from spinney.evidence.measured import Measured

__all__ = ["CHANNELS", "RIDGES", "channels"]

RIDGES = {"partial_free": 0.1, "partial": 1.0}
"""Rows that the two ridges are worth for each score: an ordered column has one here, a nominal one
all of its own. The best rankings of edges, on tuning tables of trees, loops, grids, hubs and
cliques with 50 and 100 rows, have 1 to 8."""

CHANNELS = odd(
    "correlations",
    score="r, the correlation of normal scores",
    score_z="√m artanh r, m the independent rows that a pair's rows are worth",
    partial_free="partial correlation of scores, shrunk by a ridge worth 0.1 row for each score",
    partial_free_z="normal deviate of its artanh for an independent pair",
    partial="partial correlation of scores, ridge worth a row for each score",
    partial_z="normal deviate of its artanh for an independent pair",
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "correlations", as matrices of columns by columns."""
    scores, rows, apart, d = measured.scores, measured.rows, measured.apart, measured.d
    linear = np.flatnonzero(~scores.bends)
    first = np.searchsorted(scores.owners[linear], np.arange(d))
    found = {"score": measured.score, "score_z": normal_deviate(measured.score, rows)}
    plain = np.multiply.outer(~scores.nominal, ~scores.nominal)
    for name, ridge in RIDGES.items():
        # Where pairs have rows of their own, what they say of each other does not fit together.
        worth = len(linear) * (ridge + apart)
        inverse = measured.inverse_of(linear, worth)
        partial = np.where(plain, partial_correlation(inverse)[np.ix_(first, first)], 0.0)
        found[name] = partial
        spread = (measured.scaled(worth), len(linear), apart)
        found[f"{name}_z"] = normal_deviate(partial, rows, *spread)
    return found
