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


def excess(graph, d):
    """Count the edges beyond those of a forest."""
    return graph.number_of_edges() - d + nx.number_connected_components(graph)


def is_chain(graph, d):
    return sorted(degree for _, degree in graph.degree) == [1, 1] + [2] * (d - 2)


def is_circle(graph, d):
    steps = [1, 2][: graph.number_of_edges() // d]
    return nx.is_isomorphic(graph, nx.circulant_graph(d, steps))


def has_hubs(graph, d):
    """Whoever is no hub is a leaf: without the leaves, a path or single nodes are left."""
    inner = graph.subgraph([node for node, degree in graph.degree if degree > 1])
    return nx.is_forest(graph) and all(degree <= 2 for _, degree in inner.degree)


def is_of_cliques(graph, d):
    parts = [graph.subgraph(nodes) for nodes in nx.connected_components(graph)]
    return all(len(part) <= 8 and nx.density(part) in (0, 1) for part in parts)


def overlaps(graph, d):
    largest = max(len(clique) for clique in nx.find_cliques(graph))
    return nx.is_connected(graph) and nx.is_chordal(graph) and largest <= 6


PROMISES = {
    **dict.fromkeys(
        ("tree", "recursive tree", "chain", "preferential tree"), lambda graph, d: nx.is_tree(graph)
    ),
    "forest": lambda graph, d: excess(graph, d) == 0 and nx.number_connected_components(graph) >= 2,
    "near-tree": lambda graph, d: 1 <= excess(graph, d) <= max(1, d // 4),
    "loopy": lambda graph, d: nx.is_connected(graph) and d <= graph.number_of_edges() <= 3 * d,
    "band": lambda graph, d: graph.number_of_edges() in {2 * d - 3, 3 * d - 6},
    "ring": is_circle,
    "small world": lambda graph, d: graph.number_of_edges() == 2 * d,
    "hubs": has_hubs,
    "scale-free": lambda graph, d: (
        nx.is_connected(graph) and graph.number_of_edges() in {2 * (d - 2), 3 * (d - 3)}
    ),
    "cliques": is_of_cliques,
    "overlapping cliques": overlaps,
}


@pytest.mark.parametrize("kind", PROMISES)
def test_shapes_are_what_they_promise(kind):
    assert all(PROMISES[kind](graph, d) for graph, d in graphs(kind))
    if kind == "chain":
        assert all(is_chain(graph, d) for graph, d in graphs(kind))


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
