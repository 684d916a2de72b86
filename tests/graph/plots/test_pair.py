"""A pair is drawn as its kinds ask for, with the rows that it has and the fit that it got."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy import stats

from spinney import RootedForests
from spinney._core.pairs import n_pairs, pair_nodes
from spinney.exceptions import InputError
from spinney.graph.plots import plot_pair
from spinney.graph.plots.pair import count_levels, level_quantiles
from spinney.graph.plots.style import FALLING, INK, LINES
from spinney.pairs.copulas import Clayton, Frank, Gaussian, Gumbel, Independence, Student
from spinney.tables import Column, LeftOut, Table

KINDS = ("continuous", "continuous", "ordinal", "nominal", "binary", "nominal")
NAMES = tuple("abcdef")
LEVELS = ((), (), (1, 2, 3), ("x", "y", "z"), ("no", "yes"), ("p", "q"))


class Potentials:
    """What a model says of its pairs: Clayton's copula turned by 90, tables where none is."""

    def __init__(self, nominal):
        self.nominal = nominal
        self.known_ = np.ones(n_pairs(len(nominal)), dtype=bool)

    def describe(self, pairs):
        first, second = (nodes[pairs] for nodes in pair_nodes(len(self.nominal)))
        table = self.nominal[first] | self.nominal[second]
        return pd.DataFrame(
            {
                "family": np.where(table, "table", "clayton"),
                "rotation": np.where(table, 0, 90),
                "parameters": [() if t else (3.0,) for t in table],
            }
        )


@pytest.fixture
def model():
    rng = np.random.default_rng(5)
    values = np.column_stack(
        [
            rng.normal(size=(60, 2)),
            *(rng.integers(len(levels), size=60) for levels in LEVELS[2:]),
        ]
    ).astype(float)
    values[:3, 0] = values[2:7, 3] = np.nan
    columns = tuple(Column(*column) for column in zip(NAMES, KINDS, LEVELS, strict=True))
    table = Table(values, columns, (LeftOut("id", "identifier-numbers", "counts the rows"),))
    return SimpleNamespace(table_=table, potentials_=Potentials(table.nominal))


def draw(model, u, v):
    return plot_pair(model, u, v, Figure(figsize=(5, 5)).subplots())


@pytest.mark.parametrize("u", NAMES)
@pytest.mark.parametrize("v", NAMES)
def test_every_two_kinds_have_a_picture_with_u_across_and_v_up(model, u, v):
    if u == v:
        with pytest.raises(InputError, match="was named twice"):
            draw(model, u, v)
        return
    ax = draw(model, u, v)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (u, v)
    continuous = {"a", "b"}
    k, m = (len(LEVELS[NAMES.index(name)]) for name in (u, v))
    if {u, v} == continuous:
        assert ax.get_title().startswith("Clayton")
    elif continuous & {u, v}:
        ticks = ax.get_yticklabels() if u in continuous else ax.get_xticklabels()
        assert len(ticks) == max(k, m)
    assert len(ax.patches) == (0 if continuous & {u, v} else k * m)


def test_rows_with_gaps_are_left_out_and_said(model):
    assert "gaps" not in draw(model, "b", "c").get_title()
    assert "3 of 60 rows left out (missing values)" in draw(model, "a", "b").get_title()
    title = draw(model, "a", "d").get_title()  # row 2 lacks both
    assert "7 of 60 rows left out (missing values)" in title
    points = draw(model, "a", "b").collections[0].get_offsets()
    assert len(points) == 57
    x = model.table_.values[3:, 0]
    np.testing.assert_allclose(points[:, 0], stats.norm.ppf(stats.rankdata(x) / 58))


def test_copulas_are_turned_with_the_axes(model):
    assert draw(model, "a", "b").get_title().startswith("Clayton 90°")
    assert draw(model, "b", "a").get_title().startswith("Clayton 270°")
    assert draw(model, 0, 1).get_title() == draw(model, "a", "b").get_title()


def bars(ax, colour):
    """The ends of the lines from quartile to quartile."""
    found = [bar for bar in ax.collections if isinstance(bar, LineCollection)]
    own = [bar for bar in found if to_hex(bar.get_color()[0]) == colour.lower()]
    return [np.asarray(ends) for bar in own for ends in bar.get_segments() if len(ends)]


def test_quartiles_are_the_same_whichever_way_they_lie(model):
    upright, lying = draw(model, "c", "b"), draw(model, "b", "c")
    for colour in (INK, LINES):
        one, other = bars(upright, colour), bars(lying, colour)
        assert len(one) == 3
        np.testing.assert_allclose(one, np.array(other)[..., ::-1])
    codes, values = model.table_.values[:, [2, 1]].T
    for k, ends in enumerate(bars(upright, INK)):
        np.testing.assert_allclose(ends[:, 1], np.quantile(values[codes == k], [0.25, 0.75]))
    # The copula has tau < 0: the higher the level, the lower the values.
    fitted = [ends[0, 1] for ends in bars(upright, LINES)]
    assert fitted == sorted(fitted, reverse=True)
    assert not bars(draw(model, "d", "b"), LINES)  # no order, no copula


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


def test_nominal_pairs_are_told_by_how_strongly_they_depend(model):
    values = model.table_.values
    both = ~np.isnan(values[:, 3])
    counts = pd.crosstab(values[both, 3], values[both, 5]).to_numpy()
    v = stats.contingency.association(counts)
    assert f"Cramér's V = {v:.2f}" in draw(model, "d", "f").get_title()
    groups = [values[both & (values[:, 3] == k), 1] for k in range(3)]
    share = stats.kruskal(*groups).statistic / (both.sum() - 1)
    assert f"η² of ranks = {share:.2f}" in draw(model, "d", "b").get_title()
    model.potentials_.known_[:] = False
    assert "not known: too few rows" in draw(model, "d", "b").get_title()


def test_plain_models_are_drawn_from_the_table_that_they_keep():
    rng = np.random.default_rng(0)
    x = pd.DataFrame(Gaussian(0.8).sample(80, rng), columns=["p", "q"])
    ax = draw(RootedForests().fit(x), "q", "p")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("q", "p")
    assert len(ax.collections[0].get_offsets()) == 80


def test_what_is_not_there_is_refused(model):
    with pytest.raises(InputError, match="names a column 'g' that the table does not have"):
        draw(model, "g", "a")
    with pytest.raises(InputError, match="names a column 6 that the table does not have"):
        draw(model, 0, 6)
    with pytest.raises(InputError, match="'id' was left out of the table: it counts the rows"):
        draw(model, "id", "a")
    with pytest.raises(InputError, match="keeps no table"):
        draw(SimpleNamespace(), 0, 1)


@pytest.mark.parametrize(
    "copula",
    [
        Independence(),
        Gaussian(-0.7),
        Student(0.5, 4.0),
        Clayton(2.0, rotation=90),
        Gumbel(2.0, rotation=180),
        Frank(5.0),
    ],
)
def test_quantiles_by_level_agree_with_sampled_rows(copula):
    masses = np.array([0.2, 0.0, 0.5, 0.3])
    found = level_quantiles(copula, masses, [0.1, 0.5, 0.9])
    assert np.isnan(found[1]).all()
    rows = copula.sample(100_000, random_state=1)
    level = np.searchsorted(np.cumsum(masses), rows[:, 0])
    for k in (0, 2, 3):
        drawn = rows[level == k, 1]
        share_below = (drawn[:, None] <= found[k]).mean(axis=0)
        np.testing.assert_allclose(share_below, [0.1, 0.5, 0.9], atol=5 * 0.5 / np.sqrt(len(drawn)))


def test_quantiles_of_the_gaussian_agree_with_its_h_function():
    # Thin levels tend to the conditional distribution given U = u.
    copula, u = Gaussian(0.6), 0.3
    masses = np.array([u - 5e-4, 1e-3, 1 - u - 5e-4])
    expected = stats.norm.cdf(0.6 * stats.norm.ppf(u) + 0.8 * stats.norm.ppf([0.25, 0.5, 0.75]))
    np.testing.assert_allclose(level_quantiles(copula, masses)[1], expected, atol=1e-4)
