"""A pair is drawn as its kinds ask for, with the rows that have both values."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy import stats

from reproduce.copula_gallery import gallery, plot_contours, plot_gallery
from spinney.exceptions import InputError
from spinney.graph.plots import plot_pair
from spinney.graph.plots.pair import count_levels, density_grid
from spinney.graph.plots.style import FALLING, LINES
from spinney.pairs.copulas import Clayton, Gaussian, Independence
from spinney.tables import Column, Table

LEVELS = {"a": (), "b": (), "c": (1, 2, 3), "d": ("x", "y", "z"), "e": ("no", "yes")}
KINDS = ("continuous", "continuous", "ordinal", "nominal", "binary")


@pytest.fixture
def model():
    rng = np.random.default_rng(5)
    codes = [rng.integers(len(levels), size=60) for levels in list(LEVELS.values())[2:]]
    values = np.column_stack([rng.normal(size=(60, 2)), *codes]).astype(float)
    values[:3, 0] = values[2:7, 3] = np.nan
    columns = zip(LEVELS, KINDS, LEVELS.values(), strict=True)
    return SimpleNamespace(table_=Table(values, tuple(Column(*column) for column in columns)))


def draw(model, u, v):
    return plot_pair(model, u, v, Figure(figsize=(5, 5)).subplots())


@pytest.mark.parametrize("u", LEVELS)
@pytest.mark.parametrize("v", LEVELS)
def test_every_two_kinds_have_a_picture(model, u, v):
    if u == v:
        with pytest.raises(InputError, match="was named twice"):
            draw(model, u, v)
        return
    ax = draw(model, u, v)
    levels = [name for name in (u, v) if LEVELS[name]]
    across, up = (v, u) if levels == [v] else (u, v)  # one column with levels lies across
    assert (ax.get_xlabel(), ax.get_ylabel()) == (across, up)
    if len(levels) == 1:
        assert [tick.get_text() for tick in ax.get_xticklabels()] == list(map(str, LEVELS[across]))
    assert len(ax.patches) == (len(LEVELS[u]) * len(LEVELS[v]) if len(levels) == 2 else 0)


def test_rows_with_missing_values_are_left_out_and_said(model):
    assert draw(model, "b", "c").get_title() == ""
    assert draw(model, "a", "d").get_title() == "7 of 60 rows left out (missing values)"
    points = draw(model, "a", "b").collections[0].get_offsets()
    x = model.table_.values[3:, 0]
    np.testing.assert_allclose(points[:, 0], stats.norm.ppf(stats.rankdata(x) / 58))


def test_boxes_are_the_quartiles_of_each_level(model):
    codes, values = model.table_.values[:, [2, 1]].T
    lines = draw(model, "b", "c").lines
    for k, box in enumerate(lines[:: len(lines) // 3]):
        own = np.quantile(values[codes == k], [0.25, 0.75])
        np.testing.assert_allclose([box.get_ydata().min(), box.get_ydata().max()], own)


def test_cells_of_a_mosaic_are_shares_coloured_by_residuals():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=400)
    values = np.column_stack([codes, np.where(rng.uniform(size=400) < 0.9, codes, 1 - codes)])
    columns = (Column("u", "nominal", ("a", "b")), Column("v", "nominal", ("p", "q")))
    ax = draw(SimpleNamespace(table_=Table(values.astype(float), columns)), "u", "v")
    counts, expected = count_levels(*values.T, 2, 2)
    cells = [cell for container in ax.containers for cell in container]
    areas = [cell.get_width() * cell.get_height() for cell in cells]
    np.testing.assert_allclose(areas, counts.T.ravel() / 400)
    more = (counts > expected).T.ravel()
    assert [to_hex(cell.get_facecolor()) for cell in cells] == [
        (LINES if many else FALLING).lower() for many in more
    ]
    np.testing.assert_allclose(expected, stats.contingency.expected_freq(counts))


def test_what_is_not_there_is_refused(model):
    with pytest.raises(InputError, match="names a column 'g' that the table does not have"):
        draw(model, "g", "a")
    with pytest.raises(InputError, match="does not keep its table"):
        draw(SimpleNamespace(), 0, 1)


# Contours of copulas


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


def test_contours_are_drawn_on_given_axes():
    axes = Figure().subplots()
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
