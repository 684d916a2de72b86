"""A table whose columns have kinds: numbers and codes, with gaps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.storable import storable
from spinney.tables.drawing import Drawn

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "NOMINAL",
    "ORDINAL",
    "Column",
    "Kind",
    "LeftOut",
    "Table",
]

Floats = NDArray[np.float64]
Kind = Literal["continuous", "ordinal", "binary", "nominal"]

CONTINUOUS: Kind = "continuous"
ORDINAL: Kind = "ordinal"
BINARY: Kind = "binary"
NOMINAL: Kind = "nominal"
KINDS: tuple[Kind, ...] = (CONTINUOUS, ORDINAL, BINARY, NOMINAL)


@storable("Column")
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
        Its values in order (nominal ones in the order in which they are sorted), as they stand in
        the table; empty for continuous columns.
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()


@storable("LeftOut")
@dataclass(frozen=True)
class LeftOut:
    """A column that nothing can be learned from, and why."""

    name: str
    reason: str


@storable("MixedTable")
@dataclass(frozen=True, eq=False)
class Table:
    """A table that has been read: what estimators learn from.

    Attributes
    ----------
    values : array of shape (n, d)
        Continuous columns as they are, others as positions among their column's levels; NaN where
        a value is missing.
    columns : tuple of Column
        What each column is.
    left_out : tuple of LeftOut
        The columns of the original table that are not among them.
    names_in : tuple of str
        Names of all columns of the original table, in its order; empty if it is not known.
    drawn : Drawn or None
        That its rows are a random part of a longer table.

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
        return replace(self, values=self.values[np.asarray(rows)])

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
        return Table(values, tuple(self.columns[k] for k in chosen))
