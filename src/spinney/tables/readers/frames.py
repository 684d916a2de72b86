"""From a table of text to a data frame: values, names, and the names of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.tables.readers.cells import read_columns
from spinney.tables.readers.formats import Options
from spinney.tables.readers.grid import Grid
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.roles import find_row_names

__all__ = ["to_frame", "with_row_names"]


def to_frame(
    grid: Grid, options: Options, *, place: str = "line", separator: str = ",", typed: bool = False
) -> tuple[pd.DataFrame, tuple[str, ...], NDArray[np.int64]]:
    """Return the data frame, what was decided, and the line of each row."""
    # Of a first column without a name something is said when its role is known.
    quiet = frozenset(grid.positions if not grid.has_header else grid.positions[:1])
    names, renamed = clean_names(grid.given, grid.positions, quiet=quiet)
    columns, said = read_columns(
        names,
        grid.columns,
        grid.lines,
        place=place,
        separator=separator,
        decimal=options.decimal,
        typed=typed,
    )
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    role: tuple[str, ...]
    if grid.names_rows:
        frame = _index(frame, named=False)
        role = (
            "the first column taken for row names, as the header has one name less than there "
            "are columns",
        )
    else:
        frame, role = with_row_names(frame, grid.given[0], has_header=grid.has_header)
    if grid.has_header and not grid.given[0] and not role:
        role = (f"column 1 has no name; it is called '{names[0]}'",)
    lines = np.array(grid.lines, dtype=np.int64)
    return frame, (*grid.decisions, *renamed, *role, *said), lines


def with_row_names(
    frame: pd.DataFrame, name: str, *, has_header: bool = True
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Make the first column the index if it holds the names of rows."""
    first: pd.Series[Any] = frame.iloc[:, 0]
    taken, said = find_row_names(first, name, has_header=has_header)
    if not taken or said is None:
        return frame, ()
    return _index(frame, named=bool(name)), (said,)


def _index(frame: pd.DataFrame, *, named: bool) -> pd.DataFrame:
    name = frame.columns[0] if named else None
    # From a list, so that names have the type that this version of pandas gives to text.
    index = pd.Index(frame.iloc[:, 0].tolist(), name=name)
    return frame.iloc[:, 1:].set_axis(index, axis=0)
