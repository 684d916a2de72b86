"""One column given the other: probabilities, quantiles and draws."""

import numpy as np
import pytest

from spinney.exceptions import InputError
from spinney.pairs.cells import PairTables

from .tables import draw, pseudo_table, softmax


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    a = rng.choice(3, 600, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(600) < 0.5, a, rng.integers(0, 4, 600))
    levels = np.clip(np.round(rng.normal(size=600) + 2 + a), 0, 4)
    x = rng.normal(size=600) + np.array([0.0, 2.0, -1.0])[a]
    waves = draw(softmax(np.stack([3 * np.sin(4 * x), 0 * x], axis=1)), rng)
    return pseudo_table(
        [("nominal", a), ("nominal", b), ("levels", levels), ("continuous", x), ("nominal", waves)]
    )


@pytest.fixture(scope="module")
def tables(table):
    fitted = PairTables().fit(table)
    assert fitted.describe([0, 1, 2, 9]).family.tolist() == ["table", "classes", "classes", "table"]
    return fitted


@pytest.mark.parametrize(("pair", "given", "n_given"), [(0, "u", 3), (0, "v", 4), (1, "v", 5)])
def test_levels_given_levels_are_ratio_times_mass(table, tables, pair, given, n_given):
    p = tables.conditional(pair, given, np.arange(n_given))
    u, v = (0, 1) if pair == 0 else (0, 2)
    source, target = (u, v) if given == "u" else (v, u)
    place = int(np.searchsorted(tables.pairs_, pair))
    w = np.zeros_like(p)
    w[table.codes[:, source], table.codes[:, target]] = np.exp(tables.fitted_log_density_[:, place])
    seen = w > 0
    # Masses are those of the counts here, so that no normalisation is left to do.
    np.testing.assert_allclose(p[seen], (w * table.masses[target])[seen], rtol=1e-8)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("pair", [2, 9])
def test_levels_given_a_continuous_value_agree_with_the_density(table, tables, pair):
    given, column = ("v", 0) if pair == 2 else ("u", 4)
    p = tables.conditional(pair, given, table.u[:, 3])
    place = int(np.searchsorted(tables.pairs_, pair))
    w = np.exp(tables.fitted_log_density_[:, place])
    codes = table.codes[:, column]
    np.testing.assert_allclose(p[np.arange(600), codes], w * table.masses[column][codes], rtol=1e-7)


def test_what_is_not_known_gives_the_margin(table, tables):
    np.testing.assert_allclose(tables.conditional(0, "v", [-1])[0], table.masses[0])
    np.testing.assert_allclose(tables.conditional(2, "v", [np.nan])[0], table.masses[0])
    assert tables.quantile(2, "u", [-1], [0.3]) == pytest.approx([0.3])


@pytest.mark.parametrize(("pair", "given", "n_classes"), [(2, "u", 3), (9, "v", 2)])
def test_quantiles_have_the_classes_density(table, tables, pair, given, n_classes):
    """The slope of the quantile function is one over the class's density."""
    place = int(np.searchsorted(tables.pairs_, pair))
    for k in range(n_classes):
        q = np.linspace(0.05, 0.95, 19)
        codes = np.full(q.size, k)
        u = tables.quantile(pair, given, codes, q)
        step = 1e-3
        slope = (tables.quantile(pair, given, codes, q + step) - u) / step
        rows = table.take(np.zeros(q.size, dtype=int))
        rows.u[:, 3] = u + slope * step / 2
        rows.codes[:, 0 if pair == 2 else 4] = k
        w = np.exp(tables.log_density(rows)[:, place])
        # Fitted densities integrate to one over the sample, and to a percent over (0, 1); a
        # difference may also straddle two bins.
        assert np.median(np.abs(w * slope - 1)) < 0.02
        assert np.isclose(w * slope, 1, atol=0.05).mean() > 0.8


def test_quantiles_begin_at_zero_and_end_at_one(tables):
    codes = np.array([0, 1, 2])
    np.testing.assert_allclose(tables.quantile(2, "u", codes, np.zeros(3)), 0.0, atol=1e-12)
    np.testing.assert_allclose(tables.quantile(2, "u", codes, np.ones(3)), 1.0, atol=1e-3)


def test_independent_columns_are_drawn_from_their_margins(rng):
    table = pseudo_table([("nominal", np.arange(90) % 3), ("continuous", rng.normal(size=90))])
    tables = PairTables(margin=1e6).fit(table)
    np.testing.assert_allclose(tables.conditional(0, "v", [0.1, 0.9]), 1 / 3)
    q = np.array([0.2, 0.8])
    np.testing.assert_allclose(tables.quantile(0, "u", [0, 2], q), q, atol=1e-12)


def test_wrong_questions_are_refused(tables):
    with pytest.raises(InputError, match="no levels"):
        tables.conditional(2, "u", [0])
    with pytest.raises(InputError, match="Quantiles are of a continuous column"):
        tables.quantile(0, "u", [0], [0.5])
    with pytest.raises(InputError, match="below 3"):
        tables.conditional(0, "u", [3])
    with pytest.raises(InputError, match="between 0 and 1"):
        tables.conditional(2, "v", [1.0])
    with pytest.raises(InputError, match="side"):
        tables.conditional(0, "w", [0])
    with pytest.raises(InputError, match="has not been fitted"):
        tables.conditional(7, "u", [0])
    with pytest.raises(InputError, match="probability for each"):
        tables.quantile(2, "u", [0, 1], [0.5])
