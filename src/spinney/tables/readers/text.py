"""Tables of text: separated by commas, tabs, semicolons, bars or blanks."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spinney._core.text import quoted
from spinney.exceptions import InputError
from spinney.tables.readers.cells import Cells, is_gap, is_numeral
from spinney.tables.readers.formats import Options, Reading, Source
from spinney.tables.readers.grid import COMMENT, NO_TABLE, Row, lines_text, read_grid
from spinney.tables.readers.parsing import Body, IrregularError, parse
from spinney.tables.readers.sources import STANDARD_INPUT, decode

SEPARATORS = "\t;|, "
"""The first wins ties."""
SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}
FORMATS = {"\t": "tsv", ",": "csv", ";": "csv"}
SNIFFED_ROWS = 100
"""Rows that are examined to find the separator."""
SNIFFED_CELLS = 2000
"""Cells of them that are examined closely."""
HEAD_ROWS, HEAD_CELLS = 400, 100_000
"""Rows by which it is decided what stands where in a table that pandas reads, or cells if fewer."""
HEAD = 2**18
"""Characters in which the separator is looked for."""
CHUNK = 2**20
"""Bytes that are looked at together."""
FEWEST = 20
"""Rows that are looked at however long they are."""
END = "\ufdd0"
"""A character that no text holds."""
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
"""A line that tells spreadsheets the separator."""


@dataclass(frozen=True)
class Comments:
    """The lines above a table.

    Attributes
    ----------
    lines : tuple of (int, str)
        Comment lines and where they stand.
    rest : str
        The text below them.
    offset : int
        Lines above `rest`.
    separator : str or None
        What a line such as ``sep=;`` names.
    """

    lines: tuple[tuple[int, str], ...]
    rest: str
    offset: int
    separator: str | None = None


def _set_comments_aside(text: str) -> Comments:
    r"""Split off the comment lines above a table.

    Examples
    --------
    >>> comments = _set_comments_aside("# made by hand\n\na,b\n1,2\n")
    >>> comments.lines, comments.offset, comments.rest
    (((1, '# made by hand'),), 2, 'a,b\n1,2\n')
    """
    found: list[tuple[int, str]] = []
    separator = None
    position, number = 0, 0
    for line in _lines(text):
        bare = line.strip()
        match = SEPARATOR_LINE.fullmatch(bare + " ") if number == 0 else None
        if match is not None:
            separator = match[1]
        elif bare.startswith(COMMENT):
            found.append((number + 1, bare))
        elif bare:
            break
        position += len(line)
        number += 1
    else:
        # Nothing but comments: then these are the table, and their first cells start with "#".
        position, number, found = 0, 0, []
    return Comments(tuple(found), text[position:], number, separator)


def find_separator(text: str) -> str:
    r"""Choose the separator that gives most rows the same width, and most cells a number.

    Examples
    --------
    >>> find_separator("a;b;c\n1,5;2,5;3\n")
    ';'
    >>> find_separator("a  b\n1   2\n")
    ' '
    """

    def merit(separator: str) -> tuple[float, float]:
        rows = _first_rows(text, separator)
        widths = Counter(len(row) for row in rows)
        if not widths:
            return (0.0, 0.0)
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        if width == 1:
            return (0.0, 0.0)
        cells = [cell for row in rows[1:] for cell in row][:SNIFFED_CELLS] or rows[0]
        known = sum(is_numeral(cell) or is_gap(cell) for cell in cells)
        # R writes one name fewer than there are cells below; that is no misfit.
        fitting = count + (len(rows) > 1 and len(rows[0]) == width - 1 and width > 2)
        return (round(fitting / len(rows), 1), round(known / len(cells), 1))

    text = _head(text)
    merits = {separator: merit(separator) for separator in SEPARATORS}
    # Words have blanks between them, and some write thousands so: a table with blanks has numbers,
    # and no tabs.
    if merits[" "][1] < 0.3 or merits["\t"][0] >= 0.9:
        del merits[" "]
    return max(merits, key=lambda separator: merits[separator])


def _head(text: str) -> str:
    """Return the start of a long text, with more lines than are looked at."""
    lines: list[str] = []
    size = 0
    for line in _lines(text):
        lines.append(line)
        size += len(line)
        if size > HEAD and len(lines) > FEWEST:
            break
    return "".join(lines)


def _first_rows(text: str, separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in _reader(_lines(text), separator):
            if separator == " " and row and not row[-1]:
                row.pop()
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) == SNIFFED_ROWS:
                break
    except csv.Error:
        pass  # said when all of it is read
    return rows


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, as an editor counts them."""
    return (match[0] for match in LINE.finditer(text))


def _reader(lines: Iterable[str], separator: str) -> csv._reader:  # type: ignore[name-defined]
    if separator == " ":
        lines = (line.replace("\t", " ") for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _rows(text: str, separator: str, source: Source, offset: int = 0) -> Iterator[Row]:
    """Yield the rows of a text; blank lines are skipped.

    Parameters
    ----------
    text : str
        The text.
    separator : str
        What separates cells.
    source : Source
        Where the text comes from, for notices.
    offset : int
        Lines that stand above the text.

    Raises
    ------
    InputError
        If a quote is never closed, or a cell is larger than 128 kB.
    """
    # An extra last line shows whether a quote is open: then it ends up inside another cell.
    reader = _reader(chain(_lines(text), ("\n", END)), separator)
    start = 1
    try:
        for cells in reader:
            if cells and separator == " " and not cells[-1]:
                cells.pop()
            if cells and END in cells[-1]:
                break
            if cells:
                yield Row(start + offset, cells)
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"Line {start + offset} of {source.label} cannot be read ({error}). Look for a stray "
            "quote."
        ) from error
    if cells != [END]:
        raise InputError(
            f"A quote that opens on line {start + offset} of {source.label} is never closed. Close "
            "it, or take it out."
        )


def read(source: Source, options: Options) -> Reading:
    """Read a table of text."""
    text, said = decode(source)
    if re.search(r"[^\s,;|\"]", text) is None:
        raise InputError(f"{source.label} is empty. {NO_TABLE}")
    comments = _set_comments_aside(text)
    separator = comments.separator or find_separator(comments.rest)
    rows = partial(_rows, comments.rest, separator, source, comments.offset)
    read = partial(read_grid, source=source, options=options, separator=separator)
    try:
        cells = partial(_parse, text, separator, source, options)
        frame, more, lines = read(_first(rows()), parse=cells)
    except (IrregularError, InputError):  # by csv, whose errors name the line
        frame, more, lines = read(list(rows()))
    if comments.lines:
        at = [number for number, _ in comments.lines]
        said += (f"comment {lines_text(at)} left out ({quoted(comments.lines[0][1])})",)
    called = SEPARATOR_NAMES.get(separator, quoted(separator))
    said += (f"columns are separated by {called}", *more)
    return Reading(frame, said, FORMATS.get(separator, "text"), lines)


def _first(rows: Iterator[Row]) -> list[Row]:
    head: list[Row] = []
    n_cells = 0
    for row in islice(rows, HEAD_ROWS):
        head.append(row)
        n_cells += len(row.cells)
        if n_cells > HEAD_CELLS and len(head) > FEWEST:
            break
    return head


def _parse(
    text: str, separator: str, source: Source, options: Options, body: list[Row]
) -> tuple[list[Cells], NDArray[np.int64]]:
    """Read all rows of a table, of which `body` are the first, and say where each stands."""
    first, width = body[0].line, len(body[0].cells)
    above = next(islice(LINE.finditer(text), first - 1, None)).start()
    is_plain = text.isascii() and len(text) == len(source.data)  # then it need not be copied
    data = source.data if is_plain else text.encode()
    start = above if is_plain else len(text[:above].encode())
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise IrregularError  # pandas loses cells after the line ends of old Macs
    head = [row.cells for row in body]
    in_place = is_plain and source.raw is source.data and source.name != STANDARD_INPUT
    in_place = in_place and Path(source.name).is_file()  # pipes cannot be read twice
    place = Body(data, start, first - 1, source.name if in_place else None)
    columns, n = parse(place, separator, options.decimal, head)
    if separator != " " and _is_regular(data, start, separator, n * (width - 1), n):
        return columns, np.arange(first, first + n)
    widths, lines = [], []
    for row in _rows(text[above:], separator, source, first - 1):
        widths.append(len(row.cells))
        lines.append(row.line)
    if widths != [width] * n:
        raise IrregularError
    return columns, np.array(lines, dtype=np.int64)


def _is_regular(data: bytes, start: int, separator: str, n_separators: int, n: int) -> bool:
    """Whether n lines have so many separators together; pandas has seen that none has more."""
    open_quote = False
    for k in range(start, len(data), CHUNK):
        part = np.frombuffer(data, np.uint8, min(CHUNK, len(data) - k), k)
        breaks, separators, quotes = (part == ord(letter) for letter in ("\n", separator, '"'))
        if open_quote or quotes.any():
            inside = np.logical_xor.accumulate(quotes) ^ open_quote
            open_quote = bool(inside[-1])
            if (breaks & inside).any():
                return False
            separators &= ~inside
        n -= int(np.count_nonzero(breaks))
        n_separators -= int(np.count_nonzero(separators))
    return n == (not data.endswith(b"\n")) and not n_separators
