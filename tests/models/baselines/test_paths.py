"""Solvers by certificate, and against scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from spinney.exceptions import InputError
from spinney.models.baselines import glasso_path, neighbourhood_path, penalty_path
from spinney.models.baselines.paths import kkt_violation, log_likelihood
from tests.models.baselines.cases import correlation, glasso_objective

SIZES = [(50, 12), (12, 20)]  # with and without an inverse of the correlation matrix


def violation(S, precision, penalty, penalise_diagonal):
    """Distance of 0 from the subdifferential, in plain numpy."""
    slope = S - np.linalg.inv(precision)
    weights = np.full(S.shape, penalty)
    if not penalise_diagonal:
        np.fill_diagonal(weights, 0.0)
    inactive = np.maximum(np.abs(slope) - weights, 0.0)
    return np.where(precision != 0, np.abs(slope + weights * np.sign(precision)), inactive).max()


@given(seed=st.integers(0, 10**6), d=st.integers(2, 9), diagonal=st.booleans())
def test_every_point_of_the_path_is_optimal(seed, d, diagonal):
    S = correlation(np.random.default_rng(seed), 8, d)
    path = glasso_path(S, penalty_path(S, 6), penalise_diagonal=diagonal, tol=1e-8)
    for penalty, precision in zip(path.penalties, path.precisions, strict=True):
        off = violation(S, precision, penalty, diagonal)
        assert off <= 1.1e-8
        weights = penalty * np.ones_like(S) - (not diagonal) * penalty * np.eye(d)
        assert kkt_violation(S, weights, precision, np.linalg.inv(precision)) == off
        np.testing.assert_array_equal(precision, precision.T)
    assert (path.max_kkt_violations <= 1e-8).all()
    np.testing.assert_array_equal(path.adjacency[0], False)


@given(seed=st.integers(0, 10**6))
def test_relabelling_variables_permutes_the_path(seed):
    rng = np.random.default_rng(seed)
    S = correlation(rng, 30, 7)
    order = rng.permutation(7)
    penalties = penalty_path(S, 5)
    for solve in (glasso_path, neighbourhood_path):
        one = solve(S, penalties).weights
        other = solve(S[np.ix_(order, order)], penalties).weights
        np.testing.assert_allclose(other, one[:, order][:, :, order], atol=1e-4)


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("diagonal", [True, False])
def test_glasso_against_scikit_learn(rng, n, d, diagonal):
    S = correlation(rng, n, d)
    path = glasso_path(S, penalty_path(S, 6, ratio=0.2), penalise_diagonal=diagonal, tol=1e-9)
    for penalty, precision in zip(path.penalties[1:], path.precisions[1:], strict=True):
        shifted = S + diagonal * penalty * np.eye(d)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # its inner loop, at this tolerance
            theirs = graphical_lasso(shifted, penalty, tol=1e-9, enet_tol=1e-11, max_iter=500)[1]
        np.testing.assert_allclose(precision, theirs, atol=2e-5)
        ours = glasso_objective(precision, S, penalty, diagonal)
        assert ours <= glasso_objective(theirs, S, penalty, diagonal) + 1e-12


def test_each_step_lowers_the_objective(rng):
    S = correlation(rng, 20, 15)
    values = []
    for steps in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # stopped on purpose
            precision = glasso_path(S, [0.1], tol=1e-12, max_steps=steps).precisions[0]
        values.append(glasso_objective(precision, S, 0.1))
    assert (np.diff(values) <= 1e-13).all()
    assert values[0] - values[-1] > 1e-3


def test_a_warm_start_ends_where_a_cold_one_does(rng):
    S = correlation(rng, 25, 10)
    path = glasso_path(S, penalty_path(S), tol=1e-9)
    cold = glasso_path(S, path.penalties[-1:], tol=1e-9)
    np.testing.assert_allclose(path.precisions[-1], cold.precisions[0], atol=1e-6)


def test_too_few_steps_are_said(rng):
    S = correlation(rng, 25, 10)
    with pytest.warns(ConvergenceWarning, match="after 1 steps at penalty 0.05"):
        glasso_path(S, [0.05], max_steps=1)


@pytest.mark.parametrize(("n", "d"), SIZES)
def test_neighbourhoods_against_scikit_learn(rng, n, d):
    X = rng.normal(size=(n, d)).cumsum(axis=1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    S = Z.T @ Z / n
    path = neighbourhood_path(S, penalty_path(S, 5, ratio=0.2))
    both = neighbourhood_path(S, path.penalties, rule="and")
    for k, penalty in enumerate(path.penalties):
        coefficients = np.zeros((d, d))
        for p in range(d):
            lasso = Lasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=100_000)
            rest = np.arange(d) != p
            coefficients[rest, p] = lasso.fit(Z[:, rest], Z[:, p]).coef_
        found = np.abs(coefficients) > 1e-9
        np.testing.assert_array_equal(path.adjacency[k], found | found.T)
        np.testing.assert_array_equal(both.adjacency[k], found & found.T)
        mean = 0.5 * (coefficients + coefficients.T)
        np.testing.assert_allclose(path.weights[k], mean, atol=1e-5)


def test_penalties_are_even_in_logs():
    penalties = penalty_path([[1.0, -0.8], [-0.8, 1.0]], 10, 0.1)
    np.testing.assert_allclose(penalties[[0, -1]], [0.8, 0.08], rtol=1e-14)
    np.testing.assert_allclose(np.diff(np.log(penalties)), -np.log(10) / 9, rtol=1e-12)


def test_log_likelihood_against_scipy(rng):
    from scipy.stats import multivariate_normal, norm

    Z = rng.normal(size=(9, 3))
    A = rng.normal(size=(5, 3))
    precision = A.T @ A + np.eye(3)
    density = multivariate_normal(np.zeros(3), np.linalg.inv(precision)).logpdf(Z)
    expected = (density - norm.logpdf(Z).sum(axis=1)).mean()
    assert log_likelihood(precision, Z.T @ Z / 9) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("S", "penalties", "message"),
    [
        (np.ones((2, 3)), [0.1], "square"),
        ([[1.0, 0.2], [0.3, 1.0]], [0.1], "symmetric"),
        ([[0.0, 0.0], [0.0, 1.0]], [0.1], "positive diagonal"),
        (np.eye(2), [0.1, 0.2], "must decrease"),
        (np.eye(2), [0.1, 0.0], "must be positive"),
    ],
)
def test_bad_input_is_refused(S, penalties, message):
    for solve in (glasso_path, neighbourhood_path):
        with pytest.raises(InputError, match=message):
            solve(S, penalties)
    with pytest.raises(InputError, match="ratio in"):
        penalty_path(np.eye(2), 3, 0.0)
    with pytest.raises(InputError, match="'or' or 'and'"):
        neighbourhood_path(np.eye(2), [0.1], rule="xor")
