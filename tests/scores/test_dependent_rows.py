"""Rows that depend on each other are worth fewer; sorting alone changes nothing."""

import numpy as np
import pandas as pd
import pytest

from spinney._core.pairs import to_pairs
from spinney.evidence import measure
from spinney.scores import read_scores, sorted_columns
from spinney.scores.dependent_rows import autocorrelations
from spinney.tables import Table, read_table


def series(n, d, memory, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for t in range(1, n):
        X[t] += memory * X[t - 1]
    return X


def shares(table, units=None):
    """Shares of all pairs of a table, in the order of pairs."""
    frame = pd.DataFrame(table)
    return to_pairs(read_scores(read_table(frame, unit=units)).row_shares)


@pytest.mark.parametrize("memory", [0.5, 0.8, 0.9])
def test_two_series_are_worth_what_bartlett_says(memory):
    found = np.concatenate([shares(series(1000, 4, memory, seed)) for seed in range(4)])
    expected = (1 - memory**2) / (1 + memory**2)
    assert np.median(found) == pytest.approx(expected, rel=0.25)


def test_correlations_of_two_series_are_standard_normal_with_the_rows_that_are_left():
    found = [measure(series(300, 5, 0.7, seed)).channel("score_z") for seed in range(20)]
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
    assert shares(frame.sort_values(by)).min() > 0.85


def test_a_year_does_not_hide_that_rows_are_a_series():
    X = series(300, 2, 0.9)
    frame = pd.DataFrame({"year": 1950 + np.arange(300) / 12, "a": X[:, 0], "b": X[:, 1]})
    assert shares(frame).max() < 0.4


def test_rows_of_one_unit_are_worth_the_design_effect():
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(200), 5)
    own = rng.normal(size=(200, 2))
    X = own[units] + rng.normal(size=(1000, 2))  # an intraclass correlation of one half
    assert shares(X, units)[0] == pytest.approx(1 / (1 + 4 * 0.25), rel=0.15)
    shuffled = rng.permutation(1000)
    assert shares(X[shuffled], units[shuffled])[0] == pytest.approx(shares(X, units)[0])
    assert shares(X[shuffled])[0] == 1.0


def test_ten_units_of_a_hundred_rows_are_worth_about_twelve():
    """1000 / (1 + 99 · 0.81) = 12.3 at an intraclass correlation of 0.9."""
    units = np.repeat(np.arange(10), 100)
    worth = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = 3.0 * rng.normal(size=(10, 3))[units] + rng.normal(size=(1000, 3))
        worth.append(1000 * shares(X, units))
    assert 10.0 < np.median(worth) < 15.0
    assert np.quantile(worth, 0.9) < 25.0


@pytest.mark.parametrize("n", [200, 1000])
def test_independent_random_walks_are_worth_less_than_ten_rows_mostly(n):
    worth = [
        n * shares(np.cumsum(np.random.default_rng(seed).normal(size=(n, 3)), axis=0))
        for seed in range(20)
    ]
    assert np.median(worth) < 10.0
    assert np.quantile(worth, 0.9) < 20.0


def test_below_ten_effective_rows_nothing_is_known_of_a_pair():
    walks = np.cumsum(np.random.default_rng(1).normal(size=(400, 3)), axis=0)
    found = measure(walks)
    assert (400 * np.exp(-found.channel("dependent_rows")) < 10.0).all()
    for name in ("score_z", "partial_z", "shapes_z", "information", "least_z", "most_z"):
        assert not found.channel(name).any(), name


def test_few_rows_say_nothing_of_their_dependence():
    assert shares(np.arange(20.0).reshape(10, 2)).tolist() == [1.0]


def test_gaps_and_classes_have_shares_too():
    X = pd.DataFrame(series(200, 3, 0.8)).mask(np.random.default_rng(0).random((200, 3)) < 0.2)
    X["kind"] = np.where(series(200, 1, 0.9, 5)[:, 0] > 0, "a", "b")
    found = shares(X)
    assert ((found > 0.0) & (found <= 1.0)).all()
    assert found.max() < 1.0


def test_shares_are_told_as_a_channel():
    table = Table.plain(series(200, 2, 0.9), ("a", "b"))
    expected = -np.log(read_scores(table).row_shares[0, 1])
    assert measure(table).channel("dependent_rows")[0] == pytest.approx(expected, rel=1e-5)
    assert expected > 1.0


def test_rows_that_alternate_keep_their_worth():
    """As penguins do, by sex."""
    rng = np.random.default_rng(0)
    sex = np.arange(200) % 2
    assert shares(np.column_stack([sex, sex + 0.5 * rng.normal(size=200)])) == pytest.approx(1.0)


def test_autocorrelations_are_those_of_a_plain_loop():
    X = series(240, 3, 0.8, seed=2)
    X = X - X.mean(axis=0)
    found = autocorrelations(X)
    assert found.shape == (60, 3)
    for k in range(3):
        x, lag = X[:, k], 1
        while found[lag - 1, k]:
            expected = (x[lag:] * x[:-lag]).mean() / (x**2).mean()
            assert found[lag - 1, k] == pytest.approx(expected, rel=1e-9)
            lag += 1
        noise = np.sqrt((x[lag:] ** 2 * x[:-lag] ** 2).sum())
        assert (x[lag:] * x[:-lag]).sum() <= 3.0 * noise  # the first that does not count
        assert lag > 3
        assert not found[lag - 1 :, k].any()


def test_columns_that_rise_fall_or_come_in_runs_are_sorted():
    rng = np.random.default_rng(0)
    runs = np.repeat([2, 0, 1], 10)
    codes = np.column_stack(
        [np.arange(30), np.arange(30)[::-1], runs, rng.permutation(30), np.arange(30) % 3]
    )
    assert sorted_columns(codes).tolist() == [True, True, True, False, False]
    gaps = codes.copy()
    gaps[3, :3] = -1
    assert sorted_columns(gaps).tolist() == [True, True, True, False, False]
