"""What many do with a table before they fit: fill its gaps, and take codes for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fill_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """Put the mean of a column into its gaps: rounded among levels, the most frequent of classes.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [1.0, None, 4.0], "y": pd.array([0, 2, None], dtype="Int64")})
    >>> fill_gaps(frame)
         x  y
    0  1.0  0
    1  2.5  2
    2  4.0  1
    """
    return pd.DataFrame({name: _fill(frame[name]) for name in frame.columns})


def codes(X: Any) -> Floats:
    """Turn a table into numbers: classes by the position of their names, gaps as NaN."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X, dtype=float)
    return np.column_stack([_numbers(X[name]) for name in X.columns])


def _fill(column: pd.Series) -> pd.Series:
    if not column.isna().any():
        return column
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.fillna(column.mode().iloc[0])
    mean = column.mean()
    if pd.api.types.is_integer_dtype(column.dtype):
        return column.fillna(round(mean)).astype(np.int64)
    return column.fillna(mean)


def _numbers(column: pd.Series) -> Floats:
    if isinstance(column.dtype, pd.CategoricalDtype):
        found = column.cat.codes.to_numpy(dtype=float)
        return np.where(found < 0, np.nan, found)
    return column.to_numpy(dtype=float, na_value=np.nan)
