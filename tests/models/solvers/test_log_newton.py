"""Newton steps in logarithms, on forest models and on problems whose solution is at an end."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from spinney._core.protocols import Probe
from spinney.models.log_newton import log_newton
from spinney.models.objectives import ConvexPart, NegativeLogLikelihood, Rooted
from spinney.models.solvers import accelerated_fixed_point
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
        objective, np.ones(10), tol=1e-8, largest_weight=1e8, curvature=curvature if exact else None
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


# Rules by which it stops and settles


def test_one_small_promise_is_no_proof():
    # The curvature given is far too large, so the first step promises next to nothing; what it
    # tells of the true curvature shows in the second.
    result = log_newton(
        Coins([0.3]), np.ones(1), tol=1e-7, curvature=lambda beta: np.full((1, 1), 1e9)
    )
    assert result.converged
    assert result.beta[0] == pytest.approx(3 / 7, rel=1e-2)


@pytest.mark.parametrize("start", [1e-9, 1e9])
def test_vanishing_slopes_are_no_minimum(start):
    # One edge, which half of the rows ask for as much as the others ask for none. Its slope is next
    # to zero at either end, and only the ratio of probabilities tells where the minimum is.
    evidence = PairDensities(np.log([[4.0], [0.25]]))
    objective = NegativeLogLikelihood(Rooted(2), evidence)
    result = log_newton(objective, np.array([start]), tol=1e-7)
    assert result.converged
    assert result.beta[0] == pytest.approx(0.5, rel=1e-2)


def test_faint_edges_stay_where_zero_would_cost_more():
    # Seen in one of ten million: the objective is infinite at zero, or as good as.
    result = log_newton(Coins([1e-7, 0.5]), np.array([1e-7, 2.0]), tol=1e-9)
    assert result.beta[0] == pytest.approx(1e-7, rel=0.5)


def test_no_step_is_longer_than_can_be_trusted():
    # A curvature of next to nothing asks for a step of thousands in the logarithm.
    seen = []

    class Watched(Coins):
        def probe(self, beta):
            seen.append(np.log(beta))
            return super().probe(beta)

    log_newton(
        Watched([0.5, 0.2]),
        np.array([5.0, 0.05]),
        tol=1e-9,
        curvature=lambda beta: 1e-9 * np.eye(2),
    )
    assert np.abs(np.diff(seen[:2], axis=0)).max() == pytest.approx(2.0)
    assert max(np.abs(point - seen[0]).max() for point in seen) < 5.0


def test_learned_curvature_makes_quick_steps():
    # What is learned from the steps is the curvature, so that it needs few of them.
    shares = np.random.default_rng(0).uniform(0.05, 0.95, size=12)
    result = log_newton(Coins(shares), np.full(12, 20.0), tol=1e-12)
    assert result.converged
    np.testing.assert_allclose(result.beta, shares / (1 - shares), rtol=1e-4)
    assert result.n_iterations < 25


# The accelerated maps: monotone, and at a stationary point in the end


def convex_problem(seed, d, n=12, spread=1.5):
    rng = np.random.default_rng(seed)
    log_density = rng.normal(scale=spread, size=(n, d * (d - 1) // 2))
    return ConvexPart(Trees(d), PairDensities(log_density), d - 1)


def equal_weights(d):
    return np.full(d * (d - 1) // 2, 2.0 / d)


def assert_falling(result):
    room = 1e-11 * (1.0 + np.abs(result.trace[:-1]))
    assert (np.diff(result.trace) <= room).all()
    assert len(result.trace) == result.n_iterations + 1
    assert result.value == result.trace[-1]


@given(seed=st.integers(0, 2**32), d=st.integers(2, 6), spread=st.sampled_from([0.3, 1.5, 5.0]))
@settings(max_examples=12)
def test_em_falls_and_ends_at_a_kkt_point(seed, d, spread):
    problem = convex_problem(seed, d, spread=spread)
    result = accelerated_fixed_point(problem, equal_weights(d), tol=1e-6, max_iter=20_000)
    assert_falling(result)
    assert result.converged
    beta = result.beta * (d - 1) / result.beta.sum()
    value, gradient = problem.evaluate(beta)
    slope = -gradient  # mean of w_e R_e
    assert slope.max() <= 1 + 1e-6
    # Complementary slackness: β · (1 - slope) is a sum of terms that are all at least -1e-6 β.
    assert np.abs(beta * (1 - slope)).max() <= 2e-6 * d
    held = beta > 1e-3
    np.testing.assert_allclose(slope[held], 1.0, atol=2e-3)
    assert value == pytest.approx(result.value, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_em_has_one_minimum_from_five_starts(seed):
    rng = np.random.default_rng(100 + seed)
    problem = convex_problem(seed, 5)
    ends = [
        accelerated_fixed_point(problem, np.exp(2 * rng.normal(size=10)), tol=1e-9, max_iter=50_000)
        for _ in range(5)
    ]
    for end in ends:
        assert_falling(end)
        assert end.converged
        assert end.value == pytest.approx(ends[0].value, abs=2e-9)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
@pytest.mark.parametrize("seed", range(3))
def test_em_against_scipy(seed, method):
    problem = convex_problem(seed, 4)
    result = accelerated_fixed_point(problem, equal_weights(4), tol=1e-9, max_iter=50_000)
    options = {"ftol": 1e-12, "maxiter": 1000} if method == "SLSQP" else {"gtol": 1e-8}
    oracle = minimize(
        lambda x: problem.evaluate(np.maximum(x, 1e-12))[0],
        equal_weights(4),
        jac=lambda x: problem.evaluate(np.maximum(x, 1e-12))[1],
        bounds=[(1e-12, None)] * 6,
        constraints=LinearConstraint(np.ones(6), 3.0, 3.0),
        method=method,
        options=options,
    )
    assert result.value == pytest.approx(oracle.fun, abs=1e-5)
    assert result.value <= oracle.fun + 1e-8
    beta = result.beta * 3 / result.beta.sum()
    np.testing.assert_allclose(beta, oracle.x, atol=0.02)


def test_extrapolation_is_faster_than_the_map():
    problem = convex_problem(3, 6, n=40, spread=0.5)
    fast = accelerated_fixed_point(problem, equal_weights(6), tol=1e-7, max_iter=10_000)
    beta, n_plain = equal_weights(6), 0
    while (step := problem.step(beta)).violation > 1e-7 and n_plain < 20_000:
        beta, n_plain = step.image, n_plain + 1
    assert fast.converged
    assert fast.n_evaluations < 0.5 * n_plain


@pytest.mark.parametrize("max_iter", [1, 2, 3, 4, 5, 7, 20])
def test_evaluations_are_counted_and_limited(max_iter):
    class Counted(ConvexPart):
        n_calls = 0

        def step(self, beta):
            self.n_calls += 1
            return super().step(beta)

    plain = convex_problem(1, 5)
    problem = Counted(plain.ensemble, plain.evidence, plain.n_edges)
    result = accelerated_fixed_point(problem, equal_weights(5), tol=1e-14, max_iter=max_iter)
    assert problem.n_calls == result.n_evaluations <= max_iter
    assert result.stop_reason == "max_iter"


def test_weights_that_are_zero_stay_zero():
    problem = convex_problem(2, 5)
    start = equal_weights(5)
    start[[1, 4]] = 0.0
    result = accelerated_fixed_point(problem, start, tol=1e-8, max_iter=300)
    assert (result.beta[[1, 4]] == 0.0).all()
    assert_falling(result)
