"""Newton steps in logarithms, on forest models and on problems whose solution is at an end."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from spinney._core.protocols import Probe
from spinney.models.log_newton import log_newton
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.models.unrooted import FewTrees, Trees
from spinney.pairs.densities import PairDensities


class Coins:
    """Independent edges: edge e is in the forest with probability β / (1 + β), seen in share q.

    The objective is the cross-entropy, smallest where each probability is its share: at zero and
    at infinity where that is zero or one.
    """

    def __init__(self, shares):
        self.shares = np.asarray(shares, dtype=float)

    def probe(self, beta):
        p = beta / (1.0 + beta)
        value = np.log1p(beta) - self.shares * np.log(np.maximum(beta, 1e-300))
        # An edge that is never seen costs nothing at zero.
        return Probe(float(np.where(self.shares == 0, np.log1p(beta), value).sum()), p, self.shares)


def densities(seed, d=5, n=30, spread=1.0):
    rng = np.random.default_rng(seed)
    return PairDensities(spread * rng.normal(size=(n, d * (d - 1) // 2)))


def test_interior_solution_is_found():
    shares = np.array([0.2, 0.5, 0.9, 0.03])
    result = log_newton(Coins(shares), np.ones(4), tol=1e-12)
    assert result.converged
    np.testing.assert_allclose(result.beta, shares / (1 - shares), rtol=1e-4)


def test_hopeless_edges_are_exactly_zero_and_certain_ones_at_the_ceiling():
    result = log_newton(Coins([0.0, 1.0, 0.4]), np.ones(3), tol=1e-9, largest_weight=1e5)
    assert result.beta[0] == 0.0
    assert result.beta[1] == 1e5
    assert result.beta[2] == pytest.approx(2 / 3, rel=1e-3)


@pytest.mark.parametrize("start", [1e-12, 1e12])
def test_edges_come_back_from_either_end(start):
    # So far out all slopes are next to zero, and a solver that trusts them stops at once.
    result = log_newton(Coins([0.3, 0.6]), np.array([start, 1.0]), tol=1e-7)
    np.testing.assert_allclose(result.beta, [3 / 7, 1.5], rtol=1e-2)


def test_zeros_stay_zero():
    result = log_newton(Coins([0.3, 0.6]), np.array([0.0, 1.0]), tol=1e-9)
    assert result.beta[0] == 0.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_the_weights_does_not_matter(seed, scale):
    problem = NegativeLogLikelihood(Rooted(5), densities(seed))
    one = log_newton(problem, np.ones(10), tol=1e-9)
    scaled = SimpleNamespace(probe=lambda beta: problem.probe(beta / scale))
    far = log_newton(scaled, scale * np.ones(10), tol=1e-9)
    assert far.value == pytest.approx(one.value, abs=1e-5)
    assert far.n_iterations < 3 * one.n_iterations + 5  # not a thousand times as many


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), exact=st.booleans())
def test_no_better_point_nearby_by_lbfgs(seed, exact):
    evidence, ensemble = densities(seed), Rooted(5)
    objective = NegativeLogLikelihood(ensemble, evidence)

    def curvature(beta):
        return ensemble.curvature(beta, evidence.W)

    found = log_newton(
        objective,
        np.ones(10),
        tol=1e-8,
        largest_weight=1e8,
        curvature=curvature if exact else None,
    )
    assert found.converged
    assert (np.diff(found.trace) <= 1e-15).all()

    def value(log_weights):
        value, gradient = objective.evaluate(np.exp(log_weights))
        return value, gradient * np.exp(log_weights)

    start = np.log(np.clip(found.beta, 1e-7, 1e7))
    ceiling = [(None, np.log(1e8))] * len(start)
    oracle = minimize(
        value, start, jac=True, method="L-BFGS-B", bounds=ceiling, options={"gtol": 1e-10}
    )
    assert found.value <= oracle.fun + 1e-5


def test_curvature_of_rooted_forests_against_differences():
    evidence, ensemble = densities(3, d=4), Rooted(4)
    objective = NegativeLogLikelihood(ensemble, evidence)
    log_weights = np.random.default_rng(0).normal(size=6)

    def slope(log_weights):
        beta = np.exp(log_weights)
        return beta * objective.evaluate(beta)[1]

    step = 1e-5
    by_differences = np.array(
        [(slope(log_weights + e) - slope(log_weights - e)) / (2 * step) for e in step * np.eye(6)]
    )
    found = ensemble.curvature(np.exp(log_weights), evidence.W)
    np.testing.assert_allclose(found, by_differences, atol=1e-8)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize(
    "ensemble", [FewTrees(5, 2), FewTrees(5), Trees(5)], ids=["two trees", "forests", "trees"]
)
def test_it_ends_no_higher_than_scipy(ensemble):
    objective = NegativeLogLikelihood(ensemble, densities(7, spread=1.5))
    found = log_newton(objective, np.ones(10), tol=1e-8, max_iter=2000)

    def value(log_weights):
        here = objective.probe(np.exp(log_weights))
        return here.value, here.prior - here.posterior

    options = {"ftol": 0.0, "gtol": 1e-7, "maxiter": 5000}
    oracle = minimize(value, np.zeros(10), jac=True, method="L-BFGS-B", options=options)
    assert found.value <= oracle.fun + 1e-4


def test_running_out_of_steps_is_told():
    result = log_newton(Coins([0.3]), np.array([1e6]), tol=1e-12, max_iter=2)
    assert result.stop_reason == "max_iter"
    assert not result.converged
