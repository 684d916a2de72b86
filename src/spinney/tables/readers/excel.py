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
from spinney.notices import Notice
from spinney.tables.readers.formats import (
    Options,
    Reading,
    Source,
    check_cells,
    fault,
    library,
    note,
    reading,
)
from spinney.tables.readers.grid import Row, read_grid
from spinney.tables.readers.sources import MOST_UNPACKED

__all__ = ["read"]

FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
FEWEST = 2
"""Rows and columns that a sheet must have to hold a table."""


def read(source: Source, options: Options) -> Reading:
    """Read a sheet of an Excel file."""
    openpyxl = library("openpyxl", ".xlsx", "excel")
    with reading(source, "excel"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and other things that are not read
        _check_size(source)
        # Sheets that are charts have no cells.
        book = openpyxl.load_workbook(BytesIO(source.data), read_only=True, data_only=True)
        sheet, said = _choose(book.worksheets, source, options)
        rows = _rows(sheet, source)
        if options.sheet is not None and not rows:
            raise fault(source, "sheet-empty", sheet=sheet.title)
        _check_formulas(openpyxl, source, sheet.title, rows)
    frame, more, lines = read_grid(rows, source, options, place="row", padded=True, typed=True)
    return Reading(frame, (*said, *more), "excel", lines)


def _check_size(source: Source) -> None:
    """Refuse small files that unpack to a huge size."""
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MOST_UNPACKED:
        raise fault(source, "file-unpacks", bytes=len(source.data), most=MOST_UNPACKED)


def _choose(sheets: list[Any], source: Source, options: Options) -> tuple[Any, tuple[Notice, ...]]:
    """Return the sheet that is asked for, or the first that holds a table."""
    names = [sheet.title for sheet in sheets]
    if options.sheet is not None and sheets:
        return sheets[_position(options.sheet, names, source)], ()
    for sheet in sheets:
        if _holds_a_table(sheet):
            others = [name for name in names if name != sheet.title]
            return sheet, (note("read-sheet", sheet=sheet.title, others=others),) if others else ()
    raise fault(source, "file-empty", header=True)


def _position(wanted: str | int, names: list[str], source: Source) -> int:
    number = int(wanted) if str(wanted).isdecimal() and str(wanted) not in names else None
    if number is None:
        return names.index(check_choice(wanted, names, f"sheet in {source.label}:"))
    if not 1 <= number <= len(names):
        raise fault(source, "sheet-number", number=number, sheets=names)
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
            check_cells(len(rows), width, source, "excel")
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
                raise fault(source, "sheet-formula", cell=cell.coordinate, sheet=title)


def _has_formulas(source: Source) -> bool:
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        return any(
            FORMULA.search(archive.read(name)) is not None
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )
