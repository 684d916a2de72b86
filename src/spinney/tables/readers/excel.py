"""Excel files (.xlsx, .xlsm, .xls), by calamine: values as computed by what saved them."""

from __future__ import annotations

import datetime
import re
import zipfile
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

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
from spinney.tables.readers.grid import NO_TABLE, Row, end_of_data, find_layout, to_frame
from spinney.tables.readers.sources import MOST_UNPACKED, ZIP

HEAD_ROWS = 400
"""Rows by which it is decided what stands where."""
FEWEST = 2
"""Rows and columns that a sheet must have to hold a table."""
PLACE = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]+)(\d+)"')
FORMULA = re.compile(
    rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]+\d+)"[^>]*>\s*<(?:\w+:)?f\b(.*?)</(?:\w+:)?c>', re.S
)
VALUE = re.compile(rb"<(?:\w+:)?v\b[^>/]*>[^<]")


def read(source: Source, options: Options) -> Reading:
    """Read a sheet of an Excel file."""
    calamine = library("python_calamine", ".xlsx", "excel")
    with reading(source, "an Excel file"):
        sheets = _xml_of_sheets(source)
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(source.data))
        names = [sheet.name for sheet in book.sheets_metadata if "WorkSheet" in str(sheet.typ)]
        said: tuple[str, ...] = ()
        if options.sheet is not None and names:
            name = names[_position(options.sheet, names, source)]
            rows = _rows(book, name, sheets, source)
            if not rows:
                raise InputError(
                    f"Sheet {quoted(name)} of {source.label} is empty. Choose another with sheet=."
                )
        else:
            name, rows = _first_with_a_table(book, names, sheets, source)
            others = listed([quoted(other) for other in names if other != name], most=4)
            why = f"the first with a table (others: {others}; choose with sheet=)"
            said = (f"sheet {quoted(name)} taken, {why}",) if others else ()
        xml = sheets.get(name, b"")
        _check_formulas(xml, name, source)
        if b't="e"' in xml:
            count = counted(xml.count(b't="e"'), "cell")
            said += (f"{count} with an error of the spreadsheet, such as #N/A, read as a gap",)
    layout = find_layout(rows[:HEAD_ROWS], source, options, "row")
    body = [row for row in rows if row.line >= layout.body[0].line]
    frame = pd.DataFrame([row.cells for row in body], dtype=object)
    frame = frame.where(frame != "")
    lines = np.array([row.line for row in body], dtype=np.int64)
    end = end_of_data(frame, len(frame), lines, layout)
    columns = [frame[k].iloc[:end] for k in frame]
    table, more = to_frame(layout, columns, options, typed=True)
    return Reading(table, (*said, *more), "excel", lines[:end])


def _xml_of_sheets(source: Source) -> dict[str, bytes]:
    """Return the XML of each sheet by name; none of an old file (.xls), which has no XML."""
    if not source.data.startswith(ZIP):
        return {}
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > MOST_UNPACKED:
            raise InputError(
                f"{source.label} unpacks to {size:,} bytes, more than {MOST_UNPACKED:,}. Copy what "
                "is needed into a file of its own."
            )
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {found.get("Id"): found.get("Target", "") for found in relations}
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        found = {}
        for sheet in book.iterfind(".//{*}sheet"):
            own = next(value for key, value in sheet.items() if key.endswith("}id"))
            path = targets[own]
            member = path[1:] if path.startswith("/") else f"xl/{path}"
            found[sheet.get("name", "")] = archive.read(member)
        return found


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


def _first_with_a_table(
    book: Any, names: list[str], sheets: dict[str, bytes], source: Source
) -> tuple[str, list[Row]]:
    for name in names:
        rows = _rows(book, name, sheets, source)
        if sum(sum(map(bool, row.cells)) >= FEWEST for row in rows) >= FEWEST:
            return name, rows
    raise InputError(f"{source.label} is empty. {NO_TABLE}")


def _rows(book: Any, name: str, sheets: dict[str, bytes], source: Source) -> list[Row]:
    """Return the rows of a sheet that are not empty, as a text file would hold them."""
    # Room is made for all cells up to the last, and none left beyond the memory: so count first.
    places = PLACE.findall(sheets.get(name, b""))
    letters, n_rows = (
        {column for column, _ in places},
        max((int(row) for _, row in places), default=0),
    )
    check_cells(n_rows, max(map(_column_number, letters), default=0), source)
    found = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    rows = [Row(number, [_text(value) for value in cells]) for number, cells in enumerate(found, 1)]
    rows = [row for row in rows if any(row.cells)]
    width = max((k for row in rows for k, cell in enumerate(row.cells, 1) if cell), default=0)
    return [Row(row.line, row.cells[:width]) for row in rows]


def _column_number(letters: bytes) -> int:
    """Count a column: 1 for A, 28 for AB."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _text(value: Any) -> str:
    """Return a value as a text file would hold it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return str(value).strip()


def _check_formulas(xml: bytes, name: str, source: Source) -> None:
    """Refuse formulas without a computed value: they would look like gaps."""
    for cell, content in FORMULA.findall(xml):
        if VALUE.search(content) is None:
            raise InputError(
                f"Cell {cell.decode()} of sheet {quoted(name)} in {source.label} holds a formula "
                "whose value was never computed. Open the file in Excel or LibreOffice, save it, "
                "and read it again."
            )
