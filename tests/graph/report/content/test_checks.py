"""Each check trips on a table that was made for it, and not on a good one."""

from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from spinney._core.pairs import PairIndex
from spinney.graph.checks import check_graph, codes, copies, gaps, twins
from spinney.graph.report.content import build
from spinney.notices import Notice
from spinney.tables import read_table
from tests.graph.report.content.cases import view


@pytest.fixture
def good(rng):
    return pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))


def said(look, frame, **options):
    return [(notice.level, str(notice)) for notice in look(read_table(frame, **options))]


def look_at(frame, **fields):
    """Make all checks of a table, with a graph that has nothing else."""
    table = read_table(frame)
    d = len(table.names)
    seen = SimpleNamespace(table=table, is_probability=False, as_given=None, names=table.names)
    vars(seen).update(judged=PairIndex(d), joined=~np.eye(d, dtype=bool), **fields)
    return [{"level": notice.level, "text": str(notice)} for notice in check_graph(seen)]


def test_a_good_table_passes_every_check(good):
    found = look_at(good, as_given=read_table(good))
    assert len(found) == 8
    assert {check["level"] for check in found} == {"ok"}


def test_gaps(good):
    assert said(gaps, good) == [("ok", "No value is missing.")]
    good.loc[:4, "b"] = np.nan
    [(level, text)] = said(gaps, good)
    assert level == "note"
    assert text.startswith("5 of 480 values (1.0 %) are missing, in 1 column; 115 of 120 rows")
    assert "Most are missing in b (4.2 %)." in text
    good.loc[:60, "c"] = np.nan
    assert said(gaps, good)[0][0] == "warning"


def test_gaps_that_depend_on_values(good):
    good["b"] = good["b"].mask(good["a"] > 0.8)
    levels = [
        level for level, text in said(gaps, good) if "Values are not missing at random" in text
    ]
    assert levels == ["warning"]


def test_repeated_rows(good):
    assert said(copies, good) == [("ok", "No duplicate rows.")]
    [(level, text)] = said(copies, pd.concat([good, good.iloc[:6]]))
    assert level == "warning"
    assert text.startswith("6 rows (4.8 %) repeat an earlier row")
    [(level, text)] = said(copies, pd.concat([good, good.iloc[:1]]))
    assert level == "note"
    assert text.startswith("1 row (0.8 %) repeats")


def test_rows_of_a_few_levels_repeat_by_chance(rng):
    frame = pd.DataFrame(rng.choice(["u", "v"], size=(120, 4)), columns=list("abcd"))
    assert said(copies, frame) == []


def test_rows_of_levels_that_depend_on_each_other_repeat_by_chance(rng):
    behind = rng.integers(0, 3, size=(120, 1))
    values = np.where(rng.uniform(size=(120, 12)) < 0.95, behind, rng.integers(0, 3, (120, 12)))
    frame = pd.DataFrame(np.array(["u", "v", "w"])[values], columns=list("abcdefghijkl"))
    assert frame.duplicated().sum() > 20
    assert said(copies, frame) == []


def test_repeated_rows_with_gaps(good):
    good.loc[3, "b"] = np.nan
    assert said(copies, pd.concat([good, good.iloc[3:4]]))[0][0] == "note"


def test_twins(good, rng):
    assert said(twins, good)[0][0] == "ok"
    good["copy"] = -np.exp(good["b"])
    good["near"] = good["c"] + 0.3 * rng.normal(size=120)  # tau about 0.8: no twin
    [(level, text)] = said(twins, good)
    assert level == "warning"
    assert "(Kendall's tau beyond 0.98): b – copy. Their edges" in text


@pytest.mark.parametrize("at_once", [1000, 3])
def test_twins_with_gaps_and_levels(good, rng, monkeypatch, at_once):
    monkeypatch.setattr("spinney.graph.checks.AT_ONCE", at_once)
    good["copy"] = good["b"].mask(rng.uniform(size=120) < 0.3)
    good["yes"] = good["a"] > 0
    good["no"] = good["a"] <= 0
    [(level, text)] = said(twins, good)
    assert level == "warning"
    assert "b – copy" in text
    assert "yes – no and b – copy" in text


def texts(found, level):
    return [check["text"] for check in found if check["level"] == level]


def test_left_out_columns_with_the_reason(good):
    assert "No column was left out." in texts(look_at(good), "ok")
    good["k"] = 7
    assert "1 column was left out: 'k' is constant." in " ".join(texts(look_at(good), "note"))


def test_few_rows(good):
    assert any("are enough to distinguish" in text for text in texts(look_at(good), "ok"))
    assert any("12 rows are few" in text for text in texts(look_at(good.iloc[:12]), "warning"))


def test_kinds(good):
    good["yes"] = good["a"] > 0
    assert any("4 continuous, 1 binary (yes)" in text for text in texts(look_at(good), "ok"))


def test_dependent_rows(good):
    drift = good.cumsum()
    [text] = texts(look_at(drift, as_given=read_table(drift)), "warning")
    assert text.startswith("Neighbouring rows are alike, as in a time series")
    ordered = texts(look_at(good, as_given=read_table(good)), "ok")
    assert any("no more alike" in text for text in ordered)
    # The fitted model keeps rows in an order of its own, which tells nothing.
    assert any("was not tested" in text for text in texts(look_at(drift), "note"))


def test_foreign_tables():
    assert any("unlike" in text for text in texts(build(view("chain"))["checks"], "ok"))
    learner = copy(view("chain").learner)
    assert learner.out_of_distribution_ == ()
    learner.out_of_distribution_ = (Notice("as-warned", "It has ears."),)
    found = check_graph(replace(view("chain"), learner=learner))
    [notice] = [notice for notice in found if notice.code == "unlike-training"]
    assert notice.level == "warning"
    assert str(notice).endswith("It has ears.")


def test_warnings_of_checks_are_among_the_cautions_and_told_once():
    payload = build(view("few rows"))
    assert any("rows are few" in text for text in payload["summary"]["cautions"])
    assert not texts(payload["checks"], "warning")


def test_no_twins_are_named_where_chance_makes_some(rng):
    """Of 2,000 genes in 8 samples, some are in the same order whatever they are."""
    assert said(twins, pd.DataFrame(rng.normal(size=(8, 2000)))) == []


@pytest.mark.parametrize("code", [-999, 99, 9999.0])
def test_codes_for_missing_values_are_named(good, code):
    assert said(codes, good) == []
    good.loc[::7, "b"] = code
    [(level, text)] = said(codes, good)
    assert level == "warning"
    assert f"missing values: b ({code:g} in 18 rows). spinney" in text


def test_nines_among_other_values_are_no_codes(good, rng):
    good["b"] = rng.integers(0, 100, 120)
    good.loc[:2, "b"] = 99
    good.loc[3, "c"] = 99  # once: far, but no code
    assert said(codes, good) == []
