"""``spinney compare``: what is printed and written, for files and for methods."""

import json

import pandas as pd
import pytest

from spinney.graph.export.spreadsheet import read_csv

FILES = {"compare.csv", "compare.svg", "compare.png"}


@pytest.fixture
def edges(tmp_path, monkeypatch):
    """Two tables of edges in the current folder: one edge is shared, one turned around."""
    monkeypatch.chdir(tmp_path)

    def write(name, rows):
        table = pd.DataFrame(rows, columns=["source", "target", "probability", "sign"])
        table.to_csv(tmp_path / f"{name}.csv", index=False)

    write("before", [("a", "b", 0.9, 1), ("b", "c", 0.8, 1), ("c", "d", 0.7, 1)])
    write("after", [("b", "a", 0.95, 1), ("b", "c", 0.6, -1), ("d", "e", 0.7, -1)])
    write("third", [("a", "b", 0.9, 1)])


def test_two_graphs(spinney, edges):
    result = spinney("compare", "before.csv", "after.csv")
    assert result.exit_code == 0, result.stderr
    out = result.stdout
    assert "2 edges in both, 1 only in after (gained), 1 only in before (lost)" in out
    assert "Jaccard index 0.50" in out
    assert "Opposite signs in 1 shared edge: b – c." in out
    table = read_csv("comparison/compare.csv")
    states = dict(zip(zip(table.source, table.target, strict=True), table.state, strict=True))
    assert states == {
        ("d", "e"): "gained",
        ("c", "d"): "lost",
        ("b", "c"): "other sign",
        ("a", "b"): "shared",
    }


def test_three_graphs(spinney, edges, tmp_path):
    result = spinney("compare", "before.csv", "after.csv", "third.csv", "--out", "three")
    assert result.exit_code == 0, result.stderr
    assert "1 edge in all 3, 3 in some." in result.stdout
    assert {path.name for path in (tmp_path / "three").iterdir()} == FILES


def test_json_is_all_that_is_printed(spinney, edges):
    result = spinney("compare", "before.csv", "after.csv", "--json")
    told = json.loads(result.stdout)
    assert told["counts"] == {"gained": 1, "lost": 1, "other sign": 1, "shared": 1}
    assert told["jaccard"][0][1] == 0.5
    after = {key: value for key, value in told["edges"][0].items() if key.endswith("_after")}
    assert after == {
        "edge_after": True,
        "probability_after": 0.7,
        "strength_after": None,
        "sign_after": -1,
    }
    assert result.stderr == ""


def test_quiet_prints_nothing(spinney, edges, tmp_path):
    result = spinney("compare", "before.csv", "after.csv", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert {path.name for path in (tmp_path / "comparison").iterdir()} == FILES


def test_earlier_results_stay_without_force(spinney, edges, tmp_path):
    (tmp_path / "comparison").mkdir()
    (tmp_path / "comparison" / "compare.csv").write_text("mine")
    result = spinney("compare", "before.csv", "after.csv")
    assert result.exit_code == 2
    assert "already holds compare.csv" in result.stderr
    assert (tmp_path / "comparison" / "compare.csv").read_text() == "mine"
    assert spinney("compare", "before.csv", "after.csv", "--force", "-q").exit_code == 0
    assert (tmp_path / "comparison" / "compare.csv").read_text() != "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.csv", "after.csv"], "There is no file or folder 'nothing.csv'"),
        (["before.csv"], "Comparing needs two graphs"),
    ],
)
def test_what_is_wrong_is_one_line(spinney, edges, tmp_path, words, said):
    result = spinney("compare", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "comparison").exists()


def test_escape_codes_in_names_do_not_reach_the_terminal(spinney, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = pd.DataFrame({"source": ["\x1b[31mred"], "target": ["b"]})
    row.to_csv("x.csv", index=False)
    row.iloc[:0].to_csv("y.csv", index=False)
    result = spinney("compare", "x.csv", "y.csv")
    assert result.exit_code == 0, result.stderr
    assert "red" in result.stdout
    assert "\x1b[31m" not in result.stdout
