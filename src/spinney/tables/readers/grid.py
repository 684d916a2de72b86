"""From rows of cells to named columns: what stands above, below and beside a table is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import listed, quoted, ranges
from spinney.exceptions import InputError
from spinney.tables.readers.cells import Cells, Survey, is_numeral, read_columns
from spinney.tables.readers.header import (
    clean_names,
    find_row_names,
    is_header,
    is_units,
)
from spinney.tables.readers.sources import Options, Source

COMMENT = ("#", "%", "!")
"""What comment lines above a table start with; the last is that of GEO's series files."""
MOST_ABOVE = 60
"""Rows above a table among which its header is looked for."""
NO_TABLE = "A table has a header and rows below it."
HEAD_ROWS = 100
"""Rows by which it is decided what stands where."""


class Row(NamedTuple):
    """The cells of a row, and the line of the file on which it starts."""

    line: int
    cells: list[str]


@dataclass
class GridLayout:
    """What stands where in a table.

    Attributes
    ----------
    source : Source
        Where the table comes from.
    place : str
        What its lines are called: "line" or "row".
    given : list of str
        The names of its columns as they stand in the header; empty where there is none.
    body : list of Row
        Those of the first rows that are data.
    said : list of str
        What was decided.
    named : bool
        Whether there is a header.
    """

    source: Source
    place: str
    given: list[str]
    body: list[Row]
    said: list[str]
    named: bool = True


def find_layout(rows: Sequence[Row], source: Source, options: Options, place: str) -> GridLayout:
    """Find the header and the first row of data among the first rows.

    Rows of a spreadsheet (`place` is "row") are filled up with empty cells, so that their lengths
    say nothing.

    Raises
    ------
    InputError
        If there is no table, or it has one column only.
    """
    said: list[str] = []
    start = next((k for k, row in enumerate(rows) if _filled(row)), len(rows))
    body = list(rows[start:])
    if not body:
        raise InputError(f"{source.label} is empty. {NO_TABLE}")
    padded = place == "row"
    widths = Counter(_span(row) if padded else len(row.cells) for row in body if _filled(row))
    width = max(widths.items(), key=lambda item: (item[1], item[0]))[0]
    body = _without_titles(body, width, place, said)
    if max(width, len(body[0].cells)) == 1:
        raise _one_column(source)
    first, below = body[0], body[1:]
    lacks = options.header != "no" and _lacks_a_name(first, below)
    named = options.header == "yes" or lacks
    if options.header == "auto" and not named:
        named = is_header(first.cells, [row.cells for row in below])
    if not named:
        called = "columns are called 'column 1', 'column 2' and so on"
        why = f"the first {place} is like those below it"
        asked = f"no header, as asked; {called}"
        found = f'no header: {why}, so {called} (otherwise: header="yes")'
        said.append(asked if options.header == "no" else found)
        return GridLayout(source, place, [""] * len(first.cells), body, said, named=False)
    given = [""] * lacks + [cell.strip() for cell in first.cells]
    filled = [cell for cell in first.cells if cell.strip()]
    numbers = bool(filled) and 2 * sum(map(is_numeral, filled)) > len(filled)
    otherwise = ', though most are numbers (otherwise: header="no")' if numbers else ""
    said.append(f"{place} {first.line} holds the names of the columns{otherwise}")
    width = len(given)
    regular = [row.cells[:width] for row in below if len(row.cells) >= width]
    if below and len(below[0].cells) >= width and is_units(regular[0], regular[1:]):
        units = next(cell.strip() for cell in reversed(regular[0]) if cell.strip())
        what = "as it holds text above numbers, such as units"
        said.append(f"{place} {below[0].line} left out, {what} ('{units}')")
        below = below[1:]
    if not any(map(_filled, below)):
        raise InputError(f"{source.label} has a header, but no rows below it. Add the data.")
    return GridLayout(source, place, given, below, said)


def to_frame(
    layout: GridLayout,
    columns: Sequence[Cells],
    options: Options,
    *,
    separator: str = ",",
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Name the columns, read their cells, and find the names of the rows.

    Parameters
    ----------
    layout : GridLayout
        What stands where.
    columns : sequence
        The cells, and `separator`, as in
        :func:`spinney.tables.readers.cells.read_columns`.
    options : Options
        The decimal mark, if it is known.
    """
    given, said = layout.given, layout.said
    full = [bool(name) or _has_values(cells) for name, cells in zip(given, columns, strict=True)]
    kept = np.flatnonzero(full).tolist()
    if not all(full):
        empty = [k for k, filled in enumerate(full, 1) if not filled]
        said.append(f"{lines_text(empty, 'column')} left out: neither name nor values")
    if len(kept) < 2:
        raise _one_column(layout.source)
    given = [given[k] for k in kept]
    names, renamed = clean_names(given, [k + 1 for k in kept])
    found, read = read_columns(
        names, [columns[k] for k in kept], separator=separator, decimal=options.decimal
    )
    frame = pd.DataFrame(dict(zip(names, found, strict=True)), copy=False)
    frame, role = with_row_names(frame, given[0], has_header=layout.named)
    first = len(role)
    unnamed = [
        quoted(called)
        for called, name in zip(names[first:], given[first:], strict=True)
        if layout.named and not name
    ]
    if unnamed:
        role = (*role, f"columns without a name are called {listed(unnamed, most=4)}")
    return frame, (*said, *renamed, *role, *read)


def lines_text(lines: Sequence[int], place: str = "line") -> str:
    """Name some lines, or rows of a spreadsheet.

    Examples
    --------
    >>> lines_text([1, 2, 5])
    'lines 1 to 2 and 5'
    """
    return f"{place}{'' if len(lines) == 1 else 's'} {ranges(lines)}"


def end_of_data(frame: pd.DataFrame, lines: NDArray[np.int64], layout: GridLayout) -> int:
    """Count the rows above empty rows and notes at the end, and say what is left out.

    A note is text in one cell, with nothing beside it.

    Parameters
    ----------
    frame : DataFrame
        All rows below the header.
    lines : int array
        Where each row stands.
    layout : GridLayout
        Where it is said.
    """
    if frame.iloc[-1].notna().sum() > 1:
        return len(frame)
    filled = frame.notna()
    end = int(np.flatnonzero(filled.sum(axis=1) > 1).max(initial=0)) + 1
    below = frame.iloc[end:].astype(object).bfill(axis=1).iloc[:, 0]
    numbers = [not pd.isna(cell) and is_numeral(str(cell)) for cell in below]
    kept = int(np.flatnonzero(numbers).max(initial=-1)) + 1
    below = below.iloc[kept:].dropna()
    end += kept
    if end < len(frame):
        text = f" ({quoted(str(below.iloc[0]).strip())})" if len(below) else ""
        where = lines_text(lines[end:].tolist(), layout.place)
        layout.said.append(f"{where} left out, as there is no data{text}")
    return end


def with_row_names(
    frame: pd.DataFrame, name: str, *, has_header: bool = True
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Make the first column the index if it holds the names of rows."""
    first: pd.Series[Any] = frame.iloc[:, 0]
    said = find_row_names(first, name, has_header=has_header)
    if said is None:
        return frame, ()
    # From a list, so that names have the type that this version of pandas gives to text.
    index = pd.Index(first.tolist(), name=first.name if name else None)
    return frame.iloc[:, 1:].set_axis(index, axis=0), (said,)


def _one_column(source: Source) -> InputError:
    what = f"{source.label} has one column only."
    return InputError(f"{what} Separate columns by commas, tabs or semicolons.")


def _filled(row: Row) -> int:
    return sum(map(bool, map(str.strip, row.cells)))


def _span(row: Row) -> int:
    return max((k for k, cell in enumerate(row.cells, 1) if cell.strip()), default=0)


def _without_titles(rows: list[Row], width: int, place: str, said: list[str]) -> list[Row]:
    """Drop what precedes the header: titles, and lines of another width."""
    start = 0
    while start < len(rows) - 1 and _is_title(rows[start], width):
        start += 1
    # Instruments write names and values above a table; what follows must look like a header.
    for k in range(start, min(len(rows) - 1, start + MOST_ABOVE)):
        first, below = rows[k], rows[k + 1 :]
        if place == "row":
            may_be = 2 * _filled(first) > width
        else:
            may_be = len(first.cells) == width or (
                _lacks_a_name(first, below) and not _is_clear_header(below)
            )
        if may_be:
            start = k if k > start and _is_clear_header(rows[k:]) else start
            break
    if start:
        first_cell = next(cell for row in rows[:start] for cell in row.cells if cell.strip())
        more = " …" if start > 1 else ""
        above = f"{lines_text([row.line for row in rows[:start]], place)} above the table"
        said.append(f"{above} left out ({quoted(first_cell)}{more})")
    return rows[start:]


def _is_title(row: Row, width: int) -> bool:
    if width < 2 or _filled(row) > 1:
        return False
    where = _span(row) - 1
    if where < 0:
        return True
    # With two columns, an empty cell and a name are a header.
    return not is_numeral(row.cells[where]) and (where == 0 or width > 2)


def _is_clear_header(rows: Sequence[Row]) -> bool:
    return is_header(rows[0].cells, [row.cells for row in rows[1:]], clearly=True)


def _lacks_a_name(header: Row, body: Sequence[Row]) -> bool:
    """Whether the header has one cell fewer than all rows, as R writes it above row names."""
    width = len(header.cells) + 1
    full = [row for row in body if len(row.cells) > 1]  # notes below have one cell
    if not full or any(len(row.cells) != width for row in full):
        return False
    # With a separator at the end of each line the last cells are empty, and no name is missing.
    return any(row.cells[-1].strip() for row in full)


def _has_values(cells: Cells) -> bool:
    return not np.all(pd.isna(cells.column if isinstance(cells, Survey) else cells))
