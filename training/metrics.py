"""How good and how calibrated logits are, over the pairs of many tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from spinney.metrics import mean_gap, reliability_of_pairs
from training.shards import UNKNOWN

__all__ = ["N_BINS", "scores"]

Floats = NDArray[np.floating[Any]]

N_BINS = 20
"""Bins of equal width of the expected calibration error."""


def scores(logits: Floats, truth: NDArray[Any], d: NDArray[np.int64]) -> dict[str, float]:
    r"""Score the logits of the pairs of tables with `d` columns, one table after the other.

    ``loss`` is the cross-entropy summed over a table's pairs and divided by its columns, mean over
    tables, as in training; ``brier`` the mean of :math:`(p - y)^2` over pairs; ``wrong`` the wrong
    edges of a table at :math:`p > 1/2`, ``edges`` the true ones; ``ece`` the expected calibration
    error over pairs, as :func:`spinney.metrics.expected_calibration_error` has it. Pairs whose
    truth is unknown count nowhere.

    Examples
    --------
    >>> found = scores(np.array([2.0, -2.0, -1.0]), np.array([1, 0, 1]), np.array([3]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'loss': 0.522, 'brier': 0.188, 'wrong': 1.0, 'edges': 2.0, 'ece': 0.323, 'tables': 1}
    """
    known = np.asarray(truth) != UNKNOWN
    z = np.asarray(logits, dtype=float)[known]
    y = np.asarray(truth, dtype=float)[known]
    p = expit(z)
    pairs = d * (d - 1) // 2
    per_pair = 1.0 / np.repeat(d, pairs)[known]
    return {
        "loss": float(((np.logaddexp(0.0, z) - y * z) * per_pair).sum() / len(d)),
        "brier": float(np.mean((p - y) ** 2)) if len(p) else 0.0,
        "wrong": float(((z > 0) != (y > 0)).sum() / len(d)),
        "edges": float(y.sum() / len(d)),
        "ece": mean_gap(reliability_of_pairs(p, y > 0, N_BINS)),
        "tables": len(d),
    }
