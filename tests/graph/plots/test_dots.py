"""Pictures of hundreds of columns: dots that do not touch, names that cover nothing."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

from spinney.graph.plots import plot_graph
from spinney.graph.plots.layout import DOTS, HUBS, lay_out_labels


def some_graph(d=420, seed=0):
    """One large component, several small ones, and isolated nodes."""
    rng = np.random.default_rng(seed)
    graph = nx.barabasi_albert_graph(d // 2, 1, seed=seed)
    at = d // 2
    while at < int(0.85 * d):
        size = int(rng.integers(2, 12))
        nx.add_path(graph, range(at, at + size))
        at += size
    graph.add_nodes_from(range(d))
    return graph


@pytest.fixture(scope="module")
def found():
    graph = some_graph()
    return graph, lay_out_labels(graph)


def overlaps(boxes):
    """Which two boxes (left, lower, right, upper) cover each other."""
    low, high = boxes[:, None, :2], boxes[None, :, 2:]
    covered = (low < high - 1e-9).all(axis=-1) & (boxes[None, :, :2] < boxes[:, None, 2:]).all(-1)
    np.fill_diagonal(covered, False)
    return covered & covered.T


def test_large_components_are_unfolded():
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(18, 18), ordering="sorted")
    at = lay_out_labels(grid).positions
    u, v = np.triu_indices(len(grid), 1)
    steps = np.array(nx.floyd_warshall_numpy(grid))[u, v]
    apart = np.linalg.norm(at[u] - at[v], axis=1)
    assert np.corrcoef(steps, apart)[0, 1] > 0.95
    np.testing.assert_array_equal(at, lay_out_labels(grid).positions)


def test_dots_do_not_touch(found):
    graph, layout = found
    half = layout.sizes / 2 + 0.4 * DOTS.gap
    boxes = np.hstack([layout.positions - half, layout.positions + half])
    assert not overlaps(boxes).any()
    degrees = np.array([graph.degree(node) for node in layout.nodes])
    order = np.argsort(degrees, kind="stable")
    assert (np.diff(layout.sizes[order, 0]) >= 0).all()


def test_components_stand_apart_and_isolated_nodes_below(found):
    graph, layout = found
    parts = [sorted(part) for part in nx.connected_components(graph) if len(part) > 1]
    boxes = []
    for part in parts:
        half = layout.sizes[part] / 2
        low, high = layout.positions[part] - half, layout.positions[part] + half
        boxes.append([*low.min(axis=0), *high.max(axis=0)])
    assert not overlaps(np.array(boxes)).any()
    alone = [k for k in graph if graph.degree(k) == 0]
    assert layout.positions[alone, 1].max() < layout.isolated_top
    assert layout.isolated_top < min(box[1] for box in boxes)


def test_names_cover_nothing_but_those_of_hubs(found):
    graph, layout = found
    names, boxes = layout.names, layout.name_boxes
    assert len(names) == len(boxes) > HUBS
    assert all(graph.degree(layout.nodes[k]) for k in names)
    hubs = sorted(graph, key=lambda k: (-graph.degree(k), k))[:5]
    assert set(hubs) <= set(names)
    forced = np.array([k < HUBS for k in range(len(boxes))])
    assert not overlaps(boxes)[~forced][:, ~forced].any()
    dots = np.hstack([layout.positions - layout.sizes / 2, layout.positions + layout.sizes / 2])
    both = np.vstack([boxes[~forced], dots])
    assert not overlaps(both)[: (~forced).sum()].any()
    low, high = layout.corners
    assert (boxes[:, :2] >= low).all()
    assert (boxes[:, 2:] <= high).all()


def test_given_places_are_kept():
    graph = some_graph(320)
    places = {node: (float(k % 20), float(k // 20)) for k, node in enumerate(graph)}
    found = lay_out_labels(graph, places)
    assert found.names is not None
    wanted = np.array(list(places.values()))
    scale = np.ptp(found.positions, axis=0) / np.ptp(wanted, axis=0)
    np.testing.assert_allclose(found.positions, wanted * scale[0], rtol=1e-12)


def test_many_components_fill_the_page():
    graph = nx.disjoint_union_all([nx.path_graph(4)] * 90)
    width, height = np.ptp(lay_out_labels(graph).positions, axis=0)
    assert 0.8 < width / height < 2.4


def test_few_nodes_are_names_and_many_are_dots():
    assert lay_out_labels(nx.path_graph(300)).names is None
    graph = some_graph(301)
    for u, v in graph.edges:
        graph.edges[u, v]["probability"] = 0.9
    ax = plot_graph(graph, Figure(figsize=(8, 6)).subplots())
    written = [text.get_text() for text in ax.texts]
    alone = sum(graph.degree(k) == 0 for k in graph)
    assert written[-1] == f"{alone} columns without an edge"
    drawn = sum(len(dots.get_offsets()) for dots in ax.collections if dots.get_offsets().size > 2)
    assert drawn == 301
