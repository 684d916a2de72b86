"""Places of nodes: none covers another, components stand apart, many columns are dots."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.exceptions import InputError
from spinney.graph.plots.layout import BETWEEN, HUBS, MOST_BY_SPRINGS, lay_out_graph
from spinney.graph.plots.style import text_width


def random_graph(d, degree, seed):
    """A graph whose names are one to twenty letters long."""
    graph = nx.gnp_random_graph(d, min(1.0, degree / max(d - 1, 1)), seed=seed)
    letters = np.random.default_rng(seed).integers(1, 20, size=d)
    return nx.relabel_nodes(graph, {k: f"{k}" + "v" * letters[k] for k in graph})


def boxes(centres, sizes):
    """Left, lower, right and upper end."""
    return np.hstack([centres - sizes / 2, centres + sizes / 2])


def overlaps(found):
    """Which two boxes cover each other."""
    covered = (found[:, None, :2] < found[None, :, 2:] - 1e-6).all(axis=-1)
    np.fill_diagonal(covered, False)
    return covered & covered.T


def extents(graph, found):
    """Box of each component with an edge."""
    index = {node: k for k, node in enumerate(graph)}
    parts = [[index[n] for n in part] for part in nx.connected_components(graph) if len(part) > 1]
    own = [boxes(found.positions[part], found.sizes[part]) for part in parts]
    return np.array([[*box[:, :2].min(axis=0), *box[:, 2:].max(axis=0)] for box in own])


@settings(max_examples=25)
@given(
    d=st.integers(0, 40),
    degree=st.sampled_from([0.0, 0.7, 1.5, 4.0, 100.0]),
    seed=st.integers(0, 999),
)
def test_no_two_labels_overlap_and_components_keep_their_distance(d, degree, seed):
    graph = random_graph(d, degree if d < 20 else min(degree, 4.0), seed)
    found = lay_out_graph(graph)
    assert found.nodes == list(graph)
    assert found.positions.shape == (d, 2)
    assert np.isfinite(found.positions).all()
    assert not overlaps(boxes(found.positions, found.sizes)).any()
    parts = extents(graph, found)
    if len(parts):
        wider = parts + np.array([-1, -1, 1, 1]) * (BETWEEN / 2 - 1e-3)
        assert not overlaps(wider).any()


@pytest.mark.parametrize("d", [30, pytest.param(260, marks=pytest.mark.slow)])
def test_the_same_graph_gives_the_same_picture(d):
    first, second = (lay_out_graph(random_graph(d, 2.5, 5)) for _ in range(2))
    largest = max(map(len, nx.connected_components(random_graph(d, 2.5, 5))))
    assert (largest > MOST_BY_SPRINGS) == (d == 260)
    np.testing.assert_array_equal(first.positions, second.positions)
    assert not overlaps(boxes(first.positions, first.sizes)).any()


def test_weights_are_no_distances():
    graph = random_graph(12, 2.0, 1)
    plain = lay_out_graph(graph).positions
    nx.set_edge_attributes(graph, dict.fromkeys(graph.edges, -3.0), "weight")
    np.testing.assert_array_equal(lay_out_graph(graph).positions, plain)


def hits(graph, found):
    """Count pairs of an edge and a node of neither end whose label the edge runs through."""
    index = {node: k for k, node in enumerate(graph)}
    count = 0
    for u, v in graph.edges:
        along = np.linspace(found.positions[index[u]], found.positions[index[v]], 200)
        others = [index[node] for node in graph if node not in (u, v)]
        inside = np.abs(along[:, None] - found.positions[others]) < found.sizes[others] / 2
        count += int(inside.all(axis=-1).any(axis=0).sum())
    return count


def test_lines_avoid_nodes_that_are_not_theirs(monkeypatch):
    graphs = [nx.gnp_random_graph(25, 0.125, seed=seed) for seed in range(4)]
    avoided = sum(hits(graph, lay_out_graph(graph)) for graph in graphs)
    monkeypatch.setattr("spinney.graph.plots.layout._clear_edges", lambda positions, *_: positions)
    careless = sum(hits(graph, lay_out_graph(graph)) for graph in graphs)
    assert careless >= 5
    assert avoided <= careless / 2


def test_a_planar_graph_of_long_names_has_no_edge_behind_a_name_and_no_crossing():
    edges = (
        "popul-vote popul-PID popul-income TVnews-age selfLR-PID selfLR-ClinLR selfLR-educ "
        "ClinLR-DoleLR ClinLR-vote DoleLR-vote PID-vote PID-income age-income age-educ educ-income"
    )
    graph = nx.Graph(edge.split("-") for edge in edges.split())
    for name in ("selfLR", "ClinLR", "DoleLR"):
        graph.nodes[name]["up"] = "extremely conservative"
    found = lay_out_graph(graph)
    assert hits(graph, found) == 0
    place = dict(zip(found.nodes, found.positions, strict=True))
    for u, v in graph.edges:
        for a, b in graph.edges:
            if not {a, b} & {u, v}:
                matrix = np.column_stack([place[v] - place[u], place[a] - place[b]])
                s, t = np.linalg.solve(matrix, place[a] - place[u])
                assert not (0 < s < 1 and 0 < t < 1), (u, v, a, b)


@pytest.mark.parametrize("d", [1, 2, 3, 30])
@pytest.mark.parametrize("how", ["circle", "spring"])
def test_other_layouts_keep_labels_apart(how, d):
    graph = random_graph(d, 1.5, 1)
    found = lay_out_graph(graph, how)
    assert np.isfinite(found.positions).all()
    assert not overlaps(boxes(found.positions, found.sizes)).any()
    if how == "circle":
        radii = np.linalg.norm(found.positions, axis=1)
        np.testing.assert_allclose(radii, radii[0], rtol=1e-12)


def test_given_places_are_kept_and_must_be_complete():
    graph = nx.path_graph(320)
    places = {node: (float(node % 20), float(node // 20)) for node in graph}
    found = lay_out_graph(graph, places)
    wanted = np.array(list(places.values()))
    scale = np.ptp(found.positions, axis=0) / np.ptp(wanted, axis=0)
    np.testing.assert_allclose(found.positions, wanted * scale[0], rtol=1e-12)
    with pytest.raises(InputError, match="no position for '2'"):
        lay_out_graph(graph, {0: (0, 0), 1: (1, 0)})
    with pytest.raises(InputError, match="There is no layout 'circel'"):
        lay_out_graph(graph, "circel")


# Many columns


@pytest.fixture(scope="module")
def dots():
    """One large component, several small ones, and isolated nodes."""
    graph = nx.barabasi_albert_graph(210, 1, seed=0)
    for start in range(210, 357, 7):
        nx.add_path(graph, range(start, start + 5))
    graph.add_nodes_from(range(420))
    return graph, lay_out_graph(graph)


def test_dots_do_not_touch_and_grow_with_their_edges(dots):
    graph, found = dots
    assert not overlaps(boxes(found.positions, found.sizes)).any()
    assert not overlaps(extents(graph, found)).any()
    order = np.argsort([graph.degree(node) for node in found.nodes], kind="stable")
    assert (np.diff(found.sizes[order, 0]) >= 0).all()
    alone = [k for k, node in enumerate(found.nodes) if graph.degree(node) == 0]
    assert found.positions[alone, 1].max() < extents(graph, found)[:, 1].min()


def test_names_cover_nothing_but_those_of_hubs(dots):
    graph, found = dots
    assert len(found.names) > HUBS
    assert all(graph.degree(found.nodes[k]) for k in found.names)
    assert set(sorted(graph, key=lambda k: (-graph.degree(k), k))[:5]) <= set(found.names)
    others = list(found.names.items())[HUBS:]
    centres = np.array([place[:2] for _, place in others])
    sizes = np.array([[text_width(str(found.nodes[k]), place[2]), place[2]] for k, place in others])
    both = np.vstack([boxes(centres, sizes), boxes(found.positions, found.sizes)])
    assert not overlaps(both)[: len(others)].any()


def test_large_components_are_unfolded():
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(18, 18), ordering="sorted")
    at = lay_out_graph(grid).positions
    u, v = np.triu_indices(len(grid), 1)
    steps = np.array(nx.floyd_warshall_numpy(grid))[u, v]
    apart = np.linalg.norm(at[u] - at[v], axis=1)
    assert np.corrcoef(steps, apart)[0, 1] > 0.95


def test_many_components_fill_the_page():
    graph = nx.disjoint_union_all([nx.path_graph(4)] * 90)
    width, height = np.ptp(lay_out_graph(graph).positions, axis=0)
    assert 0.8 < width / height < 2.4
