"""Laws of values of the world: the truth is right, and rows have the law that is said."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from scipy import stats
from training.world.directed import EFFECTS, directed_values, moral, orient
from training.world.elliptical import (
    PRECISIONS,
    draw_precision,
    gaussian_values,
    hidden_causes,
    normal_scores,
    scaled_values,
    uniform_cliques,
    without_hidden,
)
from training.world.fields import draw_field
from training.world.pairs import FURTHER, copula_values, draw_copula
from training.world.shapes import chain, cliques, tree
from training.world.source import Source, pick, spread

from spinney.simulate import hub_graph, random_graph

MANY = 20_000


@pytest.fixture(params=range(8))
def seed(request):
    return request.param


def partial_correlations(covariance):
    precision = np.linalg.inv(covariance)
    scale = np.sqrt(np.diag(precision))
    return -precision / np.outer(scale, scale)


def test_precision_matrices_are_positive_with_the_pattern_of_the_graph():
    ways = set()
    for seed in range(60):
        graph = random_graph(12, 3, 2, seed)
        precision, way = draw_precision(np.random.default_rng(seed), graph)
        ways.add(way)
        off = precision - np.diag(np.diag(precision))
        np.testing.assert_array_equal(off != 0, graph)
        np.testing.assert_array_equal(precision, precision.T)
        assert np.linalg.eigvalsh(precision)[0] > 0
    assert ways == set(PRECISIONS)


def test_gaussian_rows_have_the_precision_matrix_that_is_given(seed):
    source = Source(np.random.default_rng(seed), MANY)
    values = gaussian_values(source, random_graph(6, 2, 1, seed))
    expected = np.linalg.inv(values.precision)
    scale = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(
        np.corrcoef(values.X.T), expected / np.outer(scale, scale), atol=5 / np.sqrt(MANY)
    )
    np.testing.assert_allclose(values.X.std(axis=0), 1, atol=0.02)


def test_rows_in_time_keep_their_law_and_depend_on_the_row_before():
    graph = chain(np.random.default_rng(0), 4)
    now = gaussian_values(Source(np.random.default_rng(1), MANY), graph).precision
    values = gaussian_values(Source(np.random.default_rng(1), MANY, memory=0.6), graph)
    np.testing.assert_allclose(values.precision, now)
    covariance = np.linalg.inv(values.precision)
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    np.testing.assert_allclose(np.corrcoef(values.X.T), correlation, atol=0.05)
    lagged = values.X[1:].T @ values.X[:-1] / (MANY - 1)
    np.testing.assert_allclose(lagged, 0.6 * correlation, atol=0.05)
    # The first rows are as stationary as the others.
    starts = [Source(np.random.default_rng(k), 2, 0.9).normals(1)[:, 0] for k in range(4000)]
    np.testing.assert_allclose(np.cov(np.array(starts).T), [[1, 0.9], [0.9, 1]], atol=0.08)


def test_hidden_causes_join_their_children(seed):
    source = Source(np.random.default_rng(seed), 5)
    graph = random_graph(9, 2, 1, seed)
    values = hidden_causes(source, graph)
    assert (values.adjacency | graph == values.adjacency).all()
    assert values.adjacency.sum() > graph.sum()


def test_the_graph_without_hidden_nodes_is_the_pattern_of_the_marginal_precision(seed):
    rng = np.random.default_rng(seed)
    larger = random_graph(10, 2.4, 1, seed)
    weights = np.where(larger, np.triu(rng.uniform(0.2, 0.5, larger.shape)), 0)
    weights = weights + weights.T
    precision = np.eye(10) * (np.abs(weights).sum(axis=1).max() + 0.1) + weights
    marginal = np.linalg.inv(np.linalg.inv(precision)[:7, :7])
    pattern = (np.abs(marginal) > 1e-9) & ~np.eye(7, dtype=bool)
    np.testing.assert_array_equal(without_hidden(larger, 7), pattern)


def test_moral_graphs_are_those_of_networkx(seed):
    rng = np.random.default_rng(seed)
    parents, order = orient(rng, random_graph(15, 3.2, 1, seed), outward=bool(seed % 2))
    directed = nx.from_numpy_array(parents.astype(int), create_using=nx.DiGraph)
    expected = nx.to_numpy_array(nx.moral_graph(directed), nodelist=range(15), dtype=bool)
    np.testing.assert_array_equal(moral(parents), expected)
    place = {node: k for k, node in enumerate(order)}
    assert all(place[u] < place[v] for u, v in directed.edges)
    assert parents.sum(axis=0).max() <= 4


def test_trees_that_are_directed_outward_stay_trees(seed):
    graph = tree(np.random.default_rng(seed), 12)
    source = Source(np.random.default_rng(seed), 20)
    values = directed_values(source, graph, curved=True, outward=True)
    np.testing.assert_array_equal(values.adjacency, graph)


def test_linear_causes_with_normal_noise_have_the_partial_correlations_of_the_moral_graph():
    checked = 0
    for seed in range(8):
        source = Source(np.random.default_rng(seed), MANY)
        graph = random_graph(6, 2, 1, seed)
        values = directed_values(source, graph, curved=False, outward=False)
        if not values.gaussian:
            continue
        checked += 1
        partial = partial_correlations(np.cov(values.X.T))
        outside = ~values.adjacency & ~np.eye(6, dtype=bool)
        assert np.abs(partial[outside]).max(initial=0.0) < 5 / np.sqrt(MANY)
        assert np.abs(partial[values.adjacency]).min() > 1 / np.sqrt(MANY)
    assert checked >= 2


def test_effects_have_comparable_sizes():
    x = np.random.default_rng(0).standard_normal(MANY)
    for name, effect in EFFECTS.items():
        assert 0.6 < effect(x).std() < 1.6, name


def test_student_rows_have_one_scale_where_they_should():
    laws = set()
    for seed in range(40):
        graph = random_graph(6, 1.4, 2, seed)
        values = scaled_values(Source(np.random.default_rng(seed), 20), graph)
        laws.add(values.law)
        assert not values.gaussian
    assert laws == {"student (one scale)", "student (scale by component)"}


@pytest.mark.parametrize("df", [1.0, 3.5])
def test_normal_scores_of_t_are_normal(df):
    sample = stats.t(df).rvs(MANY, random_state=0)
    assert stats.kstest(normal_scores(sample, df), "norm").pvalue > 1e-3
    assert np.isfinite(normal_scores(np.array([1e300, -1e300, 0.0]), df)).all()


def test_cliques_are_normal_in_each_column_and_apart_from_others(seed):
    rng = np.random.default_rng(seed)
    graph = cliques(rng, 9)
    values = uniform_cliques(Source(rng, 4000), graph)
    assert min(stats.kstest(column, "norm").pvalue for column in values.X.T) > 1e-5
    tau = np.array([[stats.kendalltau(a, b)[0] for a in values.X.T] for b in values.X.T])
    outside = ~graph & ~np.eye(9, dtype=bool)
    assert np.abs(tau[outside]).max(initial=0.0) < 0.06


@pytest.mark.parametrize("family", FURTHER)
def test_copulas_have_the_tau_that_is_asked_for(family):
    rng = np.random.default_rng(0)
    for tau in (0.1, 0.5, 0.8):
        copula = draw_copula(rng, (tau, tau), {family: 1.0})
        assert copula.family == family
        assert abs(copula.tau) == pytest.approx(tau, abs=1e-3)


def test_copula_forests_stand_the_whole_range_of_tau():
    graph = tree(np.random.default_rng(0), 12)
    for seed in range(12):
        values = copula_values(Source(np.random.default_rng(seed), 300), graph)
        assert np.isfinite(values.X).all()
        low, high = values.details["tau"]
        assert 0.05 <= low <= high <= 0.95


def test_copula_forests_have_kendalls_tau_on_their_edges():
    """Pairs that are joined depend at least as much as pairs two steps away."""
    graph = chain(np.random.default_rng(0), 3)
    for seed in range(30):
        values = copula_values(Source(np.random.default_rng(seed), 3000), graph)
        if values.details["mixed"]:
            continue
        low, high = values.details["tau"]
        tau = np.array([[stats.kendalltau(a, b)[0] for a in values.X.T] for b in values.X.T])
        assert np.abs(tau[graph]).min() > min(low, 0.8) - 0.05
        assert np.abs(tau[graph]).max() < high + 0.05


@pytest.mark.parametrize(("levels", "ordered"), [(2, False), (3, False), (3, True)])
def test_fields_have_the_enumerated_frequencies(levels, ordered):
    graph = nx.to_numpy_array(nx.cycle_graph(4), dtype=bool)
    rng = np.random.default_rng(levels + ordered)
    field = draw_field(rng, graph, levels, ordered)
    codes = field.sample(rng, MANY)
    configurations = list(product(range(levels), repeat=4))
    weight = np.zeros((levels,) * 4)
    for x in configurations:
        weight[x] = sum(field.fields[u, x[u]] for u in range(4)) + sum(
            table[x[u], x[v]] for (u, v), table in zip(field.edges, field.couplings, strict=True)
        )
    p = np.exp(weight) / np.exp(weight).sum()
    counts = np.zeros(p.shape)
    np.add.at(counts, tuple(codes.T), 1)
    assert stats.chisquare(counts.ravel(), MANY * p.ravel()).pvalue > 1e-4


def test_fields_are_coupled_on_edges_only():
    graph = hub_graph(8, 2, 0)
    field = draw_field(np.random.default_rng(0), graph, 4)
    np.testing.assert_array_equal(field.edges, np.argwhere(np.triu(graph)))
    # What rows and columns could take up is no coupling.
    np.testing.assert_allclose(field.couplings.sum(axis=1), 0, atol=1e-12)
    assert np.abs(field.couplings).max(axis=(1, 2)).min() > 0


def test_pick_follows_the_shares():
    rng = np.random.default_rng(0)
    drawn = [pick(rng, {"a": 1.0, "b": 0.0, "c": 3.0}) for _ in range(4000)]
    assert drawn.count("b") == 0
    assert drawn.count("c") / 4000 == pytest.approx(0.75, abs=0.03)


def test_spread_is_the_standard_deviation_of_normal_columns_and_ignores_gross_values():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((MANY, 2)) * [1.0, 3.0]
    X[:50] = 1e9
    np.testing.assert_allclose(spread(X), [1, 3], rtol=0.02)
    mostly_one = np.zeros((100, 1))
    mostly_one[:5] = 1.0
    assert spread(mostly_one)[0] == pytest.approx(mostly_one.std())
