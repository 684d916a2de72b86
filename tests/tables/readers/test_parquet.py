"""Parquet files, written by pandas and pyarrow."""

import sys
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spinney import learn, learn_groups
from spinney.exceptions import InputError
from spinney.tables import read_table
from spinney.tables.readers import open_table
from tests.graph.cases import plain_judge


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
    assert table.decisions == ("names that occur more than once are numbered: 'a (2)'",)


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


def test_damaged_and_empty_files(tmp_path, write):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(path)
    broken = write(path.read_bytes()[:-20], "broken.parquet")
    with pytest.raises(
        InputError, match=r"cannot be read as a Parquet file \(.*Save or copy it again\."
    ):
        open_table(broken)
    content = bytearray(path.read_bytes())
    content[5:40] = bytes(35)  # the pages of the first column
    with pytest.raises(InputError, match="cannot be read as a Parquet file"):
        open_table(write(bytes(content), "pages.parquet"))
    content = bytearray(path.read_bytes())
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[start] = 0x1E  # a type that there is not: the library quotes the byte
    with pytest.raises(InputError) as caught:
        open_table(write(bytes(content), "strange.parquet"))
    assert str(caught.value).isprintable()
    pd.DataFrame({"a": [], "b": []}).to_parquet(path)
    with pytest.raises(InputError, match=r"is empty\. A table has columns and rows\."):
        open_table(path)


def test_without_the_library_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError) as caught:
        open_table(path)
    assert str(caught.value) == (
        "Reading '.parquet' needs pyarrow. Install it with: pip install 'spinney[parquet]'"
    )


@pytest.mark.parametrize("named", [True, False], ids=["index", "column"])
def test_text_that_is_no_text_is_refused(tmp_path, named):
    frame = pd.DataFrame({"word": ["wwww", "vvvv", "wwww"], "x": [1.0, 2.0, 4.0]})
    path = tmp_path / "broken.parquet"
    (frame.set_index("word") if named else frame).to_parquet(path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"vvvv", b"\xff\xfe\xfd\xfc"))

    with pytest.raises(InputError, match="cannot be read") as caught:
        open_table(path)
    assert str(caught.value).isprintable()


def test_dictionaries_may_differ_between_row_groups(tmp_path):
    """As pandas and others write them: each row group has its own words."""
    schema = pa.schema([("a", pa.dictionary(pa.int8(), pa.string())), ("b", pa.float64())])
    path = tmp_path / "t.parquet"
    with pq.ParquetWriter(path, schema) as writer:
        for words in (["u", "v"], ["v", "w"]):
            a = pa.array([words[0], words[1], None] * 4).dictionary_encode()
            a = a.cast(schema.field("a").type)
            b = pa.array(np.arange(12.0) ** 2)
            writer.write_table(pa.table([a, b], schema=schema))
    table = read_table(path)
    assert table.columns[0].levels == ("u", "v", "w")
    np.testing.assert_array_equal(table.values[:3, 0], [0, 1, np.nan])
    np.testing.assert_array_equal(table.values[12:15, 0], [1, 2, np.nan])


def test_learning_from_a_file_and_from_a_frame(tmp_path, rng):
    judge = plain_judge()
    X = rng.normal(size=(300, 4))
    X[:, 1] += X[:, 0]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(g=rng.choice(["u", "v"], 300))
    path = tmp_path / "t.parquet"
    frame.to_parquet(path, row_group_size=64, index=False)
    long = open_table(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows in (100, "all"):
            found = learn(long.select("abcd"), rows=rows, judge=judge)
            expected = learn(frame[list("abcd")], rows=rows, judge=judge)
            np.testing.assert_array_equal(found.probabilities, expected.probabilities)
        for by in ("g", frame["g"]):
            table = long if isinstance(by, str) else long.select("abcd")
            found = learn_groups(table, by, rows=60, judge=judge)
            expected = learn_groups(frame, "g", rows=60, judge=judge)
            for name in ("u", "v"):
                one, other = found.graphs[name], expected.graphs[name]
                np.testing.assert_array_equal(one.probabilities, other.probabilities)
                assert one.learner.table_.drawn == other.learner.table_.drawn
