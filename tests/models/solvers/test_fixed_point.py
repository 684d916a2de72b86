"""The accelerated maps: monotone, and at a stationary point in the end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from spinney._core.protocols import Step
from spinney.models.objectives import ConvexPart
from spinney.models.solvers import accelerated_fixed_point
from spinney.models.unrooted import Trees
from spinney.pairs.densities import PairDensities


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


class Halving:
    """β → β / 2 on the half-line: converges to zero, linearly."""

    def step(self, beta):
        return Step(float((beta**2).sum()), beta / 2, float(beta.max()))


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
