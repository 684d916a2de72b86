"""Cells by pandas, and by our own rules alone: both read any table alike."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.tables.readers import open_table, text
from spinney.tables.readers.parsing import IrregularError

DECIMALS = st.decimals(-2000, 2000, allow_nan=False, places=2).map(str)
THREE = st.decimals(1, 900, allow_nan=False, places=3).map(str)
WHOLE = st.integers(-10, 10**4).map(str)
CELLS = (
    DECIMALS,
    THREE,
    WHOLE,
    DECIMALS.map(lambda cell: cell.replace(".", ",")),
    THREE.map(lambda cell: cell.replace(".", ",")),
    st.integers(0, 10**7).map("{:,}".format),
    st.integers(10**15, 10**20).map(str),
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["TRUE", "FALSE", "true"]),
    st.sampled_from(["red", "sea green", 'a "b"', "x;y", "None", "é"]),
    st.sampled_from(["5%", "7.5 %", "3%"]),
    st.sampled_from(["x%", "y %"]),
    st.just(""),
)
GAPS = st.sampled_from(["", "NA", " NA ", "?", ".", "-", "#N/A", "nan"])


@st.composite
def columns(draw, n):
    cells, gaps = draw(st.sampled_from(CELLS)), draw(GAPS)
    common = draw(st.lists(cells, min_size=n, max_size=n))
    holes = draw(st.sets(st.integers(0, n - 1), max_size=3))
    return [gaps if k in holes else cell for k, cell in enumerate(common)]


@st.composite
def files(draw):
    n = draw(st.integers(3, 12))
    table = draw(st.lists(columns(n), min_size=2, max_size=4))
    separator = draw(st.sampled_from(",;\t| "))
    quoted = draw(st.booleans())
    rows = [[f"v{k}" for k in range(len(table))], *zip(*table, strict=True)]

    def write(cell):
        if quoted or not cell or any(letter in cell for letter in (separator, '"', " ")):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    lines = [separator.join(map(write, row)) for row in rows]
    odd = draw(st.sampled_from(["", "", "", "# note", "Source: us", "1", separator * len(table)]))
    lines.insert(draw(st.integers(0, len(lines))), odd)
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


def read(path, decimal):
    try:
        table = open_table(path, decimal=decimal)
    except InputError as error:
        return str(error)
    cells = table.frame.astype(object).to_numpy().tolist()
    names, index = list(table.frame.columns), table.frame.index.tolist()
    types = list(map(str, table.frame.dtypes))
    return repr((names, types, cells, index, table.decisions, table.lines.tolist()))


@given(content=files(), decimal=st.sampled_from(["auto", "auto", ".", ","]))
def test_pandas_reads_what_our_rules_read(content, decimal, tmp_path_factory):
    path = tmp_path_factory.mktemp("both") / "table.txt"
    path.write_bytes(content.encode())
    found = read(path, decimal)

    def refuse(*_):
        raise IrregularError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "parse", refuse)
        expected = read(path, decimal)
    assert found == expected


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
