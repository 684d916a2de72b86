"""The path of penalties: its optimality conditions, checked from outside, and its start."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from spinney.models.objectives import L1, NegativeLogLikelihood, Rooted
from spinney.models.selection import follow_path, largest_penalty
from spinney.pairs.densities import PairDensities


def problem(seed, d=6, n=40):
    """Pair densities of a chain, as a Gaussian copula would give them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for k in range(1, d):
        X[:, k] = 0.8 * X[:, k - 1] + 0.6 * X[:, k]
    first, second = np.triu_indices(d, 1)
    r = np.corrcoef(X.T)[first, second]
    a, b = X[:, first], X[:, second]
    log_density = -0.5 * np.log1p(-(r**2)) - (r**2 * (a**2 + b**2) - 2 * r * a * b) / (
        2 * (1 - r**2)
    )
    return Rooted(d), PairDensities(log_density)


def kkt_violation(ensemble, evidence, beta, price):
    """Worst violation by definition: slope zero where there is weight, else at least zero."""
    _, gradient = NegativeLogLikelihood(ensemble, evidence).evaluate(beta)
    slope = gradient + price
    return max(np.abs(np.minimum(beta, slope)).max(), 0.0)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_optimality_at_every_penalty(seed):
    ensemble, evidence = problem(seed)
    penalty_factors = np.ones(15)
    top = largest_penalty(evidence, penalty_factors)
    penalties = top * np.geomspace(1.0, 0.01, 10)
    points = list(follow_path(ensemble, evidence, penalties, penalty_factors, tol=1e-3))
    assert [point.penalty for point in points] == penalties.tolist()
    assert not points[0].beta.any()
    assert points[-1].beta.any()
    for point in points:
        worst = kkt_violation(ensemble, evidence, point.beta, point.penalty)
        assert worst <= 1.01e-3 * point.penalty
        assert point.max_kkt_violation == pytest.approx(worst / point.penalty, abs=1e-9)
    for before, point in pairwise(points):  # never worse than staying where one was
        stay = before.value + point.penalty * before.beta.sum()
        assert point.value + point.penalty * point.beta.sum() <= stay + 1e-12


def test_an_edge_enters_just_below_the_largest_penalty():
    ensemble, evidence = problem(3)
    top = largest_penalty(evidence, np.ones(15))
    expected = 2.0 * (evidence.W.mean(axis=0).max() - 1.0)
    assert top == pytest.approx(expected)
    above, below = follow_path(
        ensemble, evidence, np.array([1.001, 0.98]) * top, np.ones(15), tol=1e-4
    )
    assert not above.beta.any()
    assert np.flatnonzero(below.beta).tolist() == [int(evidence.W.mean(axis=0).argmax())]


def test_the_minimum_is_that_of_a_general_solver():
    ensemble, evidence = problem(5, d=4)
    penalty = 0.1 * largest_penalty(evidence, np.ones(6))
    objective = L1(NegativeLogLikelihood(ensemble, evidence), penalty)
    (point,) = follow_path(ensemble, evidence, np.array([penalty]), np.ones(6), tol=1e-6)
    found = minimize(
        objective.evaluate, point.beta + 0.1, jac=True, method="L-BFGS-B", bounds=[(0, None)] * 6
    )
    assert objective.evaluate(point.beta)[0] == pytest.approx(found.fun, abs=1e-7)


def test_prices():
    ensemble, evidence = problem(7)
    penalty_factors = np.ones(15)
    penalty_factors[0] = np.inf  # forbidden, though it is an edge of the chain
    penalty_factors[4] = 0.0  # never shrunk
    penalty = 0.05 * largest_penalty(evidence, penalty_factors)
    (point,) = follow_path(ensemble, evidence, np.array([penalty]), penalty_factors, tol=1e-4)
    assert point.beta[0] == 0.0
    _, gradient = NegativeLogLikelihood(ensemble, evidence).evaluate(point.beta)
    assert abs(min(point.beta[4], gradient[4])) <= 1e-4 * penalty


def test_wild_densities_are_taken_as_logarithms():
    ensemble, evidence = problem(9)
    log_density = np.log(evidence.W)
    log_density[0, 0] = 900.0
    wild = PairDensities(log_density)
    assert wild.log
    top = largest_penalty(wild, np.ones(15))
    assert np.isfinite(top)
    for point in follow_path(ensemble, wild, np.array([1.0, 0.1]), np.ones(15)):
        assert np.isfinite(point.value)
        assert point.max_kkt_violation <= 0.0101
