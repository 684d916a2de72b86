"""What was fitted to pairs: grids of densities, and counts of levels."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney.graph.report.content import build
from spinney.graph.report.content.pair_data import GRID, _contours
from spinney.pairs.copulas import Clayton
from tests.graph.report.content.cases import mixed, view
from tests.graph.report.content.schema import decode


def heights(fit):
    """Densities behind the packed logarithms, with what rounding may change."""
    logs = (decode(fit["grid"], "u1").reshape(GRID, GRID) / 255 - 1) * fit["decades"]
    return 10**logs * fit["max"], 10 ** (0.5 / 255 * fit["decades"]) - 1


def test_contours_are_the_density_of_the_fitted_copula():
    payload, seen = build(view("shared-forest")), view("shared-forest")
    assert len(payload["fits"]) == seen.n_edges
    z = np.linspace(-3, 3, GRID)
    for key, fit in payload["fits"].items():
        i, j = (int(k) for k in key.split("-"))
        place = seen.edge_positions.tolist().index([i, j])  # i is the horizontal axis
        copula = seen.learner.potentials_.copula(i, j)
        margin = stats.norm.pdf(z)
        density = copula.pdf(*np.meshgrid(stats.norm.cdf(z), stats.norm.cdf(z)))
        density = density * np.outer(margin, margin)
        found, rounding = heights(fit)
        floor = density.max() * 10 ** -fit["decades"]
        np.testing.assert_allclose(found, np.maximum(density, floor), rtol=rounding + 1e-5)
        assert fit["max"] == pytest.approx(density.max(), rel=1e-5)
        assert fit["family"] == copula.family
        assert fit["parameters"] == pytest.approx(copula.parameters, rel=1e-5)
        assert fit["tau"] == pytest.approx(seen.edges["tau"][place], abs=1e-4)


@pytest.mark.parametrize("rotation", [90, 270])
def test_rows_of_the_grid_are_the_second_column(rotation):
    """A copula that mirrors one variable is not symmetric: its axes cannot be exchanged."""
    row = {"family": "clayton", "rotation": rotation, "parameters": (3.0,), "tau": -0.6}
    fit = _contours({**row, "lower_tail": 0.0, "upper_tail": 0.0})
    grid, rounding = heights(fit)
    z = np.linspace(-3, 3, GRID)
    copula = Clayton(3.0, rotation=rotation)
    for x, y in [(6, 42), (15, 33), (30, 14)]:
        density = copula.pdf(*stats.norm.cdf([z[x], z[y]])) * np.prod(stats.norm.pdf([z[x], z[y]]))
        assert grid[y, x] == pytest.approx(float(density), rel=rounding, abs=1e-4 * fit["max"])
    assert np.abs(grid - grid.T).max() > 0.1 * fit["max"]


def test_density_leans_the_way_the_columns_do():
    fit = build(view("shared-forest"))["fits"]["0-1"]  # c1 falls as c0 rises
    grid, _ = heights(fit)
    rising = grid[24:, 24:].sum() + grid[:24, :24].sum()  # rows are y, rising
    assert fit["tau"] < 0
    assert rising < 0.5 * grid.sum()


def test_mosaics_count_as_pandas_does():
    payload, table = build(view("mixed")), view("mixed").table
    frame = mixed()
    names = table.names
    i, j = sorted((names.index("yes\nno"), names.index("scale")))
    fit = payload["fits"][f"{i}-{j}"]
    counted = pd.crosstab(frame[names[i]], frame[names[j]])
    assert fit["type"] == "mosaic"
    assert fit["rows"] == [str(level) for level in counted.index]
    assert fit["columns"] == [str(level) for level in counted.columns]
    assert fit["counts"] == counted.to_numpy().tolist()
    expected = stats.contingency.expected_freq(counted.to_numpy())
    np.testing.assert_allclose(fit["expected"], expected, rtol=1e-4)


def test_strips_name_the_levels():
    payload, names = build(view("mixed")), view("mixed").names
    city = names.index("=HYPERLINK('city')")
    fit = payload["fits"][f"0-{city}"]
    assert fit["type"] == "strips"
    assert fit["of"] == city
    assert fit["levels"][0] == "Bern"
    assert len(set(fit["levels"])) == 3
