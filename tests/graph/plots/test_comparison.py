"""Classes of edges of several graphs: each has its look, and is counted in the legend."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from spinney.exceptions import InputError
from spinney.graph.plots import plot_edge_classes
from spinney.graph.plots.comparison import (
    class_picture,
    difference_graph,
    draw_differences_page,
    two_graph_looks,
)
from spinney.graph.plots.layout import lay_out_graph

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
