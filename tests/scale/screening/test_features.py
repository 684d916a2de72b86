"""Features are what the families' scores at independence are made of."""

import numpy as np
import pytest
from scipy import special
from tests.scale.screening.cases import PLAIN, feature, mixed_table, pseudo_of

from spinney.pairs.copulas import Clayton, Frank, Gaussian, Student
from spinney.scale.score_tests import FEATURES, PRODUCTS, features_of, positions_of

EDGES = np.array([0.03, 0.2, 0.35, 0.5, 0.72, 0.9, 0.98])
U, V = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES[:-1] + 0.01))


def derivative(at):
    """Of a function with at(0) = 0, by central differences of fourth order."""
    h = 1e-4
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def test_gaussian_score_is_the_product_of_normal_scores():
    found = derivative(lambda rho: Gaussian(rho).logpdf(U, V))
    np.testing.assert_allclose(found, special.ndtri(U) * special.ndtri(V), atol=1e-8)


def test_frank_score_is_that_of_ranks():
    found = derivative(lambda theta: Frank(theta).logpdf(U, V))
    np.testing.assert_allclose(found, 0.5 * (1 - 2 * U) * (1 - 2 * V), atol=1e-7)


def test_frank_score_is_nearly_the_gaussian_one():
    u = (np.arange(20_000) + 0.5) / 20_000
    assert np.corrcoef(special.ndtri(u), u)[0, 1] ** 2 == pytest.approx(3 / np.pi, abs=1e-4)


@pytest.mark.parametrize(
    ("rotation", "one", "other"),
    [(0, "low", "low"), (90, "high", "low"), (180, "high", "high"), (270, "low", "high")],
)
def test_clayton_scores_are_products_of_logarithms(rotation, one, other):
    theta = 1e-4
    at = [Clayton(k * theta, rotation).logpdf(U, V) for k in (1, 2)]
    found = (4 * at[0] - at[1]) / (2 * theta)  # the error of first order is gone
    expected = (1 + PLAIN[one](U)) * (1 + PLAIN[other](V))
    np.testing.assert_allclose(found, expected, atol=2e-5)
    assert (one, other) in PRODUCTS


def test_student_score_in_one_over_its_degrees_of_freedom_is_the_product_of_squares():
    at = {df: df * Student(0.0, df).logpdf(U, V) for df in (250.0, 500.0, 1000.0)}
    first = [2 * at[500.0] - at[250.0], 2 * at[1000.0] - at[500.0]]
    found = (4 * first[1] - first[0]) / 3
    x, y = special.ndtri(U), special.ndtri(V)
    np.testing.assert_allclose(found, 0.5 * (x**2 - 1) * (y**2 - 1), atol=2e-4)
    assert ("square", "square") in PRODUCTS


def test_features_are_those_of_plain_formulas(rng):
    u = rng.permuted(np.arange(1.0, 51.0) / 51.0)
    found = features_of(u[:, None])
    for k, name in enumerate(FEATURES):
        expected = feature(name, u)
        np.testing.assert_allclose(found.values[k, :, 0], expected, atol=2e-6, err_msg=name)
        assert found.skewness[k, 0] == pytest.approx((expected**3).mean(), abs=1e-9)


def test_features_are_standard_over_the_values_that_are_there(rng):
    u = np.round(rng.uniform(0.1, 0.9, size=(80, 6)), 1)
    gaps = rng.uniform(size=u.shape) < 0.3
    values = features_of(np.where(gaps, np.nan, u)).values.astype(float)
    assert not values[:, gaps].any()
    m = (~gaps).sum(axis=0)
    np.testing.assert_allclose(values.sum(axis=1) / m, 0.0, atol=1e-6)
    np.testing.assert_allclose((values**2).sum(axis=1) / m, 1.0, atol=1e-6)


def test_squares_are_uncorrelated_with_scores(rng):
    u = rng.beta(0.5, 2.0, size=(60, 3)).clip(0.01, 0.99)
    values = features_of(u).values.astype(float)
    np.testing.assert_allclose((values[0] * values[1]).mean(axis=0), 0.0, atol=1e-6)


def test_two_levels_leave_one_feature_and_one_level_leaves_none():
    u = np.array([[0.25, 0.5], [0.75, 0.5], [0.25, 0.5], [0.75, 0.5], [0.25, 0.5]])
    values = features_of(u).values
    assert not values[:, :, 1].any()
    assert not values[1, :, 0].any()  # the square is linear in the score
    low = values[2, :, 0]
    for k in (3, 5):  # and all others are the same, up to their sign
        np.testing.assert_allclose(np.abs(values[k, :, 0]), np.abs(low), atol=1e-6)


def test_levels_stand_in_the_middle_of_their_intervals():
    X = np.array([[0.0, 1.5, 0.0], [0.0, 0.5, 1.0], [1.0, 2.5, 0.0], [2.0, np.nan, 1.0]])
    table = pseudo_of(mixed_table(X, x0="ordinal", x2="nominal"))
    u = positions_of(table, np.array([2, 0, 1]))
    np.testing.assert_allclose(u[:, 1], [0.25, 0.25, 0.625, 0.875])
    np.testing.assert_allclose(u[:, 2], [0.5, 0.25, 0.75, np.nan])
    assert np.isnan(u[:, 0]).all()
