"""What was fitted to pairs: grids of densities."""

import numpy as np
import pytest
from scipy import stats

from spinney.graph.report.content import build
from spinney.graph.report.content.pair_details import DECADES, GRID, _contours
from spinney.pairs.copulas import Clayton
from tests.graph.report.content.cases import view
from tests.graph.report.content.schema import decode


def relative_heights(fit):
    """Densities behind the packed logarithms, over the highest."""
    logs = (decode(fit["grid"], "u1").reshape(GRID, GRID) / 255 - 1) * DECADES
    return 10**logs


ROUNDING = 10 ** (0.5 / 255 * DECADES) - 1


def densities(copula):
    z = np.linspace(-3, 3, GRID)
    margin = stats.norm.pdf(z)
    found = copula.pdf(*np.meshgrid(stats.norm.cdf(z), stats.norm.cdf(z)))
    return found * np.outer(margin, margin)


def test_contours_are_the_density_of_the_fitted_copula():
    payload, seen = build(view("shared-forest")), view("shared-forest")
    assert len(payload["fits"]) == seen.n_edges
    for key, fit in payload["fits"].items():
        density = densities(seen.learner.potentials_.copula(*map(int, key.split("-"))))
        expected = np.maximum(density / density.max(), 10**-DECADES)
        np.testing.assert_allclose(relative_heights(fit), expected, rtol=ROUNDING + 1e-5)
    rising = relative_heights(payload["fits"]["0-1"])  # c1 falls as c0 rises
    assert rising[24:, 24:].sum() + rising[:24, :24].sum() < 0.5 * rising.sum()


@pytest.mark.parametrize("rotation", [90, 270])
def test_rows_of_the_grid_are_the_second_column(rotation):
    """A copula that mirrors one variable is not symmetric: its axes cannot be exchanged."""
    fit = _contours(Clayton, {"rotation": rotation, "parameters": (3.0,)})
    grid, density = relative_heights(fit), densities(Clayton(3.0, rotation=rotation))
    np.testing.assert_allclose(grid, density / density.max(), rtol=ROUNDING, atol=1e-4)
    assert np.abs(grid - grid.T).max() > 0.1
