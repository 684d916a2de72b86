"""Filling gaps by what a column usually holds: what many do before they fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spinney.tables import NOMINAL

Floats = NDArray[np.float64]


def fill_gaps(X: Floats, kinds: Sequence[str]) -> Floats:
    """Put the mean of a column into its gaps; of a nominal column, its most frequent level."""
    filled = X.copy()
    for column, kind in zip(filled.T, kinds, strict=True):
        missing = np.isnan(column)
        if not missing.any():
            continue
        present = column[~missing]
        if kind == NOMINAL:
            levels, counts = np.unique(present, return_counts=True)
            column[missing] = levels[counts.argmax()]
        else:
            column[missing] = present.mean()
    return filled
