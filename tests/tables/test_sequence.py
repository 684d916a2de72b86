"""Rows that follow each other are told from rows in any order."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney.tables import read_table
from spinney.tables.sequence import read_sequence, rows_in_sequence


def walk(rng, n=120, d=4, memory=0.9):
    """Columns in which each row remembers the one before."""
    X = rng.normal(size=(n, d))
    for k in range(1, n):
        X[k] = memory * X[k - 1] + np.sqrt(1 - memory**2) * X[k]
    return X


def dependent_columns(rng, n=40, d=5):
    """Rows are independent, columns are not: one factor is behind all of them."""
    return rng.normal(size=(n, d)) + 2.0 * rng.normal(size=(n, 1))


def test_correlations_are_those_of_neighbouring_ranks(rng):
    X = walk(rng)
    found = read_sequence(read_table(X)).correlations
    ranks = stats.rankdata(X, axis=0)
    for k, r in enumerate(found):
        centred = ranks[:, k] - ranks[:, k].mean()
        assert r == pytest.approx(centred[1:] @ centred[:-1] / (centred @ centred))


@pytest.mark.parametrize("memory", [0.5, 0.9, -0.7])
def test_series_are_found(rng, memory):
    sentence = str(rows_in_sequence(read_table(walk(rng, memory=memory))))
    assert sentence.startswith("Rows may be a time series, repeats or sorted: in 4 of 4 columns")


def test_the_table_itself_is_one_of_the_orders(rng):
    """Without it a table could have a chance of nothing, which no finite number of orders shows."""
    assert read_sequence(read_table(walk(rng, memory=0.9))).p == 1 / 200


def test_sorted_tables_are_found(rng):
    X = dependent_columns(rng, n=100)
    X = X[np.argsort(X[:, 2])]
    assert rows_in_sequence(read_table(X)) is not None


def test_repeats_side_by_side_are_found(rng):
    X = np.repeat(rng.normal(size=(40, 4)), 3, axis=0) + 0.1 * rng.normal(size=(120, 4))
    assert rows_in_sequence(read_table(X)) is not None


def test_a_series_with_gaps_and_levels_is_found(rng):
    frame = pd.DataFrame(walk(rng, n=200), columns=list("abcd")).round(2)
    frame["b"] = np.where(frame["b"] > 0, "yes", "no")
    frame["d"] = frame["d"].mask(rng.uniform(size=200) < 0.2)
    assert rows_in_sequence(read_table(frame)) is not None


def test_it_is_calibrated_where_columns_depend_on_each_other(rng):
    """Of tables with independent rows, no more than the level says have so small a p-value."""
    p = np.array([read_sequence(read_table(dependent_columns(rng))).p for _ in range(200)])
    for level in (0.05, 0.2, 0.5):
        # A p-value of shuffles is exact: P(p <= level) = level at multiples of 1/200.
        assert stats.binomtest(int((p <= level).sum()), 200, level).pvalue > 0.001


def test_a_shuffled_series_is_none(rng):
    X = rng.permutation(walk(rng))
    assert rows_in_sequence(read_table(X)) is None


def test_what_does_no_harm_is_not_told(rng):
    """One sorted column says something of itself, but no pair loses rows by it."""
    X = rng.normal(size=(400, 4))
    X[:, 0] = np.sort(X[:, 0])
    assert read_sequence(read_table(X)).p <= 0.01
    assert read_sequence(read_table(X)).worth > 0.8
    assert rows_in_sequence(read_table(X)) is None


def test_worth_is_bartletts(rng):
    found = read_sequence(read_table(walk(rng)))
    a, b = np.sort(np.abs(found.correlations))[::-1][:2]
    assert found.worth == pytest.approx((1 - a * b) / (1 + a * b))


def test_too_little_to_say(rng):
    assert read_sequence(read_table(walk(rng, n=9))) is None
    nominal = pd.DataFrame({"a": list("abcx") * 5, "b": list("uvwwv") * 4})
    assert read_sequence(read_table(nominal, kinds={"a": "nominal", "b": "nominal"})) is None


def test_long_tables_are_quick_and_repeatable(rng):
    table = read_table(rng.normal(size=(20_000, 5)))
    first, again = read_sequence(table), read_sequence(table)
    assert first.p == again.p
    assert (first.correlations == again.correlations).all()
