"""Tables of text: separated by commas, tabs, semicolons, bars or blanks."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from spinney.exceptions import InputError
from spinney.tables.readers.cells import is_gap, is_numeral
from spinney.tables.readers.formats import Format, Options, Reading, Source, fault, note
from spinney.tables.readers.grid import COMMENT, Row, read_grid
from spinney.tables.readers.sources import decode

__all__ = ["TEXT", "find_separator"]

SEPARATORS = "\t;|, "
"""The first wins ties."""
FORMATS = {"\t": "tsv", ",": "csv", ";": "csv"}
SNIFFED_ROWS = 100
"""Rows that are examined to find the separator."""
SNIFFED_CELLS = 2000
"""Cells of them that are examined closely."""
HEAD = 2**18
"""Characters that are searched first."""
END = "\ufdd0"
"""A character that no text holds."""
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
    for line in StringIO(text, newline=""):
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
    size = HEAD
    while size < len(text):
        head = text[:size]
        end = max(head.rfind("\n"), head.rfind("\r")) + 1
        if head.count("\n") + head.count("\r") > 4 * SNIFFED_ROWS:
            return head[:end]
        size *= 4
    return text


def _first_rows(text: str, separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in _reader(text, separator):
            if separator == " " and row and not row[-1]:
                row.pop()
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) == SNIFFED_ROWS:
                break
    except csv.Error:
        pass  # said when all of it is read
    return rows


def _reader(text: str, separator: str) -> csv._reader:  # type: ignore[name-defined]
    lines: Iterator[str] = StringIO(text, newline="")
    if separator == " ":
        lines = (line.replace("\t", " ") for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _split(text: str, separator: str, source: Source, offset: int = 0) -> list[Row]:
    """Cut a text into rows; blank lines are skipped.

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
    reader = _reader(f"{text}\n{END}", separator)
    rows: list[Row] = []
    start = 1
    try:
        for cells in reader:
            if cells and separator == " " and not cells[-1]:
                cells.pop()
            if cells:
                rows.append(Row(start + offset, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        raise fault(source, "file-line", at=start + offset, cause=str(error)) from error
    last = rows.pop()
    if last.cells != [END]:
        raise fault(source, "file-quote", at=last.line)
    return rows


def _read(source: Source, options: Options) -> Reading:
    text, said = decode(source)
    if re.search(r"[^\s,;|\"]", text) is None:
        raise fault(source, "file-empty", header=True)
    comments = _set_comments_aside(text)
    separator = comments.separator or find_separator(comments.rest)
    rows = _split(comments.rest, separator, source, comments.offset)
    above = _last_comment(comments, separator, source)
    frame, more, lines, from_comment = read_grid(
        rows, source, options, above=above, separator=separator
    )
    left = comments.lines[: len(comments.lines) - from_comment]
    if left:
        said += (note("read-comments", at=[n for n, _ in left], first=left[0][1]),)
    said += (note("read-separator", separator=separator), *more)
    return Reading(frame, said, FORMATS.get(separator, "text"), lines)


def _last_comment(comments: Comments, separator: str, source: Source) -> Row | None:
    """Return the comment line right above the table as a row: it may be the header."""
    if not comments.lines:
        return None
    number, text = comments.lines[-1]
    if text.startswith("##"):
        return None
    bare = re.sub(r"^#\s*", "", text)
    try:
        rows = _split(bare, separator, source, number - 1)
    except InputError:  # a quote that is never closed
        return None
    return rows[0] if len(rows) == 1 and len(rows[0].cells) > 1 else None


TEXT = Format("text", lambda source: True, _read, frozenset({"header", "decimal"}))
