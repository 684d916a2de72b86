"""Pictures of hundreds of columns: dots that do not touch, names that cover nothing."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

from spinney.graph.plots import forces, plot_graph
from spinney.graph.plots.dots import HUBS
from spinney.graph.plots.layout import DOTS, lay_out_labels, pack


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


@pytest.mark.parametrize("n", [2, 60, 500])
def test_pushes_are_those_of_all_pairs(rng, n):
    at, mass = rng.normal(size=(n, 2)) * [3.0, 1.0], rng.uniform(1, 3, size=n)
    apart = at[:, None] - at[None]
    square = (apart**2).sum(axis=-1)
    np.fill_diagonal(square, np.inf)
    wanted = (mass[None, :, None] * apart / square[..., None] ** 1.5).sum(axis=1)
    cell = np.ptp(at, axis=0).max() / (forces.CELLS - 2)
    far = square.min(axis=1) > forces.CLOSEST * cell**2  # nearer ones push no harder
    size = np.linalg.norm(wanted, axis=1)
    error = np.linalg.norm(forces.push_field(at, mass) - wanted, axis=1)
    # The grid blurs what lies a few cells away; a picture needs no more than this.
    assert np.median((error / size)[far]) < 0.06
    assert far.mean() > 0.9


def test_forces_unfold_a_grid():
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 12), ordering="sorted")
    at = forces.relax_by_forces(np.array(grid.edges), 144)
    u, v = np.triu_indices(144, 1)
    steps = np.array(nx.floyd_warshall_numpy(grid))[u, v]
    apart = np.linalg.norm(at[u] - at[v], axis=1)
    assert np.corrcoef(steps, apart)[0, 1] > 0.95
    np.testing.assert_array_equal(at, forces.relax_by_forces(np.array(grid.edges), 144))


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


def test_rows_fill_the_page():
    rng = np.random.default_rng(0)
    parts = [[3 * k, 3 * k + 1, 3 * k + 2] for k in range(60)]
    positions = rng.uniform(0, 40, size=(180, 2))
    positions[:3] *= 10
    sizes = np.ones((180, 2))
    pack(positions, sizes, parts, DOTS)
    width, height = np.ptp(positions, axis=0)
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
