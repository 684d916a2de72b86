"""Excel files (.xlsx, .xlsm, .xls), by pandas and calamine: values as they were computed."""

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
from spinney.tables.readers.cells import Cells, Survey, as_whole
from spinney.tables.readers.grid import HEAD_ROWS, NO_TABLE, Row, end_of_data, find_layout, to_frame
from spinney.tables.readers.sources import ZIP, Options, Source, library, reading
from spinney.tables.table_file import TableFile

FORMULA = re.compile(
    rb'<(?:\w+:)?c\b([^>]*?\br="([A-Z]+\d+)"[^>]*)>\s*<(?:\w+:)?f\b(.*?)</(?:\w+:)?c>', re.S
)
VALUE = re.compile(rb"<(?:\w+:)?v\b[^>/]*>[^<]")


def read(source: Source, options: Options) -> TableFile:
    """Read a sheet of an Excel file."""
    library("python_calamine", ".xlsx", "excel")
    with reading(source, "an Excel file"):
        book = pd.ExcelFile(BytesIO(source.data), engine="calamine")
        names = [str(name) for name in book.sheet_names]
        known = {str(k): name for k, name in enumerate(names, 1)} | {name: name for name in names}
        asked = None
        if options.sheet is not None:
            asked = known[check_choice(str(options.sheet), known, f"sheet in {source.label}:")]
        for name in names if asked is None else [asked]:
            cells = _cells(book, name)
            if (cells.notna().sum(axis=1) > 1).sum() > 1:  # a table has two rows and columns
                break
        else:
            what = source.label if asked is None else f"Sheet {quoted(asked)} of {source.label}"
            raise InputError(f"{what} is empty. {NO_TABLE}")
        others = listed([quoted(other) for other in names if other != name], most=4)
        why = f"the first with a table (others: {others}; choose with sheet=)"
        said = [f"sheet {quoted(name)} taken, {why}"] if others and asked is None else []
        xml = _xml(source, name)
    _check_formulas(xml, name, source)
    if b't="e"' in xml:
        count = counted(xml.count(b't="e"'), "cell")
        said.append(f"{count} with an error of the spreadsheet, such as #N/A, read as missing")
    rows = [Row(line, [*map(_text, row)]) for line, *row in cells.iloc[:HEAD_ROWS].itertuples()]
    layout = find_layout(rows, source, options, "row")
    body = cells.loc[layout.body[0].line :]
    lines = body.index.to_numpy()
    end = end_of_data(body, lines, layout)
    columns = [_typed(body[k].iloc[:end]) for k in body]
    table, more = to_frame(layout, columns, options)
    return TableFile(table, (*said, *more), "excel", lines[:end])


def _cells(book: pd.ExcelFile, name: str) -> pd.DataFrame:
    """Return the cells of a sheet by the number of their row; empty rows are left out."""
    cells = pd.read_excel(book, sheet_name=name, header=None, dtype=object, na_filter=False)
    cells = cells.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    cells = cells.mask(cells.isin([""])).astype(object)
    cells.index += 1
    width = int(np.flatnonzero(cells.notna().any()).max(initial=-1)) + 1
    return cells.dropna(how="all").iloc[:, :width]


def _xml(source: Source, name: str) -> bytes:
    """Return the XML of a sheet; nothing of an old file (.xls), which has none."""
    if not source.data.startswith(ZIP):
        return b""
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {found.get("Id"): found.get("Target", "") for found in relations}
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        sheet = next(found for found in book.iterfind(".//{*}sheet") if found.get("name") == name)
        path = targets[next(value for key, value in sheet.items() if key.endswith("}id"))]
        return archive.read(path[1:] if path.startswith("/") else f"xl/{path}")


def _typed(column: pd.Series[Any]) -> Cells:
    """Take numbers as the spreadsheet has them, and anything else as text."""
    if not {type(value) for value in column.dropna()} <= {int, float}:
        return column.map(_text, na_action="ignore")
    return Survey(as_whole(column.to_numpy(dtype=float)), is_read=True)


def _text(value: Any) -> str:
    """Return a value as a text file would hold it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    return "" if pd.isna(value) else str(value).removesuffix(" 00:00:00")


def _check_formulas(xml: bytes, name: str, source: Source) -> None:
    """Refuse formulas without a computed value: they would look like gaps."""
    for cell, place, content in FORMULA.findall(xml):
        if b't="str"' not in cell and VALUE.search(content) is None:  # text may be empty
            raise InputError(
                f"Cell {place.decode()} of sheet {quoted(name)} in {source.label} holds a formula "
                "whose value was never computed. Open the file in Excel or LibreOffice, save it, "
                "and read it again."
            )
