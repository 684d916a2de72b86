"""Samples of unrooted forests against enumeration."""

import networkx as nx
import numpy as np
import pytest
from forest_oracles import random_weights
from scipy import stats
from test_forest_sampling import frequencies, p_value

from spinney import forests
from spinney.exceptions import InputError


def symmetric(W):
    return np.triu(W, 1) + np.triu(W, 1).T


@pytest.mark.parametrize("d", [3, 4, 5])
@pytest.mark.parametrize("max_trees", [None, 1, 2, 3, 4])
def test_chi_squared_against_enumeration_over_six_seeds(d, max_trees):
    W = random_weights(np.random.default_rng(d), d, spread=0.7, density=0.9)
    W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = 1.0
    expected = forests.enumerate(W, rooted=False, max_trees=max_trees)
    values = []
    for seed in range(6):
        drawn = forests.sample_unrooted(W, max_trees, 4000, random_state=seed)
        assert drawn.n_trees.max() <= (max_trees or d)
        values.append(p_value(frequencies(drawn, expected), expected.probabilities))
    assert min(values) > 1e-3
    assert stats.combine_pvalues(values).pvalue > 1e-3


@pytest.mark.parametrize("max_trees", [None, 1, 2, 3])
def test_weights_far_beyond_doubles(max_trees):
    """Edges of e^±1000 that leave real choices among edges of like weight."""
    rng = np.random.default_rng(8)
    W = rng.normal(size=(5, 5))
    W[0, 1:3] += 1000.0
    W[1, 2] += 1000.0
    W[3, 4] -= 1000.0
    W[:3, 3:] -= 1000.0
    W = symmetric(W)
    expected = forests.enumerate(W, log=True, rooted=False, max_trees=max_trees)
    assert (expected.probabilities > 0.01).sum() > 2
    for seed in range(3):
        drawn = forests.sample_unrooted(W, max_trees, 4000, log=True, random_state=seed)
        assert p_value(frequencies(drawn, expected), expected.probabilities) > 1e-3


def test_uniform_log_weights_over_two_thousand_decades():
    W = symmetric(np.random.default_rng(1).uniform(-1000, 1000, (5, 5)))
    expected = forests.enumerate(W, log=True, rooted=False)
    drawn = forests.sample_unrooted(W, n_samples=500, log=True, random_state=0)
    assert frequencies(drawn, expected)[np.argmax(expected.probabilities)] == 500


def test_edge_frequencies_of_twelve_nodes():
    W = random_weights(np.random.default_rng(3), 12, spread=0.8)
    drawn = forests.sample_unrooted(W, 3, 20_000, random_state=4)
    expected = forests.edge_marginals_unrooted(W, 3)
    spread = np.sqrt(np.maximum(expected * (1 - expected), 1e-4) / 20_000)
    assert (np.abs(drawn.adjacency.mean(axis=0) - expected) / spread).max() < 4.5  # 66 edges


def test_samples_are_forests_that_point_to_roots():
    W = random_weights(np.random.default_rng(5), 9, density=0.5)
    drawn = forests.sample_unrooted(W, n_samples=50, random_state=0)
    for i in range(50):
        graph = nx.from_numpy_array(drawn.adjacency[i])
        assert nx.is_forest(graph)
        assert nx.number_connected_components(graph) == drawn.n_trees[i]
        assert all(W[u, v] > 0 for u, v in drawn.edges(i))


def test_log_weights_draw_the_same_forests():
    W = random_weights(np.random.default_rng(5), 6)
    plain = forests.sample_unrooted(W, 3, 100, random_state=1)
    with np.errstate(divide="ignore"):
        by_log = forests.sample_unrooted(np.log(W), 3, 100, log=True, random_state=1)
    np.testing.assert_array_equal(plain.parents, by_log.parents)


def test_one_seed_one_result_and_small_cases():
    W = np.ones((6, 6))
    one = forests.sample_unrooted(W, n_samples=50, random_state=3)
    assert one.method == "subsets"
    again = forests.sample_unrooted(W, n_samples=50, random_state=3)
    np.testing.assert_array_equal(one.parents, again.parents)
    other = forests.sample_unrooted(W, n_samples=50, random_state=4)
    assert (one.parents != other.parents).any()
    assert forests.sample_unrooted([[0.0]], n_samples=2).parents.tolist() == [[-1], [-1]]
    assert forests.sample_unrooted(W, n_samples=0).parents.shape == (0, 6)
    assert (forests.sample_unrooted(np.zeros((3, 3)), n_samples=4).n_trees == 3).all()


def test_bad_requests_are_named():
    with pytest.raises(InputError, match="meant for 12 nodes; there are 13"):
        forests.sample_unrooted(np.ones((13, 13)))
    with pytest.raises(InputError, match="max_trees must be"):
        forests.sample_unrooted(np.ones((3, 3)), 0)
    with pytest.raises(InputError, match="n_samples"):
        forests.sample_unrooted(np.ones((3, 3)), n_samples=-1)
    with pytest.raises(InputError, match="more than 2 components"):
        forests.sample_unrooted(np.zeros((3, 3)), 2)
    with pytest.raises(InputError, match="one matrix"):
        forests.sample_unrooted(np.ones((2, 3, 3)))
