"""Figures of accuracy are those that are stored, and of the judge that is shipped."""

import pytest
from scripts import make_accuracy

from benchmarks import _run

pytestmark = pytest.mark.skipif(
    not _run.RESULTS.exists(), reason="the source archive has no results"
)
RENEW = "Run `python -m scripts.make_accuracy` and look at what changed."


def test_figures_are_of_the_shipped_judge():
    shipped = _run.fingerprint()
    stale = [command for command, mark in make_accuracy.marks().items() if mark != shipped]
    assert not stale, "\n".join(["These results are of another judge. Run again:", *stale, RENEW])


@pytest.mark.parametrize("path", make_accuracy.PAGES.values(), ids=lambda path: path.name)
def test_tables_are_those_of_the_stored_results(path):
    text = path.read_text(encoding="utf-8")
    assert make_accuracy.BLOCK.search(text)
    assert make_accuracy.written(text) == text, RENEW


def test_every_table_stands_on_a_page():
    found = [
        found[1]
        for path in make_accuracy.PAGES.values()
        for found in make_accuracy.BLOCK.finditer(path.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == sorted(make_accuracy.TABLES)


def test_a_peer_that_is_ahead_is_listed(monkeypatch):
    frame = make_accuracy.stored.read("truths")
    cell = frame.cell == "connected-50"
    rigged = frame.copy()
    rigged.loc[cell & (frame.method == "rooted-forests"), "hamming"] = 0
    monkeypatch.setattr(make_accuracy.stored, "read", lambda group: rigged)
    monkeypatch.setattr(make_accuracy, "GROUPS", {"truths": ["connected-50"]})
    best = make_accuracy.losses().iloc[0]
    assert (best.cell, best.peer) == ("connected-50", "rooted-forests")
    judge = frame[cell & (frame.method == "learned")]["hamming"]
    assert best.ahead == pytest.approx(judge.mean())


def test_methods_that_are_told_the_family_are_not_compared():
    told = [
        name for name in ("ef-lambda-gaussian", "et-student") if make_accuracy.TOLD.search(name)
    ]
    assert told == ["ef-lambda-gaussian", "et-student"]
    assert not make_accuracy.TOLD.search("chow-liu-gaussian")
