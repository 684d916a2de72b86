"""Whether the machine can hold a run is asked before the work."""

import re

from spinney.cli import _memory
from spinney.cli._estimators import JUDGE
from spinney.cli._memory import needed_bytes
from spinney.cli._settings import Settings
from spinney.judge.learner import WIDE

JUDGED = Settings(estimator=JUDGE)


def test_more_columns_and_more_rows_need_more():
    few = needed_bytes(500, 20, JUDGED)
    assert needed_bytes(500, 40, JUDGED) > few
    assert needed_bytes(5000, 20, JUDGED) > few


def test_screened_pairs_are_not_held():
    assert needed_bytes(200, 2000, JUDGED) < 3e9
    whole = needed_bytes(200, 2000, Settings(estimator=JUDGE, screen="off"))
    assert whole > 10 * needed_bytes(200, 2000, JUDGED)
    assert needed_bytes(200, WIDE, JUDGED) == 31 * 200 * WIDE * (WIDE - 1) // 2


def test_too_little_memory_is_a_warning(rows, spinney, monkeypatch):
    monkeypatch.setattr(_memory, "_memory", lambda: (1e12, 100.0))
    result = spinney("learn", rows)
    assert result.exit_code == 0
    assert re.fullmatch(r"Warning: This needs about 0\.0 GB of memory, and .*\n", result.stderr)


def test_a_run_that_the_machine_cannot_hold_is_refused(rows, spinney, monkeypatch):
    monkeypatch.setattr(_memory, "_memory", lambda: (100.0, 100.0))
    result = spinney("learn", rows)
    assert result.exit_code == 2
    assert "of memory, and this machine has 0.0 GB." in result.stderr
    assert "--columns" in result.stderr


def test_advice_names_the_option_that_makes_it_large(rows, spinney, monkeypatch):
    monkeypatch.setattr(_memory, "_memory", lambda: (100.0, 100.0))
    monkeypatch.setattr("spinney.judge.learner.WIDE", 3)
    result = spinney("learn", rows, "--screen", "off")
    assert "Leave --screen off out" in result.stderr


def test_memory_is_found_where_the_system_tells():
    whole, free = _memory._memory()
    assert whole >= free > 1e6
