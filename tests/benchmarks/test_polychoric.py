"""Polychoric and polyserial correlations against scipy's bivariate normal distribution."""

import numpy as np
import pytest
from benchmarks.accuracy.cells import TABLE_CELLS, TUNING
from benchmarks.accuracy.polychoric import (
    bivariate_normal_cdf,
    latent_correlation,
    polychoric,
    polyserial,
)
from benchmarks.accuracy.runner import evaluate
from scipy import integrate, optimize, stats

from reproduce.runner import Task


@pytest.mark.parametrize("rho", [-0.95, -0.3, 0.0, 0.5, 0.9])
def test_the_distribution_is_scipys(rho):
    grid = np.array([-2.0, -0.5, 0.0, 0.3, 1.7])
    law = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
    expected = [[law.cdf([h, k]) for k in grid] for h in grid]
    found = bivariate_normal_cdf(grid[:, None], grid[None, :], rho)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_polychoric_maximises_scipys_likelihood(rng):
    """The likelihood of all cells once more, each rectangle from four values of scipy's."""
    z = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=300)
    x, y = np.digitize(z[:, 0], [-0.4, 0.8]), np.digitize(z[:, 1], [0.1])
    h = stats.norm.ppf([0, (x < 1).mean(), (x < 2).mean(), 1]).clip(-9, 9)
    k = stats.norm.ppf([0, (y < 1).mean(), 1]).clip(-9, 9)

    def cost(rho):
        law = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
        total = 0.0
        for a in range(3):
            for b in range(2):
                p = law.cdf([h[a + 1], k[b + 1]], lower_limit=[h[a], k[b]])
                total -= ((x == a) & (y == b)).sum() * np.log(p)
        return total

    best = optimize.minimize_scalar(cost, bounds=(0.2, 0.9), method="bounded").x
    assert polychoric(x, y) == pytest.approx(best, abs=1e-4)
    assert polychoric(x, -y) == pytest.approx(-best, abs=1e-4)


def test_polyserial_maximises_the_likelihood_by_quadrature(rng):
    """P(level | z) once more, as an integral of the conditional normal density."""
    z = rng.multivariate_normal([0, 0], [[1, -0.5], [-0.5, 1]], size=60)
    level, x = np.digitize(z[:, 0], [-0.2, 0.7]), z[:, 1]
    scores = stats.norm.ppf(stats.rankdata(x) / 61)
    bounds = stats.norm.ppf([0, (level < 1).mean(), (level < 2).mean(), 1]).clip(-9, 9)

    def cost(rho):
        scale = np.sqrt(1 - rho**2)
        return -sum(
            np.log(integrate.quad(stats.norm(rho * s, scale).pdf, bounds[c], bounds[c + 1])[0])
            for c, s in zip(level, scores, strict=True)
        )

    step = 2e-3
    low, here, high = (cost(polyserial(level, x) + k * step) for k in (-1, 0, 1))
    # The parabola through the three has its bottom where the estimate is.
    assert abs(step * (low - high) / (low + high - 2 * here) / 2) < 3e-5


def test_a_mixed_table_gives_the_correlations_behind_it():
    data = TABLE_CELLS["mixed-kinds-2000"].simulate(TUNING[5])
    expected = np.linalg.inv(data.precision)
    has_levels = np.array([kind != "continuous" for kind in data.kinds])
    found = latent_correlation(data.X, has_levels)
    assert np.abs(found - expected).max() < 0.15
    assert np.sqrt(np.mean((found - expected) ** 2)) < 0.035
    assert np.linalg.eigvalsh(found)[0] > -1e-12


def test_pairs_are_fitted_on_the_rows_they_have():
    data = TABLE_CELLS["gaps-30-500"].simulate(TUNING[5])
    found = latent_correlation(data.X, np.zeros(25, bool))
    x, y = data.X[:, 0], data.X[:, 1]
    both = ~np.isnan(x) & ~np.isnan(y)
    scores = [stats.norm.ppf(stats.rankdata(v[both]) / (both.sum() + 1)) for v in (x, y)]
    # Raising eigenvalues may move it a little.
    assert found[0, 1] == pytest.approx(np.corrcoef(scores)[0, 1], abs=0.02)


def test_constants_and_empty_pairs_have_no_correlation():
    X = np.array([[0.0, 1.0, np.nan]] * 10 + [[0.0, 2.0, 1.0]] * 5)
    np.testing.assert_array_equal(latent_correlation(X, np.ones(3, bool)), np.eye(3))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["glasso-polychoric-ebic", "glasso-polychoric-stars-0.1"])
def test_the_graphical_lasso_on_them_ranks_edges_first(method):
    record = evaluate(Task("mixed-kinds-500", method, TUNING[5]))
    assert "error" not in record
    assert record["average_precision"] > 0.9
