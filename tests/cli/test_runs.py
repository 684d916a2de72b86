"""Runs of ``spinney learn`` as wholes: JSON, quiet, known edges, refusals, progress, odd names."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney._core.progress import progress_bar
from spinney.graph.report import OUTPUTS
from tests.cli.cases import files_in
from tests.graph.cases import chains

FILES = {output.name for output in OUTPUTS}
ALONE = ("--no-report",)


# What is printed


def test_json_is_one_object(rows, spinney):
    Path("rows.csv").write_text(Path("rows.csv").read_text().replace("a,", "=1+1,", 1))
    result = spinney("learn", rows, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    edges = pd.read_csv("rows-graph/pairs.csv")
    assert told["n_edges"] == len(told["edges"]) == int(edges.edge.sum())
    # As it is: JSON is not a spreadsheet.
    assert "=1+1" in {edge["source"] for edge in told["edges"]}
    assert told["expected_false"] == pytest.approx(0, abs=1)
    assert {name: Path(path).name for name, path in told["files"].items()} == {
        name: name for name in FILES
    }
    assert all(Path(path).is_file() for path in told["files"].values())
    assert told["decisions"]
    assert told["warnings"] == []
    assert told["stability"] is None


def test_quiet_is_quiet(rows, spinney):
    X = pd.read_csv(rows)
    X["day"] = "2020-01-01"
    X.to_csv(rows, index=False)
    loud = spinney("learn", rows, *ALONE)
    assert "Warning: " in loud.stderr
    assert "read: line 1 holds the names of the columns" in loud.stdout.splitlines()
    for flag in ("--quiet", "-q"):
        result = spinney("learn", rows, *ALONE, "--force", flag)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    refused = spinney("learn", rows, *ALONE, "--quiet")
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1


def test_the_model_may_be_stored(rows, spinney):
    import spinney as package

    result = spinney("learn", rows, "--model")
    assert result.exit_code == 0, result.stderr
    assert files_in("rows-graph") == FILES | {"graph.spinney"}
    model = package.load_model("rows-graph/graph.spinney")
    assert len(model.edges) == len(pd.read_csv("rows-graph/edges.csv"))
    assert "graph.spinney" in json.loads(Path("rows-graph/run.json").read_text())["files"]


def test_known_edges(rows, spinney):
    Path("yes.csv").write_text("source,target\na,f\n")
    Path("no.csv").write_text("a b\n")
    names = list(chains())
    text = {path: Path(path).read_text() for path in ("yes.csv", "no.csv")}
    for path, words in text.items():
        for letter, name in zip("abf", (names[0], names[1], names[-1]), strict=True):
            words = re.sub(rf"\b{letter}\b", name, words)
        Path(path).write_text(words)
    result = spinney("learn", rows, *ALONE, "--required", "yes.csv", "--forbidden", "no.csv")
    assert result.exit_code == 0, result.stderr
    edges = pd.read_csv("rows-graph/edges.csv").set_index(["source", "target"])
    assert edges.loc[(names[0], names[-1]), "probability"] == 1
    assert (names[0], names[1]) not in edges.index
    shutil.copy("yes.csv", "no.csv")
    result = spinney(
        "learn", rows, *ALONE, "--required", "yes.csv", "--forbidden", "no.csv", "--force"
    )
    assert result.exit_code == 2
    assert "is both required and forbidden" in result.stderr


# Progress


def test_bars_name_the_stages_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with (
        progress_bar(0, "reading [cells].csv", True),
        progress_bar(10, "penalties", False) as advance,
    ):
        advance(4)
    told = capsys.readouterr().err
    assert "reading [cells].csv" in told
    assert "penalties" in told
    with progress_bar(10, "penalties", False) as advance:
        advance(1)
    assert capsys.readouterr().err == ""


# Names are data

NAMES = [
    *("<script>alert(1)</script>", '=HYPERLINK("http://x","y")', "a,b;c\td", "‮right to left"),
    *("🌲🌲", "變數", "x" * 10_000, 'it\'s "quoted"', "[red]markup[/red]", "{{ 7 * 7 }}"),
]


@pytest.mark.usefixtures("pictures")
def test_odd_names_go_all_the_way(tmp_path, monkeypatch, judge, spinney):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(200, len(NAMES)))
    X[:, 1:] += X[:, :-1]
    pd.DataFrame(X, columns=NAMES).to_csv("odd.csv", index=False)
    result = spinney("learn", "odd.csv", "--model", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["columns"] == len(NAMES)
    ends = {edge[end] for edge in told["edges"] for end in ("source", "target")}
    assert ends > {"<script>alert(1)</script>", '=HYPERLINK("http://x","y")', "🌲🌲", "變數"}
    assert files_in("odd-graph") == FILES | {"graph.spinney"}
    again = spinney("learn", "--again", "odd-graph/run.json", "--out", "again")
    assert again.exit_code == 0, again.stderr
    assert Path("again/edges.csv").read_bytes() == Path("odd-graph/edges.csv").read_bytes()
    assert "[red]markup[/red]" in again.stdout
