"""Long tables in Parquet files, a column at a time: the same as when they are read as a whole."""

import os
import warnings
from decimal import Decimal
from threading import Thread

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spinney import learn, learn_groups
from spinney.exceptions import InputError
from spinney.tables import ColumnSource, read_table
from spinney.tables.readers import open_table, scan_parquet
from spinney.tables.readers.sources import open_source
from tests.graph.cases import plain_judge


@pytest.fixture
def frame(rng):
    n = 230
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n).astype(np.float32),
            "y": rng.normal(size=n),
            "n": rng.integers(0, 300, n),
            "scale": rng.integers(0, 4, n).astype(np.int8),
            "ok": rng.random(n) < 0.5,
            "town": rng.choice(["York", "Hull", "Leeds"], n),
            "grade": pd.Categorical(
                rng.choice(["low", "high"], n), categories=["low", "high", "none"], ordered=True
            ),
            "day": pd.date_range("2020", periods=n),
            "number": rng.integers(10, 99, n).astype(str),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["y", "town", "grade"]] = np.nan
    return frame


@pytest.fixture
def path(frame, tmp_path):
    """Several row groups, so that no column lies in one piece."""
    path = tmp_path / "long.parquet"
    frame.to_parquet(path, row_group_size=50, index=False)
    return path


def _same(found, expected):
    assert (found.columns, found.left_out) == (expected.columns, expected.left_out)
    np.testing.assert_array_equal(found.values, expected.values)


def test_it_is_read_like_a_frame(path):
    long = scan_parquet(path)
    whole = open_table(path)
    assert isinstance(long, ColumnSource)
    assert (long.n_rows, len(long), long.names) == (230, 230, tuple(whole.frame))
    assert (long.row_names, long.decisions) == (None, whole.decisions)
    _same(read_table(long), read_table(whole.frame))
    keep = np.arange(3, 230, 7)
    _same(read_table(long, keep=keep), read_table(whole.frame, keep=keep))


def test_numbers_keep_their_width_and_rows_can_be_taken(path, frame):
    long = scan_parquet(path)
    assert long.column("x").dtype == np.float32
    assert long.column("scale").dtype == np.int8
    taken = long.take(np.array([2, 120, 229]), ["x", "grade", "day"])
    expected = frame.iloc[[2, 120, 229]][["x", "grade", "day"]]
    pd.testing.assert_frame_equal(taken, expected)
    pd.testing.assert_frame_equal(long.select(["n", "y"]).take(), frame[["n", "y"]])


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
    table = read_table(scan_parquet(path))
    assert table.columns[0].levels == ("u", "v", "w")
    _same(table, read_table(open_table(path).frame))


def test_decimals_and_strange_names(tmp_path):
    path = tmp_path / "t.parquet"
    columns = [pa.array([Decimal("1.5"), None]), pa.array([3, None])]
    pq.write_table(pa.table(columns, names=["b\n1", "c"]), path)
    long, whole = scan_parquet(path), open_table(path)
    assert (long.names, long.decisions) == (tuple(whole.frame), whole.decisions)
    pd.testing.assert_frame_equal(long.take(), whole.frame)


@pytest.mark.parametrize("index", [None, "cell"])
def test_row_names_are_set_aside(index, frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.index = pd.Index([f"c{k}" for k in range(len(frame))], name=index)
    frame.to_parquet(path)
    long, whole = scan_parquet(path), open_table(path)
    assert (long.names, long.row_names) == (tuple(whole.frame), index)
    assert long.decisions == whole.decisions
    assert long.aside == whole.aside == (() if index is None else (index,))
    if index is not None:
        assert long.column("cell").tolist() == frame.index.tolist()


def test_a_first_column_of_identifiers_names_the_rows(frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.insert(0, "cell_id", np.random.default_rng(0).permutation(len(frame)) + 10**6)
    frame.to_parquet(path, index=False)
    long, whole = scan_parquet(path), open_table(path)
    assert long.row_names == "cell_id"
    assert (long.names, long.decisions) == (tuple(whole.frame), whole.decisions)


def test_what_cannot_be_read(path, tmp_path, frame):
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"damaged.parquet' cannot be read as a Parquet file \("):
        scan_parquet(damaged)
    content = bytearray(path.read_bytes())
    content[5:200] = bytes(195)  # the pages of the first column, in a file that is whole else
    damaged.write_bytes(content)
    with pytest.raises(
        InputError, match=r"cannot be read as a Parquet file .* Save or copy it again\."
    ):
        read_table(scan_parquet(damaged))
    with pytest.raises(InputError, match=r"There is no file '.*none.parquet'\. Check the path\."):
        scan_parquet(tmp_path / "none.parquet")
    frame.iloc[:0].to_parquet(damaged)
    with pytest.raises(InputError, match=r"is empty\. A table has columns and rows\."):
        scan_parquet(damaged)
    pq.write_table(pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"]), damaged)
    with pytest.raises(InputError, match="has two columns called 'a'"):
        scan_parquet(damaged)


def test_a_column_of_lists_is_refused_only_if_it_is_wanted(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table([pa.array([1.0, 2.0]), pa.array([[1], [2]])], names=["a", "b"])
    pq.write_table(table, path)
    long = scan_parquet(path)
    assert long.column("a").tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match=r"Column 'b' holds a ndarray"):
        read_table(long, min_rows=2)


def test_open_table_leaves_long_tables_where_they_are(path):
    assert not open_table(path, most_rows=230).is_long
    table = open_table(path, most_rows=229)
    whole = open_table(path)
    assert table.is_long
    assert (table.n_rows, table.names) == (230, whole.names)
    pd.testing.assert_frame_equal(table.frame, whole.frame)
    assert (table.checksum, table.n_bytes) == (whole.checksum, whole.n_bytes)
    assert table.n_bytes == path.stat().st_size


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_what_comes_through_a_pipe_is_read_once(path, tmp_path):
    """As in ``spinney learn <(cat table.parquet)``."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(path.read_bytes()), daemon=True)
    writer.start()
    source = open_source(pipe)
    assert (source.path, source.data) == (None, path.read_bytes())
    writer.join()
    assert open_source(path).path == path


def test_a_column_that_turns_to_text_is_noticed(frame, tmp_path):
    """A Parquet column has one type: of numbers written as text, some may be none."""
    path = tmp_path / "t.parquet"
    words = [str(value) for value in frame["y"].fillna(0.5)]
    words[-3:-1] = ["n/a?"] * 2
    frame.assign(y=words).to_parquet(path, row_group_size=50, index=False)
    table = read_table(scan_parquet(path), keep=np.arange(100))
    reasons = {column.name: column.reason for column in table.left_out}
    assert reasons["y"] == "holds text among numbers (first: 'n/a?')"


def test_learning_from_a_file_and_from_a_frame(tmp_path, rng):
    judge = plain_judge()
    X = rng.normal(size=(300, 4))
    X[:, 1] += X[:, 0]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(g=rng.choice(["u", "v"], 300))
    path = tmp_path / "t.parquet"
    frame.to_parquet(path, row_group_size=64, index=False)
    long = scan_parquet(path)
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
