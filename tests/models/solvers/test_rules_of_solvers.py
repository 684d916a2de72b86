"""Rules by which solvers stop and settle, one test each."""

import numpy as np
import pytest

from spinney.models.log_newton import log_newton
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.pairs.densities import PairDensities
from tests.models.solvers.test_log_newton import Coins


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
