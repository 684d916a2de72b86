"""The packed table and the heat map decode to the numbers they were made of."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from spinney.graph.plots.pair import density_grid
from spinney.graph.report.content import build
from spinney.graph.report.content.facts import number
from spinney.graph.report.content.network import seriate
from spinney.graph.report.content.pair_details import GRID, _contours, spread_rows
from spinney.pairs.copulas import Clayton
from tests.graph.report.content.cases import view
from tests.graph.report.content.schema import decode


@pytest.mark.parametrize("name", ["chain", "mixed", "many rows"])
def test_columns_decode_to_normal_scores_and_codes(name):
    payload, table = build(view(name)), view(name).table
    rows = spread_rows(len(table))
    for column, kind, values in zip(
        payload["data"]["columns"], table.kinds, table.values.T, strict=True
    ):
        found = decode(column["values"], "<u2").astype(float)
        expected = values[rows]
        assert ((found == 65535) == np.isnan(expected)).all()
        there = ~np.isnan(expected)
        if kind == "continuous":
            ranks = pd.Series(values).rank().to_numpy() / (np.isfinite(values).sum() + 1)
            z = np.clip(stats.norm.ppf(ranks), -4, 4)[rows]
            np.testing.assert_allclose(found[there] / 8191 - 4, z[there], atol=0.5 / 8191 + 1e-9)
            known = values[~np.isnan(values)]
            np.testing.assert_allclose(
                column["quantiles"], np.percentile(known, [0, 25, 50, 75, 100]), rtol=1e-5
            )
        else:
            assert (found[there] == expected[there]).all()


@given(st.integers(0, 20_000), st.integers(1, 1500))
def test_rows_are_spread_evenly(n, most):
    rows = spread_rows(n, most)
    assert len(rows) == min(n, most)
    assert len(set(rows.tolist())) == len(rows)
    if n > most:
        assert (rows >= 0).all()
        assert (rows < n).all()
        assert rows[0] <= n // most  # no part of the table is left out,
        assert rows[-1] >= n - n // most - 1  # at either end
        steps = np.diff(rows)
        assert steps.size == 0 or steps.max() - steps.min() <= 1


@pytest.mark.parametrize("name", ["chain", "mixed", "shared-forest"])
def test_heat_decodes_to_scores(name):
    payload, seen = build(view(name)), view(name)
    found = decode(payload["heat"]["values"], "u1")
    scores = seen.scores[np.triu_indices(len(seen.names), 1)]
    np.testing.assert_allclose(found / 250, scores, atol=0.5 / 250 + 1e-9)
    assert payload["heat"]["scale"] == 1.0


def test_heat_of_weights_is_scaled_to_the_largest():
    payload, seen = build(view("partial-correlation")), view("partial-correlation")
    sizes = np.abs(seen.scores[np.triu_indices(len(seen.names), 1)])
    assert payload["heat"]["scale"] == pytest.approx(sizes.max(), rel=1e-5)
    found = decode(payload["heat"]["values"], "u1") / 250 * payload["heat"]["scale"]
    np.testing.assert_allclose(found, sizes, atol=0.003)


def test_unknown_pairs_are_255():
    payload, seen = build(view("few rows")), view("few rows")
    assert np.isnan(seen.scores).any()
    assert (decode(payload["heat"]["values"], "u1") == 255).all()
    assert all(row[2] is None for row in payload["pairs"])


def test_components_stand_together():
    payload = build(view("mixed"))
    own = [payload["nodes"][k]["component"] for k in payload["heat"]["order"]]
    assert own == sorted(own)


@given(st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_seriation_is_a_permutation(k, seed):
    near = np.random.default_rng(seed).uniform(size=(k, k)).round(1)
    assert sorted(seriate(near + near.T).tolist()) == list(range(k))


@pytest.mark.parametrize("seed", range(5))
def test_seriation_finds_a_chain(seed):
    place = np.random.default_rng(seed).permutation(20)
    near = np.exp(-np.abs(place[:, None] - place))
    ordered = place[seriate(near)]
    assert ordered.tolist() in (list(range(20)), list(range(20))[::-1])


@pytest.mark.parametrize("places", [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 4, 1, 5, 2]])
def test_seriation_puts_the_better_joined_end_first(places):
    near = np.eye(6)
    for u, size in enumerate([0.9, 0.8, 0.5, 0.2, 0.1]):  # a chain that thins out
        near[places[u], places[u + 1]] = near[places[u + 1], places[u]] = size
    assert seriate(near).tolist() == places


@given(st.floats())
@example(1.0 - 1e-9)
def test_numbers_are_finite_or_none_and_only_certainty_is_1(value):
    found = number(value)
    if np.isfinite(value):
        assert found == pytest.approx(value, rel=1e-5, abs=0)
        assert found != 1.0 or value >= 1.0
    else:
        assert found is None


# What was fitted to pairs: grids of densities


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
