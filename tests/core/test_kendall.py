"""Kendall's tau of a sample, against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spinney._core.kendall import kendall_tau, sample_tau
from spinney.tables import read_table


@given(pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), min_size=2, max_size=40))
def test_tau_with_ties_is_scipys(pairs):
    x, y = np.array(pairs).T
    expected = stats.kendalltau(x, y).statistic
    assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_of_many_rows_is_scipys():
    x, y = np.random.default_rng(0).normal(size=(2, 3000))
    y = (y + 0.3 * x).round(1)
    assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_only_rows_with_both_values_count():
    X = np.random.default_rng(1).normal(size=(60, 3))
    X[:10, 0] = X[5:20, 1] = np.nan
    found = sample_tau(read_table(X), [(0, 1), (2, 0)])
    for tau, (i, j) in zip(found, [(0, 1), (2, 0)], strict=True):
        expected = stats.kendalltau(X[:, i], X[:, j], nan_policy="omit").statistic
        assert tau == pytest.approx(expected, abs=1e-12)
