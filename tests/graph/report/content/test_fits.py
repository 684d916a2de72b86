"""What was fitted to pairs: grids of densities."""

import numpy as np
import pytest
from scipy import stats

from spinney.graph.plots.pair import density_grid
from spinney.graph.report.content import build
from spinney.graph.report.content.pair_details import GRID, _contours
from spinney.pairs.copulas import Clayton
from tests.graph.report.content.cases import view
from tests.graph.report.content.schema import decode


def heights(fit):
    """What is packed: 1 on the lowest line, one more on each further line."""
    return decode(fit["grid"], "u1").reshape(GRID, GRID) / 255 * (fit["lines"] + 1)


def check_heights(fit, copula):
    """From a tenth of the lowest line on, and between any two, they are linear in the logarithm."""
    z = np.linspace(-3, 3, GRID)
    margin = stats.norm.pdf(z)
    found = copula.pdf(*np.meshgrid(stats.norm.cdf(z), stats.norm.cdf(z)))
    density = found * np.outer(margin, margin)
    levels = density_grid(copula, m=GRID, reach=3.0).levels
    known = [levels[0] / 10, *levels, density.max()]
    assert fit["lines"] == len(levels)
    expected = np.interp(np.log(density), np.log(known), np.arange(len(known)))
    np.testing.assert_allclose(heights(fit), expected, atol=0.5 * len(known) / 255)


def test_contours_are_the_density_of_the_fitted_copula():
    payload, seen = build(view("shared-forest")), view("shared-forest")
    assert len(payload["fits"]) == seen.n_edges
    for key, fit in payload["fits"].items():
        check_heights(fit, seen.learner.potentials_.copula(*map(int, key.split("-"))))
    rising = heights(payload["fits"]["0-1"])  # c1 falls as c0 rises
    assert rising[24:, 24:].sum() + rising[:24, :24].sum() < 0.5 * rising.sum()


@pytest.mark.parametrize("rotation", [90, 270])
def test_rows_of_the_grid_are_the_second_column(rotation):
    """A copula that mirrors one variable is not symmetric: its axes cannot be exchanged."""
    fit = _contours(Clayton, {"rotation": rotation, "parameters": (3.0,)})
    check_heights(fit, Clayton(3.0, rotation=rotation))
    assert np.abs(heights(fit) - heights(fit).T).max() > 1.0
