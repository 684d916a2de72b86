"""``--rows`` and ``--precision``: which rows are learned from, and what is said of it."""

import json

import numpy as np
import pandas as pd
import pytest

import spinney.tables
from spinney import learn, learn_groups
from spinney.graph.report import writers
from spinney.tables import drawing


@pytest.fixture
def frame():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 5))
    X[:, 1] += X[:, 0]
    X[:, 3] -= 2 * X[:, 2]
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["scale"] = rng.integers(0, 10, 300)
    return frame


@pytest.fixture
def long(frame, tmp_path, monkeypatch, judge):
    """A Parquet file of row groups, of more rows than are learned from."""
    for module in (drawing, spinney.tables):
        monkeypatch.setattr(module, "MOST_ROWS", 100)
    monkeypatch.chdir(tmp_path)
    labelled = frame.assign(group=np.where(np.arange(300) % 4, "many", "few"))
    labelled.insert(0, "cell", [f"c{k}" for k in range(300)])
    labelled.to_parquet("long.parquet", row_group_size=70, index=False)
    return "long.parquet"


def _record(folder):
    return json.loads((folder / "run.json").read_text())


def _edges(folder):
    return pd.read_csv(folder / "pairs.csv").set_index(["source", "target"])["probability"]


def _expected(graph):
    return graph.pairs.set_index(["source", "target"])["probability"]


def _same(found, expected):
    """Tables have eight digits."""
    pd.testing.assert_series_equal(found.sort_index(), expected.sort_index(), rtol=1e-7)


def test_rows_of_a_text_file(table, spinney, judge, frame):
    done = spinney("learn", "cells.csv", "--rows", 60, "--no-report")
    assert done.exit_code == 0, done.output
    assert "cells.csv: 300 rows × 6 columns" in done.output
    told = "Evidence from 60 of 300 rows, drawn at random with seed 0: a correlation is known to"
    assert f"rows: {told} ±0.1." in done.output
    record = _record(table.parent / "cells-graph")
    assert (record["settings"]["rows"], record["settings"]["precision"]) == ("60", None)
    assert record["result"]["rows"] == {"used": 60, "of": 300, "seed": 0}
    assert record["data"]["rows"] == 300
    _same(_edges(table.parent / "cells-graph"), _expected(learn(frame, rows=60)))
    again = spinney("learn", "--again", "cells-graph/run.json", "--out", "again", "--no-report")
    assert "The tables are those of the earlier run, byte by byte." in again.output


def test_a_long_file_is_drawn_from(long, spinney, frame, tmp_path):
    done = spinney("learn", long, "--drop", "group", "--no-report", "--seed", 2)
    assert done.exit_code == 0, done.output
    assert "long.parquet: 300 rows × 6 columns" in done.output
    assert "read: column 'cell' taken for row names" in done.output
    assert "5 continuous, 1 ordinal (scale)" in done.output
    assert "rows: Evidence from 100 of 300 rows, drawn at random with seed 2" in done.output
    record = _record(tmp_path / "long-graph")
    assert record["result"]["rows"] == {"used": 100, "of": 300, "seed": 2}
    expected = learn(frame, rows=100, random_state=2)
    _same(_edges(tmp_path / "long-graph"), _expected(expected))
    again = spinney("learn", "--again", "long-graph/run.json", "--out", "again", "--no-report")
    assert "The tables are those of the earlier run, byte by byte." in again.output


@pytest.mark.parametrize("option", [("--rows", "all"), ("--precision", 0.0001), ("--rows", 900)])
def test_all_rows_of_a_long_file(option, long, spinney, frame, tmp_path):
    done = spinney("learn", long, "--columns", "a,b,c", "--no-report", *option)
    assert done.exit_code == 0, done.output
    assert "drawn at random" not in done.output
    assert "rows" not in _record(tmp_path / "long-graph")["result"]
    expected = learn(frame[["a", "b", "c"]], rows="all")
    _same(_edges(tmp_path / "long-graph"), _expected(expected))


def test_groups_of_a_long_file(long, spinney, frame, tmp_path):
    done = spinney("learn", long, "--group", "group", "--rows", 80, "--no-report")
    assert done.exit_code == 0, done.output
    labels = np.where(np.arange(300) % 4, "many", "few")
    expected = learn_groups(frame, pd.Series(labels, name="group"), rows=80)
    groups = _record(tmp_path / "long-graph")["result"]["groups"]
    assert groups["many"]["rows"] == {"used": 80, "of": 225, "seed": 0}
    assert "rows" not in groups["few"]
    found = pd.read_csv(tmp_path / "long-graph" / "groups.csv")
    found = found.set_index(["source", "target"])["differs"]
    _same(found, expected.differences.set_index(["source", "target"])["differs"])


def test_groups_by_the_names_of_rows_and_what_is_no_group(long, spinney):
    done = spinney("learn", long, "--group", "cell")
    assert done.exit_code == 2
    assert "Column 'cell' has 300 distinct values in 300 rows, too many for groups" in done.output
    done = spinney("learn", long, "--group", "sample")
    assert done.exit_code == 2
    assert "sample" in done.output


def test_stability_of_a_long_file(long, spinney, tmp_path):
    words = ("--columns", "a,b,c,d", "--rows", 60, "--stability", 20)
    done = spinney("learn", long, *words, "--no-report", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["stability"]["n_fits"] == 20
    assert told["rows"] == {"used": 60, "of": 300, "seed": 0}


@pytest.mark.parametrize(("estimator", "rows"), [("chow-liu", 50), ("partial-correlation", "all")])
def test_other_estimators(estimator, rows, long, spinney, frame, tmp_path):
    frame.drop(columns="scale").to_csv("short.csv", index=False)
    frame.drop(columns="scale").to_parquet("numbers.parquet", index=False)
    for name in ("short.csv", "numbers.parquet"):
        done = spinney("learn", name, "-e", estimator, "--rows", rows, "--out", f"{name}-out")
        assert done.exit_code == 0, done.output
        assert ("50 of 300" in done.output) == (rows == 50)
    text, parquet = (
        tmp_path / f"{name}-out" / "edges.csv" for name in ("short.csv", "numbers.parquet")
    )
    assert text.read_bytes() == parquet.read_bytes()


def test_a_damaged_long_file(long, spinney, tmp_path):
    content = bytearray((tmp_path / long).read_bytes())
    content[4:3400] = bytes(3396)
    (tmp_path / "damaged.parquet").write_bytes(content)
    done = spinney("learn", "damaged.parquet")
    assert done.exit_code == 2
    assert "cannot be read as a Parquet file" in " ".join(done.output.split())
    assert not (tmp_path / "damaged-graph").exists()


def test_a_series_is_cautioned_of_once_on_the_page(spinney, tmp_path, monkeypatch):
    """By the check of the graph; the warning of the command line would repeat it."""
    views = []

    def write(path, view):
        views.append(view)
        path.write_text("")

    monkeypatch.setattr(writers, "write_report", write)
    rng = np.random.default_rng(0)
    walk = pd.DataFrame(rng.normal(size=(150, 4)).cumsum(axis=0), columns=list("abcd"))
    walk.to_csv(tmp_path / "walk.csv", index=False)
    result = spinney("learn", tmp_path / "walk.csv", "--out", tmp_path / "found")
    assert result.stderr.count("time series") == 1
    assert "(--unit)" in result.stderr
    assert sum("time series" in text for text in views[0].warnings) == 1
