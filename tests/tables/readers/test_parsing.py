"""Cells by pandas: what comes late in a file is read as if it came first."""

import numpy as np
import pandas as pd
import pytest

from spinney.exceptions import InputError
from spinney.tables.readers import open_table

LONG = 1000
"""Rows beyond those by which it is decided what stands where."""


@pytest.mark.parametrize(
    ("usual", "last", "expected"),
    [
        ("7", "1.500", 1.5),  # the only mark of the column
        ("7", "1,500", 1500),
        ("1.5", "<0.1", "<0.1"),
        ("1.5", "1,5", "1,5"),
        ("1.5", "-", None),
        ("red", "2.5", "2.5"),
        ("TRUE", "no", "no"),
        ("", "2.5", 2.5),
    ],
)
def test_what_comes_late_is_read_as_if_it_came_first(tmp_path, usual, last, expected):
    path = tmp_path / "late.csv"
    rows = [f"{k}\t{usual}\t0.5" for k in range(LONG)]
    path.write_text("\n".join(["a\tb\tc", *rows, f"0\t{last}\t0.5"]))
    column = open_table(path).frame["b"]
    assert len(column) == LONG + 1
    assert pd.isna(column.iloc[-1]) if expected is None else column.iloc[-1] == expected


@pytest.mark.parametrize(("last", "count"), [("0,1", 2), ("0,1,2,3", 4), ("0", 1)])
def test_a_late_row_of_another_width_is_refused_with_its_line(tmp_path, last, count):
    path = tmp_path / "ragged.csv"
    path.write_text("\n".join(["a,b,c", *["1,2,3"] * LONG, last, "1,2,3"]))
    with pytest.raises(InputError, match=rf"^Line {LONG + 2} .* has {count} cells?, but"):
        open_table(path)


def test_lines_are_counted_through_quotes_and_blank_lines(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("a,b\n" + '1,"x\ny"\n' * LONG + "\n2,z\n")
    table = open_table(path)
    assert table.lines[-1] == 2 * LONG + 3
    np.testing.assert_array_equal(table.lines[:LONG], np.arange(2, 2 * LONG + 2, 2))


def test_what_comes_after_the_first_pieces_of_a_long_file_is_read_alike(tmp_path):
    """Pandas finds types piece by piece, here 131,072 rows each."""
    path = tmp_path / "long.csv"
    path.write_text("a,b,c,d,e\n" + "7,0.5,TRUE,,x\n" * 150_000 + "NA,<0.1,no,word,2\n")
    last = open_table(path).frame.iloc[-1].tolist()
    assert np.isnan(last[0])
    assert last[1:] == ["<0.1", "no", "word", "2"]
    first = open_table(path).frame.iloc[0].tolist()
    assert first[:3] == [7.0, 0.5, "TRUE"]
    with path.open("a") as file:
        file.write("1,2,3\n")
    with pytest.raises(InputError, match=r"^Line 150003 .* has 3 cells, but the header has 5"):
        open_table(path)


def test_rows_of_separators_below_leave_whole_numbers_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id;a;b\n11;1;x\n12;2;y\n13;4;x\n;;\n;;\n")
    frame = open_table(path).frame
    assert frame.index.tolist() == [11, 12, 13]
    assert frame["a"].dtype == np.int64
