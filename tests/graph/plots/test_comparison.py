"""Classes of edges: each is drawn with its look, counted in the legend; overlaps are counted."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from spinney.exceptions import InputError
from spinney.graph.plots import plot_edge_classes
from spinney.graph.plots.comparison import draw_comparison_page, two_graph_looks
from spinney.graph.plots.layout import lay_out_labels

LOOKS = two_graph_looks("before", "after")


def graph_of(*states):
    graph = nx.path_graph(len(states) + 1)
    for (_, _, data), state in zip(graph.edges(data=True), states, strict=True):
        data["state"] = state
    return graph


def drawn(ax):
    return {c.get_label(): c for c in ax.collections if isinstance(c, LineCollection)}


def test_each_class_has_its_colour_and_its_dashes():
    ax = plot_edge_classes(graph_of("lost", "shared", "gained", "lost"), LOOKS, Figure().subplots())
    found = drawn(ax)
    assert {label: len(lines.get_segments()) for label, lines in found.items()} == {
        "in both": 1,
        "only in before": 2,
        "only in after": 1,
    }
    for look in LOOKS.values():
        if look.label in found:
            assert to_hex(found[look.label].get_colors()[0]) == look.colour.lower()
    dashes = [str(lines.get_linestyle()) for lines in found.values()]
    assert len(set(dashes)) >= 2


def test_no_two_classes_look_the_same_without_colour():
    shades = {
        look.dashes if isinstance(look.dashes, str) else look.dashes[1] for look in LOOKS.values()
    }
    assert len(shades) == len(LOOKS) - 1  # shared and gained are solid; their grey and blue differ
    light = [sum(int(look.colour[k : k + 2], 16) for k in (1, 3, 5)) for look in LOOKS.values()]
    assert abs(light[0] - light[2]) > 50


def test_axes_are_returned_and_made_if_none_are_given():
    ax = Figure().subplots()
    assert plot_edge_classes(graph_of("shared"), LOOKS, ax) is ax
    assert plot_edge_classes(graph_of("shared"), LOOKS).get_title() == ""


def test_a_given_layout_is_kept():
    graph = graph_of("shared", "lost")
    layout = lay_out_labels(graph, {0: (0, 0), 1: (1, 0), 2: (1, 1)})
    ax = plot_edge_classes(graph, LOOKS, Figure().subplots(), layout=layout)
    ends = drawn(ax)["in both"].get_segments()[0]
    np.testing.assert_allclose(ends, layout.positions[:2])


def test_a_class_without_a_look_is_refused():
    with pytest.raises(InputError, match="without a look: 'new'"):
        plot_edge_classes(graph_of("new"), LOOKS, Figure().subplots())


def test_an_empty_graph_is_drawn():
    page = draw_comparison_page(nx.empty_graph(3), LOOKS)
    page.draw_without_rendering()
    assert len(page.axes) == 1
