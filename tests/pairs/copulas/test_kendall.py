"""Kendall's tau for all pairs against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from spinney.pairs.copulas.kendall import kendall_tau


@given(
    arrays.arrays(
        np.float64, st.tuples(st.integers(2, 40), st.just(3)), elements=st.integers(-4, 4)
    )
)
def test_tau_b_equals_scipy(table):
    if (table == table[0]).all(axis=0).any():
        return  # a constant column has no tau, and validation refuses it
    expected = [
        stats.kendalltau(table[:, i], table[:, j]).statistic
        for i, j in zip(*np.triu_indices(3, 1), strict=True)
    ]
    np.testing.assert_allclose(kendall_tau(table), expected, atol=1e-14)


@pytest.mark.parametrize("n", [5, 11, 12, 64, 65, 500])
def test_both_ways_agree(n, rng, monkeypatch):
    table = rng.normal(size=(n, 4)).round(1)
    table[1:, 0][rng.random(n - 1) < 0.1] = np.nan
    by_rows = kendall_tau(table)
    monkeypatch.setattr("spinney.pairs.copulas.kendall.FEW_ROWS", 0)
    np.testing.assert_allclose(kendall_tau(table), by_rows, atol=1e-14)


def test_order_is_all_that_matters(rng):
    table = rng.normal(size=(60, 3))
    np.testing.assert_array_equal(kendall_tau(table), kendall_tau(np.exp(table)))
    mirrored = kendall_tau(table * [1, 1, -1])
    np.testing.assert_allclose(mirrored[1:], -kendall_tau(table)[1:], atol=1e-14)
