"""What was fitted to pairs: grids of densities, and counts of levels."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney.report.content import build
from tests.report.content.cases import mixed, view
from tests.report.content.schema import decode


def test_contours_are_the_density_of_the_fitted_copula():
    payload, seen = build(view("chain")), view("chain")
    assert len(payload["fits"]) == 10
    z = np.linspace(-3, 3, 32)
    for key, fit in payload["fits"].items():
        i, j = (int(k) for k in key.split("-"))
        copula = seen.potentials.copula(i, j)  # i is the horizontal axis
        margin = stats.norm.pdf(z)
        density = copula.pdf(*np.meshgrid(stats.norm.cdf(z), stats.norm.cdf(z)))
        density = density * np.outer(margin, margin)
        found = decode(fit["grid"], "u1").reshape(32, 32) / 255 * fit["max"]
        np.testing.assert_allclose(found, density, atol=density.max() * 0.003)
        assert fit["max"] == pytest.approx(density.max(), rel=1e-5)
        assert fit["family"] == copula.family
        assert fit["parameters"] == pytest.approx(copula.parameters, rel=1e-5)
        assert fit["tau"] == pytest.approx(copula.tau, abs=1e-4)


def test_density_leans_the_way_the_columns_do():
    fit = build(view("chain"))["fits"]["0-1"]  # c1 falls as c0 rises
    grid = decode(fit["grid"], "u1").reshape(32, 32).astype(float)
    rising = grid[16:, 16:].sum() + grid[:16, :16].sum()  # rows are y, rising
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
