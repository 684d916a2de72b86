"""Evidence of trees, against lists of all forests and other algorithms."""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import to_matrix, to_pairs
from spinney.evidence import measure
from spinney.evidence.trees import forest_probabilities, tree_margins


@given(st.integers(2, 5), st.integers(0, 10_000), st.sampled_from([1.0, 5.0, 30.0]))
def test_probabilities_are_those_of_all_rooted_forests(d, seed, scale):
    rng = np.random.default_rng(seed)
    W = to_matrix(rng.normal(scale=scale, size=d * (d - 1) // 2))
    expected = forests.enumerate(W, ground=1.0, log=True).edge_marginals
    np.testing.assert_allclose(forest_probabilities(W), expected, rtol=1e-8, atol=1e-14)


def test_weak_pairs_keep_their_digits_beside_strong_ones():
    W = to_matrix(np.array([100.0, 90.0, -80.0, 95.0, -85.0, -90.0]))
    found = forest_probabilities(W)
    expected = forests.enumerate(W, ground=1.0, log=True).edge_marginals
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=0.0)
    assert (to_pairs(found) > 0.0).all()


@pytest.mark.parametrize("d", [30, 150])
def test_probabilities_of_many_columns_are_weights_times_resistances(rng, d):
    W = to_matrix(rng.normal(size=d * (d - 1) // 2))
    weights = np.exp(W) * (1 - np.eye(d))
    kernel = np.linalg.inv(np.diag(weights.sum(axis=0)) - weights + np.eye(d))
    resistance = np.add.outer(np.diag(kernel), np.diag(kernel)) - 2 * kernel
    np.testing.assert_allclose(forest_probabilities(W), weights * resistance, rtol=1e-9)


def strongest_path(gains, u, v):
    """The largest of the weakest gains along all paths but the pair itself; 0 at least."""
    graph = nx.complete_graph(len(gains))
    graph.remove_edge(u, v)
    weakest = [
        min(gains[a, b] for a, b in pairwise(path)) for path in nx.all_simple_paths(graph, u, v)
    ]
    return max([0.0, *weakest])


@given(st.integers(2, 6), st.integers(0, 10_000), st.booleans())
def test_margins_against_all_paths(d, seed, ties):
    rng = np.random.default_rng(seed)
    gains = to_matrix(rng.normal(1.0, 3.0, size=d * (d - 1) // 2))
    gains = gains.round() if ties else gains
    found = tree_margins(gains)
    for u, v in combinations(range(d), 2):
        expected = gains[u, v] - strongest_path(gains, u, v)
        assert found[u, v] == found[v, u] == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 25), st.integers(0, 10_000))
def test_pairs_with_positive_margins_are_the_strongest_tree_of_networkx(d, seed):
    gains = to_matrix(np.random.default_rng(seed).uniform(1.0, 9.0, size=d * (d - 1) // 2))
    tree = nx.maximum_spanning_tree(nx.from_numpy_array(gains))
    found = {(int(u), int(v)) for u, v in np.argwhere(np.triu(tree_margins(gains) > 0.0))}
    assert found == {(min(e), max(e)) for e in tree.edges}


def test_a_tree_is_told_from_the_pairs_that_it_implies(rng):
    X = rng.normal(size=(400, 5))
    for k, parent in ((1, 0), (2, 1), (3, 1), (4, 3)):
        X[:, k] += X[:, parent]
    frame = measure(X).to_frame()
    edges = {("x0", "x1"), ("x1", "x2"), ("x1", "x3"), ("x3", "x4")}
    is_edge = [pair in edges for pair in zip(frame["source"], frame["target"], strict=True)]
    assert ((frame["tree"] > 0) == is_edge).all()
    assert ((frame["forest_64"] > 0) == is_edge).all()
