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
import spinney as package
from spinney import DataWarning, demo
from spinney._core import registry as _registry
from spinney._core.text import about, probability_text
from spinney.cli import _print
from spinney.evidence.out_of_distribution import size_notice
from spinney.exceptions import InputError
from spinney.graph.checks import check_graph
from spinney.graph.words import cautions, rank
from spinney.judge import GraphLearner, Judge
from spinney.judge import learner as judge_learner
from spinney.notices import Notice
from spinney.tables import smallest_tau
from tests.graph.cases import chains, plain_judge, with_gaps

JUDGED = ("--estimator", "graph-learner")


@pytest.fixture(autouse=True)
def hundred_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


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
    result = spinney("learn", rows, *JUDGED, "--fdr", fdr)
    assert result.exit_code == 0, result.stderr
    expected = GraphLearner(fdr=float(fdr)).fit(pd.read_csv(rows))
    assert len(pd.read_csv("rows-graph/edges.csv")) == len(expected.edges_)
    assert f" at most {fdr}" in result.stdout


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
    result = spinney("learn", rows, *JUDGED)
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
    result = spinney("learn", rows, *JUDGED)
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


def test_at_most_three_warnings_the_gravest_first(odd, spinney):
    result = spinney("learn", odd, *JUDGED, "--out", "odd")
    assert result.exit_code == 0, result.stderr
    *told, more = result.stderr.splitlines()
    words = ["codes for missing values", "repeat an earlier row", "Nearly the same"]
    assert len(told) == len(words)
    for line, word in zip(told, words, strict=True):
        assert line.startswith("Warning: ")
        assert word in line
    assert re.fullmatch(r"\d more warnings? in odd/report\.html\.", more)
    quiet = spinney("learn", odd, *JUDGED, "--out", "quiet", "--json")
    assert len(json.loads(quiet.stdout)["warnings"]) > len(words)


def test_warnings_come_before_an_error(rows, judge, spinney, monkeypatch):
    """They wait to be ranked, but are not lost."""
    pd.read_csv(rows).assign(always=7).to_csv("odd.csv", index=False)

    def fail(*_, **__):
        raise InputError("No.")

    monkeypatch.setattr(Judge, "probabilities", fail)
    result = spinney("learn", "odd.csv", *JUDGED, "--out", "odd")
    assert result.exit_code == 2
    warned, error = result.stderr.splitlines()
    assert "'always' is constant" in warned
    assert error == "Error: No."


# The first screen: edges that fit the terminal, and the gravest cautions


LONG = "the measured concentration of {} in the blood plasma"


def printed_with(names, width):
    frame = chains().rename(columns=names)
    console = Console(width=width, file=StringIO())
    _print.print_graph(console, package.learn(frame, judge=plain_judge()))
    return console.file.getvalue()


def test_a_strength_has_its_interval(rows, monkeypatch, spinney):
    monkeypatch.setenv("COLUMNS", "80")
    done = spinney("learn", rows, "--no-report")
    edges = pd.read_csv("rows-graph/edges.csv")
    assert len(edges)
    for row in edges.to_dict("records"):
        low, high = row["strength_low"], row["strength_high"]
        cells = f"{row['strength']:+.2f}  {low:+.2f} to {high:+.2f}  {row['tau']:+.2f}"
        cells = cells.replace("-", "−")
        assert cells in done.stdout


def test_long_names_go_on_in_the_next_line():
    told = printed_with({name: LONG.format(name) for name in "abcde"}, 80)
    assert max(map(len, told.splitlines())) <= 80
    assert all(f" {name} " in told for name in "abcde")
    assert "tau" in told.split("edges: ")[0]


def test_a_pipe_takes_names_of_any_length(rows, monkeypatch, spinney):
    monkeypatch.delenv("COLUMNS", raising=False)
    names = {name: LONG.format(name) for name in "abcde"}
    pd.read_csv(rows).rename(columns=names).to_csv("long.csv", index=False)
    done = spinney("learn", "long.csv", "--no-report")
    assert f"{names['a']} – {names['b']}" in done.stdout
    assert "95 % interval" in done.stdout


def test_nothing_is_expected_where_no_pair_could_be_judged(rows, spinney):
    walks = np.random.default_rng(0).normal(size=(400, 3)).cumsum(axis=0).cumsum(axis=0)
    pd.DataFrame(walks, columns=list("abc")).to_csv("walks.csv", index=False)
    done = spinney("learn", "walks.csv", "--no-report")
    assert "no pair could be judged" in done.stdout
    assert "expected:" not in done.stdout
    first, *others = [line for line in done.stderr.splitlines() if line.startswith("Warning")]
    assert "Neighbouring rows are alike" in first
    assert any("(effective sample size below 10)" in line for line in others)
    summary = package.learn("walks.csv", judge=plain_judge()).summary()
    assert "expect" not in summary


def test_units_are_confirmed(rows, spinney):
    frame = pd.concat([chains()] * 3, ignore_index=True)
    frame += 0.01 * np.random.default_rng(0).normal(size=frame.shape)
    frame.assign(who=np.arange(450) % 150).to_csv("visits.csv", index=False)
    done = spinney("learn", "visits.csv", "--unit", "who", "--no-report")
    assert done.exit_code == 0, done.stderr
    (line,) = [
        line for line in done.stdout.splitlines() if line.startswith("450 rows of 150 units: ")
    ]
    assert line.startswith("450 rows of 150 units: effective sample size 1")
    graph = package.learn("visits.csv", unit="who", judge=plain_judge())
    counted = graph.learner.n_rows_counted_
    assert f"effective sample size {counted} for" in line


def test_rows_are_enough_only_as_they_count():
    frame = pd.concat([chains()] * 3, ignore_index=True)
    frame += 0.01 * np.random.default_rng(0).normal(size=frame.shape)
    graph = package.learn(frame, unit=np.arange(450) % 150, judge=plain_judge())
    (said,) = [each for each in check_graph(graph) if each.code == "enough-rows"]
    counted = graph.learner.n_rows_counted_
    assert counted < 200
    assert said.facts["tau"] == smallest_tau(counted, 15)
    assert str(said).startswith(f"450 rows (effective sample size {counted}) are enough")


def test_cautions_about_rows_come_before_those_about_the_method():
    codes = ("as-warned", "unlike-training", "unknown-pairs", "twins", "rows-counted")
    found = [Notice("every-graph", "", "note"), *(Notice(code, "") for code in codes)]
    assert [each.code for each in rank(found)] == [
        *("rows-counted", "twins", "unlike-training", "unknown-pairs", "as-warned", "every-graph")
    ]


def test_without_a_report_the_record_has_all_warnings(odd, spinney):
    done = spinney("learn", odd, "--no-report")
    *told, more = done.stderr.splitlines()
    warned = json.loads(Path("odd-graph/run.json").read_text())["warnings"]
    assert [f"Warning: {line}" for line in warned[:3]] == told
    assert more == f"{len(warned) - 3} more warnings in odd-graph/run.json."


def test_a_pair_without_enough_rows_is_told_what_it_lacks():
    rng = np.random.default_rng(0)
    frame = chains(300)
    frame["late"] = np.where(np.arange(300) < 5, rng.normal(size=300), np.nan)
    lack = _lack(package.learn(frame, judge=plain_judge(), kind={"late": "continuous"}))
    assert lack == "values"
    walks = pd.DataFrame(rng.normal(size=(400, 2)).cumsum(axis=0).cumsum(axis=0))
    assert _lack(package.learn(walks.to_numpy(), judge=plain_judge())) == "order"


def _lack(graph):
    (found,) = [each for each in cautions(graph) if each.code == "unknown-pairs"]
    return found.facts["lack"]
