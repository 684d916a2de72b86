"""Runs of ``spinney learn`` as wholes: JSON, quiet, known edges, refusals, progress, odd names."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney import graph as learner
from spinney._core.progress import progress_bar
from spinney.exceptions import InputError
from spinney.graph import resampling
from spinney.graph.report import OUTPUTS
from spinney.graph.report.folder import STABILITY_FILES
from spinney.judge.learner import Learner
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


# Stability and tests of groups that can be gone on with


def test_samples_are_told_of(rows, spinney):
    result = spinney("learn", rows, *ALONE, "--stability", "20", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["stability"]
    assert told["n_fits"] == 20
    assert max(pair["frequency"] for pair in told["pairs"]) == 1.0
    assert files_in(".") == {"rows.csv", "rows-graph"}


def test_options_without_a_number(rows, spinney, monkeypatch):
    asked = []

    def recorder(name):
        def record(graph, number, **options):
            asked.append((name, number, options["random_state"]))
            raise InputError("enough")

        return record

    monkeypatch.setattr(learner, "learn_stability", recorder("learn_stability"))
    assert spinney("learn", "--stability", rows, *ALONE, "--seed", 3).exit_code == 2
    assert spinney("learn", rows, "--stability", "20", *ALONE).exit_code == 2
    assert asked == [("learn_stability", None, 3), ("learn_stability", 20, 0)]


def test_a_long_run_says_beforehand_how_long(rows, spinney, monkeypatch):
    words = ("learn", rows, *ALONE, "--stability", "20", "--jobs", "1")
    short = spinney(*words)
    assert "will take" not in short.stderr
    monkeypatch.setattr(resampling, "FIXED_S", 3.0)
    long = spinney(*words, "--force")
    assert "40 fits to samples of the rows will take about 2 minutes." in long.stderr


def test_samples_go_on_after_an_interrupt_and_are_written(rows, spinney, monkeypatch):
    words = ("learn", rows, "--stability", "20", "--jobs", "1")
    fit, n_fits = Learner.fit_read, []

    def interrupted(self, *given, **options):
        n_fits.append(1)
        if len(n_fits) == 13:  # the graph itself, ten samples and subsets, and some of the next
            raise KeyboardInterrupt
        return fit(self, *given, **options)

    monkeypatch.setattr(Learner, "fit_read", interrupted)
    result = spinney(*words)
    assert result.exit_code == 130
    assert "Finished fits are in" in result.stderr
    assert result.stderr.endswith("Interrupted. No half-written files are left.\n")
    assert files_in(".") == {"rows.csv", "rows-graph-unfinished"}
    n_fits[:] = [1] * 20
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert len(n_fits) == 20 + 1 + 30
    assert files_in(".") == {"rows.csv", "rows-graph"}
    lines = result.stdout.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Stability from 20 boot"))
    assert lines[start - 1] == lines[start + 4] == ""  # four lines
    assert {output.name for output in STABILITY_FILES} <= files_in("rows-graph")
    told = pd.read_csv("rows-graph/stability.csv")
    assert told["frequency"].max() == 1.0
    assert (told["strength_low"] <= told["strength_high"]).all()
    cases = pd.read_csv("rows-graph/stability-cases.csv")
    assert set(cases["statistic"]) >= {"edges", "strength"}
    differences = pd.read_csv("rows-graph/stability-differences.csv", encoding="utf-8-sig")
    assert {"edges", "strength"} <= set(differences["of"])


def test_groups_as_wholes(rows, spinney):
    frame = chains(120)
    frame["g"], frame["who"] = np.repeat(["x", "y"], 60), np.tile(np.arange(60), 2)
    frame.to_csv("visits.csv", index=False)
    words = ("learn", "visits.csv", *ALONE, "--group", "g", "--permutations", "20", "--json")
    result = spinney(*words, "--paired", "who")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    missing = spinney(*words, "--paired", "whom")
    assert missing.exit_code == 2
    assert "'whom'" in missing.stderr
    (test,) = told["tests"]
    assert test["groups"] == ["x", "y"]
    assert test["paired"]
    assert test["n_permutations"] == 20
    assert not any("who" in (edge["source"], edge["target"]) for edge in told["differences"])
    assert files_in(".") == {"rows.csv", "visits.csv", "visits-graph"}


def test_too_few_rows_for_stability_leave_nothing(rows, spinney):
    chains(15).to_csv("few.csv", index=False)
    result = spinney("learn", "few.csv", *ALONE, "--stability", "-q")
    assert result.exit_code == 2
    assert "Stability needs 20 rows or more" in result.stderr
    assert files_in(".") == {"rows.csv", "few.csv"}
