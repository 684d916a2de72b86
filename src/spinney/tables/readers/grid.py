"""From rows of cells to named columns: what stands above, below and beside a table is set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from spinney.exceptions import InputError
from spinney.tables.readers.dialect import COMMENT, Row
from spinney.tables.readers.formats import Options, Source
from spinney.tables.readers.header import is_header, is_units, two_headers
from spinney.tables.readers.numerals import is_numeral
from spinney.tables.readers.wording import quoted, ranges

__all__ = ["Grid", "arrange"]

MOST_ABOVE = 60
"""Rows above a table among which its header is looked for."""
LONG_NOTE = 2
"""Times that a last row must be longer than other first cells to be a note."""


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Attributes
    ----------
    given : list of str
        Names of the columns as they stand in the file; empty where there is none.
    positions : list of int
        Where the columns stand in the file, from 1.
    columns : list of tuples of str
        The cells.
    lines : list of int
        Where each row stands.
    has_header : bool
        Whether the file has names.
    from_comment : bool
        Whether these stand in a comment line.
    names_rows : bool
        Whether the first column holds the names of rows for certain, as its header is missing.
    decisions : list of str
        What was decided.
    """

    given: list[str]
    positions: list[int]
    columns: list[tuple[str, ...]]
    lines: list[int]
    has_header: bool
    from_comment: bool
    names_rows: bool
    decisions: list[str]


def arrange(
    rows: Sequence[Row],
    source: Source,
    options: Options,
    *,
    place: str = "line",
    padded: bool = False,
    above: Row | None = None,
) -> Grid:
    """Find header and body among rows.

    Parameters
    ----------
    rows : sequence of Row
        All rows that are not blank.
    source : Source
        Where from, for what is said.
    options : Options
        Whether there is a header, if it is known.
    place : str
        What lines are called: "line" or "row".
    padded : bool
        Whether all rows have been filled up with empty cells, so that their lengths say nothing.
    above : Row, optional
        A comment line that may be the header.

    Raises
    ------
    InputError
        If there is no table, it has one column only, or a row is too short or too long.
    """
    said: list[str] = []
    body = [row for row in rows if row.cells]
    body = _without_blank_ends(body, place, said)
    if not body:
        raise InputError(f"{source.label} is empty. A table has a header and rows below it.")
    width = _usual_width(body, padded)
    body = _without_titles(body, width, place, padded, said)
    if max(width, len(body[0].cells)) == 1:
        raise InputError(
            f"{source.label} has one column only. Separate columns by commas, tabs or semicolons."
        )
    header, body, from_comment = _take_header(body, width, options, above)
    names_rows, where = False, len(said)
    if header is None:
        width = len(body[0].cells)
        given = [""] * width
        said.append(_no_header(options, place))
    else:
        given = [cell.strip() for cell in header.cells]
        names_rows = _lacks_a_name(header, body)
        if names_rows:
            given.insert(0, "")
        width = len(given)
        said.append(_say_header(header, place, from_comment))
    body = _fit(body, width, source, place, said)
    body = _without_notes(body, place, said)
    if header is not None and body and is_units(body[0].cells, [row.cells for row in body[1:]]):
        below = [cell.strip() for cell in body[0].cells]
        both = two_headers(given, below)
        if both is not None:
            given = both
            said[where] = (
                f"{place}s {header.line} and {body[0].line} together hold the names of the columns "
                f"(such as {quoted(both[-1])})"
            )
        else:
            units = next(cell for cell in reversed(below) if cell)
            said.append(
                f"{place} {body[0].line} left out, as it holds text above numbers, such as units "
                f"({quoted(units)})"
            )
        body = body[1:]
    if not body:
        raise InputError(f"{source.label} has a header, but no rows below it. Add the data.")
    columns = list(zip(*(row.cells for row in body), strict=True))
    kept = _kept(given, columns, said)
    if len(kept) == 1:
        raise InputError(
            f"{source.label} has one column only. Separate columns by commas, tabs or semicolons."
        )
    return Grid(
        [given[k] for k in kept],
        [k + 1 for k in kept],
        [columns[k] for k in kept],
        [row.line for row in body],
        header is not None,
        from_comment,
        names_rows,
        said,
    )


def _filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row.cells)


def _without_blank_ends(rows: list[Row], place: str, said: list[str]) -> list[Row]:
    """Leave rows of empty cells above and below the table out."""
    start, end = 0, len(rows)
    while end > start and not _filled(rows[end - 1]):
        end -= 1
    while start < end and not _filled(rows[start]):
        start += 1
    if start < end < len(rows):
        count = len(rows) - end
        said.append(
            f"{count} empty row{'s' if count > 1 else ''} at the end (from {place} "
            f"{rows[end].line}) left out"
        )
    return rows[start:end]


def _usual_width(rows: Sequence[Row], padded: bool) -> int:
    """Return how many cells most rows have; of widths that are as common the largest."""
    widths = Counter(_span(row) if padded else len(row.cells) for row in rows)
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0]


def _span(row: Row) -> int:
    return max((k for k, cell in enumerate(row.cells, 1) if cell.strip()), default=0)


def _without_titles(
    rows: list[Row], width: int, place: str, padded: bool, said: list[str]
) -> list[Row]:
    """Leave out what stands above the header: titles, and lines of another width."""
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
        lines = [row.line for row in rows[:start]]
        said.append(
            f"{place}{'s' if start > 1 else ''} {ranges(lines)} above the table left out "
            f"({quoted(first)}{' …' if start > 1 else ''})"
        )
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


def _take_header(
    rows: list[Row], width: int, options: Options, above: Row | None
) -> tuple[Row | None, list[Row], bool]:
    """Return the header, the rows below, and whether the header stood in a comment line."""
    if options.header == "no":
        return None, rows, False
    first, below = rows[0], rows[1:]
    cells = [row.cells for row in below]
    found = _lacks_a_name(first, below) or is_header(first.cells, cells)
    if not found and above is not None and len(above.cells) in (width, width - 1):
        return above, rows, True
    if found or options.header == "yes":
        return first, below, False
    return None, rows, False


def _say_header(header: Row, place: str, from_comment: bool) -> str:
    named = [cell for cell in header.cells if cell.strip()]
    if from_comment:
        return f"{place} {header.line}, a comment, holds the names of the columns"
    if named and 2 * sum(map(is_numeral, named)) > len(named):
        return (
            f"{place} {header.line} holds the names of the columns, though most are numbers "
            "(otherwise: --header no)"
        )
    return f"{place} {header.line} holds the names of the columns"


def _no_header(options: Options, place: str) -> str:
    if options.header == "no":
        return "no header, as asked; columns are called 'column 1', 'column 2' and so on"
    return (
        f"no header: the first {place} is like those below it, so columns are called 'column 1', "
        "'column 2' and so on (otherwise: --header yes)"
    )


def _lacks_a_name(header: Row, body: Sequence[Row]) -> bool:
    """Whether the header has one cell less than all rows, as R writes it above row names."""
    width = len(header.cells) + 1
    if not body or any(len(row.cells) != width for row in body[:-1]):
        return False
    if len(body[-1].cells) not in (1, width):
        return False
    # With a separator at the end of each line the last cells are empty, and nothing is lacking.
    return any(row.cells[-1].strip() for row in body if len(row.cells) > 1)


def _fit(rows: list[Row], width: int, source: Source, place: str, said: list[str]) -> list[Row]:
    """Bring all rows to one width: empty cells at their ends and notes below go, others err."""
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
                f"{place.capitalize()} {row.line} of {source.label} has {len(cells)} "
                f"cell{'s' if len(cells) != 1 else ''}, but the header has {width}. "
                "Complete the row, or put quotes around cells that hold a separator."
            )
    if trimmed:
        what = f"{place} {trimmed[0]}" if len(trimmed) == 1 else f"{len(trimmed)} {place}s"
        said.append(f"separators at the end of {what} left out")
    _say_notes(notes, place, said)
    return fitted


def _is_note(rows: Sequence[Row]) -> bool:
    """Whether nothing but rows of one cell of text is left."""
    return all(
        len(row.cells) == 1 and row.cells[0].strip() and not is_numeral(row.cells[0])
        for row in rows
    )


def _without_notes(rows: list[Row], place: str, said: list[str]) -> list[Row]:
    """Leave notes below a table out that stand in its first column."""
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
        lines = ranges([row.line for row in notes])
        plural = "s" if len(notes) > 1 else ""
        said.append(
            f"{place}{plural} {lines} left out, as there is no data "
            f"({quoted(next(cell for cell in notes[0].cells if cell.strip()))})"
        )


def _kept(given: Sequence[str], columns: Sequence[tuple[str, ...]], said: list[str]) -> list[int]:
    """Return the columns that have a name or a value."""
    empty = [
        k
        for k, cells in enumerate(columns)
        if not given[k] and not any(cell.strip() for cell in cells)
    ]
    if empty:
        plural = len(empty) > 1
        said.append(
            f"column{'s' if plural else ''} {ranges([k + 1 for k in empty])} left out, as "
            f"{'they have' if plural else 'it has'} neither a name nor values"
        )
    gone = set(empty)
    return [k for k in range(len(columns)) if k not in gone]
