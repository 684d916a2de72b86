"""A table of kinds as people see it: in its original values, and in words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.tables.mixed import CONTINUOUS, KINDS, NOMINAL, ORDINAL, Column, Table
from spinney.tables.raw import show

__all__ = ["decode", "describe_kinds", "summary"]

MOST_NAMES = 5
"""Columns of a kind that are named in a line."""
MOST_LEVELS = 6
"""Levels that are shown of a column."""


def decode(table: Table) -> pd.DataFrame:
    """Return a table in the values of its columns.

    Numbers stay numbers and truth values truth values; labels become categories, with an order if
    the column is ordinal. Gaps are NaN, or NA in whole numbers and truth values.

    Examples
    --------
    >>> sex = Column("sex", "binary", ("f", "m"))
    >>> decode(Table(np.array([[1.5, 0.0], [2.5, np.nan]]), (Column("x", "continuous"), sex)))
         x  sex
    0  1.5    f
    1  2.5  NaN
    """
    columns = {
        column.name: _decode(column, values)
        for column, values in zip(table.columns, table.values.T, strict=True)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(len(table.values)))


def summary(table: Table) -> pd.DataFrame:
    """Return what each column is: its kind, levels and gaps.

    Examples
    --------
    >>> sex = Column("sex", "binary", ("f", "m"))
    >>> summary(Table(np.array([[1.5, 0.0], [2.5, np.nan]]), (Column("x", "continuous"), sex)))
       name        kind  n_levels levels  missing
    0     x  continuous         0               0
    1   sex      binary         2   f, m        1
    """
    return pd.DataFrame(
        {
            "name": list(table.names),
            "kind": list(table.kinds),
            "n_levels": table.n_levels,
            "levels": [_list(column.levels, MOST_LEVELS) for column in table.columns],
            "missing": np.isnan(table.values).sum(axis=0),
        }
    )


def describe_kinds(table: Table) -> str:
    """Count the columns of each kind; those that are not continuous by name.

    Examples
    --------
    >>> sex = Column("sex", "binary", ("f", "m"))
    >>> describe_kinds(Table(np.zeros((1, 2)), (Column("x", "continuous"), sex)))
    '2 columns: 1 continuous, 1 binary (sex)'
    """
    parts = []
    for kind in KINDS:
        names = [column.name for column in table.columns if column.kind == kind]
        if names:
            listed = "" if kind == CONTINUOUS else f" ({_list(names, MOST_NAMES)})"
            parts.append(f"{len(names):,} {kind}{listed}")
    count = len(table.columns)
    return f"{count:,} column{'' if count == 1 else 's'}: {', '.join(parts)}"


def _decode(column: Column, values: NDArray[np.float64]) -> Any:
    if column.kind == CONTINUOUS:
        return values.copy()
    levels = column.levels
    missing = np.isnan(values)
    codes = np.where(missing, -1, values).astype(np.int64)
    if column.kind == NOMINAL or not _sorted_numbers(levels):
        dtype = pd.CategoricalDtype(list(levels), ordered=column.kind == ORDINAL)
        return pd.Categorical.from_codes(codes, dtype=dtype)
    if all(isinstance(level, bool) for level in levels):
        found = np.array([*levels, False])[codes]
        return pd.arrays.BooleanArray(found, missing) if missing.any() else found
    if all(isinstance(level, int) for level in levels):
        whole = np.array([*levels, 0], dtype=np.int64)[codes]
        return pd.arrays.IntegerArray(whole, missing) if missing.any() else whole
    return np.array([*levels, np.nan], dtype=float)[codes]


def _sorted_numbers(levels: tuple[Any, ...]) -> bool:
    """Whether levels are numbers in their own order, so that they need no categories."""
    if not all(isinstance(level, bool | int | float) for level in levels):
        return False
    return all(a < b for a, b in pairwise(levels))


def _list(items: tuple[Any, ...] | list[str], most: int) -> str:
    shown = ", ".join(show(item) for item in items[:most])
    return f"{shown}, …" if len(items) > most else shown
