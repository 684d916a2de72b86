"""Forests on listed pairs, components apart: against enumeration, networkx and all pairs."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney.exceptions import InputError
from spinney.forests import PairNetwork, forest_log_partition, forest_posterior, solve_batch
from spinney.forests import log_weights as module
from spinney.forests._rewriting import Edges, bottlenecks, maximum_tree


def on_all(values, pairs, d):
    """Log-weights of all pairs, -inf where none is listed."""
    whole = np.full(n_pairs(d), -np.inf)
    whole[pairs] = values
    return whole


@st.composite
def networks(draw, most=6, scales=(1.0, 30.0, 800.0)):
    d = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < draw(st.sampled_from([0.0, 0.3, 0.6, 1.0])))
    return d, pairs, draw(st.sampled_from(scales)) * rng.normal(size=(3, len(pairs)))


@given(networks(), st.sampled_from([0.3, 1.0, 5.0]))
def test_listed_pairs_equal_enumeration(case, root):
    d, pairs, rows = case
    probabilities, log_partition = solve_batch(rows, PairNetwork(d, pairs), root, 1e-12)
    for row, found, total in zip(rows, probabilities, log_partition, strict=True):
        weights = to_matrix(on_all(row, pairs, d)) if d > 1 else np.zeros((1, 1))
        if d > 1:
            np.fill_diagonal(weights, -np.inf)
        every = forests.enumerate(weights, root, log=True)
        expected = every.edge_marginals[pair_nodes(d)][pairs]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
        exact = forests.log_partition(weights, root, log=True, engine="log")
        assert total == pytest.approx(exact, rel=1e-11, abs=1e-11)


@given(networks(most=30, scales=(3.0, 400.0)))
def test_listed_pairs_equal_all_pairs(case):
    d, pairs, rows = case
    found = forest_posterior(rows, network=PairNetwork(d, pairs))
    for k, row in enumerate(rows):
        whole = forest_posterior(on_all(row, pairs, d))
        np.testing.assert_allclose(
            found.probabilities[k], whole.probabilities[pairs], rtol=0, atol=2e-10
        )
        assert found.log_partition[k] == pytest.approx(whole.log_partition, rel=1e-10, abs=2e-10)
    only = forest_log_partition(rows, network=PairNetwork(d, pairs))
    np.testing.assert_allclose(only, found.log_partition, rtol=1e-12)


@given(networks(most=25))
def test_components_are_those_of_networkx(case):
    d, pairs, _ = case
    network = PairNetwork(d, pairs)
    graph = nx.Graph()
    graph.add_nodes_from(range(d))
    graph.add_edges_from(np.stack(pair_nodes(d), axis=1)[pairs].tolist())
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    found = {
        frozenset(np.flatnonzero(network.labels == k).tolist()) for k in range(network.n_components)
    }
    assert found == expected
    held = np.concatenate([group.columns for group in network.groups] or [np.empty(0)])
    np.testing.assert_array_equal(np.sort(held), np.arange(len(pairs)))


@pytest.mark.parametrize("together", [2, 8, 1000])
def test_how_components_are_grouped_changes_nothing(rng, monkeypatch, together):
    # Blocks of 2, 3, … 9 nodes, each complete.
    sizes = np.arange(2, 10)
    block = np.repeat(np.arange(len(sizes)), sizes)
    d = len(block)
    first, second = pair_nodes(d)
    pairs = np.flatnonzero(block[first] == block[second])
    rows = 5.0 * rng.normal(size=(2, len(pairs)))
    rows[1] += 700.0  # no double holds these
    expected = np.stack([forest_posterior(on_all(row, pairs, d)).probabilities for row in rows])
    monkeypatch.setattr(module, "TOGETHER", together)
    monkeypatch.setattr(module, "MOST_GROUPS", d)
    network = PairNetwork(d, pairs)
    assert network.n_components == len(sizes)
    found = forest_posterior(rows, network=network).probabilities
    np.testing.assert_allclose(found, expected[:, pairs], rtol=0, atol=2e-10)


def test_a_crowded_component_goes_through_dense_tiles(rng):
    d = 140
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < 0.3)
    network = PairNetwork(d, pairs)
    assert [group.engine for group in network.groups] == ["dense"]
    rows = rng.normal(loc=-4.0, size=(3, len(pairs)))
    found = forest_posterior(rows, network=network).probabilities
    whole = forest_posterior(np.stack([on_all(row, pairs, d) for row in rows]))
    np.testing.assert_allclose(found, whole.probabilities[:, pairs], rtol=0, atol=1e-12)


def test_pairs_that_cannot_be_edges_do_not_join_components():
    possible = np.array([True, False, True])  # a - b, not b - c, c - d
    network = PairNetwork(4, [0, 3, 5], possible)
    assert network.n_components == 2
    rows = np.array([[1.0, -np.inf, 1.0]])
    assert forest_posterior(rows, network=network).probabilities[0, 1] == 0.0


def test_threads_change_no_bit(rng):
    d = 40
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < 0.1)
    rows, network = rng.normal(size=(20, len(pairs))), PairNetwork(d, pairs)
    one, two = (forest_posterior(rows, network=network, threads=k) for k in (1, 2))
    np.testing.assert_array_equal(one.probabilities, two.probabilities)


@given(networks(most=12, scales=(1.0, 50.0)))
def test_bottlenecks_are_those_of_every_path(case):
    """The largest smallest weight over all paths, over the ground as well (by networkx)."""
    d, pairs, rows = case
    if d < 2:
        return
    first, second = pair_nodes(d)
    graph = nx.Graph()
    graph.add_weighted_edges_from((d, v, 0.0) for v in range(d))
    graph.add_weighted_edges_from(zip(first[pairs], second[pairs], rows[0], strict=True))
    tree = nx.maximum_spanning_tree(graph)
    order, _, link = maximum_tree(Edges.of(d, first[pairs], second[pairs]), rows[0])
    found = bottlenecks(order, link, first, second)
    for u, v, value in zip(first, second, found, strict=True):
        path = nx.shortest_path(tree, u, v)
        assert value == min(tree.edges[edge]["weight"] for edge in pairwise(path))


def test_log_weights_must_be_those_of_the_network():
    with pytest.raises(InputError, match="2 pairs are listed, but log_weights has 3"):
        forest_posterior(np.zeros(3), network=PairNetwork(3, [0, 2]))


@pytest.mark.parametrize("pairs", [[0, 3], [-1], [1, 0], [[0, 1]], [0.5]])
def test_wrong_pairs_are_refused(pairs):
    with pytest.raises(InputError, match="pair"):
        PairNetwork(3, pairs)
