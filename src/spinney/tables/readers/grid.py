"""From rows of cells to named columns: what stands above, below and beside a table is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import counted, quoted, ranges
from spinney.exceptions import InputError
from spinney.tables.readers.cells import Cells, Parsed, is_numeral, read_columns
from spinney.tables.readers.formats import Options, Source
from spinney.tables.readers.header import (
    clean_names,
    find_row_names,
    is_header,
    is_units,
    unnamed_text,
)
from spinney.tables.readers.parsing import IrregularError

COMMENT = ("#", "%", "!")
"""What comment lines above a table start with; the last is that of GEO's series files."""

MOST_ABOVE = 60
"""Rows above a table among which its header is looked for."""
NO_TABLE = "A table has a header and rows below it."
ONE_COLUMN = "Separate columns by commas, tabs or semicolons."
LONG_NOTE = 2
"""Times that a last row must be longer than other first cells to be a note."""


class Row(NamedTuple):
    """The cells of a row, and the line of the file on which it starts."""

    line: int
    cells: list[str]


def read_grid(
    rows: Sequence[Row],
    source: Source,
    options: Options,
    *,
    place: str = "line",
    padded: bool = False,
    separator: str = ",",
    typed: bool = False,
    parse: Callable[[list[Row]], tuple[Sequence[Cells], NDArray[np.int64]]] | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...], NDArray[np.int64]]:
    """Find header and body among rows, and read them.

    Parameters
    ----------
    rows : sequence of Row
        All rows that are not blank.
    source : Source
        Where the rows come from, for notices.
    options : Options
        Whether there is a header, if it is known.
    place : str
        What lines are called: "line" or "row".
    padded : bool
        Whether all rows have been filled up with empty cells, so that their lengths say nothing.
    separator, typed
        As in :func:`spinney.tables.readers.cells.read_columns`.

    parse : callable, optional
        If `rows` are only the first, what reads all of them: from the first rows of the body to
        its columns, and where each row stands.

    Returns
    -------
    frame : DataFrame
    decisions : tuple of str
        What was decided.
    lines : array of int
        Where each row stands.

    Raises
    ------
    InputError
        If there is no table, it has one column only, or a row is too short or too long.
    IrregularError
        If the first rows do not tell what the others are.
    """
    said: list[str] = []
    body = [row for row in rows if row.cells]
    body = _without_blank_ends(body, place, said)
    if not body:
        raise InputError(f"{source.label} is empty. {NO_TABLE}")
    width = _usual_width(body, padded)
    body = _without_titles(body, width, place, padded, said)
    if max(width, len(body[0].cells)) == 1:
        raise InputError(f"{source.label} has one column only. {ONE_COLUMN}")
    header, body = _take_header(body, options)
    names_rows = False
    if header is None:
        width = len(body[0].cells)
        given = [""] * width
        said.append(_no_header_text(place, asked=options.header == "no"))
    else:
        given = [cell.strip() for cell in header.cells]
        names_rows = _lacks_a_name(header, body)
        if names_rows:
            given.insert(0, "")
        width = len(given)
        filled = [cell for cell in header.cells if cell.strip()]
        numbers = bool(filled) and 2 * sum(map(is_numeral, filled)) > len(filled)
        otherwise = ', though most are numbers (otherwise: header="no")' if numbers else ""
        said.append(f"{place} {header.line} holds the names of the columns{otherwise}")
    decided = len(said)
    body = _fit(body, width, source, place, said)
    if parse is None:
        body = _without_notes(body, place, said)
    elif len(said) > decided or body[-1:] != list(rows[-1:]):
        raise IrregularError
    if header is not None and body and is_units(body[0].cells, [row.cells for row in body[1:]]):
        units = next(cell.strip() for cell in reversed(body[0].cells) if cell.strip())
        said.append(
            f"{place} {body[0].line} left out, as it holds text above numbers, such as units "
            f"('{units}')"
        )
        body = body[1:]
    if not body:
        raise InputError(f"{source.label} has a header, but no rows below it. Add the data.")
    columns: Sequence[Cells]
    if parse is None:
        columns = list(zip(*(row.cells for row in body), strict=True))
        lines = np.array([row.line for row in body], dtype=np.int64)
    else:
        columns, lines = parse(body)
    kept = _kept(given, columns, said)
    if len(kept) == 1:
        raise InputError(f"{source.label} has one column only. {ONE_COLUMN}")
    given = [given[k] for k in kept]
    positions, named = [k + 1 for k in kept], header is not None
    # A first column without a name gets its notice once its role is known.
    quiet = frozenset(positions[:1] if named else positions)
    names, renamed = clean_names(given, positions, quiet=quiet)
    found, read = read_columns(
        names,
        [columns[k] for k in kept],
        separator=separator,
        decimal=options.decimal,
        typed=typed,
    )
    frame = pd.DataFrame(dict(zip(names, found, strict=True)), copy=False)
    role: tuple[str, ...]
    if names_rows:
        short = "the first column taken for row names, as the header has one name less than there "
        short += "are columns"
        frame, role = (
            _index(frame, named=False),
            (short,),
        )
    else:
        frame, role = with_row_names(frame, given[0], has_header=named)
    if named and not given[0] and not role:
        role = (unnamed_text([1]),)
    return frame, (*said, *renamed, *role, *read), lines


def lines_text(lines: Sequence[int], place: str = "line") -> str:
    """Name some lines, or rows of a spreadsheet.

    Examples
    --------
    >>> lines_text([1, 2, 5])
    'lines 1 to 2 and 5'
    """
    return f"{place}{'' if len(lines) == 1 else 's'} {ranges(lines)}"


def _no_header_text(place: str, *, asked: bool) -> str:
    called = "columns are called 'column 1', 'column 2' and so on"
    if asked:
        return f"no header, as asked; {called}"
    why = f"the first {place} is like those below it"
    return f'no header: {why}, so {called} (otherwise: header="yes")'


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row.cells)


def _without_blank_ends(rows: list[Row], place: str, said: list[str]) -> list[Row]:
    """Drop empty rows above and below the table."""
    start, end = 0, len(rows)
    while end > start and not _filled(rows[end - 1]):
        end -= 1
    while start < end and not _filled(rows[start]):
        start += 1
    if start < end < len(rows):
        count = counted(len(rows) - end, "empty row")
        said.append(f"{count} at the end (from {place} {rows[end].line}) left out")
    return rows[start:end]


def _usual_width(rows: Sequence[Row], padded: bool) -> int:
    """Return the most common number of cells in a row, the largest of ties."""
    widths = Counter(_span(row) if padded else len(row.cells) for row in rows)
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0]


def _span(row: Row) -> int:
    return max((k for k, cell in enumerate(row.cells, 1) if cell.strip()), default=0)


def _without_titles(
    rows: list[Row], width: int, place: str, padded: bool, said: list[str]
) -> list[Row]:
    """Drop what precedes the header: titles, and lines of another width."""
    start = 0
    while start < len(rows) - 1 and _is_title(rows[start], width):
        start += 1
    # Instruments write names and values above a table; what follows must look like a header.
    for k in range(start, min(len(rows) - 1, start + MOST_ABOVE)):
        if _may_be_header(rows[k:], width, padded):
            if k > start and _is_clear_header(rows[k:]):
                start = k
            break
    if start:
        first = next(cell for row in rows[:start] for cell in row.cells if cell.strip())
        more = " …" if start > 1 else ""
        above = f"{lines_text([row.line for row in rows[:start]], place)} above the table"
        said.append(f"{above} left out ({quoted(first)}{more})")
    return rows[start:]


def _is_title(row: Row, width: int) -> bool:
    if width < 2 or _filled(row) > 1:
        return False
    where = _span(row) - 1
    if where < 0:
        return True
    # With two columns, an empty cell and a name are a header.
    return not is_numeral(row.cells[where]) and (where == 0 or width > 2)


def _may_be_header(rows: Sequence[Row], width: int, padded: bool) -> bool:
    first = rows[0]
    if padded:
        return 2 * _filled(first) > width
    if len(first.cells) == width:
        return True
    return _lacks_a_name(first, rows[1:]) and not _is_clear_header(rows[1:])


def _is_clear_header(rows: Sequence[Row]) -> bool:
    return is_header(rows[0].cells, [row.cells for row in rows[1:]], clearly=True)


def _take_header(rows: list[Row], options: Options) -> tuple[Row | None, list[Row]]:
    """Return the header, and the rows below."""
    if options.header == "no":
        return None, rows
    first, below = rows[0], rows[1:]
    found = options.header == "yes" or _lacks_a_name(first, below)
    found = found or is_header(first.cells, [row.cells for row in below])
    return (first, below) if found else (None, rows)


def _lacks_a_name(header: Row, body: Sequence[Row]) -> bool:
    """Whether the header has one cell fewer than all rows, as R writes it above row names."""
    width = len(header.cells) + 1
    if not body or any(len(row.cells) != width for row in body[:-1]):
        return False
    if len(body[-1].cells) not in (1, width):
        return False
    # With a separator at the end of each line the last cells are empty, and no name is missing.
    return any(row.cells[-1].strip() for row in body if len(row.cells) > 1)


def _fit(rows: list[Row], width: int, source: Source, place: str, said: list[str]) -> list[Row]:
    """Bring all rows to one width: trim empty cells, drop notes below, refuse other rows."""
    fitted: list[Row] = []
    trimmed: list[int] = []
    notes: list[Row] = []
    for k, row in enumerate(rows):
        cells = row.cells
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            trimmed.append(row.line)
            cells = cells[:width]
        if len(cells) == width:
            fitted.append(Row(row.line, cells))
        elif cells[0].lstrip().startswith(COMMENT) or _is_note(rows[k:]):
            notes.append(row)
        else:
            raise InputError(
                f"{place.capitalize()} {row.line} of {source.label} has "
                f"{counted(len(cells), 'cell')}, but the header has {width}. Complete the row, or "
                "put quotes around cells that hold a separator."
            )
    if trimmed:
        one = len(trimmed) == 1
        which = lines_text(trimmed, place) if one else f"{len(trimmed)} {place}s"
        said.append(f"separators at the end of {which} left out")
    _say_notes(notes, place, said)
    return fitted


def _is_note(rows: Sequence[Row]) -> bool:
    """Whether all rows left are a single cell of text."""
    return all(
        len(row.cells) == 1 and row.cells[0].strip() and not is_numeral(row.cells[0])
        for row in rows
    )


def _without_notes(rows: list[Row], place: str, said: list[str]) -> list[Row]:
    """Drop notes below a table that are in its first column."""
    if len(rows) < 2 or _filled(rows[-1]) != 1:
        return rows
    width = len(rows[0].cells)
    left = next((k for k in range(width) if any(row.cells[k].strip() for row in rows)), 0)
    longest = max((len(row.cells[left]) for row in rows[:-1] if _filled(row) > 1), default=0)
    end = len(rows)
    while end > 1 and _stands_below(rows[end - 1], left, longest):
        end -= 1
    _say_notes(rows[end:], place, said)
    return rows[:end]


def _stands_below(row: Row, left: int, longest: int) -> bool:
    text = row.cells[left].strip()
    if not text or _filled(row) > 1 or is_numeral(text):
        return False
    return ":" in text or text.startswith((*COMMENT, "*", "(")) or len(text) > LONG_NOTE * longest


def _say_notes(notes: Sequence[Row], place: str, said: list[str]) -> None:
    if notes:
        first = next(cell for cell in notes[0].cells if cell.strip())
        where = lines_text([row.line for row in notes], place)
        said.append(f"{where} left out, as there is no data ({quoted(first)})")


def _kept(given: Sequence[str], columns: Sequence[Cells], said: list[str]) -> list[int]:
    """Return the columns that have a name or a value."""
    filled = [bool(name) or _has_values(cells) for name, cells in zip(given, columns, strict=True)]
    if not all(filled):
        empty = [k for k, full in enumerate(filled, 1) if not full]
        have = "it has" if len(empty) == 1 else "they have"
        columns = lines_text(empty, "column")
        said.append(f"{columns} left out, as {have} neither a name nor values")
    return [k for k, full in enumerate(filled) if full]


def _has_values(cells: Cells) -> bool:
    if isinstance(cells, tuple) and not isinstance(cells, Parsed):
        return any(map(str.strip, cells))
    return not isinstance(cells, Parsed) or bool(pd.notna(cells.values).any())


def with_row_names(
    frame: pd.DataFrame, name: str, *, has_header: bool = True
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Make the first column the index if it holds the names of rows."""
    first: pd.Series[Any] = frame.iloc[:, 0]
    said = find_row_names(first, name, has_header=has_header)
    return (frame, ()) if said is None else (_index(frame, named=bool(name)), (said,))


def _index(frame: pd.DataFrame, *, named: bool) -> pd.DataFrame:
    name = frame.columns[0] if named else None
    # From a list, so that names have the type that this version of pandas gives to text.
    index = pd.Index(frame.iloc[:, 0].tolist(), name=name)
    return frame.iloc[:, 1:].set_axis(index, axis=0)
