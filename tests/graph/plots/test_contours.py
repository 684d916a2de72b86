"""Plots: the numbers behind them, and that what is drawn is what was asked for."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from reproduce.copula_gallery import gallery, plot_contours, plot_gallery
from spinney.graph.plots.pair import density_grid
from spinney.pairs.copulas import Clayton, Gaussian, Independence


@pytest.fixture
def axes():
    return Figure().subplots()


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.8])
def test_levels_enclose_their_mass(rho):
    # For a bivariate normal the level that encloses mass m is (1 - m) times the peak.
    copula = Gaussian(rho) if rho else Independence()
    grid = density_grid(copula, m=801, reach=5.0)
    peak = 1 / (2 * np.pi * np.sqrt(1 - rho**2))
    np.testing.assert_allclose(grid.levels, (1 - np.array(grid.masses)) * peak, rtol=5e-3)
    assert (np.diff(grid.levels) > 0).all()


def test_the_first_variable_is_horizontal():
    # Rotated by 90 degrees, Clayton's tail lies where u is large and v small: bottom right.
    grid = density_grid(Clayton(3.0, rotation=90))
    low, high = np.searchsorted(grid.z, [-2, 2])
    assert grid.density[low, high] > grid.density[high, low]
    u = stats.norm.cdf(grid.z)
    expected = Clayton(3.0, rotation=90).pdf(u[high], u[low]) * np.prod(
        stats.norm.pdf(grid.z[[high, low]])
    )
    assert grid.density[low, high] == pytest.approx(expected, rel=1e-12)


def test_contours_are_drawn_on_given_axes(axes):
    assert plot_contours(Clayton(2.0), axes) is axes
    assert axes.get_title() == "Clayton, τ = 0.50"
    assert axes.collections


def test_the_gallery_has_one_tau():
    assert len(plot_gallery().axes) == 6
    assert {copula.family for copula in gallery()} == {
        *("independence", "gaussian", "student"),
        *("clayton", "gumbel", "frank"),
    }
    assert all(c.tau == pytest.approx(0.5) for c in gallery()[1:])
