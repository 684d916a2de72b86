"""Matrices of correlations, their inverses, and deviates, against other ways to compute them."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression

from spinney._core.pairs import to_matrix, to_pairs
from spinney.evidence.matrices import (
    block_sizes,
    chi_squared_deviate,
    normal_deviate,
    null_spread,
    pairwise_correlation,
    partial_correlation,
    permutation_variance,
    positive_definite,
    shrunk_inverse,
)
from spinney.evidence.measured import Measured
from spinney.scores import read_scores
from spinney.tables import read_table


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_pairwise_correlations_are_those_of_pandas(gaps):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)).cumsum(axis=1)
    present = rng.random(X.shape) >= gaps
    found = pairwise_correlation(np.where(present, X, 0.0), present)
    expected = pd.DataFrame(np.where(present, X, np.nan)).corr().to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_columns_that_do_not_vary_over_common_rows_are_uncorrelated():
    values = np.array([[1.0, 2.0], [1.0, 3.0], [5.0, 0.0]])
    present = np.array([[1, 1], [1, 1], [1, 0]], dtype=bool)
    assert pairwise_correlation(values, present)[0, 1] == 0.0


def test_with_as_many_rows_for_all_pairs_the_inverse_is_that_of_the_ridged_matrix():
    R = np.corrcoef(np.random.default_rng(0).normal(size=(6, 40)))
    for worth in (0.4, 17.0):
        x = worth / (40.0 + worth)
        expected = np.linalg.inv((1 - x) * R + x * np.eye(6))
        found = shrunk_inverse(R, np.full((6, 6), 40.0), worth)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_any_symmetric_matrix_is_made_positive_definite_by_its_diagonal_alone(seed, d):
    rng = np.random.default_rng(seed)
    R = to_matrix(rng.uniform(-1, 1, d * (d - 1) // 2), diagonal=1.0)
    found = positive_definite(R, 0.05)
    assert np.linalg.eigvalsh(found)[0] > 0.0499
    np.testing.assert_array_equal(found[~np.eye(d, dtype=bool)], R[~np.eye(d, dtype=bool)])
    if np.linalg.eigvalsh(R)[0] >= 0.05:
        np.testing.assert_array_equal(found, R)


def test_columns_that_fit_together_stay_as_they_are_beside_some_that_do_not():
    R = np.eye(6)
    R[:3, :3] = [[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]
    R[3, 4] = R[4, 3] = 0.8
    np.testing.assert_allclose(np.diag(positive_definite(R, 0.1))[3:], 1.0, atol=1e-12)


@pytest.mark.parametrize(("n", "d", "worth"), [(60, 30, 30.0), (200, 40, 4.0), (30, 60, 240.0)])
def test_the_spread_of_partial_correlations_of_independent_columns_is_that_of_samples(n, d, worth):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(12):
        inverse = shrunk_inverse(np.corrcoef(rng.normal(size=(d, n))), np.full((d, d), n), worth)
        found.append(to_pairs(partial_correlation(inverse)))
    expected = null_spread(np.array([float(n)]), worth, d)[0]
    assert np.sqrt(n) * np.std(found) == pytest.approx(expected, rel=0.05)


def test_the_spread_where_every_pair_has_rows_of_its_own():
    rng, d, m, worth = np.random.default_rng(0), 40, 50.0, 80.0
    found = []
    for _ in range(12):
        R = to_matrix(rng.normal(scale=m**-0.5, size=d * (d - 1) // 2), diagonal=1.0)
        found.append(to_pairs(partial_correlation(shrunk_inverse(R, np.full((d, d), m), worth))))
    expected = null_spread(np.array([m]), worth, d, apart=1.0)[0]
    assert np.sqrt(m) * np.std(found) == pytest.approx(expected, rel=0.05)


def test_chi_squared_deviates_have_the_tails_of_the_normal_law():
    for k in (1, 3, 15):
        for z in (-1.0, 0.0, 2.0, 3.0):
            x = stats.chi2.ppf(stats.norm.cdf(z), k)
            assert chi_squared_deviate(np.array([x]), np.array([k]))[0] == pytest.approx(z, abs=0.1)


def test_partial_correlations_are_those_of_residuals():
    X = np.random.default_rng(0).normal(size=(80, 5)).cumsum(axis=1)
    found = partial_correlation(np.linalg.inv(np.corrcoef(X.T)))
    for u, v in ((0, 1), (0, 4), (2, 3)):
        others = np.delete(X, [u, v], axis=1)
        rest = [X[:, k] - LinearRegression().fit(others, X[:, k]).predict(others) for k in (u, v)]
        assert found[u, v] == pytest.approx(np.corrcoef(*rest)[0, 1], abs=1e-10)


def test_blocks_hold_partial_canonical_correlations():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 7)) @ (np.eye(7) + 0.4 * rng.normal(size=(7, 7)))
    owners = np.array([0, 0, 1, 1, 1, 2, 2])
    sizes = block_sizes(np.linalg.inv(np.corrcoef(X.T)), np.array([0, 2, 5]))
    here, there = owners == 0, owners == 1
    others = X[:, owners == 2]
    rest = X - LinearRegression().fit(others, X).predict(others)
    one, other = (np.linalg.qr(rest[:, block])[0] for block in (here, there))
    canonical = np.linalg.svd(one.T @ other, compute_uv=False)
    assert sizes[0, 1] == pytest.approx(np.sqrt((canonical**2).sum()), abs=1e-10)


def test_deviates_of_correlations_are_standard_normal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2, 30))
    r = np.array([np.corrcoef(x)[0, 1] for x in X])
    z = normal_deviate(r, np.full(4000, 30.0))
    assert stats.kstest(z, "norm").statistic < 0.03


def projection(X):
    basis = np.linalg.qr(X - X.mean(axis=0))[0]
    return basis @ basis.T


def leverage(A):
    return len(A) * (np.diag(A) ** 2).sum()


@pytest.mark.parametrize(("n", "p", "q"), [(5, 1, 1), (5, 2, 1), (6, 1, 3), (6, 2, 2), (7, 3, 2)])
def test_variance_over_permutations_is_that_of_all_of_them(n, p, q):
    rng = np.random.default_rng(n + 10 * p)
    A, B = projection(rng.standard_t(3, size=(n, p))), projection(rng.standard_t(3, size=(n, q)))
    found = [(A * B[np.ix_(order, order)]).sum() for order in permutations(range(n))]
    assert np.mean(found) == pytest.approx(p * q / (n - 1))
    expected = permutation_variance(float(n), p, q, leverage(A), leverage(B))
    assert expected == pytest.approx(np.var(found), rel=1e-9)


@pytest.mark.parametrize(("n", "p", "q"), [(5, 1, 2), (6, 2, 3), (7, 2, 2)])
def test_variance_over_permutations_of_what_is_no_projection(n, p, q):
    rng = np.random.default_rng(n + 10 * p)
    X, Y = (rng.standard_t(3, size=(n, k)) for k in (p, q))
    A, B = (x @ x.T for x in (X - X.mean(axis=0), Y - Y.mean(axis=0)))
    found = [(A * B[np.ix_(order, order)]).sum() for order in permutations(range(n))]
    traces, squares = (np.trace(A), np.trace(B)), ((A**2).sum(), (B**2).sum())
    assert np.mean(found) == pytest.approx(traces[0] * traces[1] / (n - 1))
    expected = permutation_variance(float(n), *traces, leverage(A), leverage(B), *squares)
    assert expected == pytest.approx(np.var(found), rel=1e-9)


def nominal(codes):
    return pd.DataFrame(codes).map(lambda code: f"level {code}")


def test_sums_of_squares_of_nominal_columns_are_chi_squared():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 4, 90), rng.integers(0, 3, 90)])
    measured = Measured(read_scores(read_table(nominal(codes))))
    table = pd.crosstab(codes[:, 0], codes[:, 1])
    expected = stats.chi2_contingency(table, correction=False).statistic
    assert (measured.rows * measured.squares)[0, 1] == pytest.approx(expected, rel=1e-9)


def test_moments_of_chi_squared_are_haldanes_where_levels_are_rare():
    """Those of 4,000 tables with the same margins; the limit would be 2 · 25 = 50."""
    rng = np.random.default_rng(1)
    a, b = (np.repeat(np.arange(6), [30, 8, 4, 3, 3, 2]) for _ in range(2))
    a, b = rng.permutation(a), rng.permutation(b)
    measured = Measured(read_scores(read_table(nominal(np.column_stack([a, b])))))
    leverage = measured.leverage_of(np.arange(10))
    variance = 50.0**2 * permutation_variance(50.0, 5.0, 5.0, *leverage)
    margins = np.multiply.outer(np.bincount(a), np.bincount(b)) / 50
    found = []
    for _ in range(4000):
        table = np.bincount(6 * a + rng.permutation(b), minlength=36).reshape(6, 6)
        found.append(((table - margins) ** 2 / margins).sum())
    assert np.mean(found) == pytest.approx(25.0 * 50.0 / 49.0, rel=0.02)
    assert variance == pytest.approx(np.var(found), rel=0.1)
    assert abs(variance - 50.0) > 10.0


def test_deviates_take_a_mean_and_a_variance_of_their_own():
    """Of a gamma law, which Wilson and Hilferty's root makes normal."""
    law = stats.gamma(6.0, scale=3.0)  # of mean 18 and variance 54
    for z in (-1.0, 0.0, 1.5, 3.0):
        x = law.ppf(stats.norm.cdf(z))
        assert chi_squared_deviate(np.array([x]), 18.0, 54.0)[0] == pytest.approx(z, abs=0.05)
