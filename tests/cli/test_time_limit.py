"""Stability that can be gone on with, and limits of time."""

import json
import time
from pathlib import Path

import pandas as pd
import pytest

from spinney import graph as learner
from spinney.cli import _learning
from spinney.cli._clock import Deadline, OutOfTimeError
from spinney.cli._settings import duration
from spinney.exceptions import InputError
from spinney.judge import GraphLearner
from tests.cli.cases import files_in
from tests.graph.cases import chains

ALONE = ("--no-compare",)


# Stability


def test_stability_goes_on_after_an_interrupt(rows, spinney, monkeypatch):
    words = ("learn", rows, *ALONE, "--stability", "5", "--json")
    whole = spinney(*words, "--out", "whole")
    assert whole.exit_code == 0, whole.stderr
    expected = json.loads(whole.stdout)["stability"]
    assert expected["n_fits"] == 10

    fit, n_fits = GraphLearner.fit, []

    def interrupted(self, X, y=None):
        n_fits.append(1)
        if len(n_fits) == 5:  # the graph itself, three halves, and no more
            raise KeyboardInterrupt
        return fit(self, X)

    monkeypatch.setattr(GraphLearner, "fit", interrupted)
    result = spinney(*words)
    assert result.exit_code == 130
    (line,) = result.stderr.splitlines()
    assert line.startswith("Interrupted. The fits that are finished are kept in")
    assert files_in(".") == {"rows.csv", "whole", "rows-graph-unfinished"}
    n_fits[:] = [1] * 10
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert len(n_fits) == 10 + 1 + 7
    assert json.loads(result.stdout)["stability"] == expected
    assert files_in(".") == {"rows.csv", "whole", "rows-graph"}


def test_stability_without_a_number_is_of_fifty_splits(rows, spinney, monkeypatch):
    asked = []

    def learn_stability(graph, n_splits, **options):
        asked.append((n_splits, options["random_state"]))
        raise InputError("enough")

    monkeypatch.setattr(learner, "learn_stability", learn_stability)
    assert spinney("learn", "--stability", rows, *ALONE, "--seed", 3).exit_code == 2
    assert spinney("learn", rows, "--stability", "20", *ALONE).exit_code == 2
    assert asked == [(50, 3), (20, 0)]


def test_too_few_rows_for_stability_leave_nothing(rows, spinney):
    chains(15).to_csv("few.csv", index=False)
    result = spinney("learn", "few.csv", *ALONE, "--stability", "-q")
    assert result.exit_code == 2
    assert "Stability needs 20 rows or more" in result.stderr
    assert files_in(".") == {"rows.csv", "few.csv"}


# Limits of time


def wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.001)


def test_a_deadline_interrupts_python():
    with pytest.raises(OutOfTimeError), Deadline(0.05).enforced():
        wait(30.0)
    with pytest.raises(OutOfTimeError), Deadline(5.0).sooner(2.0).enforced():
        pytest.fail("there is no time")
    with Deadline(None).enforced(), Deadline(100.0).enforced():
        pass


def test_without_a_graph_in_time_nothing_is_written(table, spinney, learning):
    learning(lambda X: [time.sleep(0.01) for _ in range(3000)])
    result = spinney("learn", table, "-e", "told", "--time-limit", "0.3s")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: The graph was not ready within 0.3 seconds, and nothing was written. Give more "
        "time with --time-limit, or fewer columns with --columns.\n"
    )
    assert files_in(".") == {"cells.csv"}


def test_other_methods_are_left_out_when_time_is_short(rows, spinney, monkeypatch):
    ask = learner.compare_methods

    def slow(evidence, methods=None, **options):
        if "shared_forest" in methods:
            time.sleep(60)
        return ask(evidence, methods, **options)

    monkeypatch.setattr(learner, "compare_methods", slow)
    monkeypatch.setattr(_learning, "QUICK_FIRST", ("chow_liu", "shared_forest", "ef_lambda"))
    words = ("learn", rows, "--out", "short", "--time-limit", "20")
    monkeypatch.setattr(_learning, "RESERVED", 0.95)
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert "The time limit was near: SharedForest, EF-λ not asked." in result.stderr
    edges = pd.read_csv("short/edges.csv")
    assert edges.chow_liu_kept.notna().all()
    assert edges.ef_lambda_kept.isna().all()
    record = json.loads(Path("short/run.json").read_text())
    assert set(record["result"]["cut_short"]["comparisons"]) >= {"shared_forest", "ef_lambda"}
    again = spinney("learn", "--again", "short/run.json", "--out", "again")
    assert again.exit_code == 0, again.stderr
    assert Path("again/edges.csv").read_bytes() == Path("short/edges.csv").read_bytes()


def test_stability_is_cut_short_and_goes_on(rows, spinney, monkeypatch):
    real, left = learner.learn_stability, [3]

    def few(graph, n_splits, *, stop, **options):
        def stop_early():
            left[0] -= 1
            return left[0] < 0 or stop()

        return real(graph, n_splits, stop=stop_early, **options)

    monkeypatch.setattr(learner, "learn_stability", few)
    words = ("learn", rows, *ALONE, "--stability", "5")
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert "stability is from 3 of 10 fits. They are kept in 'rows-graph-unfinished'" in (
        result.stderr
    )
    left[0] = 3
    again = spinney("learn", "--again", "rows-graph", "--out", "again", "--json")
    assert json.loads(again.stdout)["stability"]["n_fits"] == 3
    left[0] = 100
    result = spinney(*words, "--force", "--json")
    assert json.loads(result.stdout)["stability"]["n_fits"] == 10
    assert not Path("rows-graph-unfinished").exists()


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("2m", 120), (".5h", 1800), ("7 s", 7)])
def test_times_are_read(text, seconds):
    assert duration(text) == seconds
