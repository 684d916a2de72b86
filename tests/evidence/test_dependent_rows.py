"""Rows that depend on each other are worth fewer; sorting alone changes nothing."""

import numpy as np
import pandas as pd
import pytest

from spinney.evidence import measure
from spinney.evidence.dependent_rows import row_shares
from spinney.tables import Table, read_table


def series(n, d, memory, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for t in range(1, n):
        X[t] += memory * X[t - 1]
    return X


def shares(values, units=None):
    return row_shares(read_table(pd.DataFrame(values)), units)


@pytest.mark.parametrize("memory", [0.5, 0.8, 0.9])
def test_two_series_are_worth_what_bartlett_says(memory):
    found = np.concatenate([shares(series(1000, 4, memory, seed)) for seed in range(4)])
    expected = (1 - memory**2) / (1 + memory**2)
    assert np.median(found) == pytest.approx(expected, rel=0.25)


def test_correlations_of_two_series_are_standard_normal_with_the_rows_that_are_left():
    found = [
        3 * np.sinh(measure(series(300, 5, 0.7, seed)).to_frame()["score_z"] / 3)
        for seed in range(20)
    ]
    assert np.std(found) == pytest.approx(1.0, abs=0.2)


def test_rows_in_no_order_are_all_independent():
    rng = np.random.default_rng(0)
    lost = [shares(rng.normal(size=(150, 6))).min() for _ in range(20)]
    assert np.median(lost) == 1.0
    assert min(lost) > 0.8


def test_a_series_beside_noise_loses_nothing():
    X = np.column_stack([series(300, 1, 0.9)[:, 0], np.random.default_rng(1).normal(size=300)])
    assert shares(X)[0] > 0.9


@pytest.mark.parametrize("by", ["x", "kind", "count"])
def test_a_table_that_is_merely_sorted_keeps_its_rows(by):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300)})
    frame["z"] = frame["y"] + rng.normal(size=300)
    frame["kind"] = np.where(x > 0.5, "high", np.where(x > -0.5, "middle", "low"))
    frame["count"] = np.floor(3 * (x + 4)).astype(int)
    found = row_shares(read_table(frame.sort_values(by)))
    assert found.min() > 0.85


def test_a_year_does_not_hide_that_rows_are_a_series():
    X = series(300, 2, 0.9)
    frame = pd.DataFrame({"year": 1950 + np.arange(300) / 12, "a": X[:, 0], "b": X[:, 1]})
    year_a, year_b, a_b = row_shares(read_table(frame))
    assert max(year_a, year_b, a_b) < 0.4


def test_rows_of_one_unit_are_worth_the_design_effect():
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(200), 5)
    own = rng.normal(size=(200, 2))
    X = own[units] + rng.normal(size=(1000, 2))  # an intraclass correlation of one half
    assert shares(X, units)[0] == pytest.approx(1 / (1 + 4 * 0.25), rel=0.15)
    shuffled = rng.permutation(1000)
    assert shares(X[shuffled], units[shuffled])[0] == pytest.approx(shares(X, units)[0])
    assert shares(X[shuffled])[0] == 1.0


def test_few_rows_say_nothing_of_their_dependence():
    assert shares(np.arange(20.0).reshape(10, 2)).tolist() == [1.0]


def test_gaps_and_classes_have_shares_too():
    X = pd.DataFrame(series(200, 3, 0.8)).mask(np.random.default_rng(0).random((200, 3)) < 0.2)
    X["kind"] = np.where(series(200, 1, 0.9, 5)[:, 0] > 0, "a", "b")
    found = row_shares(read_table(X))
    assert ((found > 0.0) & (found <= 1.0)).all()
    assert found.max() < 1.0


def test_shares_are_told_as_a_channel():
    frame = measure(Table.plain(series(200, 2, 0.9), ("a", "b"))).to_frame()
    assert frame["dependent_rows"].iloc[0] > 1.0


def test_rows_that_alternate_keep_their_worth():
    """As penguins do, by sex."""
    rng = np.random.default_rng(0)
    sex = np.arange(200) % 2
    X = np.column_stack([sex, sex + 0.5 * rng.normal(size=200)])
    assert row_shares(read_table(X)) == pytest.approx(1.0)
