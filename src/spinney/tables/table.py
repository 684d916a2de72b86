"""The table that everything is learned from: columns of several kinds, with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats
from spinney._core.text import counted, per_cent
from spinney.tables.drawing import Drawn

Kind = Literal["continuous", "ordinal", "binary", "nominal"]

CONTINUOUS: Kind = "continuous"
ORDINAL: Kind = "ordinal"
BINARY: Kind = "binary"
NOMINAL: Kind = "nominal"
KINDS: tuple[Kind, ...] = (CONTINUOUS, ORDINAL, BINARY, NOMINAL)
EMPTY = "empty"
"""The first level of a tick box, which has a value in some rows and nothing in others."""


@dataclass(frozen=True)
class Column:
    """What a column is.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"continuous", "ordinal", "binary", "nominal"}
        What its values mean. The two values of a binary column have an order, if only by name.
    levels : tuple
        Its values in order (nominal ones in the order in which they are sorted), as they are in
        the table; empty for continuous columns.
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A column that nothing can be learned from, and why.

    Attributes
    ----------
    name : str
        Its name.
    code : str
        Why, for programs: "constant", "dates", …
    reason : str
        Why, in words that follow the name.
    """

    name: str
    code: str
    reason: str


def without_variation(name: str, n_values: int, where: str = "") -> LeftOut:
    """Leave out a column that has one value, or none."""
    if n_values:
        return LeftOut(name, "constant", f"is constant{where}")
    return LeftOut(name, "empty", f"has no values{where}")


def reasons_of(left: Sequence[LeftOut], most: int) -> str:
    """Say why columns are left out, each by name, up to a number of them."""
    shown = [f"'{column.name}' {column.reason}" for column in left[:most]]
    return "; ".join(shown) + f"; and {len(left) - most} more" * (len(left) > most)


def left_out_words(left: Sequence[LeftOut]) -> tuple[str, str]:
    """Say why columns are left out, and how to keep those that can be kept."""
    codes = {column.code for column in left}
    advice = ""
    if codes & {"text", "units"}:
        advice += " Write numbers alone, and nothing where there is none, to keep such a column."
    if codes - {"text", "units", "empty", "constant", "infinite"}:
        advice += " To keep a column that has two values or more, give its kind in kind={...}."
    return reasons_of(left, 20), advice


@dataclass(frozen=True, eq=False)
class Table:
    """A table that has been read: what estimators learn from.

    Attributes
    ----------
    values : array of shape (n, d)
        Continuous columns unchanged, others as positions among their column's levels; NaN where
        a value is missing.
    columns : tuple of Column
        What each column is.
    left_out : tuple of LeftOut
        The columns of the original table that are not among them.
    names_in : tuple of str
        Names of all columns of the original table, in its order; empty if it is not known.
    drawn : Drawn or None
        That its rows are a random part of a longer table.
    units : int array of shape (n,) or None
        The unit that each row belongs to, if rows of one unit, such as a patient, depend on each
        other.
    weighted : bool
        Whether the rows of a unit are one row, repeated by its weight.

    Examples
    --------
    >>> sex = Column("sex", "binary", ("f", "m"))
    >>> table = Table(np.array([[1.5, 0.0], [2.5, np.nan]]), (Column("x", "continuous"), sex))
    >>> table.names, table.n_levels, table.has_gaps
    (('x', 'sex'), array([0, 2]), True)
    """

    values: Floats
    columns: tuple[Column, ...]
    left_out: tuple[LeftOut, ...] = ()
    names_in: tuple[str, ...] = ()
    drawn: Drawn | None = None
    units: NDArray[np.int64] | None = None
    weighted: bool = False

    @property
    def once(self) -> Table:
        """The table with each row once, where weights repeat rows."""
        if not self.weighted or self.units is None:
            return self
        first = np.unique(self.units, return_index=True)[1]
        return replace(self.take(first), units=None, weighted=False)

    @classmethod
    def plain(cls, values: Floats, names: Sequence[str]) -> Table:
        """Build a table of numbers: all columns are continuous, and no value is missing.

        Examples
        --------
        >>> Table.plain(np.eye(2), ("a", "b")).is_plain
        True
        """
        return cls(values, tuple(Column(name, CONTINUOUS) for name in names), names_in=tuple(names))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def positions(self) -> NDArray[np.int64]:
        """Positions of the columns in the original table."""
        places = {name: k for k, name in enumerate(self.names_in or self.names)}
        return np.array([places[name] for name in self.names], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of the columns."""
        return tuple(column.kind for column in self.columns)

    @property
    def n_levels(self) -> NDArray[np.int64]:
        """Levels of each column; none where it is continuous."""
        return np.array([len(column.levels) for column in self.columns], dtype=np.int64)

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """Whether each column is nominal."""
        return np.array([column.kind == NOMINAL for column in self.columns], dtype=bool)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which values are there, shape (n, d)."""
        return ~np.isnan(self.values)

    @property
    def has_gaps(self) -> bool:
        """Whether a value is missing."""
        return bool(np.isnan(self.values).any())

    @property
    def is_plain(self) -> bool:
        """Whether all columns are continuous, and nothing is missing."""
        return not self.n_levels.any() and not self.has_gaps

    def take(self, rows: ArrayLike) -> Table:
        """Return some rows; columns keep their kinds and levels, whatever is left of them."""
        chosen = np.asarray(rows)
        units = None if self.units is None else self.units[chosen]
        return replace(self, values=self.values[chosen], units=units)

    def take_columns(self, columns: ArrayLike) -> Table:
        """Return some columns, in the order given.

        Examples
        --------
        >>> columns = tuple(Column(name, "continuous") for name in "abc")
        >>> Table(np.zeros((2, 3)), columns).take_columns([2, 0]).names
        ('c', 'a')
        """
        chosen = np.asarray(columns, dtype=np.int64).ravel()
        values = np.ascontiguousarray(self.values[:, chosen])
        own = tuple(self.columns[k] for k in chosen)
        return Table(values, own, units=self.units, weighted=self.weighted)


def part_of(table: Table, rows: NDArray[np.intp], where: str, drawn: Drawn | None = None) -> Table:
    """Take some rows, with the columns that vary in them.

    Kinds stay as decided on the whole table. Levels that none of the rows has are
    dropped; columns with one value, or none, join those that are left out.

    Parameters
    ----------
    table : Table
        The whole table.
    rows : int array
        Which rows.
    where : str
        What the rows are, for the reason: "in group 'A'".
    drawn : Drawn, optional
        That they were drawn at random, and from how many.

    Examples
    --------
    >>> columns = Column("x", "continuous"), Column("sex", "binary", ("f", "m"))
    >>> table = Table(np.array([[1.5, 0.0], [2.5, 0.0], [0.5, 1.0]]), columns)
    >>> part_of(table, np.array([0, 1]), "in group 'A'").left_out
    (LeftOut(name='sex', code='constant', reason="is constant in group 'A'"),)
    """
    kept: list[Column] = []
    values: list[Floats] = []
    dropped: list[LeftOut] = []
    for column, found in zip(table.columns, table.values[rows].T, strict=True):
        there = ~np.isnan(found)
        used, codes = np.unique(found[there], return_inverse=True)
        if used.size < 2:
            dropped.append(without_variation(column.name, used.size, f" {where}"))
            continue
        if column.kind != CONTINUOUS and used.size < len(column.levels):
            column = replace(column, levels=tuple(column.levels[int(code)] for code in used))
            found = found.copy()
            found[there] = codes
        kept.append(column)
        values.append(found)
    names_in = table.names_in or table.names
    places = {name: k for k, name in enumerate(names_in)}
    left_out = sorted((*table.left_out, *dropped), key=lambda column: places.get(column.name, -1))
    units = None if table.units is None else table.units[rows]
    stacked = np.ascontiguousarray(np.reshape(values, (len(kept), len(rows))).T)
    return Table(stacked, tuple(kept), tuple(left_out), names_in, drawn, units, table.weighted)


def decode(table: Table) -> pd.DataFrame:
    """Return a table in the values of its columns.

    Numbers stay numbers and truth values truth values; labels become categories, with an order if
    the column is ordinal. Missing values are NaN, or NA in whole numbers and truth values.

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
    """Return what each column is: its kind, levels and missing values.

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
            "levels": [_list(column.levels, 6) for column in table.columns],
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
            listed = "" if kind == CONTINUOUS else f" ({_list(names, 5)})"
            parts.append(f"{len(names):,} {kind}{listed}")
    return f"{counted(len(table.columns), 'column')}: {', '.join(parts)}"


def describe_gaps(table: Table, verb: str = "are") -> str:
    """Count the missing values, and the rows without any.

    Examples
    --------
    >>> describe_gaps(Table.plain(np.array([[1.0, 2.0], [np.nan, 3.0]]), ("a", "b")))
    '1 of 4 values (25 %) are missing, in 1 column; 1 of 2 rows are complete'
    """
    missing = ~table.present
    columns, complete = int(missing.any(axis=0).sum()), int((~missing.any(axis=1)).sum())
    return (
        f"{int(missing.sum()):,} of {counted(missing.size, 'value')} "
        f"({per_cent(float(missing.mean()))}) {verb} missing, in {counted(columns, 'column')}; "
        f"{complete:,} of {counted(len(table), 'row')} {verb} complete"
    )


def look_up(values: ArrayLike, positions: Floats) -> Floats:
    """Return a number for each position among some values; NaN where there is no position.

    Examples
    --------
    >>> look_up([5, 7], np.array([1.0, np.nan, 0.0]))
    array([ 7., nan,  5.])
    """
    numbers = np.append(np.asarray(values, dtype=float), np.nan)
    return numbers[np.where(np.isnan(positions), -1, positions).astype(np.int64)]


def show(value: Any) -> str:
    """Return a level as people write it: whole numbers without decimals.

    Examples
    --------
    >>> show(2.0), show(0.5), show("a"), show(True)
    ('2', '0.5', 'a', 'True')
    """
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _decode(column: Column, values: Floats) -> Any:
    if column.kind == CONTINUOUS:
        return values.copy()
    levels = column.levels
    missing = np.isnan(values)
    codes = np.where(missing, -1, values).astype(np.int64)
    numbers = all(isinstance(level, bool | int | float) for level in levels)
    # Numbers in their own order need no categories.
    if column.kind == NOMINAL or not numbers or any(a >= b for a, b in pairwise(levels)):
        dtype = pd.CategoricalDtype(list(levels), ordered=column.kind == ORDINAL)
        return pd.Categorical.from_codes(codes, dtype=dtype)
    if all(isinstance(level, bool) for level in levels):
        found = np.array([*levels, False])[codes]
        return pd.arrays.BooleanArray(found, missing) if missing.any() else found
    if all(isinstance(level, int) for level in levels):
        whole = np.array([*levels, 0], dtype=np.int64)[codes]
        return pd.arrays.IntegerArray(whole, missing) if missing.any() else whole
    return look_up(levels, values)


def _list(items: tuple[Any, ...] | list[str], most: int) -> str:
    shown = ", ".join(show(item) for item in items[:most])
    return f"{shown}, …" if len(items) > most else shown
