"""Parquet files, written by pandas and pyarrow; and what pyarrow unpacks."""

import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spinney.exceptions import InputError
from spinney.tables import read_table
from spinney.tables.readers import open_table, sources


def test_what_pandas_writes_comes_back(tmp_path, rng):
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=30),
            "n": rng.integers(0, 9, 30),
            "ok": rng.random(30) < 0.5,
            "town": pd.Categorical(rng.choice(["York", "Hull"], 30)),
            "day": pd.date_range("2020", periods=30),
        }
    )
    frame.loc[3, "x"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(table.frame, frame)
    assert (table.format, table.decisions, table.lines) == ("parquet", (), None)


@pytest.mark.parametrize("name", [None, "patient"])
def test_the_index_of_pandas_names_the_rows(name, tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.Index(["p", "p"], name=name))
    frame.to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(table.frame, frame)
    which = "" if name is None else " ('patient')"
    assert table.decisions == (f"the index of the table{which} taken for row names",)


def test_text_that_never_repeats_names_the_rows(tmp_path):
    frame = pd.DataFrame({"probe": ["p", "q"], "a": [1, 2], "b": [3, 4]})
    frame.to_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet")
    assert list(table.frame) == ["a", "b"]
    assert table.decisions == ("column 'probe' taken for row names",)


def test_names_twice_and_exact_decimals(tmp_path):
    columns = [pa.array([1, 2]), pa.array([Decimal("1.5"), None]), pa.array([3, 4])]
    pq.write_table(pa.table(columns, names=["a", "b\n1", "a"]), tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet")
    expected = pd.DataFrame({"a": [1, 2], "b 1": [1.5, np.nan], "a (2)": [3, 4]})
    pd.testing.assert_frame_equal(table.frame.astype(float), expected.astype(float))
    assert table.decisions == (
        "the name of column 2 held a line break or an invisible character; it is called 'b 1'",
        "the name 'a' occurs twice; the second is called 'a (2)'",
    )


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pa.array([[1], [2, 3]]), "a ndarray"),
        (pa.array([{"x": 1}, {"x": 2}]), "a dict"),
        (pa.array([b"x", b"y"]), "a bytes"),
    ],
)
def test_cells_that_are_no_single_values_are_refused(column, what, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table([pa.array([1, 2]), column], names=["a", "b"]), path)
    with pytest.raises(InputError, match=f"^Column 'b' holds {what}"):
        read_table(path, min_rows=2)


def test_damaged_empty_and_huge_files(tmp_path, write, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(path)
    broken = write(path.read_bytes()[:-20], "broken.parquet")
    with pytest.raises(
        InputError, match=r"cannot be read as a Parquet file \(.*Save or copy it again\."
    ):
        open_table(broken)
    content = bytearray(path.read_bytes())
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[start] = 0x1E  # a type that there is not: the library quotes the byte
    with pytest.raises(InputError) as caught:
        open_table(write(bytes(content), "strange.parquet"))
    assert str(caught.value).isprintable()
    monkeypatch.setattr(sources, "MOST_CELLS", 3)
    with pytest.raises(InputError, match="holds a table of 2 × 2 cells; at most 3 are read"):
        open_table(path)
    pd.DataFrame({"a": [], "b": []}).to_parquet(path)
    with pytest.raises(InputError, match=r"is empty\. A table has columns and rows\."):
        open_table(path)


def test_without_the_library_it_is_said_how_to_get_it(tmp_path, write, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(path)
    packed = write(pa.compress(b"a,b\n1,2\n", codec="zstd", asbytes=True), "t.csv.zst")
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == (
        "Reading '.parquet' needs pyarrow. Install it with: pip install 'spinney[parquet]'"
    )
    with pytest.raises(InputError) as caught:
        open_table(packed)
    assert str(caught.value) == (
        "Reading '.zst' needs pyarrow. Install it with: pip install 'spinney[parquet]'"
    )


def test_zstd_is_unpacked(write):
    packed = pa.compress(b"a,b\n1,2\n3,4\n", codec="zstd", asbytes=True)
    table = open_table(write(packed))
    pd.testing.assert_frame_equal(table.frame, pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
    assert table.decisions[0] == "unpacked with zstd"
    with pytest.raises(InputError, match=r"cannot be read .*Save or copy it again"):
        open_table(write(packed[:-5]))


@pytest.mark.parametrize("named", [True, False], ids=["index", "column"])
def test_text_that_is_no_text_is_refused(tmp_path, named):
    frame = pd.DataFrame({"word": ["wwww", "vvvv", "wwww"], "x": [1.0, 2.0, 4.0]})
    path = tmp_path / "broken.parquet"
    (frame.set_index("word") if named else frame).to_parquet(path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"vvvv", b"\xff\xfe\xfd\xfc"))

    def read(most_rows):
        file = open_table(path, most_rows=most_rows)
        return [file.column(name) for name in ("word", "x")]

    for most_rows in (None, 0):
        with pytest.raises(InputError, match="cannot be read") as caught:
            read(most_rows)
        assert str(caught.value).isprintable()
