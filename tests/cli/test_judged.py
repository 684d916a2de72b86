"""``spinney learn`` with the judge: what it says, and what it writes."""

import json
import re
import warnings
from copy import deepcopy
from dataclasses import replace
from io import StringIO
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import spinney
from spinney import DataWarning, demo
from spinney._core import registry as _registry
from spinney._core.text import about, probability_text
from spinney.cli import _print
from spinney.evidence.out_of_distribution import size_notice
from spinney.exceptions import InputError
from spinney.judge import GraphLearner, Judge
from spinney.judge import learner as judge_learner
from tests.graph.cases import chains, plain_judge, with_gaps

JUDGED = ("--estimator", "graph-learner")
ALONE = JUDGED
INTERVAL = "95 % interval"


@pytest.fixture
def rows(tmp_path, monkeypatch, judge):
    """Two chains and a lonely column, in the current folder; and a judge."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    chains().to_csv("rows.csv", index=False)
    return "rows.csv"


@pytest.fixture(scope="module")
def learned_once():
    return spinney.learn(chains(), judge=plain_judge())


@pytest.fixture
def learned(learned_once):
    """What is to be printed and written; a copy, to be spoilt."""
    return deepcopy(learned_once)


def table_in(output):
    """The printed table of edges: headings, and cells by edge."""
    lines = output.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("edges "))
    body = [line for line in lines[start + 1 : lines.index("", start)] if " – " in line]
    cells = [re.split(r" {2,}", line.strip()) for line in [lines[start], *body]]
    return cells[0], {row[0]: row[1:] for row in cells[1:]}


def printed(graph, width=100):
    console = Console(width=width, file=StringIO())
    _print.print_graph(console, graph)
    return console.file.getvalue()


def test_edge_by_edge(rows, learned, spinney):
    result = spinney("learn", rows, *JUDGED)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    lines = [line for line in lines if not line.startswith("read: ")]
    assert lines[:2] == ["rows.csv: 150 rows × 6 columns", "kinds: 6 continuous"]
    assert re.match(r"graph-learner: 3 edges, 3 components \(1 of them without edges.*", lines[2])
    false, missed = about(learned.expected_false), about(learned.expected_missed)
    assert lines[3] == f"expected: {false} false, {missed} missing (of those these rows can show)"
    assert "edges: probability above 0.5" in lines
    headings, edges = table_in(result.stdout)
    assert headings[1:] == ["probability", "strength", "95 % interval", "tau"]
    expected = learned.edges
    assert list(edges) == [f"{u} – {v}" for u, v in expected[["source", "target"]].to_numpy()]
    for (_, row), cells in zip(expected.iterrows(), edges.values(), strict=True):
        assert cells[0] == probability_text(row["probability"], 2)
        interval = f"{row['strength_low']:+.2f} to {row['strength_high']:+.2f}"
        told = [f"{row['strength']:+.2f}", interval, f"{row['tau']:+.2f}"]
        assert cells[1:4] == [each.replace("-", "−") for each in told]
    assert edges["a – b"][1].startswith("−")


def test_without_edges_none_is_said_to_be_false(learned):
    learned.learner.adjacency_[:] = False
    missed = f"expected: {about(learned.expected_missed)} missing (of those these rows can show)"
    assert printed(learned).startswith(missed)


@pytest.mark.usefixtures("pictures")
def test_what_is_written(rows, learned, spinney):
    assert spinney("learn", rows, *JUDGED).exit_code == 0
    edges = pd.read_csv("rows-graph/edges.csv")
    expected = learned.edges
    assert list(edges) == list(expected)
    for name in ("probability", "strength"):
        np.testing.assert_allclose(edges[name], expected[name], rtol=1e-7, atol=1e-12)
    graph = nx.read_graphml("rows-graph/graph.graphml")
    told = {"component": 0, "kind": "continuous", "label": "a"}
    assert told.items() <= graph.nodes["a"].items()
    kinds = {key: type(value) for key, value in graph.edges["a", "b"].items()}
    assert kinds["probability"] is kinds["strength"] is float
    assert kinds["sign"] is kinds["rows"] is int
    assert kinds["tau"] is float
    assert Path("rows-graph/graph.png").read_bytes().startswith(b"\x89PNG")


def test_gaps_and_categories_go_all_the_way(tmp_path, monkeypatch, judge, spinney):
    monkeypatch.chdir(tmp_path)
    X = chains(200)
    X["site"] = np.where(X["d"] > 0, "north", np.where(X["d"] < -0.5, "south", "east"))
    with_gaps(X).to_csv("mixed.csv", index=False)
    result = spinney("learn", "mixed.csv", *JUDGED)
    assert result.exit_code == 0, result.stderr
    _, edges = table_in(result.stdout)
    assert edges["d – site"][-1][0] not in "+−"  # without an order there is no sign
    attributes = nx.read_graphml("mixed-graph/graph.graphml").edges["d", "site"]
    assert attributes["sign"] == 0
    assert 0.3 < attributes["strength"] <= 1.0


@pytest.mark.parametrize("fdr", ["0.2", "0.0001"])
def test_a_share_of_false_edges_may_be_asked_for(rows, judge, spinney, fdr):
    result = spinney("learn", rows, *ALONE, "--fdr", fdr)
    assert result.exit_code == 0, result.stderr
    expected = GraphLearner(fdr=float(fdr)).fit(pd.read_csv(rows))
    assert len(pd.read_csv("rows-graph/edges.csv")) == len(expected.edges_)
    assert f" at most {fdr}" in result.stdout


def test_weak_edges_are_left_out_and_counted(rows, judge, spinney):
    result = spinney("learn", rows, *ALONE, "--min-strength", "0.5")
    assert result.exit_code == 0, result.stderr
    told = re.search(r"(\d+) weak edges? (was|were) left out: .*--min-strength", result.stdout)
    kept = pd.read_csv("rows-graph/edges.csv")
    low, high = kept["strength_low"], kept["strength_high"]
    assert (np.maximum(low, -high) > 0.5).all()
    spinney("learn", rows, *ALONE, "--force")
    assert len(pd.read_csv("rows-graph/edges.csv")) == len(kept) + int(told[1])


def test_no_edges_are_explained_in_words_of_the_shell(tmp_path, monkeypatch, judge, spinney):
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(0).normal(size=(60, 4))
    pd.DataFrame(noise, columns=list("abcd")).to_csv("noise.csv", index=False)
    result = spinney("learn", "noise.csv", *JUDGED, "--fdr", "0.001")
    assert result.exit_code == 0, result.stderr
    assert "0 edges, 4 components" in result.stdout
    text = " ".join(result.stdout.split())
    assert "No edge was kept. The most probable pair" in text
    assert "(--fdr)" in text
    assert "fdr=" not in text


def test_a_foreign_table_is_warned_of_in_one_line(rows, judge, spinney, monkeypatch):
    words = (size_notice("columns", 151, 2, 150),)
    monkeypatch.setattr(judge_learner, "unlike_training", lambda *_: words)
    result = spinney("learn", rows, *ALONE)
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("Warning: The table is unlike those that the judge was trained on")
    assert line.endswith("The table has 151 columns; the judge has seen tables with 2 to 150.")


def test_without_a_judge_nothing_is_written(rows, ship, spinney):
    ship(None)
    result = spinney("learn", rows, *JUDGED)
    assert result.exit_code == 2
    assert "This installation holds no trained judge" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not Path("rows-graph").exists()


def test_all_follows_from_one_default(rows, spinney, monkeypatch, capsys, tmp_path):
    name = _registry.registered()[_registry.DEFAULT].command
    result = spinney("learn", rows)
    assert result.exit_code == 0, result.stderr
    assert f"\n{name}: " in result.stdout
    assert "share of forests" not in result.stdout
    assert "probability" in result.stdout
    told = " ".join(spinney("info").stdout.split())
    assert told.count("(default)") == 1
    assert re.search(rf" {name} [^–]*?\(default\)", told)
    monkeypatch.setattr(demo, "run", lambda words: print("learned:", *words))
    demo.main(tmp_path / "demo")
    printed = capsys.readouterr().out
    assert "learned: learn" in printed


def test_of_many_edges_the_most_probable_are_shown(learned, monkeypatch):
    monkeypatch.setattr(_print, "MOST_EDGES", 2)
    lines = printed(learned).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("2 most probable edges "))
    first = learned.edges.iloc[0]
    assert lines[start + 1].startswith(f"{first['source']} – {first['target']} ")
    assert lines[start + 3] == "and 1 more in edges.csv"


def test_info_tells_of_the_judge(ship, judge, spinney, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    card = {
        "made": "2026-01-31",
        "runs": [{"tables": 120_000, "steps": 900}, {"tables": 130_000, "steps": 900}],
        "calibration": {"after": {"ece": 0.00312, "tables": 2500}},
        "limits": "Only like the world.",
    }
    path = ship(replace(judge, networks=judge.networks * 2, card=card))
    lines = [line.strip() for line in spinney("info").stdout.splitlines()]
    found = {line.split("  ")[0]: line.partition("  ")[2].strip() for line in lines if line}
    assert found["judge"].startswith(str(path))
    assert found["networks"].startswith("2, ")
    assert found["trained"] == ("2026-01-31, on 120,000 and 130,000 tables")
    assert found["calibration"] == "expected calibration error 0.0031 on held-out tables"
    assert found["limits"] == "Only like the world."


@pytest.mark.parametrize("shipped", [True, False])
def test_info_does_without_a_card_and_without_a_judge(ship, judge, spinney, shipped):
    ship(replace(judge, card={}) if shipped else None)
    result = spinney("info")
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert ("judge none. This installation holds no trained judge" in text) != shipped
    assert "limits" not in text


def test_warnings_of_the_table_come_once(rows, spinney, monkeypatch):
    read = judge_learner.Learner._read_to_learn

    def warn(self, X, *drawing):
        warnings.warn("Column 'a' is odd.", DataWarning, stacklevel=1)
        return read(self, X, *drawing)

    monkeypatch.setattr(judge_learner.Learner, "_read_to_learn", warn)
    result = spinney("learn", rows, *ALONE)
    assert result.stderr == "Warning: Column 'a' is odd.\n"


def test_check_grows_columns_and_says_what_was_found(rows, spinney, pictures, monkeypatch):
    monkeypatch.setattr("spinney.graph.graft_check.REPETITIONS", 3)
    result = spinney("learn", rows, "--check")
    assert result.exit_code == 0
    assert "edges of added columns were found" in result.stdout
    found = pd.read_csv("rows-graph/check.csv")
    assert set(found.repetition) == {0, 1, 2}
    run = json.loads(Path("rows-graph/run.json").read_text())
    assert run["settings"]["check"] is True
    assert "check.csv" in run["files"]


def test_at_most_three_warnings_the_gravest_first(rows, judge, spinney):
    frame = pd.read_csv(rows)
    frame = frame.assign(twin=frame["a"], always=7, mostly=-frame["b"])
    frame["mostly"] = frame["mostly"].where(frame.index < 50)
    frame.loc[::9, "lonely"] = -999
    frame = pd.concat([frame, frame.iloc[:30]])
    frame.to_csv("odd.csv", index=False)
    result = spinney("learn", "odd.csv", *ALONE, "--out", "odd")
    assert result.exit_code == 0, result.stderr
    *told, more = result.stderr.splitlines()
    words = ["codes for missing values", "repeat an earlier row", "Nearly the same"]
    assert len(told) == len(words)
    for line, word in zip(told, words, strict=True):
        assert line.startswith("Warning: ")
        assert word in line
    assert re.fullmatch(r"\d more warnings? in odd/report\.html\.", more)
    quiet = spinney("learn", "odd.csv", *ALONE, "--out", "quiet", "--json")
    assert len(json.loads(quiet.stdout)["warnings"]) > len(words)


def test_warnings_come_before_an_error(rows, judge, spinney, monkeypatch):
    """They wait to be ranked, but are not lost."""
    pd.read_csv(rows).assign(always=7).to_csv("odd.csv", index=False)

    def fail(*_, **__):
        raise InputError("No.")

    monkeypatch.setattr(Judge, "probabilities", fail)
    result = spinney("learn", "odd.csv", *ALONE, "--out", "odd")
    assert result.exit_code == 2
    warned, error = result.stderr.splitlines()
    assert "'always' is constant" in warned
    assert error == "Error: No."
