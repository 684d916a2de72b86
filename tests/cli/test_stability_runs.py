"""Stability that can be gone on with."""

import json

from spinney import graph as learner
from spinney.exceptions import InputError
from spinney.judge.learner import Learner
from tests.cli.cases import files_in
from tests.graph.cases import chains

ALONE = ("--no-report",)


# Stability


def test_stability_goes_on_after_an_interrupt(rows, spinney, monkeypatch):
    words = ("learn", rows, *ALONE, "--stability", "5", "--json")
    whole = spinney(*words, "--out", "whole")
    assert whole.exit_code == 0, whole.stderr
    expected = json.loads(whole.stdout)["stability"]
    assert expected["n_fits"] == 10

    fit, n_fits = Learner.fit, []

    def interrupted(self, X, y=None):
        n_fits.append(1)
        if len(n_fits) == 5:  # the graph itself, three halves, and no more
            raise KeyboardInterrupt
        return fit(self, X)

    monkeypatch.setattr(Learner, "fit", interrupted)
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
