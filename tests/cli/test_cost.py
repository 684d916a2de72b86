"""What a run is estimated to cost, and when it is said."""

import re

import pytest

from spinney.cli import _cost
from spinney.cli._cost import FEATURES, PARTS, Cost, estimate
from spinney.cli._estimators import JUDGE, names
from spinney.cli._settings import Settings
from spinney.graph.comparisons import MOST_COLUMNS
from tests.graph.cases import chains

JUDGED = Settings(estimator=JUDGE)


def test_every_estimator_has_been_measured():
    assert set(names()) - {JUDGE, "exact-forests"} <= set(PARTS)
    assert {"graph", "levels", "ef_lambda", "shared_forest", "gaussian", "chow_liu", "writing"} <= (
        set(PARTS)
    )
    for constants in PARTS.values():
        assert constants
        assert set(constants) <= set(FEATURES)
        assert all(constant > 0.0 for constant in constants.values())


@pytest.mark.parametrize("name", ["graph_s", "compare_s", "writing_s", "memory"])
def test_more_columns_and_more_rows_cost_more(name):
    few = getattr(estimate([500], 20, JUDGED), name)
    assert getattr(estimate([500], 40, JUDGED), name) > few
    if name != "writing_s":
        assert getattr(estimate([5000], 20, JUDGED), name) > few


def test_what_is_not_asked_for_costs_nothing():
    alone = estimate([500], 50, Settings(estimator=JUDGE, compare=False))
    assert alone.compare_s == alone.stability_s == 0.0
    with_fits = estimate([500], 50, Settings(estimator=JUDGE, compare=False, stability=50))
    halves = estimate([250], 50, Settings(estimator=JUDGE, compare=False))
    assert with_fits.stability_s == pytest.approx(100 * halves.graph_s)
    assert estimate([500], 50, Settings(estimator="chow-liu")).compare_s == 0.0


def test_threads_help_and_slow_machines_do_not():
    one = estimate([500], 50, JUDGED)
    assert one.graph_s / 4 < estimate([500], 50, JUDGED, threads=4).graph_s < one.graph_s
    assert estimate([500], 50, JUDGED, slowness=3.0).graph_s == pytest.approx(3.0 * one.graph_s)
    groups = estimate([500, 500], 50, JUDGED)
    assert groups.graph_s == pytest.approx(2.0 * one.graph_s)
    assert groups.memory == one.memory  # one after the other


def test_beyond_its_columns_a_method_is_not_counted():
    within, beyond = (estimate([200], d, JUDGED).compare_s for d in (100, 101))
    assert beyond < within / 5
    quick, long, beyond = (estimate([200], d, JUDGED).compare_s for d in (400, 2000, 2001))
    assert quick < 5.0 < 100.0 < long
    assert beyond == 0.0
    known = {"ef_lambda": _cost.MOST_EF_LAMBDA, "shared_forest": _cost.MOST_SHARED_FOREST}
    assert known == MOST_COLUMNS


@pytest.fixture
def rows(tmp_path, monkeypatch, judge):
    monkeypatch.chdir(tmp_path)
    chains().to_csv("rows.csv", index=False)
    return "rows.csv"


def test_long_work_is_told_before_it_is_done(rows, spinney, monkeypatch):
    cost = Cost(graph_s=30.0, compare_s=570.0, stability_s=0.0, writing_s=2.0, memory=1e6)
    monkeypatch.setattr(_cost, "estimate", lambda *_, **__: cost)
    result = spinney("learn", rows, "--no-compare")
    assert result.stderr == (
        "This will take about 10.1 minutes, give or take a factor of two; most of it for other "
        "methods (--no-compare leaves them out).\n"
    )
    assert spinney("learn", rows, "--no-compare", "--force", "-q").stderr == ""


def test_too_little_memory_is_a_warning(rows, spinney, monkeypatch):
    monkeypatch.setattr(_cost, "_free_memory", lambda: 100.0)
    result = spinney("learn", rows, "--no-compare")
    assert result.exit_code == 0
    assert re.fullmatch(r"Warning: This needs about 0\.0 GB of memory, and .*\n", result.stderr)


def test_free_memory_is_found_where_the_system_tells():
    free = _cost._free_memory()
    assert free is None or free > 1e6


def test_long_tables_are_summed_up_and_not_held():
    """Three GB for all of a million rows, not 24; and forests that hold densities are not asked."""
    settings = Settings(estimator="graph-learner")
    dense, long = (estimate([n], 40, settings) for n in (170_000, 1_000_000))
    assert dense.memory == 31 * 170_000 * 780
    assert 3e9 < long.memory < 4.3e9
    assert dense.compare_s > long.compare_s
    other = estimate([1_000_000], 40, Settings(estimator="chow-liu"))
    assert other.memory == 31 * 1_000_000 * 780
