"""Samples, counts and modes against enumeration."""

import networkx as nx
import numpy as np
import pytest
from forest_oracles import random_weights
from scipy import stats

from spinney import forests
from spinney.exceptions import InputError

METHODS = ["wilson", "elimination"]


def frequencies(drawn, expected):
    """Count how often each enumerated forest was drawn."""
    d = expected.n_nodes
    codes = {sum(1 << (u * d + v) for u, v in f): i for i, f in enumerate(expected.forests)}
    powers = np.array([[1 << (u * d + v) if u < v else 0 for v in range(d)] for u in range(d)])
    seen = (drawn.adjacency * powers).sum(axis=(1, 2))
    counts = np.zeros(len(codes))
    for code, count in zip(*np.unique(seen, return_counts=True), strict=True):
        counts[codes[int(code)]] += count  # a KeyError is a forest that cannot be
    return counts


def p_value(counts, probabilities):
    """Chi-squared with rare forests pooled, so that each cell expects five or more."""
    n = counts.sum()
    order = np.argsort(probabilities)
    rare = np.cumsum(probabilities[order]) * n < 5
    rare[: np.argmin(rare) + 1] = True  # the pool itself must expect five
    pool, rest = order[rare], order[~rare]
    observed = np.append(counts[rest], counts[pool].sum())
    expected = np.append(probabilities[rest], probabilities[pool].sum()) * n
    keep = expected > 0
    return stats.chisquare(observed[keep], expected[keep] * n / expected[keep].sum()).pvalue


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ground", [0.0, 0.7, "vector"])
def test_chi_squared_against_enumeration_over_ten_seeds(method, ground):
    rng = np.random.default_rng(11)
    d = 5
    W = random_weights(rng, d, spread=0.7, density=0.9)
    W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = 1.0
    roots = np.array([0.5, 0.0, 1.0, 0.0, 2.0]) if ground == "vector" else ground
    expected = forests.enumerate(W, roots)
    values = []
    for seed in range(10):
        drawn = forests.sample(W, roots, 4000, random_state=seed, method=method)
        values.append(p_value(frequencies(drawn, expected), expected.probabilities))
    assert min(values) > 1e-3
    # A sampler that is nearly right would give small values all along.
    assert stats.combine_pvalues(values).pvalue > 1e-3


def test_roots_are_drawn_with_their_weights():
    W = np.ones((3, 3))
    roots = np.array([1.0, 2.0, 5.0])
    for method in METHODS:
        drawn = forests.sample(W, roots, 20_000, random_state=5, method=method)
        single = drawn.parents[drawn.n_trees == 1]
        counts = (single < 0).sum(axis=0)
        assert stats.chisquare(counts, counts.sum() * roots / roots.sum()).pvalue > 1e-3


@pytest.mark.parametrize("spread", [2000.0, 30.0])
def test_wild_weights_are_sampled_by_elimination(spread):
    rng = np.random.default_rng(2)
    W = rng.uniform(-spread, spread, (5, 5))
    W = np.triu(W, 1) + np.triu(W, 1).T
    expected = forests.enumerate(W, log=True)
    drawn = forests.sample(W, n_samples=3000, log=True, random_state=1)
    assert drawn.method == "elimination"
    counts = frequencies(drawn, expected)
    likely = expected.probabilities > 1e-9
    assert counts[likely].sum() == 3000
    sure = expected.probabilities > 0.999999
    if sure.any():
        assert counts[sure].sum() == 3000


def test_same_seed_same_forests_other_seed_others():
    W = np.ones((8, 8))
    for method in METHODS:
        one = forests.sample(W, n_samples=50, random_state=3, method=method).parents
        assert (one == forests.sample(W, n_samples=50, random_state=3, method=method).parents).all()
        assert (one != forests.sample(W, n_samples=50, random_state=4, method=method).parents).any()


@pytest.mark.parametrize("method", METHODS)
def test_samples_are_forests(rng, method):
    W = random_weights(rng, 30, density=0.3)
    drawn = forests.sample(W, 0.2, 40, random_state=0, method=method)
    for i in range(40):
        graph = nx.from_numpy_array(drawn.adjacency[i])
        assert nx.is_forest(graph)
        assert nx.number_connected_components(graph) == drawn.n_trees[i]
        assert sorted(map(tuple, map(sorted, graph.edges))) == drawn.edges(i)
        assert all(W[u, v] > 0 for u, v in drawn.edges(i))
    assert forests.sample(np.zeros((1, 1)), method=method).parents.tolist() == [[-1]]
    tree = forests.sample(np.ones((6, 6)), 0.0, 5, random_state=0, method=method)
    assert (tree.n_trees == 1).all()


def test_bad_requests_are_named():
    with pytest.raises(InputError, match="method must be"):
        forests.sample(np.ones((2, 2)), method="guess")
    with pytest.raises(InputError, match="no spanning tree"):
        forests.sample(np.zeros((2, 2)), 0.0)
    with pytest.raises(InputError, match="one matrix"):
        forests.sample(np.ones((3, 2, 2)))


@pytest.mark.parametrize("ground", [0.0, 0.3, 1.0, "vector"])
def test_number_of_trees_against_enumeration(rng, ground):
    for d in range(1, 7):
        W = random_weights(rng, d, 1.5, density=0.8)
        W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = 1.0
        roots = np.where(np.arange(d) % 2, 0.0, 0.4) if ground == "vector" else ground
        listed = forests.enumerate(W, roots)
        expected = np.bincount(listed.n_trees, listed.probabilities, minlength=d + 1)
        found = forests.tree_count_distribution(W, roots)
        np.testing.assert_allclose(found, expected, atol=1e-13)


def test_number_of_trees_is_poisson_binomial_of_laplacian_eigenvalues(rng):
    W = random_weights(rng, 12)
    mu = np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W)
    chances = 2.0 / (2.0 + mu)
    found = forests.tree_count_distribution(W, 2.0)
    expected = np.array([1.0])
    for chance in chances:
        expected = np.convolve(expected, [1 - chance, chance])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_number_of_trees_with_huge_log_weights():
    W = np.full((4, 4), -np.inf)
    W[0, 1] = W[1, 0] = 3000.0
    W[2, 3] = W[3, 2] = -3000.0
    np.testing.assert_allclose(
        forests.tree_count_distribution(W, log=True), [0, 0, 0, 1, 0], atol=1e-15
    )
