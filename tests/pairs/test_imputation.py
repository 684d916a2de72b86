"""Filling gaps: against enumeration of all completions and of all forests."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.pairs.worlds import LEAST_P, THREE, TWO, Copulas, WTables, columns_of, rows_of

from spinney import forests
from spinney._core.pairs import to_matrix
from spinney.pairs.copulas import Clayton, Gaussian, PairCopulas
from spinney.pairs.pair_fit import PairFit
from spinney.pairs.sampling import _STAYS, _hang, draw_missing
from spinney.tables import Column, Table

CUTS = [[0.0], [-1.0, 0.7], [-0.5, 0.5, 1.5]]


def forest_draws(beta, seed):
    """Draw a rooted forest for each row, from weights beta times w."""
    rng = np.random.default_rng(seed)

    def draw(log_w):
        parents = np.empty((len(log_w), len(to_matrix(beta))), dtype=np.int64)
        kinds, which = np.unique(log_w, axis=0, return_inverse=True)
        for k, weights in enumerate(np.log(beta) + kinds):
            same = np.flatnonzero(which.ravel() == k)
            drawn = forests.sample(to_matrix(weights), 1.0, len(same), log=True, random_state=rng)
            parents[same] = drawn.parents
        return parents

    return draw


def completions(world, columns, row, beta):
    """All completions of a row and their probabilities, by sums over all forests."""
    gaps = np.flatnonzero(np.isnan(row))
    cells = list(product(*(range(columns.n_levels[k]) for k in gaps)))
    whole = np.tile(row, (len(cells), 1))
    whole[:, gaps] = cells
    table = rows_of(columns, whole)
    weights = to_matrix(beta * np.exp(world.log_density(table)))
    p = np.array([np.exp(forests.log_partition(W)) for W in weights])
    for k in gaps:
        p *= columns.masses[k][table.codes[:, k]]
    return whole, p / p.sum()


@pytest.mark.parametrize(
    "row",
    [
        [0, np.nan, 1, 2],
        [np.nan, 1, np.nan, 0],
        [1, np.nan, np.nan, np.nan],
        [np.nan, np.nan, np.nan, np.nan],
    ],
    ids=str,
)
def test_completions_have_their_exact_probabilities(row):
    columns = columns_of([TWO, THREE, TWO, THREE], nominal=[True, False, False, True])
    world = WTables(columns, np.random.default_rng(8), strength=1.0)
    beta = np.array([2.0, 0.5, 1.0, 3.0, 0.7, 1.5])
    whole, p = completions(world, columns, np.array(row, dtype=float), beta)
    n = 1500
    table = rows_of(columns, [row] * n)
    filled = draw_missing(world, table, forest_draws(beta, 9), n_sweeps=15, random_state=10)
    assert filled.present.all()
    counts = [(filled.codes == cell).all(axis=1).sum() for cell in whole]
    assert sum(counts) == n
    # Cells that are hardly ever met are taken together.
    rare = n * p < 5
    seen = np.append(np.array(counts)[~rare], np.array(counts)[rare].sum())
    expected = np.append(p[~rare], p[rare].sum())
    kept = expected > 0.0
    assert stats.chisquare(seen[kept], n * expected[kept]).pvalue > LEAST_P


def test_what_is_given_leaves_the_independent_forest_alone(rng):
    """The test above can fail: the margins alone do not pass it."""
    columns = columns_of([TWO, THREE, TWO, THREE], nominal=[True, False, False, True])
    world = WTables(columns, np.random.default_rng(8), strength=1.0)
    beta = np.array([2.0, 0.5, 1.0, 3.0, 0.7, 1.5])
    _, p = completions(world, columns, np.array([0, np.nan, 1, 2.0]), beta)
    assert stats.chisquare(1500 * np.array(THREE), 1500 * p).pvalue < 1e-6


def test_copulas_of_levels_draw_what_their_densities_say():
    rng = np.random.default_rng(15)
    z = rng.normal(size=(600, 1)) + rng.normal(size=(600, 3))
    codes = np.column_stack([np.digitize(x, cuts) for x, cuts in zip(z.T, CUTS, strict=True)])
    columns = columns_of([np.bincount(x) / 600 for x in codes.T])
    copulas = PairCopulas().fit(rows_of(columns, codes))
    assert "independence" not in copulas.family_
    beta = np.array([2.0, 0.5, 1.5])
    whole, p = completions(copulas, columns, np.array([np.nan, 1, np.nan]), beta)
    table = rows_of(columns, [[np.nan, 1, np.nan]] * 4000)
    filled = draw_missing(copulas, table, forest_draws(beta, 16), random_state=17)
    counts = [(filled.codes == cell).all(axis=1).sum() for cell in whole]
    assert stats.chisquare(counts, 4000 * p).pvalue > LEAST_P


def test_a_leaf_follows_its_neighbour_alone():
    copula = Clayton(3.0, 90)
    world = Copulas(3, {(0, 1): copula, (1, 2): Gaussian(0.9)})
    table = rows_of(columns_of([[]] * 3), [[0.7, np.nan, np.nan]] * 3000)
    chain = np.array([-1, 0, 1])
    filled = draw_missing(world, table, lambda w: np.tile(chain, (len(w), 1)), 1, 11)
    assert np.all(filled.u[:, 0] == 0.7)
    assert stats.kstest(copula.hfunc(0.7, filled.u[:, 1]), "uniform").pvalue > LEAST_P
    inner = Gaussian(0.9).hfunc(filled.u[:, 1], filled.u[:, 2])
    assert stats.kstest(inner, "uniform").pvalue > LEAST_P


def test_the_first_forests_see_what_is_present_only():
    columns = columns_of([TWO, TWO, TWO], nominal=[True] * 3)
    world = WTables(columns, np.random.default_rng(0))
    seen = []

    def draw(log_w):
        seen.append(log_w.copy())
        return np.tile([-1, 0, 1], (len(log_w), 1))

    table = rows_of(columns, [[0, 1, np.nan], [np.nan, 0, np.nan]])
    draw_missing(world, table, draw, n_sweeps=2, random_state=0)
    assert seen[0].tolist() == [[np.log(world.w[0][0, 1]), 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert np.all(seen[1] != 0.0)


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_what_hangs_free_is_what_pruning_missing_leaves_cuts_off(d, seed):
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=(d, d))
    parents = forests.sample(weights + weights.T, random_state=rng).parents
    missing = rng.random((1, d)) < 0.6
    hanging = np.empty((1, d), dtype=np.int64)
    _hang(parents, missing, hanging)
    graph = nx.Graph((v, int(u)) for v, u in enumerate(parents[0]) if u >= 0)
    graph.add_nodes_from(range(d))
    whole = graph.copy()
    while leaves := [v for v in graph if missing[0, v] and graph.degree(v) <= 1]:
        graph.remove_node(leaves[0])
    assert set(np.flatnonzero(hanging[0] == _STAYS)) == set(graph)
    for v, u in enumerate(hanging[0]):
        assert u < 0 or whole.has_edge(v, int(u))
        if u == -1:  # it begins a tree of missing values
            assert missing[0, sorted(nx.node_connected_component(whole, v))].all()


COLUMNS = (Column("x", "continuous"), Column("rounded", "continuous"), Column("y", "continuous"))


@pytest.fixture
def fitted():
    rng = np.random.default_rng(12)
    x = rng.normal(size=300)
    values = np.column_stack([x, (10 + 2 * x).round(), x + rng.normal(size=300)])
    table = Table(values, COLUMNS)
    fit = PairFit().fit(table)
    fit.copulas_ = Independent()
    return table, fit


class Independent:
    def log_density(self, table, pairs=None):
        return np.zeros((len(table), 3 if pairs is None else len(pairs)))


def test_impute_fills_gaps_and_touches_nothing_else(fitted):
    table, fit = fitted
    rng = np.random.default_rng(13)
    holed = np.where(rng.random(table.values.shape) < 0.3, np.nan, table.values)
    draw = forest_draws(np.ones(3), 0)
    result = fit.impute(Table(holed, COLUMNS), draw, 2, 14)
    there = ~np.isnan(holed)
    assert not result.has_gaps
    assert np.array_equal(result.values[there], holed[there])
    assert np.isin(result.values[:, 1], table.values[:, 1]).all()  # a rounded column stays so
    drawn = result.values[~there[:, 0], 0]
    assert stats.kstest(drawn, table.values[:, 0]).pvalue > LEAST_P


def test_the_seed_decides(fitted):
    table, fit = fitted
    holed = table.values.copy()
    holed[::2, 0] = np.nan
    results = [
        fit.impute(Table(holed, COLUMNS), forest_draws(np.ones(3), 1), 2, seed).values
        for seed in (0, 0, 1)
    ]
    assert np.array_equal(results[0], results[1])
    assert not np.array_equal(results[0], results[2])


def test_a_whole_table_comes_back_as_it_was(fitted):
    table, fit = fitted
    result = fit.impute(table, forest_draws(np.ones(3), 0))
    assert np.array_equal(result.values, table.values)
