"""Pictures of graphs: every node is there, and lines mean what they say."""

import inspect
from types import SimpleNamespace

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import spinney
from spinney.exceptions import InputError
from spinney.graph import plots
from spinney.graph.plots import plot_edge_classes, plot_graph
from spinney.graph.plots.comparison import (
    class_picture,
    difference_graph,
    draw_differences_page,
    two_graph_looks,
)
from spinney.graph.plots.graph import graph_picture
from spinney.graph.plots.layout import lay_out_graph
from spinney.graph.plots.style import DATA, FALLING, LINES
from spinney.models import StabilitySelection


def random_graph(d, degree, seed):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(d, min(1.0, degree / max(d - 1, 1)), seed=seed)
    for _, _, values in graph.edges(data=True):
        values.update(probability=rng.uniform(), weight=rng.gamma(1.0), tau=rng.uniform(-1, 1))
    return nx.relabel_nodes(graph, {k: f"v{k}" for k in graph})


def segments(ax):
    """Every line that is drawn, as ends (x, y), with its collection and position in it."""
    for collection in ax.collections:
        if isinstance(collection, LineCollection):
            for k, ends in enumerate(collection.get_segments()):
                yield np.asarray(ends), collection, k


@pytest.mark.parametrize("d", [0, 1, 3, 11, 80])
def test_everything_is_drawn_and_lies_inside(d):
    graph = random_graph(d, 1.5, 3)
    figure = graph_picture(graph).page("a graph")
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
    assert legend_texts(plot_graph(graph, axes())) == ["edge weight", "0.3", "1.5", "3"]
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
        node_names_=("x0", "x1", "x2"),
    )
    words = legend_texts(plot_graph(model, Figure(figsize=(6, 6)).subplots()))
    assert words == [
        "one falls as the other rises",
        "share of fits to half of the rows",
        *("0.1", "0.5", "1"),
    ]


def test_models_positions_and_small_axes():
    adjacency = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    names = ("x0", "x1", "x2")
    model = SimpleNamespace(adjacency_=adjacency, edge_weights_=adjacency * 2.0, node_names_=names)
    large, small = (Figure(figsize=(s, s)).subplots() for s in (8, 2))
    sizes = [plot_graph(model, ax).texts[0].get_fontsize() for ax in (large, small)]
    assert sizes[0] > 2 * sizes[1]
    at = {"x0": (0, 0), "x1": (1, 0), "x2": (0, 1)}
    ax = plot_graph(model, Figure().subplots(), layout=at)
    drawn = np.array([text.get_position() for text in ax.texts])
    assert np.linalg.norm(drawn[1] - drawn[0]) == pytest.approx(np.linalg.norm(drawn[2] - drawn[0]))


def test_new_axes_have_the_size_that_is_needed():
    sizes = []
    for d in (3, 60):
        ax = plot_graph(random_graph(d, 1.5, 1))
        sizes.append(ax.figure.get_size_inches().prod())
        plt.close(ax.figure)
    assert sizes[1] > 2 * sizes[0]


def test_names_are_taken_as_they_are():
    graph = nx.Graph([("$x_1$", "a name that is longer than it ought to be")])
    ax = graph_picture(graph).page().axes[0]
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


def test_kinds_have_marks_and_a_legend_if_they_differ():
    kinds = {"a": "continuous", "b": "ordinal", "c": "binary", "d": "nominal"}
    ax = graph_picture(of_kinds(kinds, [("a", "b", 1), ("c", "d", 0)])).page().axes[0]
    assert [text.get_text() for text in ax.texts] == ["○ a", "◇ b", "△ c", "□ d"]
    marked = [f"{mark} {kind}" for mark, kind in zip("○◇△□", kinds.values(), strict=True)]
    assert legend_texts(ax)[:6] == [*marked, "rise together", OPEN]
    alike = graph_picture(of_kinds(dict.fromkeys("ab", "ordinal"), [("a", "b", 1)])).page().axes[0]
    assert [text.get_text() for text in alike.texts] == ["a", "b"]


def test_edges_whose_sign_is_open_are_grey_and_named():
    mixed = {"a": "continuous", "b": "nominal", "c": "continuous"}
    assert OPEN not in legend_texts(graph_picture(of_kinds(mixed, [("a", "c", 1)])).page().axes[0])
    assert OPEN not in legend_texts(graph_picture(nx.Graph([("a", "b")])).page().axes[0])
    ax = graph_picture(of_kinds(mixed, [("a", "b", 0), ("a", "c", -1)])).page().axes[0]
    assert OPEN in legend_texts(ax)
    assert set(looks(ax)) == {DATA, FALLING}


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
    ax = graph_picture(graph).page().axes[0]
    found = looks(ax)
    assert found[FALLING][0] < found[DATA][0] < found[LINES][0]
    assert found[LINES][1] < found[DATA][1] < found[FALLING][1]
    rows = legend_texts(ax)
    assert rows[-4:] == ["strength", "0.1", "0.3", "0.7"]
    assert rows[-8:-4] == ["edge probability", "0.1", "0.5", "1"]


def test_names_have_the_colours_of_their_groups_and_the_level_that_is_up():
    graph = nx.Graph([("age", "sex"), ("sex", "pay")])
    graph.nodes["sex"]["up"] = "male"
    nx.set_node_attributes(graph, {"age": "who", "sex": "who", "pay": "x"}, "group")
    ax = plot_graph(graph, Figure().subplots())
    fills = {text.get_text(): text.get_bbox_patch().get_facecolor() for text in ax.texts}
    assert fills["age"] == fills["sex: male"] != fills["pay"]
    assert {"who", "x", "after a colon: the value that counts as high"} <= set(legend_texts(ax))


def test_a_learned_graph_is_drawn_as_asked():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    frame = pd.DataFrame({"x": x, "y": y - x, "sex": np.where(x > 0.3 * y, "male", "female")})
    found = spinney.learn(frame)
    ax = found.plot(Figure().subplots(), layout="circle", colour_by={"x": "first", "sex": "second"})
    places = np.array([text.get_position() for text in ax.texts])
    radii = np.linalg.norm(places, axis=1)
    np.testing.assert_allclose(radii, radii[0])
    assert [text.get_text() for text in ax.texts] == ["○ x", "○ y", "△ sex: male"]
    assert {"first", "second", "strength"} <= set(legend_texts(ax))
    at = {"x": (0, 0), "y": (1, 0), "sex": (0, 1)}
    drawn = [text.get_position() for text in found.plot(Figure().subplots(), layout=at).texts]
    assert drawn[1][0] > drawn[0][0] == drawn[2][0]
    with pytest.raises(InputError, match="There is no column 'sexx'"):
        found.plot(Figure().subplots(), colour_by={"sexx": "second"})


def test_many_columns_are_dots():
    graph = nx.path_graph(301)
    nx.set_edge_attributes(graph, 0.9, "probability")
    graph.add_node(301)
    ax = plot_graph(graph, Figure(figsize=(8, 6)).subplots())
    assert ax.texts[-1].get_text() == "1 column without an edge"
    assert max(len(dots.get_offsets()) for dots in ax.collections) == 302
    assert 24 < len(ax.texts) < 302


def test_all_plots_take_axes_and_return_them():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    strong = spinney.learn(frame.assign(b=frame["a"] + frame["b"]))
    classes = nx.Graph([("a", "b", {"state": "s"})])
    arguments = {
        "plot_edge_classes": (classes, {"s": plots.EdgeLook("some", "#000000")}),
        "plot_graph": (strong,),
        "plot_pair": (strong, "a", "b"),
        "plot_strengths": (strong,),
    }
    assert set(arguments) == {name for name in plots.__all__ if name.startswith("plot_")}
    for name, given in arguments.items():
        ax = Figure().subplots()
        assert getattr(plots, name)(*given, ax=ax) is ax
        assert inspect.signature(getattr(plots, name)).parameters["ax"].default is None


# Classes of edges of several graphs: each has its look, and is counted in the legend


LOOKS = two_graph_looks("none", "PMA")


def graph_of(*states):
    graph = nx.path_graph(len(states) + 1)
    nx.set_edge_attributes(graph, dict(zip(graph.edges, states, strict=True)), "state")
    return graph


def drawn(graph, looks=LOOKS):
    """Colour, dashes and width of each line, by the names of its ends; and the legend."""
    ax = plot_edge_classes(graph, looks, Figure().subplots())
    spots = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    (lines,) = ax.collections
    own = [lines.get_segments(), lines.get_colors(), lines.get_linestyles(), lines.get_linewidths()]
    found = {}
    for ends, colour, dashes, width in zip(*own, strict=True):
        names = [min(spots, key=lambda name: np.abs(spots[name] - end).sum()) for end in ends]
        found["".join(sorted(names))] = to_hex(colour).upper(), str(dashes), width
    return found, [text.get_text() for legend in ax.artists for text in legend.get_texts()]


def test_each_class_has_its_colour_and_its_dashes():
    found, legend = drawn(graph_of("lost", "shared", "gained", "lost"))
    colours = [LOOKS[state].colour for state in ("lost", "shared", "gained", "lost")]
    assert [found[f"{k}{k + 1}"][0] for k in range(4)] == colours
    assert found["01"][1] != found["23"][1]
    assert sorted(legend) == ["in both (1)", "only in PMA (1)", "only in none (2)"]


def test_no_two_classes_look_the_same_without_colour():
    assert len({look.dashes for look in LOOKS.values()}) == len(LOOKS) - 1
    light = [sum(int(look.colour[k : k + 2], 16) for k in (1, 3, 5)) for look in LOOKS.values()]
    assert abs(light[0] - light[3]) > 50  # shared and gained are solid; their grey and blue differ


def test_a_given_layout_is_kept_and_an_empty_graph_is_drawn():
    graph = graph_of("shared", "lost")
    layout = lay_out_graph(graph, {0: (0, 0), 1: (1, 0), 2: (1, 1)})
    ax = plot_edge_classes(graph, LOOKS, Figure().subplots(), layout=layout)
    np.testing.assert_allclose(ax.collections[0].get_segments()[0], layout.positions[:2])
    page = class_picture(nx.empty_graph(3), LOOKS).page()
    page.draw_without_rendering()
    assert len(page.axes) == 1


def test_a_class_without_a_look_is_refused():
    with pytest.raises(InputError, match="without a look: 'new'"):
        plot_edge_classes(graph_of("new"), LOOKS, Figure().subplots())


# Groups


def pairs(d, **values):
    """Values of all pairs of d columns; p0_1=1 stands for that of the first two."""
    found = np.zeros((d, d))
    for pair, value in values.items():
        u, v = (int(k) for k in pair[1:].split("_"))
        found[u, v] = value
    return found[np.triu_indices(d, 1)]


def difference_of(names, first, second, only_first, only_second):
    edges, differs = (first > 0, second > 0), only_first + only_second
    unequal = np.zeros(len(differs), dtype=bool)
    return difference_graph(names, edges, differs, only_first > only_second, unequal)


@pytest.fixture
def difference():
    """0–1 in both, 1–2 in the first, 2–3 in the second, 0–3 in the first, hardly a difference."""
    edges = pairs(5, p0_1=1, p1_2=1, p0_3=1), pairs(5, p0_1=1, p2_3=1)
    return difference_of("abcde", *edges, pairs(5, p1_2=0.9, p0_3=0.2), pairs(5, p2_3=0.7))


def test_an_edge_has_its_class_and_is_wide_where_it_differs_probably(difference):
    states = {(u, v): data["state"] for u, v, data in difference.edges(data=True)}
    assert states == {(0, 1): "shared", (0, 3): "doubtful", (1, 2): "lost", (2, 3): "gained"}
    found, _ = drawn(difference)
    assert found["bc"][2] > found["cd"][2] > found["ab"][2]
    likely = difference_of("ab", pairs(2), pairs(2), pairs(2, p0_1=0.6), pairs(2))
    assert likely.edges[0, 1]["state"] == "lost"  # though no graph has the edge


def test_panels_share_one_layout_and_there_are_at_most_nine(difference):
    calm = nx.Graph(difference, n_expected=0.0)
    figure = draw_differences_page(
        {("calm", "B"): calm} | {(k, "B"): difference for k in "123456789"}, title="by $timulus"
    )
    assert [ax.get_title() for ax in figure.axes] == [f"{k} and B" for k in "123456789"]
    places = [[text.get_position() for text in ax.texts] for ax in figure.axes]
    assert all(own == places[0] for own in places)
    assert figure.get_suptitle() == "by $timulus"
    assert "9 of 10 comparisons" in " ".join(figure.get_supxlabel().split())


@pytest.mark.filterwarnings("ignore:Glyph")  # the font has no CJK letters
def test_unknown_pairs_and_odd_names_are_drawn(tmp_path):
    names = ["$x^", "<b>", "名前", "\x00", "y" * 5000]
    edges = pairs(5, p0_1=1, p1_2=1, p0_3=1), pairs(5, p0_1=1, p2_3=1)
    unknown = difference_of(names, *edges, np.full(10, np.nan), pairs(5, p2_3=0.7))
    figure = draw_differences_page({("<a>\n" + "x" * 999, "PMA"): unknown})
    figure.savefig(tmp_path / "a.svg")
    assert max(figure.get_size_inches()) < 40
