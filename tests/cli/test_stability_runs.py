"""Stability and tests of groups that can be gone on with."""

import json

import numpy as np
import pandas as pd

from spinney import graph as learner
from spinney.exceptions import InputError
from spinney.graph import resampling
from spinney.graph.report.folder import STABILITY_FILES
from spinney.judge.learner import Learner
from tests.cli.cases import files_in
from tests.graph.cases import chains

ALONE = ("--no-report",)


# Stability


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
    assert asked == [
        ("learn_stability", None, 3),
        ("learn_stability", 20, 0),
    ]


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
