"""Options and words for tables with many columns."""

import pytest

from spinney.cli import _cost
from spinney.cli._checks import screen_of
from spinney.cli._cost import WIDE, estimate
from spinney.cli._estimators import JUDGE
from spinney.cli._run_record import counts_of
from spinney.cli._settings import Settings
from spinney.exceptions import InputError
from tests.graph.cases import chains
from tests.graph.report.wide import wide_graph


@pytest.fixture
def rows(tmp_path, monkeypatch, judge):
    monkeypatch.chdir(tmp_path)
    chains().to_csv("rows.csv", index=False)
    return "rows.csv"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--screen", "maybe"), "--screen takes auto, on, off, or a share between 0 and 1"),
        (("--screen", "1.5"), "--screen takes auto, on, off, or a share between 0 and 1"),
        (("--device", "tpu"), "There is no device 'tpu'"),
        (("-e", "chow-liu", "--screen", "on"), f"--screen goes with {JUDGE} only"),
        (("-e", "chow-liu", "--device", "cuda"), f"--device goes with {JUDGE} only"),
    ],
)
def test_what_cannot_be_is_refused_at_once(rows, spinney, options, words):
    result = spinney("learn", rows, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_how_screening_is_asked_for():
    assert [screen_of(text) for text in ("auto", "on", "off")] == ["auto", True, False]
    assert screen_of("1e-3") == 0.001
    with pytest.raises(InputError, match="got 'nan'"):
        screen_of("nan")


def test_beyond_300_columns_cost_grows_with_columns():
    settings = Settings(estimator=JUDGE, compare=False)
    costs = {d: estimate([200], d, settings) for d in (WIDE, 2000, 4000)}
    # Twice the columns: at most the fourfold of what is quadratic, far below the cube.
    assert 1.9 < costs[4000].graph_s / costs[2000].graph_s < 4.1
    assert costs[2000].memory < 3e9
    whole = estimate([200], 2000, Settings(estimator=JUDGE, compare=False, screen="off"))
    assert whole.memory > 10 * costs[2000].memory
    on = estimate([200], 100, Settings(estimator=JUDGE, compare=False, screen="on"))
    assert on.graph_s != estimate([200], 100, settings).graph_s


def test_a_run_that_the_machine_cannot_hold_is_refused(rows, spinney, monkeypatch):
    monkeypatch.setattr(_cost, "_whole_memory", lambda: 100.0)
    result = spinney("learn", rows, "--no-compare")
    assert result.exit_code == 2
    assert "of memory, and this machine has 0.0 GB." in result.stderr
    assert "--columns" in result.stderr


def test_advice_names_the_option_that_makes_it_large(monkeypatch):
    monkeypatch.setattr(_cost, "_whole_memory", lambda: 1e9)
    settings = Settings(estimator=JUDGE, screen="off")
    with pytest.raises(InputError, match="Leave --screen off out"):
        _cost._check_memory(estimate([200], 5000, settings), 5000, settings)


def test_the_record_counts_the_pairs_that_were_judged():
    graph = wide_graph(320)
    counts = counts_of(graph)
    assert counts["judged_pairs"] == len(graph.learner.potentials_.pairs_) < counts["pairs"]
    assert "judged_pairs" not in counts_of(wide_graph(320, dense=True))
