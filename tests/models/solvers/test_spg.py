"""Spectral projected gradients on problems with known solutions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize, nnls

from spinney.models.solvers import onto_simplices, spectral_projected_gradient
from tests.models.solvers.cases import LogBarrier, Quadratic, Rosenbrock, onto_box


def projected_gradient(objective, x, project=lambda x: np.maximum(x, 0.0)):
    return np.abs(project(x - objective.evaluate(x)[1]) - x).max()


@given(seed=st.integers(0, 2**32), d=st.integers(1, 8))
@settings(max_examples=50)
def test_non_negative_least_squares_against_scipy(seed, d):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(d + 4, d)), rng.normal(size=d + 4)
    objective = Quadratic(A, b)
    result = spectral_projected_gradient(objective, rng.normal(size=d), tol=1e-9, max_iter=20_000)
    expected, _ = nnls(A, b)
    assert result.stop_reason in ("converged", "line_search")
    np.testing.assert_allclose(result.beta, expected, atol=1e-6)
    assert ((result.beta > 0) == (expected > 0)).all()  # zeros are exact
    assert result.violation == projected_gradient(objective, result.beta)


@pytest.mark.parametrize("seed", range(4))
def test_box_constraints_against_scipy(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(9, 6)), 3 * rng.normal(size=9)
    result = spectral_projected_gradient(
        Quadratic(A, b), np.zeros(6), tol=1e-9, max_iter=5000, project=onto_box(-0.5, 0.5)
    )
    np.testing.assert_allclose(result.beta, lsq_linear(A, b, (-0.5, 0.5)).x, atol=1e-6)


@pytest.mark.parametrize(
    ("high", "solution"), [((2.0, 2.0), (1.0, 1.0)), ((0.5, 2.0), (0.5, 0.25))]
)
def test_rosenbrock_in_a_box(high, solution):
    tol = 1e-4  # monotone, it is slow
    project = onto_box(np.array([-2.0, -2.0]), np.array(high))
    result = spectral_projected_gradient(
        Rosenbrock(), [-1.2, 1.0], tol=tol, max_iter=5000, project=project
    )
    assert result.converged
    assert projected_gradient(Rosenbrock(), result.beta, project) <= tol
    np.testing.assert_allclose(result.beta, solution, atol=100 * tol)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25)
def test_one_end_from_five_starts_on_a_convex_problem(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(10, 5)), rng.normal(size=10)
    project = onto_simplices([range(5)], [2.0])
    ends = [
        spectral_projected_gradient(
            Quadratic(A, b), 5 * rng.normal(size=5), tol=1e-8, max_iter=10_000, project=project
        )
        for _ in range(5)
    ]
    for end in ends:
        np.testing.assert_allclose(end.beta, ends[0].beta, atol=1e-5)
        assert end.beta.sum() == pytest.approx(2.0)
    oracle = minimize(
        lambda x: Quadratic(A, b).evaluate(x)[0],
        np.full(5, 0.4),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 2.0},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert ends[0].value <= oracle.fun + 1e-8


@given(seed=st.integers(0, 2**32))
@settings(max_examples=50)
def test_values_fall(seed):
    rng = np.random.default_rng(seed)
    start = rng.uniform(-2, 2, size=2)
    result = spectral_projected_gradient(
        Rosenbrock(), start, max_iter=60, project=onto_box(-3.0, 3.0)
    )
    assert len(result.trace) == result.n_iterations + 1
    assert (np.diff(result.trace) <= 0).all()
    assert result.value == result.trace[-1]
    assert result.n_evaluations >= result.n_iterations + 1


def test_infinite_values_on_the_way_are_survived():
    objective = LogBarrier([1.0, 4.0, 0.1])
    result = spectral_projected_gradient(objective, [5.0, 5.0, 5.0], tol=1e-8, max_iter=5000)
    assert objective.n_infinite > 0
    np.testing.assert_allclose(result.beta, [1.0, 0.25, 10.0], rtol=1e-4)


class Cliff:
    """Falls towards a cliff behind which there is nothing (NaN)."""

    def evaluate(self, beta):
        if beta[0] > 1.0:
            return np.nan, np.full_like(beta, np.nan)
        return float((beta[0] - 2.0) ** 2), 2 * (beta - 2.0)


def test_nan_counts_as_infinite():
    result = spectral_projected_gradient(Cliff(), [0.0])
    assert result.beta[0] <= 1.0
    assert result.beta[0] == pytest.approx(1.0, abs=1e-6)
    assert result.stop_reason in ("line_search", "max_iter")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_iter": 3}, "max_iter"),
        ({"tol": 1e-3, "max_iter": 5000}, "converged"),
        ({"value_tol": 0.5, "max_iter": 5000}, "small_change"),
    ],
)
def test_stop_reasons(options, reason):
    result = spectral_projected_gradient(
        Rosenbrock(), [-1.2, 1.0], project=onto_box(-3.0, 3.0), **options
    )
    assert result.stop_reason == reason
    assert (
        result.converged == (reason == "converged") == (result.violation <= options.get("tol", 0))
    )


def test_a_start_at_the_solution_takes_no_step():
    result = spectral_projected_gradient(Quadratic(np.eye(2), [1.0, -1.0]), [1.0, 0.0])
    assert (result.n_iterations, result.n_evaluations, result.stop_reason) == (0, 1, "converged")
