"""Options and words for tables with many columns."""

import pytest

from spinney.cli._options import JUDGE
from spinney.cli._record import counts_of
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
        (("--device", "tpu"), "Invalid value for '--device': 'tpu' is not one of 'cpu', 'cuda'"),
        (("-e", "chow-liu", "--device", "cuda"), f"--device goes with {JUDGE} only"),
    ],
)
def test_what_cannot_be_is_refused_at_once(rows, spinney, options, words):
    result = spinney("learn", rows, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_the_record_counts_the_pairs_that_were_judged():
    graph = wide_graph(320)
    counts = counts_of(graph)
    assert counts["judged_pairs"] == len(graph.learner.potentials_.pairs_) < counts["pairs"]
    assert "judged_pairs" not in counts_of(wide_graph(320, dense=True))
