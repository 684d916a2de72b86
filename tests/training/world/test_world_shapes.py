"""Graphs of the world: what each kind promises, by networkx."""

import networkx as nx
import numpy as np
import pytest
from training.world.shapes import SHAPES, draw_shape, groups_of_shape

DRAWS = [(seed, d) for seed in range(4) for d in (6, 7, 16, 40)]


def graphs(kind, draws=DRAWS):
    for seed, d in draws:
        adjacency = SHAPES[kind].draw(np.random.default_rng([seed, d]), d)
        assert adjacency.shape == (d, d)
        assert adjacency.dtype == bool
        assert (adjacency == adjacency.T).all()
        assert not adjacency.diagonal().any()
        yield nx.from_numpy_array(adjacency), d


@pytest.mark.parametrize("kind", SHAPES)
def test_every_kind_works_from_its_fewest_nodes_up(kind):
    draws = [(seed, SHAPES[kind].fewest + k) for seed in range(10) for k in range(3)]
    for graph, d in graphs(kind, draws):
        assert graph.number_of_nodes() == d


@pytest.mark.parametrize("kind", ["tree", "recursive tree", "chain", "preferential tree"])
def test_trees_are_trees(kind):
    assert all(nx.is_tree(graph) for graph, _ in graphs(kind))


def test_chains_have_two_ends():
    for graph, d in graphs("chain"):
        assert sorted(degree for _, degree in graph.degree) == [1, 1] + [2] * (d - 2)


def test_forests_are_forests_of_two_trees_or_more():
    for graph, _ in graphs("forest"):
        assert nx.is_forest(graph)
        assert nx.number_connected_components(graph) >= 2


def test_near_trees_have_a_few_edges_too_many():
    for graph, d in graphs("near-tree"):
        excess = graph.number_of_edges() - d + nx.number_connected_components(graph)
        assert 1 <= excess <= max(1, d // 4)


def test_loopy_graphs_are_connected_with_loops():
    for graph, d in graphs("loopy"):
        assert nx.is_connected(graph)
        assert d <= graph.number_of_edges() <= 3 * d


def test_grids_are_those_of_networkx():
    for graph, d in graphs("grid"):
        assert nx.check_planarity(graph)[0]
        lattices = [
            nx.grid_2d_graph(-(-d // columns), columns).subgraph(
                [(k // columns, k % columns) for k in range(d)]
            )
            for columns in range(2, d)
        ]
        assert any(nx.is_isomorphic(graph, lattice) for lattice in lattices)


def test_bands_and_rings_are_circulant():
    for graph, d in graphs("band"):
        assert graph.number_of_edges() in {2 * d - 3, 3 * d - 6}
    for graph, d in graphs("ring"):
        steps = [1, 2][: graph.number_of_edges() // d]
        assert nx.is_isomorphic(graph, nx.circulant_graph(d, steps))


def test_small_worlds_keep_the_edges_of_their_circle_in_number():
    for graph, d in graphs("small world"):
        assert graph.number_of_edges() == 2 * d


def test_hubs_are_stars_or_stars_in_a_path():
    for graph, _ in graphs("hubs"):
        assert nx.is_forest(graph)
        # Whoever is no hub is a leaf: without the leaves, a path or single nodes are left.
        inner = graph.subgraph([node for node, degree in graph.degree if degree > 1])
        assert all(degree <= 2 for _, degree in inner.degree)


def test_scale_free_graphs_have_the_edges_of_preferential_attachment():
    for graph, d in graphs("scale-free"):
        assert nx.is_connected(graph)
        assert graph.number_of_edges() in {2 * (d - 2), 3 * (d - 3)}


def test_cliques_apart_are_complete_components():
    for graph, _ in graphs("cliques"):
        for nodes in nx.connected_components(graph):
            k = len(nodes)
            assert k <= 8
            assert graph.subgraph(nodes).number_of_edges() == k * (k - 1) // 2


def test_overlapping_cliques_are_chordal_and_connected():
    for graph, _ in graphs("overlapping cliques"):
        assert nx.is_connected(graph)
        assert nx.is_chordal(graph)
        assert max(len(clique) for clique in nx.find_cliques(graph)) <= 6


def test_blocks_are_denser_than_chance_within():
    modularity = [
        nx.community.modularity(graph, nx.community.greedy_modularity_communities(graph))
        for graph, d in graphs("blocks")
        if d == 40 and graph.number_of_edges()
    ]
    assert np.mean(modularity) > 0.3


def test_erdos_renyi_has_all_densities():
    rng = np.random.default_rng(0)
    density = [SHAPES["erdos-renyi"].draw(rng, 30).mean() for _ in range(200)]
    assert min(density) < 0.04
    assert 0.5 < max(density) < 0.8


def test_unions_and_isolated_nodes():
    kinds = {}
    for seed in range(300):
        shape = draw_shape(np.random.default_rng(seed), 24)
        kinds.setdefault(shape.kind, []).append(shape)
        assert set(shape.parts) <= set(SHAPES)
    assert {"union", "mostly isolated"} <= set(kinds)
    assert len(kinds) >= 17
    for shape in kinds["mostly isolated"]:
        assert (shape.adjacency.sum(axis=0) == 0).mean() >= 0.5
    assert all(nx.number_connected_components(graph_of(s)) >= 2 for s in kinds["union"])
    assert any(len(shape.parts) >= 3 for shape in kinds["union"])


def graph_of(shape):
    return nx.from_numpy_array(shape.adjacency)


def test_groups_follow_the_kinds_of_parts():
    assert groups_of_shape(("preferential tree",)) == {"trees", "hubs"}
    assert groups_of_shape(("cliques", "grid")) == {"cliques", "loops"}
    assert groups_of_shape(("erdos-renyi",)) == set()
