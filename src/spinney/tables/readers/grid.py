"""From rows of cells to named columns: the header, and what stands around the table."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import listed, plain_line, quoted, ranges, shorten_end
from spinney.exceptions import InputError
from spinney.tables.columns import ISO_DATE, OTHER_DATE
from spinney.tables.kinds import IDENTIFIER
from spinney.tables.readers.cells import Cells, Survey, is_gap, is_numeral, numeral, read_columns
from spinney.tables.readers.sources import Options, Source

COMMENT = ("#", "%", "!")
"""What comment lines above a table start with; the last is that of GEO's series files."""
NO_TABLE = "A table has a header and rows below it."
HEAD_ROWS = 100
"""Rows by which it is decided what stands where."""
COLUMNS_LOOKED_AT = 100
"""Columns in which a header is compared with what is below, spread evenly if there are more."""
FEWEST = 3
"""Fewest consecutive numbers, or numbers below a unit, to decide by."""
COUNTERS = frozenset(("", "#", "rows", "no", "no.", "nr", "nr.", "number"))
"""Names of columns that count rows."""


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
    """

    source: Source
    place: str
    given: list[str]
    body: list[Row]
    said: list[str]


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
    span = _span if place == "row" else lambda row: len(row.cells)
    widths = Counter(span(row) for row in body if _filled(row))
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
        why = f'the first {place} is like those below it (otherwise: header="yes")'
        why = "as asked" if options.header == "no" else why
        said.append(f"no header, {why}; columns are called 'column 1', 'column 2' and so on")
        return GridLayout(source, place, [""] * len(first.cells), body, said)
    given = [""] * lacks + [cell.strip() for cell in first.cells]
    numbers = 2 * sum(map(is_numeral, first.cells)) > _filled(first)
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
    frame, role = with_row_names(frame, given[0], has_header=any(layout.given))
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
    end = int(np.flatnonzero(frame.notna().sum(axis=1) > 1).max(initial=0)) + 1
    below = frame.iloc[end:].to_numpy(dtype=object)
    cells = [next((str(cell).strip() for cell in row if not pd.isna(cell)), "") for row in below]
    n_numbers = max((k for k, cell in enumerate(cells, 1) if is_numeral(cell)), default=0)
    end += n_numbers
    if end < len(frame):
        notes = [cell for cell in cells[n_numbers:] if cell]
        text = f" ({quoted(notes[0])})" if notes else ""
        where = lines_text(lines[end:].tolist(), layout.place)
        layout.said.append(f"{where} left out, as there is no data{text}")
    return end


def _one_column(source: Source) -> InputError:
    return InputError(
        f"{source.label} has one column only. Separate columns by commas, tabs or semicolons."
    )


def _filled(row: Row) -> int:
    return sum(map(bool, map(str.strip, row.cells)))


def _span(row: Row) -> int:
    return max((k for k, cell in enumerate(row.cells, 1) if cell.strip()), default=0)


def _without_titles(rows: list[Row], width: int, place: str, said: list[str]) -> list[Row]:
    """Drop what precedes the header: titles, and lines of another width."""
    start = 0
    while start < len(rows) - 1 and _is_title(rows[start], width):
        start += 1
    # Instruments write names and values above a table, in sixty rows at most; what follows must
    # look like a header.
    for k in range(start, min(len(rows) - 1, start + 60)):
        first, below = rows[k], rows[k + 1 :]
        fits = 2 * _filled(first) > width if place == "row" else len(first.cells) == width
        lacks = place != "row" and _lacks_a_name(first, below) and not _is_clear_header(below)
        if fits or lacks:
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
    last = _span(row)
    # With two columns, an empty cell and a name are a header.
    return not last or (not is_numeral(row.cells[last - 1]) and (last == 1 or width > 2))


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


def is_header(
    first: Sequence[str], rows: Sequence[Sequence[str]], *, clearly: bool = False
) -> bool:
    """Decide by comparison with the rows below whether a row holds the names of columns.

    Text above numbers is a name, and so is text that does not come again below it. Numbers above
    numbers are names if they

    - lie far outside of what stands below them (years above measurements), or
    - rise from left to right (m/z values, times) as the rows below do not: five or more, or three
      that count (1, 2, 3).

    Parameters
    ----------
    first : sequence of str
        The row in question.
    rows : sequence of sequences of str
        Those below it.
    clearly : bool
        Whether only text above numbers counts.

    Examples
    --------
    >>> is_header(["a", "b"], [["1", "2"], ["3", "4"]])
    True
    >>> is_header(["1.5", "2"], [["1.2", "2"], ["1.7", "4"]])
    False
    >>> is_header(["1990", "1991"], [["1.2", "2"], ["1.7", "4"]])
    True
    """
    corner = first and rows and not first[0].strip()
    if corner and not clearly and all(row and row[0].strip() for row in rows):
        return True  # nothing above the names of the rows
    text_above_numbers, new = 0, 0
    numbers: list[tuple[float, list[float]]] = []
    for k in range(0, len(first), 1 + len(first) // COLUMNS_LOOKED_AT):
        if is_gap(first[k]):
            continue
        below = [row[k].strip() for row in rows if k < len(row) and not is_gap(row[k])]
        values = [value for value in map(numeral, below) if value is not None]
        mostly_numbers = 2 * len(values) > len(below)
        own = numeral(first[k])
        if own is not None and mostly_numbers:
            numbers.append((own, values))
        elif own is None and mostly_numbers:
            text_above_numbers += 1
        elif own is None and below:
            new += -1 if first[k].strip() in below else 1
    if clearly:
        return text_above_numbers > len(numbers)
    if text_above_numbers or numbers:
        return text_above_numbers >= len(numbers) or _are_names(numbers)
    # A number above text speaks against names.
    return new > any(numeral(cell) is not None for cell in first) - 1


def is_units(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Decide whether the row below a header holds units: text above nothing but numbers.

    At least two columns of three numbers or more must have a word above them and none a number.
    What may be a value that was not measured exactly (``<0.1``, ``5 mg``) is no unit.

    Examples
    --------
    >>> rows = [["1", "2.5"], ["3", "1.5"], ["2", "0.5"]]
    >>> is_units(["mg/l", "°C"], rows), is_units(["<1", "1.5"], rows)
    (True, False)
    """
    words = 0
    for k in range(0, len(first), 1 + len(first) // COLUMNS_LOOKED_AT):
        below = [row[k] for row in rows if not is_gap(row[k])]
        if len(below) < FEWEST or not all(is_numeral(cell) for cell in below):
            continue
        cell = first[k].strip()
        if is_numeral(cell) or cell[:1].isdigit() or cell[:1] in tuple("<>~≤≥=-–—*"):
            return False
        words += bool(cell) and not is_gap(cell)
    return words >= 2


def _are_names(numbers: list[tuple[float, list[float]]]) -> bool:
    far = sum(_is_far(own, below) for own, below in numbers)
    if len(numbers) >= 2 and 2 * far > len(numbers):
        return True
    if len(numbers) < FEWEST or not _rises([own for own, _ in numbers]):
        return False
    depth = min(len(below) for _, below in numbers)
    rising = sum(_rises([below[k] for _, below in numbers]) for k in range(depth))
    return 10 * rising <= depth


def _is_far(own: float, below: list[float]) -> bool:
    """Whether a number lies outside of others by more than they spread."""
    low, high = min(below), max(below)
    spread = max(high - low, 1.0)  # a column of one value must not make all others far
    return len(below) > 1 and not low - spread <= own <= high + spread


def _rises(values: Sequence[float]) -> bool:
    """Whether numbers rise, if they are five or more (by chance once in 120), or count."""
    steps = np.diff(values)
    return bool((steps > 0).all() if len(values) >= 5 else (steps == 1).all())


def clean_names(
    names: Sequence[Any], positions: Sequence[int] | None = None
) -> tuple[list[str], list[str]]:
    r"""Give every column a unique, printable name, and say which names were there twice.

    Parameters
    ----------
    names : sequence
        Names as in the file; empty where a name is missing.
    positions : sequence of int, optional
        Where the columns stand in the file; from 1 on by default.

    Returns
    -------
    names : list of str
        Not empty, on one line, none twice.
    decisions : list of str
        What is said of names that were there twice.

    Examples
    --------
    >>> names, said = clean_names(["a", "", "a", "b\n2"])
    >>> names
    ['a', 'column 2', 'a (2)', 'b 2']
    >>> said
    ["names that occur more than once are numbered: 'a (2)'"]
    """
    plain = [
        shorten_end(_printable(str(name)), 200) or f"column {position}"
        for position, name in zip(positions or count(1), names, strict=False)
    ]
    taken, seen, unique = set(plain), Counter[str](), list[str]()
    for name in plain:
        seen[name] += 1
        new, number = name, seen[name]
        while seen[name] > 1 and (new := f"{name} ({number})") in taken:
            number += 1
        taken.add(new)
        unique.append(new)
    again = [quoted(new) for new, name in zip(unique, plain, strict=True) if new != name]
    said = f"names that occur more than once are numbered: {listed(again, most=4)}"
    return unique, [said] if again else []


def with_row_names(
    frame: pd.DataFrame, name: str, *, has_header: bool = True
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Make the first column the index if it holds the names of rows, and say so.

    It does if it has no name and holds text, or whole numbers that never repeat; if it holds text
    that never repeats; or if its name is "id", "index" or similar and it holds whole numbers
    that count the rows (any that never repeat, for "id"). Dates under a name are a variable.

    Parameters
    ----------
    frame : DataFrame
        The table.
    name : str
        The name of the first column in the file; may be empty.
    has_header : bool
        Whether the table has a header, so that an empty name means something.

    Examples
    --------
    >>> with_row_names(pd.DataFrame({"Probe": ["p1", "p2"], "x": [4, 7]}), "Probe")[1]
    ("column 'Probe' taken for row names",)
    """
    first: pd.Series[Any] = frame.iloc[:, 0]
    unnamed = has_header and not name
    complete = first.notna().all()
    unique = complete and first.is_unique
    whole = complete and pd.api.types.is_integer_dtype(first.dtype)
    counts = whole and _counts_rows(first)
    if whole:
        counter = counts and name.strip().casefold() in COUNTERS
        taken = counter or (unique and (unnamed or IDENTIFIER.fullmatch(name.strip())))
    else:
        text = pd.api.types.infer_dtype(first, skipna=True) in ("string", "empty")
        taken = text and (unique or (unnamed and first.notna().any()))
        taken = taken and not (name and _are_dates(first))
    if not taken:
        return frame, ()
    which = f"column {quoted(name)}" if name else "column 1"
    which = "the first column, which has no name," if unnamed else which
    why = " (it counts the rows)" if counts and name else ""
    keep = f"; kind={{{name!r}: 'continuous'}} keeps it" if whole and name else ""
    # From a list, so that names have the type that this version of pandas gives to text.
    index = pd.Index(first.tolist(), name=first.name if name else None)
    said = f"{which} taken for row names{why}{keep}"
    return frame.iloc[:, 1:].set_axis(index, axis=0), (said,)


def _are_dates(column: pd.Series[Any]) -> bool:
    cells = [str(cell) for cell in column[column.notna()]]
    return any(all(map(form.fullmatch, cells)) for form in (ISO_DATE, OTHER_DATE))


def _counts_rows(column: pd.Series[Any]) -> bool:
    values = column.to_numpy(dtype=np.int64)
    return len(values) > 1 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def _printable(name: str) -> str:
    """Write a name on one line, without characters that cannot be seen."""
    if not name.isprintable():
        # Two invisible characters join or part letters and emoji; others are dropped.
        seen = (c for c in name if c in "\u200c\u200d" or unicodedata.category(c) != "Cf")
        name = plain_line(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", "".join(seen)))
    return name.strip()
