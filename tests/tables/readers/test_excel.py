"""Excel files, written by openpyxl and pandas."""

import datetime
import io
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from openpyxl import Workbook

from spinney.exceptions import InputError
from spinney.tables.readers import open_table

FIRST = "row 1 holds the names of the columns"


@pytest.fixture
def book(tmp_path):
    def write(*sheets, name="table.xlsx"):
        found = Workbook()
        found.remove(found.active)
        for title, rows in sheets:
            sheet = found.create_sheet(title)
            for row in rows:
                sheet.append(row)
        found.save(tmp_path / name)
        return tmp_path / name

    return write


def test_what_pandas_writes_comes_back(tmp_path, rng):
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=30) * 10.0 ** rng.integers(-9, 9, size=30),
            "n": rng.integers(-1000, 1000, 30),
            "ok": rng.random(30) < 0.5,
            "town": rng.choice(["York", "Hull"], 30),
        }
    )
    frame.loc[3, "x"] = np.nan
    path = tmp_path / "t.xlsx"
    frame.to_excel(path, index=False)
    table = open_table(path)
    frame = frame.astype({"town": object})
    pd.testing.assert_frame_equal(table.frame, frame, rtol=1e-14)  # openpyxl writes 16 digits
    again = pd.read_excel(path, engine="openpyxl").astype({"town": object})
    pd.testing.assert_frame_equal(table.frame, again, check_exact=True)
    assert table.format == "excel"
    assert table.decisions == (FIRST,)
    assert table.lines.tolist() == list(range(2, 32))


def test_an_index_written_by_pandas_names_the_rows(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2], "b": [3, 4]}, index=["p1", "p2"])
    frame.to_excel(tmp_path / "t.xlsx")
    table = open_table(tmp_path / "t.xlsx")
    pd.testing.assert_frame_equal(table.frame, frame, check_index_type=False)
    assert table.decisions[1:] == ("the first column, which has no name, taken for row names",)


def test_the_first_sheet_with_a_table_is_taken_and_said(book):
    path = book(
        ("notes", [["made by hand"], [], ["twice"]]),
        ("data", [["a", "b"], [1, 2], [3, 4]]),
        ("more", [["c", "d"], [5, 6], [7, 8]]),
    )
    table = open_table(path)
    assert list(table.frame) == ["a", "b"]
    assert table.decisions == (
        "sheet 'data' taken, the first with a table (others: 'notes' and 'more'; choose with "
        "sheet=)",
        FIRST,
    )
    for sheet in ("more", 3, "3"):
        assert list(open_table(path, sheet=sheet).frame) == ["c", "d"]
    with pytest.raises(InputError) as caught:
        open_table(path, sheet="mroe")
    assert str(caught.value) == (
        f"There is no sheet in '{path}': 'mroe'. Did you mean 'more'? "
        "Choose from: 1, 2, 3, notes, data, more."
    )
    with pytest.raises(InputError, match=r"There is no sheet in .*: '4'"):
        open_table(path, sheet=4)


def test_titles_dates_errors_text_and_columns_that_start_late(book):
    day = datetime.datetime(2020, 5, 17)
    path = book(
        (
            "s",
            [
                [None, "Results of 2020"],
                [],
                [None, "Operator", "me"],
                [None, "name", "day", "time", "x", "y", "z"],
                [None, "p", day, day.replace(hour=8), "#N/A", "1,5", True],
                [None, "q", day, day, 2.5, "2,25", None],
                [None, "q", day, day, 2, 3, False],
                [None, "Source: WHO"],
            ],
        )
    )
    table = open_table(path)
    assert table.decisions == (
        "1 cell with an error of the spreadsheet, such as #N/A, read as missing",
        "rows 1 and 3 above the table left out ('Results of 2020' …)",
        "row 4 holds the names of the columns",
        "row 8 left out, as there is no data ('Source: WHO')",
        "column 1 left out: neither name nor values",
        "decimal commas in column 'y' ('1,5' read as 1.5)",
    )
    expected = pd.DataFrame(
        {
            "name": ["p", "q", "q"],
            "day": ["2020-05-17"] * 3,
            "time": ["2020-05-17 08:00:00", "2020-05-17", "2020-05-17"],
            "x": [np.nan, 2.5, 2],
            "y": [1.5, 2.25, 3],
            "z": pd.array([True, None, False], dtype="boolean"),
        }
    )
    pd.testing.assert_frame_equal(table.frame, expected, check_dtype=False)
    assert table.lines.tolist() == [5, 6, 7]


def test_durations_are_seconds(book):
    rows = [[datetime.timedelta(minutes=k), datetime.time(8, k), 0.5] for k in range(3)]
    frame = open_table(book(("s", [["took", "at", "x"], *rows]))).frame
    assert frame["took"].tolist() == [0, 60, 120]
    assert frame["at"].tolist() == ["08:00:00", "08:01:00", "08:02:00"]


def test_dots_of_numbers_that_a_spreadsheet_knows_are_decimal(book):
    """Beside decimal commas, text such as 1.125 is a thousand; a cell that holds 1.125 is not."""
    rows = [["number", "text", "dots"], [1.125, "1,5", "1.125"], [2.375, "2,5", "2.375"]]
    frame = open_table(book(("s", rows))).frame
    assert frame["number"].tolist() == [1.125, 2.375]
    assert frame["text"].tolist() == [1.5, 2.5]
    assert frame["dots"].tolist() == [1125, 2375]


def test_merged_titles_and_years_as_names(book, tmp_path):
    found = Workbook()
    sheet = found.active
    sheet["A1"] = "Counts"
    sheet.merge_cells("A1:D1")
    for row in (["gene", 2018, 2019, 2020], ["x", 1.5, 2, 3], ["y", 2.5, 4, 1], ["z", 2, 1, 2]):
        sheet.append(row)
    found.save(tmp_path / "t.xlsx")
    table = open_table(tmp_path / "t.xlsx")
    assert list(table.frame) == ["2018", "2019", "2020"]
    assert table.frame.index.tolist() == ["x", "y", "z"]
    assert table.decisions[0] == "row 1 above the table left out ('Counts')"


def test_a_header_may_be_denied(book):
    path = book(("s", [["a", "b"], ["c", "b"], ["a", "b"]]))
    assert len(open_table(path, header="no").frame) == 3
    assert len(open_table(path, header="yes").frame) == 2


def test_a_formula_may_give_no_text(book, write):
    """As IF(A2="", "", A2) does; the sheet is written as Excel writes it."""
    content = book(("s", [["a", "b"], [1, 2], [3, "=A2+1"], [4, 5]])).read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for member in old.namelist():
            found = old.read(member)
            new.writestr(member, found.replace(b'<c r="B3"', b'<c r="B3" t="str"'))
    frame = open_table(write(buffer.getvalue(), "empty.xlsx")).frame
    assert frame["b"].isna().tolist() == [False, True, False]


def test_formulas_that_nobody_computed_are_refused(book):
    path = book(("s", [["a", "b"], [1, 2], [3, "=A2+1"], [4, 5]]))
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == (
        f"Cell B3 of sheet 's' in '{path}' holds a formula whose value was never computed. Open "
        "the file in Excel or LibreOffice, save it, and read it again."
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "'{path}' is empty. A table has a header and rows below it."),
        ([["only a title"]], "'{path}' is empty. A table has a header and rows below it."),
        ([["a", "b"]], "'{path}' is empty. A table has a header and rows below it."),
    ],
)
def test_sheets_without_a_table(rows, message, book):
    path = book(("s", rows))
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == message.format(path=path)


def test_damaged_books(book, write):
    content = book(("s", [["a", "b"], [1, 2], [3, 4]])).read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for member in old.namelist():
            broken = member.startswith("xl/worksheets/")
            new.writestr(member, b"<worksheet><broken" if broken else old.read(member))
    path = write(buffer.getvalue(), "broken.xlsx")
    with pytest.raises(InputError, match=r"cannot be read as an Excel file \(.*Save or copy it"):
        open_table(path)


def test_without_the_library_it_is_said_how_to_get_it(book, monkeypatch):
    path = book(("s", [["a", "b"], [1, 2]]))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == (
        "Reading '.xlsx' needs python_calamine. Install it with: pip install 'spinney[excel]'"
    )


@pytest.mark.parametrize("rows", [[], [["a", "b"]], [["a"], [1], [2]]])
def test_a_sheet_that_is_asked_for_without_a_table(book, rows):
    path = book(("data", [["a", "b"], [1, 2], [3, 4]]), ("later", rows))
    with pytest.raises(InputError, match=r"^Sheet 'later' of '.*' is empty\. A table has"):
        open_table(path, sheet="later")
