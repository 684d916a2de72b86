"""Some rows of a table that has been read: a group, a half, or what was drawn of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spinney.tables.drawing import Drawn
from spinney.tables.mixed import CONTINUOUS, Column, LeftOut, Table

__all__ = ["part_of"]


def part_of(table: Table, rows: NDArray[np.intp], where: str, drawn: Drawn | None = None) -> Table:
    """Take some rows, with the columns that vary in them.

    Kinds stay as they were decided on the whole table. Levels that none of the rows has are
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
    (LeftOut(name='sex', reason="is constant in group 'A'"),)
    """
    kept: list[Column] = []
    values: list[NDArray[np.float64]] = []
    dropped: list[LeftOut] = []
    for column, found in zip(table.columns, table.values[rows].T, strict=True):
        there = ~np.isnan(found)
        used, codes = np.unique(found[there], return_inverse=True)
        if used.size < 2:
            reason = "is constant" if used.size else "has no values"
            dropped.append(LeftOut(column.name, f"{reason} {where}"))
            continue
        if column.kind != CONTINUOUS and used.size < len(column.levels):
            column = replace(column, levels=tuple(column.levels[int(code)] for code in used))
            found = found.copy()
            found[there] = codes
        kept.append(column)
        values.append(found)
    stacked = np.column_stack(values) if values else np.empty((len(rows), 0))
    return Table(
        np.ascontiguousarray(stacked),
        tuple(kept),
        (*table.left_out, *dropped),
        table.names_in or table.names,
        drawn,
    )
