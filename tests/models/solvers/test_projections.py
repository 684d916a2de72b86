"""Projections: nearest points, exactly in the set."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from spinney.models.solvers import onto_orthant, onto_simplices

points = hnp.arrays(float, st.integers(1, 8), elements=st.floats(-1e3, 1e3))
sums = st.floats(0.01, 100.0)


@given(points)
def test_orthant(beta):
    found = onto_orthant(beta)
    np.testing.assert_array_equal(found, np.where(beta > 0, beta, 0.0))
    np.testing.assert_array_equal(onto_orthant(found), found)


@given(points, sums)
def test_simplex_lands_in_the_set_and_stays(beta, total):
    project = onto_simplices([np.arange(len(beta))], [total])
    found = project(beta)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(total, rel=1e-12, abs=1e-11)
    np.testing.assert_allclose(project(found), found, rtol=1e-12, atol=1e-12)


@given(points, sums)
def test_simplex_gives_the_nearest_point(beta, total):
    """By the variational inequality at every corner, which proves it for the whole simplex."""
    found = onto_simplices([np.arange(len(beta))], [total])(beta)
    for corner in total * np.eye(len(beta)):
        scale = 1.0 + np.abs(beta).max() * (total + np.abs(found).max())
        assert (beta - found) @ (corner - found) <= 1e-11 * scale


@given(points, st.floats(-1e3, 1e3), sums)
def test_a_shift_of_all_weights_changes_nothing(beta, shift, total):
    project = onto_simplices([np.arange(len(beta))], [total])
    np.testing.assert_allclose(project(beta + shift), project(beta), atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_simplex_against_a_quadratic_programme(seed):
    rng = np.random.default_rng(seed)
    beta = rng.normal(size=5)
    oracle = minimize(
        lambda x: ((x - beta) ** 2).sum(),
        np.full(5, 0.4),
        jac=lambda x: 2 * (x - beta),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 2.0},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(onto_simplices([range(5)], [2.0])(beta), oracle.x, atol=1e-6)


@given(hnp.arrays(float, 4, elements=st.floats(-1e300, 1e300)))
@example(np.array([1e17, 0.0, 0.0, 0.0]))
@example(np.array([-1e17, -1e17, -1e17, -1e17]))
def test_far_away_points_find_the_way(beta):
    found = onto_simplices([range(4)], [3.0])(beta)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(3.0, rel=1e-12)


def test_groups_are_projected_each_on_its_own():
    beta = np.array([5.0, -1.0, 0.3, 0.2, 9.0])
    found = onto_simplices([[0, 1], [3, 2], []], [1.0, 2.0, 1.0])(beta)
    np.testing.assert_allclose(found, [1.0, 0.0, 1.05, 0.95, 0.0])
