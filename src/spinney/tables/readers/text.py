"""Tables of text: separated by commas, tabs, semicolons, bars or blanks.

What stands where is decided by the first rows, which the standard library reads; pandas reads the
cells. Where rows may differ in length, the standard library counts their cells and names the line.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import cause, counted, quoted
from spinney.exceptions import InputError
from spinney.tables.readers.cells import (
    GAPS,
    Cells,
    as_parsed,
    is_gap,
    is_numeral,
    needs_text,
    usual_convention,
)
from spinney.tables.readers.grid import (
    COMMENT,
    HEAD_ROWS,
    NO_TABLE,
    GridLayout,
    Row,
    end_of_data,
    find_layout,
    lines_text,
    to_frame,
)
from spinney.tables.readers.sources import Options, Source, decode
from spinney.tables.table_file import TableFile

SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}
"""The first wins ties."""
FORMATS = {"\t": "tsv", ",": "csv", ";": "csv"}
END = "\ufdd0"
"""A character that no text holds."""
LINE = re.compile(r"[^\n]*\n|[^\n]+")
ABOVE = re.compile(
    r'("?sep=(?P<separator>.)"?[^\S\n]*\n)?([^\S\n]*[#%!][^\n]*(\n|\Z)|[^\S\n]*\n)*', re.IGNORECASE
)
"""A line that tells spreadsheets the separator, comments and blank lines."""
OLD = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
# Without it numbers may be off by their last bit; from pandas 3.1 on it is deprecated.
PRECISION: dict[str, Any] = {"float_precision": "round_trip"} if OLD else {}


def read(source: Source, options: Options) -> TableFile:
    """Read a table of text."""
    text, said = decode(source)
    if re.search(r"[^\s,;|\"]", text) is None:
        raise InputError(f"{source.label} is empty. {NO_TABLE}")
    if "\r" in text:  # pandas loses cells after the line ends of old Macs
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    above = next(ABOVE.finditer(text))
    # Nothing but comments: then these are the table, and their first cells start with "#".
    start = above.end() if text[above.end() :].strip() else 0
    lines_above = text[:start].split("\n")
    comments = [k for k, line in enumerate(lines_above, 1) if line.lstrip().startswith(COMMENT)]
    separator = above["separator"] or find_separator(text, start)
    head = list(islice(_rows(text, separator, source, start, len(lines_above) - 1), HEAD_ROWS))
    layout = find_layout(head, source, options, "line")
    columns, lines = _read_body(text, separator, layout)
    if comments:
        first = lines_above[comments[0] - 1].strip()
        said += (f"comment {lines_text(comments)} left out ({quoted(first)})",)
    said += (f"columns are separated by {SEPARATORS.get(separator, quoted(separator))}",)
    frame, more = to_frame(layout, columns, options, separator=separator)
    return TableFile(frame, (*said, *more), FORMATS.get(separator, "text"), lines)


def find_separator(text: str, start: int = 0) -> str:
    r"""Choose the separator that gives most rows the same width, and most cells a number.

    Examples
    --------
    >>> find_separator("a;b;c\n1,5;2,5;3\n")
    ';'
    >>> find_separator("a  b\n1   2\n")
    ' '
    """
    lines = text[start : start + 2**20].split("\n")
    merits = {separator: _merit(lines, separator) for separator in SEPARATORS}
    # Words have blanks between them, and some write thousands so: a table with blanks has numbers,
    # and no tabs.
    if merits[" "][1] < 0.3 or merits["\t"][0] >= 0.9:
        del merits[" "]
    return max(merits, key=lambda separator: merits[separator])


def _merit(lines: list[str], separator: str) -> tuple[float, float]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # said when all of it is read
        for row in _reader(lines, separator):
            if any(cell.strip() for cell in row):
                rows.append(row[:-1] if separator == " " and not row[-1] else row)
            if len(rows) == HEAD_ROWS:
                break
    widths = Counter(map(len, rows))
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    if width == 1:
        return (0.0, 0.0)
    cells = [cell for row in rows[1:] for cell in row][:2000] or rows[0]
    known = sum(is_numeral(cell) or is_gap(cell) for cell in cells)
    # R writes one name fewer than there are cells below; that is no misfit.
    fitting = count + (len(rows) > 1 and len(rows[0]) == width - 1 and width > 2)
    return (round(fitting / len(rows), 1), round(known / len(cells), 1))


def _reader(lines: Iterable[str], separator: str) -> csv._reader:  # type: ignore[name-defined]
    if separator == " ":
        lines = (line.replace("\t", " ") for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _rows(text: str, separator: str, source: Source, start: int, n_above: int) -> Iterator[Row]:
    """Yield the rows from a character of a text on; blank lines are skipped.

    Raises
    ------
    InputError
        If a quote is never closed, or a cell is larger than 128 kB.
    """
    # An extra last line shows whether a quote is open: then it ends up inside another cell.
    lines = (match[0] for match in LINE.finditer(text, start))
    reader = _reader(chain(lines, ("\n", END)), separator)
    line, cells = n_above + 1, [END]
    try:
        for cells in reader:
            if cells and separator == " " and not cells[-1]:
                cells.pop()
            if cells and END in cells[-1]:
                break
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield Row(line, cells)
            line = n_above + reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"Line {line} of {source.label} cannot be read ({error}). Look for a stray quote."
        ) from error
    if cells != [END]:
        raise InputError(
            f"A quote that opens on line {line} of {source.label} is never closed. Close it, or "
            "take it out."
        )


def _read_body(
    text: str, separator: str, layout: GridLayout
) -> tuple[list[Cells], NDArray[np.int64]]:
    """Read all rows below the header, and say where each stands; notes below are left out."""
    source, width, body = layout.source, len(layout.given), layout.body
    first = body[0].line
    start = next(islice(LINE.finditer(text), first - 1, None)).start()
    data = text[start:].encode()
    head = [row.cells for row in body if len(row.cells) >= width]
    usual = usual_convention(islice((cell for row in body for cell in row.cells), 10_000))
    unclear = [k for k in range(width) if needs_text([row[k] for row in head], usual)]
    frame, problem = pd.DataFrame(), "rows differ"
    try:
        frame = pd.read_csv(
            BytesIO(data),
            sep=r"\s+" if separator == " " else separator,
            decimal=usual.decimal,
            header=None,
            dtype=dict.fromkeys(unclear, str),
            skipinitialspace=True,
            na_values=list(GAPS),
            keep_default_na=False,
            low_memory=False,  # a column is all numbers, or all text
            **PRECISION,
        )
    except (ValueError, OverflowError) as error:
        problem = cause(error)
    n, n_cells = frame.shape
    lines = np.arange(first, first + n)
    if n_cells < width or not _is_regular(data, separator, n, n_cells):
        lines = _check_widths(_rows(text, separator, source, start, first - 1), layout, n_cells)
        if n != len(lines):
            raise InputError(f"{source.label} cannot be read ({problem}). Save or copy it again.")
    end = end_of_data(frame, lines, layout)
    frame, lines = frame.iloc[:end], lines[:end]
    beyond = frame.iloc[:, width:].notna().any(axis=1).to_numpy()
    if beyond.any():
        raise _other_width(layout, int(lines[np.argmax(beyond)]), n_cells)
    if n_cells > width:
        layout.said.append("separators at the end of lines left out")
    return [as_parsed(frame[k], [row[k] for row in head], usual) for k in range(width)], lines


def _check_widths(rows: Iterable[Row], layout: GridLayout, n_cells: int) -> NDArray[np.int64]:
    """Return the lines of all rows; refuse one of another width, but for notes at the end."""
    width = len(layout.given)
    found = [(line, len(cells), is_numeral(cells[0])) for line, cells in rows]
    lines = np.array([line for line, *_ in found])
    while len(found) > 1 and found[-1][1] == 1 and not found[-1][2]:
        found.pop()
    for line, own, _ in found:
        if not width <= own <= max(width, n_cells):
            raise _other_width(layout, line, own)
    return lines


def _other_width(layout: GridLayout, line: int, n_cells: int) -> InputError:
    return InputError(
        f"Line {line} of {layout.source.label} has {counted(n_cells, 'cell')}, but the header has "
        f"{len(layout.given)}. Complete the row, or put quotes around cells that hold a separator."
    )


def _is_regular(data: bytes, separator: str, n: int, n_cells: int) -> bool:
    """Whether each of n lines has so many cells: pandas completes short rows."""
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    bare = re.sub(rb'"[^"]*"', b"", data) if b'"' in data else data
    fits = bare.count(separator.encode()) == n * (n_cells - 1)
    return separator != " " and n_lines == n and fits
