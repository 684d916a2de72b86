"""Plots: the numbers behind them, and that what is drawn is what was asked for."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats

from spinney import PairCopulas
from spinney.exceptions import InputError
from spinney.graph.plots import (
    density_grid,
    gallery,
    plot_contours,
    plot_fitted_copula,
    plot_gallery,
    plot_pairs,
)
from spinney.pairs.copulas import Clayton, Gaussian, Independence
from spinney.pairs.margins import pseudo_observations


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    sample = np.hstack([Clayton(3.0, 90).sample(300, rng), rng.uniform(size=(300, 1))])
    return pseudo_observations(pd.DataFrame(sample, columns=["a", "b", "c"]))


@pytest.fixture(scope="module")
def pairs(data):
    return PairCopulas().fit(data)


@pytest.fixture
def axes():
    return Figure().subplots()


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.8])
def test_levels_enclose_their_mass(rho):
    # For a bivariate normal the level that encloses mass m is (1 - m) times the peak.
    copula = Gaussian(rho) if rho else Independence()
    grid = density_grid(copula, masses=[0.2, 0.5, 0.8], m=801)
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
    assert plot_contours(Clayton(2.0), axes, colors="k") is axes
    assert axes.get_title() == "Clayton, τ = 0.50"
    assert axes.collections


def test_a_pair_is_labelled_in_the_order_asked_for(pairs, data, axes):
    plot_fitted_copula(pairs, data, "b", "a", axes)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("b", "a")
    assert axes.get_title().startswith("Clayton 270°")
    points = axes.collections[0].get_offsets()
    np.testing.assert_array_equal(np.argsort(points[:, 0]), np.argsort(data["b"]))


def test_pages(pairs, data):
    assert len(plot_gallery().axes) == 6
    assert len(plot_pairs(pairs, data, title="all").axes) == 3
    assert len(plot_pairs(pairs, data, [("a", "c")]).axes) == 1
    with pytest.raises(InputError, match="no pair to draw"):
        plot_pairs(pairs, data, [])
    assert {copula.family for copula in gallery()} == {
        *("independence", "gaussian", "student"),
        *("clayton", "gumbel", "frank"),
    }
    assert all(c.tau == pytest.approx(0.5) for c in gallery()[1:])
