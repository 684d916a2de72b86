"""Tables from disc: comma-, tab- or semicolon-separated text, perhaps packed with gzip."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from spinney.exceptions import InputError

__all__ = ["read_table"]

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
SNIFFED_ROWS = 20
"""Rows that are looked at to find the separator."""
GAPS = (
    *("", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "-nan", "NULL", "null"),
    *("?", "."),
)
"""Cells that stand for a missing value. "None" is not among them: it may be a category."""


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Read a table with a header: numbers, text, truth values, and gaps.

    Commas, tabs and semicolons are told apart by looking; with semicolons, numbers may have
    decimal commas. A first column without a name, or of text that never repeats, holds the names
    of the rows and becomes the index.

    Empty cells are gaps, and so are ``NA``, ``N/A``, ``n/a``, ``na``, ``NaN``, ``nan``, ``NULL``,
    ``null``, ``?``, ``.`` and a few spellings of these (``GAPS`` in this module). Columns of
    ``TRUE`` and ``FALSE`` (or ``True``, ``true``) hold truth values, also with gaps; ``yes``,
    ``no`` and all other text stay text.

    Parameters
    ----------
    path : path
        A text file in UTF-8, or such a file packed with gzip.

    Returns
    -------
    pandas.DataFrame
        Named columns. Cells are not judged here: text stays text, also among numbers.

    Raises
    ------
    InputError
        If there is no such file, or it is empty, not text, without header, of one column only,
        or a row has more or fewer cells than the header; the message says which line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("cell;Raf;Mek;phase\nc1;1,5;2;G1\nc2;0,5;7;S\nc3;?;3;\n")
    >>> read_table(path)
          Raf  Mek phase
    cell
    c1    1.5    2    G1
    c2    0.5    7     S
    c3    NaN    3   NaN
    """
    path = Path(path)
    text = _read_text(path)
    separator = _find_separator(text)
    rows = _split(text, separator, path)
    _, header = next(rows, (0, []))
    header = [cell.strip() for cell in header]
    if not any(header):
        raise InputError(f"'{path}' is empty. A table has a header and rows below it.")
    width, count = 0, 0
    for count, (line, cells) in enumerate(rows, 1):
        # R writes no header cell above the names of the rows.
        if count == 1 and len(cells) == len(header) + 1:
            header.insert(0, "")
        width = len(header)
        if len(cells) != width:
            raise InputError(
                f"Line {line} of '{path}' has {len(cells)} cell(s), but the header has {width}. "
                "Complete the row, or put quotes around cells that hold a separator."
            )
    _check_header(header, path)
    if count == 0:
        raise InputError(f"'{path}' has a header, but no rows below it. Add the data.")
    return _parse(text, separator, header)


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        if raw.startswith(b"\x1f\x8b"):
            raw = gzip.decompress(raw)
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder. Name a file in it.") from None
    except PermissionError:
        raise InputError(f"'{path}' may not be read. Check its permissions.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"'{path}' cannot be read ({error}). Copy it anew.") from error
    try:
        text = raw.decode("utf-8-sig")
        bad = raw.find(b"\0")
    except UnicodeDecodeError as error:
        text, bad = "", error.start
    if bad >= 0:
        line = raw.count(b"\n", 0, bad) + 1
        raise InputError(
            f"'{path}' is not text in UTF-8 (first: byte 0x{raw[bad]:02x} on line {line}). "
            "Save the table as CSV in UTF-8."
        )
    if not text.strip():
        raise InputError(f"'{path}' is empty. A table has a header and rows below it.")
    return text


def _find_separator(text: str) -> str:
    """Choose the separator that cuts the first rows into as many cells as the header, and most."""

    def merit(separator: str) -> tuple[int, int]:
        try:
            reader = csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True)
            rows = (row for row in reader if row)
            header = len(next(rows, []))
            widths = [len(row) for row, _ in zip(rows, range(SNIFFED_ROWS), strict=False)]
        except csv.Error:
            return (0, 0)
        fitting = sum(width in (header, header + 1) for width in widths)
        return (fitting if header > 1 else 0, header)

    return max(SEPARATORS, key=merit)


def _split(text: str, separator: str, path: Path) -> Any:
    """Yield line number and cells of every row that is not blank."""
    reader = csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(
            f"Line {reader.line_num} of '{path}' cannot be read ({error}). Look for a stray quote."
        ) from error


def _check_header(header: list[str], path: Path) -> None:
    if len(header) == 1:
        raise InputError(
            f"'{path}' has one column only. Separate columns by commas, tabs or semicolons."
        )
    named = header[1:] if not header[0] else header
    if all(_is_number(cell) for cell in named):
        raise InputError(
            f"The first line of '{path}' holds numbers only. Put a line with the names of the "
            "columns above it."
        )
    for position, name in enumerate(header, 1):
        if not name and position > 1:
            raise InputError(f"Column {position} of '{path}' has no name. Give it one.")
        if not name.isprintable():
            raise InputError(
                f"The name of column {position} of '{path}', {name!r}, holds a line end or "
                "another control character. Give it a plain name."
            )
    name, count = Counter(header).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"Column name '{name}' stands {count} times in '{path}'. "
            "Give each column a name of its own."
        )


def _parse(text: str, separator: str, header: list[str]) -> pd.DataFrame:
    frame = _numbers(text, separator, header, ".")
    if separator == ";" and any(_has_decimal_commas(frame[name]) for name in frame):
        frame = _numbers(text, separator, header, ",")
    first = frame.iloc[:, 0]
    if not header[0] or (_is_text(first) and first.notna().all() and first.is_unique):
        frame = frame.set_index(header[0])
        frame.index.name = header[0] or None
    return frame.apply(_free_numbers)


def _numbers(text: str, separator: str, header: list[str], decimal: str) -> pd.DataFrame:
    return pd.read_csv(
        StringIO(text),
        sep=separator,
        decimal=decimal,
        header=0,
        names=header,
        index_col=False,
        skipinitialspace=True,
        low_memory=False,  # a column is of one type, however long it is
        na_values=list(GAPS),
        keep_default_na=False,
    )


def _is_text(column: pd.Series[Any]) -> bool:
    return not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    )


def _free_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """In a column of text, turn numbers into numbers: what is left is what stands in the way."""
    if not _is_text(column):
        return column
    present = column.dropna()
    if len(present) and all(isinstance(cell, bool) for cell in present):
        return column.astype("boolean")  # truth values with gaps
    numbers = pd.to_numeric(column, errors="coerce").astype(object)
    return column.astype(object).where(numbers.isna(), numbers)


def _has_decimal_commas(column: pd.Series[Any]) -> bool:
    """Whether every cell is a number, and some have a comma before their decimals."""
    if not _is_text(column):
        return False
    cells = [str(cell) for cell in column.dropna()]
    numbers = all(re.fullmatch(r"\s*[-+]?\d*,?\d+([eE][-+]?\d+)?\s*", cell) for cell in cells)
    return numbers and any("," in cell for cell in cells)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
