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
from spinney.tables.readers.cells import EXACT, Cells, Survey
from spinney.tables.readers.grid import HEAD_ROWS, NO_TABLE, Row, end_of_data, find_layout, to_frame
from spinney.tables.readers.sources import (
    ZIP,
    Options,
    Reading,
    Source,
    check_cells,
    library,
    reading,
)

FEWEST = 2
"""Rows and columns that a sheet must have to hold a table."""
LAST = re.compile(rb'<(?:\w+:)?dimension ref="[A-Z]+\d+:([A-Z]+)(\d+)"')
"""The last cell of a sheet, as its file says."""
FORMULA = re.compile(
    rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]+\d+)"[^>]*>\s*<(?:\w+:)?f\b(.*?)</(?:\w+:)?c>', re.S
)
VALUE = re.compile(rb"<(?:\w+:)?v\b[^>/]*>[^<]")


def read(source: Source, options: Options) -> Reading:
    """Read a sheet of an Excel file."""
    calamine = library("python_calamine", ".xlsx", "excel")
    with reading(source, "an Excel file"):
        xml = _xml_of_sheets(source)
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(source.data))
        names = [sheet.name for sheet in book.sheets_metadata if "WorkSheet" in str(sheet.typ)]
        asked = _asked(options.sheet, names, source)
        for name in asked or names:
            own = xml.get(name, b"")
            cells = _cells(book, name, own, source)
            if (cells.notna().sum(axis=1) >= FEWEST).sum() >= FEWEST:
                break
        else:
            what = f"Sheet {quoted(asked[0])} of {source.label}" if asked else source.label
            raise InputError(f"{what} is empty. {NO_TABLE}")
        others = listed([quoted(other) for other in names if other != name], most=4)
        why = f"the first with a table (others: {others}; choose with sheet=)"
        said = [f"sheet {quoted(name)} taken, {why}"] if others and not asked else []
        _check_formulas(own, name, source)
        if b't="e"' in own:
            count = counted(own.count(b't="e"'), "cell")
            said.append(f"{count} with an error of the spreadsheet, such as #N/A, read as missing")
    head = cells.iloc[:HEAD_ROWS]
    rows = [Row(line, [*map(_text, row)]) for line, *row in head.itertuples()]
    layout = find_layout(rows, source, options, "row")
    body = cells.loc[layout.body[0].line :]
    lines = body.index.to_numpy()
    end = end_of_data(body, lines, layout)
    columns = [_typed(body[k].iloc[:end]) for k in body]
    table, more = to_frame(layout, columns, options)
    return Reading(table, (*said, *more), "excel", lines[:end])


def _xml_of_sheets(source: Source) -> dict[str, bytes]:
    """Return the XML of each sheet by name; none of an old file (.xls), which has no XML."""
    if not source.data.startswith(ZIP):
        return {}
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
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


def _asked(sheet: str | int | None, names: list[str], source: Source) -> list[str]:
    """Return the sheet that is asked for by its name or number; none if any will do."""
    if sheet is None:
        return []
    known = {str(k): name for k, name in enumerate(names, 1)} | dict(zip(names, names, strict=True))
    return [known[check_choice(str(sheet), known, f"sheet in {source.label}:")]]


def _cells(book: Any, name: str, xml: bytes, source: Source) -> pd.DataFrame:
    """Return the cells of a sheet by the number of their row; empty rows are left out."""
    last = LAST.search(xml)
    if last is not None:  # room is made for all cells up to it
        check_cells(int(last[2]), _column_number(last[1]), source)
    found = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    cells = pd.DataFrame([[*map(_bare, row)] for row in found], dtype=object)
    cells.index += 1
    filled = cells.notna()
    width = int(np.flatnonzero(filled.any()).max(initial=-1)) + 1
    return cells.loc[filled.any(axis=1), : width - 1]


def _bare(value: Any) -> Any:
    return value.strip() or None if isinstance(value, str) else value


def _typed(column: pd.Series[Any]) -> Cells:
    """Take numbers as the spreadsheet has them, and anything else as text."""
    if not {type(value) for value in column.dropna()} <= {int, float}:
        return column.map(_text, na_action="ignore")
    values = column.to_numpy(dtype=float)
    whole = bool((values == np.rint(values)).all()) and np.abs(values).max() < EXACT
    return Survey(values.astype(np.int64) if whole else values, is_read=True)


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
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return "" if value is None else str(value)


def _check_formulas(xml: bytes, name: str, source: Source) -> None:
    """Refuse formulas without a computed value: they would look like gaps."""
    for cell, content in FORMULA.findall(xml):
        if VALUE.search(content) is None:
            raise InputError(
                f"Cell {cell.decode()} of sheet {quoted(name)} in {source.label} holds a formula "
                "whose value was never computed. Open the file in Excel or LibreOffice, save it, "
                "and read it again."
            )
