"""Whether the machine can hold a run is asked before the work."""

import re

from spinney.cli import _learning
from spinney.cli._learning import needed_bytes
from spinney.cli._options import JUDGE
from spinney.cli._settings import LearnSettings

JUDGED = LearnSettings(estimator=JUDGE)


def test_more_columns_and_more_rows_need_more():
    few = needed_bytes(500, 20, JUDGED)
    assert needed_bytes(500, 40, JUDGED) > few
    assert needed_bytes(5000, 20, JUDGED) > few


def test_a_wide_table_is_not_held_as_a_whole(monkeypatch):
    parts = needed_bytes(200, 5000, JUDGED)
    assert parts < 4 * 2**30
    monkeypatch.setattr("spinney.judge.learner.WIDE", 5000)
    assert needed_bytes(200, 5000, JUDGED) > 10 * parts


def test_a_forest_holds_a_number_for_every_row_and_pair():
    assert needed_bytes(200, 100, LearnSettings(estimator="et")) == 31 * 200 * 4950


def test_too_little_memory_is_a_warning(rows, spinney, monkeypatch):
    monkeypatch.setattr(_learning, "_memory_of_machine", lambda: (1e12, 100.0))
    result = spinney("learn", rows)
    assert result.exit_code == 0
    assert re.fullmatch(r"Warning: This needs about 0\.0 GB of memory, and .*\n", result.stderr)


def test_a_run_that_the_machine_cannot_hold_is_refused(rows, spinney, monkeypatch):
    monkeypatch.setattr(_learning, "_memory_of_machine", lambda: (100.0, 100.0))
    result = spinney("learn", rows)
    assert result.exit_code == 2
    assert "of memory, and this machine has 0.0 GB." in result.stderr
    assert "--columns" in result.stderr


def test_memory_is_found_where_the_system_tells():
    whole, free = _learning._memory_of_machine()
    assert whole >= free > 1e6
