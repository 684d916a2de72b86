"""Excel files (.xlsx), by openpyxl: values as computed by the program that saved them."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from spinney._core.choices import check_choice
from spinney._core.text import counted, listed, quoted
from spinney.exceptions import InputError
from spinney.tables.readers.formats import (
    Options,
    Reading,
    Source,
    check_cells,
    library,
    reading,
)
from spinney.tables.readers.grid import NO_TABLE, Row, read_grid
from spinney.tables.readers.sources import MOST_UNPACKED

FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
FEWEST = 2
"""Rows and columns that a sheet must have to hold a table."""


def read(source: Source, options: Options) -> Reading:
    """Read a sheet of an Excel file."""
    openpyxl = library("openpyxl", ".xlsx", "excel")
    with reading(source, "an Excel file"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and other things that are not read
        _check_size(source)
        # Sheets that are charts have no cells.
        book = openpyxl.load_workbook(BytesIO(source.data), read_only=True, data_only=True)
        sheet, said = _choose(book.worksheets, source, options)
        rows = _rows(sheet, source)
        if options.sheet is not None and not rows:
            raise InputError(
                f"Sheet {quoted(sheet.title)} of {source.label} is empty. Choose another with "
                "sheet=."
            )
        _check_formulas(openpyxl, source, sheet.title, rows)
    frame, more, lines = read_grid(rows, source, options, place="row", padded=True, typed=True)
    return Reading(frame, (*said, *more), "excel", lines)


def _check_size(source: Source) -> None:
    """Refuse small files that unpack to a huge size."""
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MOST_UNPACKED:
        raise InputError(
            f"{source.label} unpacks to {size:,} bytes, more than {MOST_UNPACKED:,}. Copy what is "
            "needed into a file of its own."
        )


def _choose(sheets: list[Any], source: Source, options: Options) -> tuple[Any, tuple[str, ...]]:
    """Return the sheet that is asked for, or the first that holds a table."""
    names = [sheet.title for sheet in sheets]
    if options.sheet is not None and sheets:
        return sheets[_position(options.sheet, names, source)], ()
    for sheet in sheets:
        if _holds_a_table(sheet):
            others = listed([quoted(name) for name in names if name != sheet.title], most=4)
            why = f"the first with a table (others: {others}; choose with sheet=)"
            return sheet, (f"sheet {quoted(sheet.title)} taken, {why}",) if others else ()
    raise InputError(f"{source.label} is empty. {NO_TABLE}")


def _position(wanted: str | int, names: list[str], source: Source) -> int:
    number = int(wanted) if str(wanted).isdecimal() and str(wanted) not in names else None
    if number is None:
        return names.index(check_choice(wanted, names, f"sheet in {source.label}:"))
    if not 1 <= number <= len(names):
        raise InputError(
            f"{source.label} has {counted(len(names), 'sheet')}, but sheet {number} is asked for. "
            f"Choose from: {', '.join(names)}."
        )
    return number - 1


def _holds_a_table(sheet: Any) -> bool:
    full = 0
    for cells in _values(sheet):
        full += sum(value not in (None, "") for value in cells) >= FEWEST
        if full >= FEWEST:
            return True
    return False


def _values(sheet: Any) -> Iterator[tuple[Any, ...]]:
    # The size that a file claims for a sheet may be wrong, or millions of empty cells.
    sheet.reset_dimensions()
    yield from sheet.iter_rows(values_only=True)


def _rows(sheet: Any, source: Source) -> list[Row]:
    rows: list[Row] = []
    width = 0
    for number, values in enumerate(_values(sheet), 1):
        cells = [_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            width = max(width, len(cells))
            rows.append(Row(number, cells))
            check_cells(len(rows), width, source)
    return [Row(row.line, row.cells + [""] * (width - len(row.cells))) for row in rows]


def _text(value: Any) -> str:
    """Return a value as a text file would hold it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return str(value)


def _check_formulas(openpyxl: Any, source: Source, title: str, rows: list[Row]) -> None:
    """Refuse formulas without a computed value: they would look like gaps."""
    if not _has_formulas(source):
        return  # nearly always, and it saves reading all cells twice
    empty = {row.line: row.cells for row in rows}
    book = openpyxl.load_workbook(BytesIO(source.data), read_only=True, data_only=False)
    sheet = book[title]
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.iter_rows(), 1):
        values = empty.get(number, [])
        for position, cell in enumerate(cells):
            if getattr(cell, "data_type", "") != "f":
                continue
            if position >= len(values) or not values[position]:
                raise InputError(
                    f"Cell {cell.coordinate} of sheet {quoted(title)} in {source.label} holds a "
                    "formula whose value was never computed. Open the file in Excel or "
                    "LibreOffice, save it, and read it again."
                )


def _has_formulas(source: Source) -> bool:
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        return any(
            FORMULA.search(archive.read(name)) is not None
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )
