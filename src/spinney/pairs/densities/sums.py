"""Sums of the rows of a table over many subsets at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel

__all__ = ["subset_sums"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

COLUMNS_AT_ONCE = 512
"""Columns that are summed for all subsets before the next: their rows stay in the cache."""


def subset_sums(table: Floats, rows: Sequence[Integers] | Integers) -> Floats:
    """Sum the rows of each subset; all subsets have one size.

    Examples
    --------
    >>> subset_sums(np.array([[1.0], [2.0], [4.0]]), [np.array([0, 1]), np.array([1, 2])])
    array([[3.],
           [6.]])
    """
    sums = np.zeros((len(rows), table.shape[1]))
    _add_rows(table, rows if isinstance(rows, np.ndarray) else np.stack(rows), sums)
    return sums


@kernel
def _add_rows(table: Floats, rows: Integers, sums: Floats) -> None:
    n_columns = table.shape[1]
    for begin in range(0, n_columns, COLUMNS_AT_ONCE):
        end = min(begin + COLUMNS_AT_ONCE, n_columns)
        for s in range(rows.shape[0]):
            total = sums[s, begin:end]
            for j in range(rows.shape[1]):
                row = table[rows[s, j], begin:end]
                for e in range(end - begin):
                    total[e] += row[e]
