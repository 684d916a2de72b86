"""Pictures of graphs: every node is there, none covers another, and lines mean what they say."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.offsetbox import AnnotationBbox

import spinney
from spinney.exceptions import InputError
from spinney.graph.plots import draw_graph_page, layout, plot_graph
from spinney.graph.plots.layout import LABELS, lay_out_graph, lay_out_labels
from spinney.graph.plots.style import DATA, FALLING, LINES
from spinney.models import StabilitySelection
from spinney.tables import Column, Table


def random_graph(d, degree, seed):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(d, min(1.0, degree / max(d - 1, 1)), seed=seed)
    for _, _, values in graph.edges(data=True):
        values.update(probability=rng.uniform(), weight=rng.gamma(1.0), tau=rng.uniform(-1, 1))
    return nx.relabel_nodes(graph, {k: f"v{k}" for k in graph})


def boxes_overlap(layout):
    centres, sizes = layout.positions, layout.sizes
    apart = np.abs(centres[:, None] - centres[None]) >= (sizes[:, None] + sizes[None]) / 2 - 1e-6
    touching = ~apart.any(axis=-1)
    np.fill_diagonal(touching, False)
    return touching.any()


def segments(ax):
    """Every line that is drawn, as ends (x, y), with its collection and position in it."""
    for collection in ax.collections:
        if isinstance(collection, LineCollection):
            for k, ends in enumerate(collection.get_segments()):
                yield np.asarray(ends), collection, k


@settings(max_examples=25)
@given(
    d=st.integers(0, 40),
    degree=st.sampled_from([0.0, 0.7, 1.5, 4.0, 100.0]),
    seed=st.integers(0, 999),
)
def test_no_two_labels_overlap(d, degree, seed):
    sizes = np.random.default_rng(seed).uniform([15.0, 15.0], [120.0, 16.0], size=(d, 2))
    graph = random_graph(d, degree if d < 20 else min(degree, 4.0), seed)
    found = lay_out_graph(graph, sizes)
    assert found.nodes == list(graph)
    assert found.positions.shape == (d, 2)
    assert np.isfinite(found.positions).all()
    assert not boxes_overlap(found)


@given(seed=st.integers(0, 99))
@settings(max_examples=8)
def test_components_keep_their_distance(seed):
    graph = random_graph(24, 1.0, seed)
    found = lay_out_graph(graph, np.full((24, 2), [30.0, 15.0]))
    index = {node: k for k, node in enumerate(graph)}
    boxes = []
    for part in nx.connected_components(graph):
        if len(part) > 1:
            rows = [index[node] for node in part]
            low = (found.positions[rows] - found.sizes[rows] / 2).min(axis=0)
            boxes.append((low, (found.positions[rows] + found.sizes[rows] / 2).max(axis=0)))
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            gap = np.maximum(low - other_high, other_low - high)
            assert gap.max() >= LABELS.between - 1e-6


def test_the_same_graph_gives_the_same_picture():
    sizes = np.full((30, 2), [30.0, 15.0])
    first, second = (lay_out_graph(random_graph(30, 2.0, 5), sizes).positions for _ in range(2))
    np.testing.assert_array_equal(first, second)


def count_hits(graph, sizes):
    """Count pairs of an edge and a node of neither end whose label the edge runs through."""
    found = lay_out_graph(graph, sizes)
    index = {node: k for k, node in enumerate(graph)}
    hits = 0
    for u, v in graph.edges:
        along = np.linspace(found.positions[index[u]], found.positions[index[v]], 200)
        others = [index[node] for node in graph if node not in (u, v)]
        inside = np.abs(along[:, None] - found.positions[others]) < found.sizes[others] / 2
        hits += int(inside.all(axis=-1).any(axis=0).sum())
    return hits


def test_lines_avoid_nodes_that_are_not_theirs(monkeypatch):
    sizes = np.full((25, 2), [30.0, 15.0])
    graphs = [random_graph(25, 3.0, seed) for seed in range(4)]
    avoided = sum(count_hits(graph, sizes) for graph in graphs)
    monkeypatch.setattr(layout, "CLEARING", 0)
    careless = sum(count_hits(graph, sizes) for graph in graphs)
    assert careless >= 5
    assert avoided <= careless / 4


@pytest.mark.parametrize("d", [0, 1, 3, 11, 80])
def test_everything_is_drawn_and_lies_inside(d):
    graph = random_graph(d, 1.5, 3)
    figure = draw_graph_page(graph, title="a graph")
    (ax,) = figure.axes
    figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == list(graph)
    assert len(list(segments(ax))) == graph.number_of_edges()
    page = figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1


def test_lines_join_their_nodes_in_the_colour_of_their_sign():
    graph = nx.Graph()
    graph.add_edge("a", "b", probability=0.9, tau=0.4)
    graph.add_edge("b", "c", probability=0.2, tau=-0.4)
    graph.add_edge("c", "d", probability=0.5)
    ax = plot_graph(graph, Figure(figsize=(6, 6)).subplots())
    place = {text.get_text(): text.get_position() for text in ax.texts}
    found = {}
    for ends, collection, k in segments(ax):
        names = [name for name, at in place.items() if any(np.allclose(at, e) for e in ends)]
        colours, widths = collection.get_colors(), collection.get_linewidths()
        found["".join(sorted(names))] = (to_hex(colours[k]).upper(), widths[k], colours[k][3])
    assert {name: look[0] for name, look in found.items()} == {
        "ab": LINES,
        "bc": FALLING,
        "cd": DATA,
    }
    for k in (1, 2):  # wider and darker the surer
        assert found["bc"][k] < found["cd"][k] < found["ab"][k]


def legend_texts(ax):
    made = [artist for artist in ax.artists if isinstance(artist, Legend)]
    return [text.get_text() for legend in made for text in legend.get_texts()]


def test_the_legend_says_what_there_is():
    def axes():
        return Figure(figsize=(6, 6)).subplots()

    graph = nx.Graph()
    graph.add_edge("a", "b", weight=3.0)
    assert legend_texts(plot_graph(graph, axes())) == ["edge weight", "3"]
    graph.add_edge("a", "b", weight=3.0, probability=0.7, tau=-0.1)
    words = " ".join(legend_texts(plot_graph(graph, axes())))
    assert "edge probability" in words
    assert "one falls as the other rises" in words
    assert "rise together" not in words
    assert legend_texts(plot_graph(graph, axes(), legend=False)) == []
    assert legend_texts(plot_graph(nx.Graph([("a", "b")]), axes())) == []


def test_the_legend_names_the_share_that_a_model_has():
    adjacency = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    model = SimpleNamespace(
        adjacency_=adjacency,
        edge_weights_=adjacency * 2.0,
        edge_frequencies_=adjacency * 0.8,
        edge_signs_=-1 * adjacency,
        _edge_share=StabilitySelection._edge_share,
    )
    words = legend_texts(plot_graph(model, Figure(figsize=(6, 6)).subplots()))
    assert words == [
        "one falls as the other rises",
        "share of fits to half of the rows",
        *("0.1", "0.5", "1"),
    ]


def test_models_positions_and_small_axes():
    adjacency = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    model = SimpleNamespace(adjacency_=adjacency, edge_weights_=adjacency * 2.0)
    large, small = (Figure(figsize=(s, s)).subplots() for s in (8, 2))
    sizes = [plot_graph(model, ax).texts[0].get_fontsize() for ax in (large, small)]
    assert sizes[0] > 2 * sizes[1]
    at = {"x0": (0, 0), "x1": (1, 0), "x2": (0, 1)}
    ax = plot_graph(model, Figure().subplots(), layout=at)
    drawn = np.array([text.get_position() for text in ax.texts])
    assert np.linalg.norm(drawn[1] - drawn[0]) == pytest.approx(np.linalg.norm(drawn[2] - drawn[0]))
    with pytest.raises(InputError, match="no position for 'x2'"):
        plot_graph(model, Figure().subplots(), layout={"x0": (0, 0), "x1": (1, 0)})


def test_new_axes_have_the_size_that_is_needed():
    sizes = []
    for d in (3, 60):
        ax = plot_graph(random_graph(d, 1.5, 1))
        sizes.append(ax.figure.get_size_inches().prod())
        plt.close(ax.figure)
    assert sizes[1] > 2 * sizes[0]


def test_names_are_taken_as_they_are():
    graph = nx.Graph([("$x_1$", "a name that is longer than it ought to be")])
    ax = draw_graph_page(graph).axes[0]
    assert ax.texts[0].get_text() == "$x_1$"
    assert not ax.texts[0].get_parse_math()
    assert len(ax.texts[1].get_text()) <= 22


def of_kinds(kinds, edges):
    graph = nx.Graph()
    for node, kind in kinds.items():
        graph.add_node(node, kind=kind)
    for u, v, sign in edges:
        graph.add_edge(u, v, probability=0.5, sign=sign)
    return graph


OPEN = "sign open, or a category"


def marks(ax):
    """Marker of each label that has one, by the label's text."""
    boxes = [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]
    return {box.xycoords.get_text(): box.offsetbox.get_children()[0].get_marker() for box in boxes}


def test_kinds_have_marks_and_a_legend_if_they_differ():
    kinds = {"a": "continuous", "b": "ordinal", "c": "binary", "d": "nominal"}
    graph = of_kinds(kinds, [("a", "b", 1), ("c", "d", 0)])
    ax = draw_graph_page(graph).axes[0]
    assert marks(ax) == {"a": "o", "b": "D", "c": "^", "d": "s"}
    assert legend_texts(ax)[:6] == [*kinds.values(), "rise together", OPEN]
    alike = draw_graph_page(of_kinds(dict.fromkeys("ab", "ordinal"), [("a", "b", 1)])).axes[0]
    assert marks(alike) == {}
    assert "ordinal" not in legend_texts(alike)


def test_marks_come_from_the_table_of_a_model_and_stand_beside_the_name():
    columns = Column("a", "continuous"), Column("species_of_penguin", "nominal", (0, 1, 2))
    adjacency = ~np.eye(2, dtype=bool)
    model = SimpleNamespace(
        adjacency_=adjacency,
        edge_weights_=adjacency * 1.0,
        edge_signs_=adjacency * 0,
        node_names_=("a", "species_of_penguin"),
        table_=Table(np.zeros((3, 2)), columns),
    )
    figure = draw_graph_page(model)
    (ax,) = figure.axes
    assert marks(ax) == {"a": "o", "species_of_penguin": "s"}
    figure.canvas.draw()
    for box in [artist for artist in ax.artists if isinstance(artist, AnnotationBbox)]:
        text = box.xycoords.get_window_extent()
        mark = box.offsetbox.get_children()[0].get_window_extent()
        assert mark.x1 <= text.x0 + 0.5
        assert text.x0 - mark.x1 < 10
        assert abs((mark.y0 + mark.y1) / 2 - (text.y0 + text.y1) / 2) < 2


def test_edges_whose_sign_is_open_are_grey_and_named():
    mixed = {"a": "continuous", "b": "nominal", "c": "continuous"}
    with_sign = legend_texts(draw_graph_page(of_kinds(mixed, [("a", "c", 1)])).axes[0])
    assert OPEN not in with_sign
    ordered = {"a": "continuous", "b": "ordinal"}
    assert OPEN in legend_texts(draw_graph_page(of_kinds(ordered, [("a", "b", 0)])).axes[0])
    unknown = nx.Graph([("a", "b")])
    assert OPEN not in legend_texts(draw_graph_page(unknown).axes[0])
    ax = draw_graph_page(of_kinds(mixed, [("a", "b", 0), ("a", "c", -1)])).axes[0]
    assert OPEN in legend_texts(ax)
    drawn = {to_hex(c.get_colors()[k]).upper() for _, c, k in segments(ax)}
    assert drawn == {DATA, FALLING}


def looks(ax):
    """Width and ink of each line, by its colour."""
    return {
        to_hex(c.get_colors()[k]).upper(): (c.get_linewidths()[k], c.get_colors()[k][3])
        for _, c, k in segments(ax)
    }


def test_width_is_by_strength_and_ink_by_probability():
    graph = nx.Graph()
    graph.add_edge("a", "b", probability=0.6, strength=0.6, sign=1)
    graph.add_edge("b", "c", probability=0.99, strength=-0.1, sign=-1)
    graph.add_edge("c", "d", probability=0.8, strength=np.nan, sign=0)
    ax = draw_graph_page(graph).axes[0]
    found = looks(ax)
    assert found[FALLING][0] < found[DATA][0] < found[LINES][0]
    assert found[LINES][1] < found[DATA][1] < found[FALLING][1]
    rows = legend_texts(ax)
    assert rows[-4:] == ["strength", "0.1", "0.3", "0.7"]
    assert rows[-8:-4] == ["edge probability", "0.5", "0.8", "1"]


@pytest.mark.parametrize("d", [1, 2, 3, 30])
@pytest.mark.parametrize("how", ["circle", "spring"])
def test_layouts_keep_labels_apart(how, d):
    graph = random_graph(d, 1.5, 1)
    found = lay_out_graph(graph, np.full((d, 2), [60.0, 15.0]), how)
    assert np.isfinite(found.positions).all()
    assert not boxes_overlap(found)
    if how == "circle" and d > 1:
        radii = np.linalg.norm(found.positions, axis=1)
        np.testing.assert_allclose(radii, radii[0], rtol=1e-12)


def test_an_unknown_layout_and_an_unknown_column_are_refused():
    graph = nx.Graph([("age", "sex")])
    with pytest.raises(InputError, match="There is no layout 'circel'"):
        plot_graph(graph, Figure().subplots(), layout="circel")
    with pytest.raises(InputError, match="There is no column 'agee'"):
        plot_graph(graph, Figure().subplots(), colour_by={"agee": "who"})


def test_names_have_the_colours_of_their_groups_and_the_level_that_is_up():
    graph = nx.Graph([("age", "sex"), ("sex", "pay")])
    graph.nodes["sex"]["up"] = "male"
    ax = plot_graph(graph, Figure().subplots(), colour_by={"age": "who", "sex": "who", "pay": "x"})
    fills = {text.get_text(): text.get_bbox_patch().get_facecolor() for text in ax.texts}
    assert fills["age"] == fills["sex: male"] != fills["pay"]
    assert {"who", "x", "after a colon: the value that counts as high"} <= set(legend_texts(ax))


def test_without_strengths_width_starts_at_nothing():
    graph = nx.Graph()
    graph.add_edge("a", "b", probability=0.6)
    assert legend_texts(draw_graph_page(graph).axes[0])[-4:] == [
        "edge probability",
        "0.1",
        "0.5",
        "1",
    ]


def test_a_learned_graph_is_drawn_as_asked():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    frame = pd.DataFrame({"x": x, "y": y - x, "sex": np.where(x > 0.3 * y, "male", "female")})
    found = spinney.learn(frame, compare=False)
    ax = found.plot(Figure().subplots(), layout="circle", colour_by={"x": "first", "sex": "second"})
    places = np.array([text.get_position() for text in ax.texts])
    radii = np.linalg.norm(places, axis=1)
    np.testing.assert_allclose(radii, radii[0])
    assert [text.get_text() for text in ax.texts] == ["x", "y", "sex: male"]
    assert {"first", "second", "strength"} <= set(legend_texts(ax))
    at = {"x": (0, 0), "y": (1, 0), "sex": (0, 1)}
    drawn = [text.get_position() for text in found.plot(Figure().subplots(), layout=at).texts]
    assert drawn[1][0] > drawn[0][0] == drawn[2][0]
    with pytest.raises(InputError, match="There is no column 'sexx'"):
        found.plot(Figure().subplots(), colour_by={"sexx": "second"})


def test_a_planar_graph_of_long_names_has_no_edge_behind_a_name_and_no_crossing():
    edges = (
        "popul-vote popul-PID popul-income TVnews-age selfLR-PID selfLR-ClinLR selfLR-educ "
        "ClinLR-DoleLR ClinLR-vote DoleLR-vote PID-vote PID-income age-income age-educ educ-income"
    )
    graph = nx.Graph()
    graph.add_nodes_from(["popul", "TVnews", "selfLR", "ClinLR", "DoleLR", "PID", "age", "educ"])
    graph.add_edges_from(edge.split("-") for edge in edges.split())
    for name in ("selfLR", "ClinLR", "DoleLR"):
        graph.nodes[name]["up"] = "extremely conservative"
    found = lay_out_labels(graph)
    place = dict(zip(found.nodes, found.positions, strict=True))
    boxes = dict(zip(found.nodes, found.sizes, strict=True))
    for u, v in graph.edges:
        line = place[u] + np.linspace(0, 1, 200)[:, None] * (place[v] - place[u])
        for other in set(graph) - {u, v}:
            assert not (np.abs(line - place[other]) < boxes[other] / 2).all(axis=1).any()
        for a, b in graph.edges:
            if not {a, b} & {u, v}:
                matrix = np.column_stack([place[v] - place[u], place[a] - place[b]])
                s, t = np.linalg.solve(matrix, place[a] - place[u])
                assert not (0 < s < 1 and 0 < t < 1), (u, v, a, b)
