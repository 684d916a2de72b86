"""What ``spinney learn`` prints first: edges that fit the terminal, and the gravest cautions."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console

import spinney as package
from spinney.cli import _print
from spinney.graph.checks import check_graph
from spinney.graph.words import cautions, rank
from spinney.notices import Notice
from spinney.tables import smallest_tau
from tests.graph.cases import chains, plain_judge

LONG = "the measured concentration of {} in the blood plasma"


def printed(names, width):
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
    told = printed({name: LONG.format(name) for name in "abcde"}, 80)
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
        *("rows-counted", "twins", "unlike-training", "unknown-pairs", "as-warned", "every-graph"),
    ]


def test_without_a_report_the_record_has_all_warnings(rows, spinney):
    frame = pd.read_csv(rows)
    frame = frame.assign(twin=frame["a"], always=7, mostly=-frame["b"])
    frame["mostly"] = frame["mostly"].where(frame.index < 50)
    frame.loc[::9, "lonely"] = -999
    pd.concat([frame, frame.iloc[:30]]).to_csv("odd.csv", index=False)
    done = spinney("learn", "odd.csv", "--no-report")
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
