"""Degrees, components and shapes as asked, with networkx as the oracle."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spinney.exceptions import InputError
from spinney.simulate import (
    clique_graph,
    forest_graph,
    grid_graph,
    hub_graph,
    random_graph,
    scale_free_graph,
)

seeds = st.integers(0, 2**32)


def check(adjacency):
    """Every graph is a symmetric boolean matrix without loops."""
    assert adjacency.dtype == bool
    np.testing.assert_array_equal(adjacency, adjacency.T)
    assert not adjacency.diagonal().any()
    return nx.from_numpy_array(adjacency)


@st.composite
def recipes(draw):
    d = draw(st.integers(1, 40))
    k = draw(st.integers(1, d))
    sizes = np.diff([0, *sorted(draw(st.permutations(range(1, d)))[: k - 1]), d]).tolist()
    most = sum(s * (s - 1) // 2 for s in sizes)
    return d, sizes, draw(st.integers(d - k, most)), draw(seeds)


@given(recipes())
def test_random_graphs_have_the_components_and_the_degree_asked_for(recipe):
    d, sizes, n_edges, seed = recipe
    graph = check(random_graph(d, 2 * n_edges / d, random_state=seed, sizes=sizes))
    assert graph.number_of_edges() == n_edges
    assert sorted(map(len, nx.connected_components(graph))) == sorted(sizes)


@given(st.integers(2, 60), st.integers(1, 5), seeds)
def test_components_are_as_equal_in_size_as_possible(d, k, seed):
    k = min(k, d)
    sizes = [len(c) for c in nx.connected_components(check(forest_graph(d, k, seed)))]
    assert len(sizes) == k
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(1, 60), st.integers(1, 5), seeds)
def test_forests_are_forests(d, k, seed):
    k = min(k, d)
    graph = check(forest_graph(d, k, seed))
    assert nx.is_forest(graph)
    assert graph.number_of_edges() == d - k


def test_trees_are_drawn_uniformly():
    # 4^2 = 16 labelled trees on four nodes.
    counts = Counter(forest_graph(4, random_state=seed).tobytes() for seed in range(3200))
    assert len(counts) == 16
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_further_edges_are_drawn_uniformly_from_the_pairs_within_components():
    total = sum(random_graph(6, 5 / 3, 2, random_state=s).astype(int) for s in range(2000))
    # Five edges over two triples that are themselves drawn: 15 pairs, one third each.
    counts = total[np.triu_indices(6, 1)]
    assert counts.sum() == 10000
    # Edges of one graph exclude each other, so the usual variance is an upper bound.
    assert np.abs(counts - 10000 / 15).max() < 4 * np.sqrt(2000 * (1 / 3) * (2 / 3))


@given(st.integers(1, 12), st.integers(1, 12))
def test_grids_agree_with_networkx(rows, columns):
    expected = nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns))
    assert set(check(grid_graph(rows, columns)).edges) == set(expected.edges)


@given(st.integers(1, 40), st.integers(1, 6), st.booleans(), seeds)
def test_hubs_are_stars(d, k, joined, seed):
    k = min(k, d)
    graph = check(hub_graph(d, k, seed, joined=joined))
    assert nx.is_forest(graph)
    assert nx.number_connected_components(graph) == (1 if joined else k)
    if not joined:
        for nodes in nx.connected_components(graph):
            assert max(dict(graph.degree(nodes)).values()) == len(nodes) - 1


@given(st.integers(2, 40), st.integers(1, 4), seeds)
def test_scale_free_graphs_are_connected_with_the_edges_promised(d, m, seed):
    m = min(m, d - 1)
    graph = check(scale_free_graph(d, m, seed))
    assert nx.is_connected(graph)
    assert graph.number_of_edges() == m * (d - m)


def test_scale_free_graphs_have_hubs():
    largest = [scale_free_graph(200, 1, seed).sum(axis=0).max() for seed in range(20)]
    even = [forest_graph(200, 1, seed).sum(axis=0).max() for seed in range(20)]
    assert np.mean(largest) > 2 * np.mean(even)


@given(st.integers(6, 60), seeds)
def test_cliques_of_three_or_four(d, seed):
    graph = check(clique_graph(d, random_state=seed))
    for nodes in nx.connected_components(graph):
        assert len(nodes) in (3, 4)
        assert graph.subgraph(nodes).number_of_edges() == len(nodes) * (len(nodes) - 1) // 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_graph(25, 1.0), "between 1.92 and 24"),
        (lambda: random_graph(4, 3, 2), "sizes 2, 2 take 2 to 2"),
        (lambda: random_graph(4, 2, 5), "4 nodes cannot form 5 components"),
        (lambda: random_graph(4, 2, sizes=[1, 2]), "add up to 3"),
        (lambda: random_graph(2.5), "d must be a whole number"),
        (lambda: clique_graph(5), "5 nodes cannot be split into cliques of sizes 3, 4"),
        (lambda: scale_free_graph(3, 3), "less than d = 3"),
        (lambda: hub_graph(3, 4), "cannot form 4 hubs"),
        (lambda: grid_graph(0, 3), "rows must be a whole number of at least 1"),
        (lambda: forest_graph(3, random_state=-1), "is not negative"),
        (lambda: forest_graph(3, random_state="a"), "a numpy Generator or None"),
    ],
)
def test_impossible_wishes_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
