"""The picture of what differs between groups."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

from spinney.graph.plots.comparison import (
    difference_graph,
    draw_differences_page,
    plot_edge_classes,
    two_graph_looks,
)

TWO = ("none", "PMA")


def pairs(d, **values):
    """Values of all pairs of d columns; p0_1=1 stands for that of the first two."""
    found = np.zeros((d, d))
    for pair, value in values.items():
        u, v = (int(k) for k in pair[1:].split("_"))
        found[u, v] = value
    return found[np.triu_indices(d, 1)]


def graph_of(names, first, second, only_first, only_second):
    edges, differs = (first > 0, second > 0), only_first + only_second
    unequal = np.zeros(len(differs), dtype=bool)
    return difference_graph(names, edges, differs, only_first > only_second, unequal)


@pytest.fixture
def difference():
    """0–1 in both, 1–2 in the first, 2–3 in the second, 0–3 in the first, hardly a difference."""
    edges = pairs(5, p0_1=1, p1_2=1, p0_3=1), pairs(5, p0_1=1, p2_3=1)
    return graph_of("abcde", *edges, pairs(5, p1_2=0.9, p0_3=0.2), pairs(5, p2_3=0.7))


def plotted(graph, two=TWO):
    return plot_edge_classes(graph, two_graph_looks(*two), Figure().subplots())


def drawn(ax):
    """Ends of the lines of each class, by its label, as positions of the nodes."""
    spots = {text.get_text(): np.array(text.get_position()) for text in ax.texts}
    found = {}
    for lines in ax.collections:
        for segment in lines.get_segments():
            ends = [min(spots, key=lambda n: np.abs(spots[n] - end).sum()) for end in segment]
            found.setdefault(lines.get_label(), set()).add("".join(sorted(ends)))
    return found


def test_each_edge_has_its_class(difference):
    ax = plotted(difference)
    assert drawn(ax) == {
        "in both": {"ab"},
        "in one, probably no difference": {"ad"},
        "only in none": {"bc"},
        "only in PMA": {"cd"},
    }


def test_width_is_the_probability_of_a_difference_and_dashes_tell_the_groups(difference):
    ax = plotted(difference)
    look = {lines.get_label(): lines for lines in ax.collections}
    widths = {label: float(lines.get_linewidths()[0]) for label, lines in look.items()}
    assert widths["only in none"] > widths["only in PMA"] > widths["in both"]
    dashes = {label: repr(lines.get_linestyles()[0]) for label, lines in look.items()}
    assert len({dashes["only in none"], dashes["only in PMA"]}) == 2
    colours = {tuple(lines.get_colors()[0]) for label, lines in look.items() if "only" in label}
    assert len(colours) == 2


def test_a_likely_difference_counts_though_no_graph_has_the_edge():
    found = graph_of("ab", pairs(2), pairs(2), pairs(2, p0_1=0.6), pairs(2))
    ax = plotted(found, ("A", "B"))
    assert drawn(ax) == {"only in A": {"ab"}}


def test_panels_share_one_layout(difference):
    figure = draw_differences_page({(k, "B"): difference for k in "xyz"}, title="by $timulus")
    axes = [ax for ax in figure.axes if ax.texts]
    assert len(axes) == 3
    places = [[text.get_position() for text in ax.texts] for ax in axes]
    assert places[0] == places[1] == places[2]
    assert figure.get_suptitle() == "by $timulus"


def test_at_most_nine_panels_and_the_rest_is_said(difference):
    calm = nx.Graph(difference, n_expected=0.0)
    figure = draw_differences_page(
        {("calm", "B"): calm} | {(k, "B"): difference for k in "123456789"}
    )
    titles = [ax.get_title() for ax in figure.axes if ax.texts]
    assert titles == [f"{k} and B" for k in "123456789"]
    assert "9 of 10 comparisons" in " ".join(figure.get_supxlabel().split())


@pytest.mark.filterwarnings("ignore:Glyph")  # the font has no CJK letters
def test_unknown_pairs_and_odd_names_are_drawn(tmp_path):
    names = ["$x^", "<b>", "名前", "\x00", "y" * 5000]
    edges = pairs(5, p0_1=1, p1_2=1, p0_3=1), pairs(5, p0_1=1, p2_3=1)
    unknown = graph_of(names, *edges, np.full(10, np.nan), pairs(5, p2_3=0.7))
    figure = draw_differences_page({("<a>\n" + "x" * 999, "PMA"): unknown})
    figure.savefig(tmp_path / "a.svg")
    figure.savefig(tmp_path / "a.png")
    assert max(figure.get_size_inches()) < 40
