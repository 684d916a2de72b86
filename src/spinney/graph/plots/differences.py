"""In which edges groups differ: one picture for each two of them, all with one layout."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.text import plain_line
from spinney.graph.plots.comparison import EdgeLook, plot_edge_classes, two_graph_looks
from spinney.graph.plots.graph import size_in_inches
from spinney.graph.plots.graph_data import lay_out_labels
from spinney.graph.plots.graph_layout import GraphLayout
from spinney.graph.plots.style import BOTH as IN_BOTH
from spinney.graph.plots.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Difference", "draw_differences_page", "plot_differences"]

Bools = NDArray[np.bool_]

BOTH, DOUBTFUL, FIRST, SECOND = "shared", "doubtful", "lost", "gained"
"""What an edge is: in both graphs; in one of them, but probably no difference; in the first or the
second only."""
LIKELY = 0.5
LONGEST_NAME = 28
"""Letters of the name of a group."""
MOST_PANELS = 9
"""Pictures on a page."""
PANELS_ABREAST = 3
LEGEND_LINES = 2
MOST_INCHES = 30.0
LETTERS_PER_INCH = 15.0
"""Of the caption."""
CAPTION = "Wide coloured lines: a difference is probable. Thin grey lines: both groups are alike."


class Difference(NamedTuple):
    """Two groups, and what is known of the edges of both.

    Attributes
    ----------
    first, second : str
        Names of the groups.
    edges : two bool arrays of shape (d, d)
        The edges of each graph.
    only_first, only_second : arrays of shape (d, d)
        Probability that just this group has the edge; NaN where nothing is known.
    """

    first: str
    second: str
    edges: tuple[Bools, Bools]
    only_first: ArrayLike
    only_second: ArrayLike

    @property
    def differs(self) -> NDArray[np.float64]:
        """Probability that just one of the groups has the edge; 0 where nothing is known."""
        return np.nan_to_num(np.asarray(self.only_first) + np.asarray(self.only_second))

    def turned(self) -> Difference:
        """Return the same with the groups exchanged."""
        edges = self.edges[1], self.edges[0]
        return Difference(self.second, self.first, edges, self.only_second, self.only_first)


def plot_differences(
    names: Sequence[str],
    difference: Difference,
    ax: Axes | None = None,
    *,
    layout: GraphLayout | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the edges of two groups: what both have, and what only one of them has.

    Lines are wide where a difference is probable. Edges that one of the graphs has and the other
    has not, but that are probably no difference, are dotted.

    Parameters
    ----------
    names : sequence of str
        The columns.
    difference : Difference
        The two groups.
    ax : matplotlib axes, optional
        Where; by default on new axes of the right size.
    layout : GraphLayout, optional
        Where the columns go; by default by the edges that are drawn.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> edge, none = np.array([[0, 1], [1, 0]], dtype=bool), np.zeros((2, 2), dtype=bool)
    >>> found = Difference("before", "after", (none, edge), 0.0 * edge, 0.9 * edge)
    >>> ax = plot_differences(["Raf", "Mek"], found, Figure().subplots())
    >>> [text.get_text() for legend in ax.artists for text in legend.get_texts()]
    ['only in after (1)']
    """
    graph = _graph(names, difference)
    place = lay_out_labels(graph) if layout is None else layout
    looks = _looks(difference.first, difference.second)
    return plot_edge_classes(graph, looks, ax, layout=place, title=title)


def draw_differences_page(
    names: Sequence[str], differences: Sequence[Difference], *, title: str | None = None
) -> Figure:
    """Draw each two groups on one page, the columns in the same places.

    Parameters
    ----------
    names : sequence of str
        The columns.
    differences : sequence of Difference
        If there are more than nine, the nine with most differences are drawn.
    title : str, optional
        Title of the page.

    Returns
    -------
    matplotlib figure
        One that no window manager knows of.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = _most_different(differences)
    layout = lay_out_labels(_union(names, differences))
    labels = [
        f"{plain_line(one.first, LONGEST_NAME)} and {plain_line(one.second, LONGEST_NAME)}"
        for one in shown
    ]
    if len(shown) == 1:
        labels = [plain_line(title, 60) if title is not None else labels[0]]
    abreast = 2 if len(shown) == 4 else min(len(shown), PANELS_ABREAST)  # no empty corner
    down = ceil(len(shown) / abreast)
    panel = np.array(size_in_inches(layout, LEGEND_LINES, labels[0]))
    panel *= 1.0 if len(shown) == 1 else 0.8
    size = np.maximum(panel, (4.6, 3.2)) * (abreast, down) + (0.0, 0.45)
    size *= min(1.0, MOST_INCHES / size.max())
    figure = Figure(figsize=tuple(size), layout="constrained", dpi=200)
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[call-arg, union-attr]
    if title is not None and len(shown) > 1:
        figure.suptitle(plain_line(title, 90), fontsize=12, color=INK, parse_math=False)
    axes = figure.subplots(down, abreast, squeeze=False).ravel()
    for ax, difference, label in zip(axes, shown, labels, strict=False):
        plot_differences(names, difference, ax, layout=layout, title=label)
    for ax in axes[len(shown) :]:
        ax.set_axis_off()
    note = CAPTION
    if len(shown) < len(differences):
        note += f" {len(shown)} of {len(differences)} comparisons, those with most differences."
    figure.supxlabel(fill(note, int(LETTERS_PER_INCH * size[0])), fontsize=7, color=INK)
    return figure


def _most_different(differences: Sequence[Difference]) -> list[Difference]:
    if len(differences) <= MOST_PANELS:
        return list(differences)
    totals = [-float(one.differs.sum()) for one in differences]
    chosen = sorted(np.argsort(totals, kind="stable")[:MOST_PANELS].tolist())
    return [differences[k] for k in chosen]


def _graph(names: Sequence[str], difference: Difference) -> nx.Graph:
    """Give each edge its class, and as its share the probability of a difference."""
    first, second = difference.edges
    differs = difference.differs
    graph = nx.Graph()
    for k, name in enumerate(names):
        graph.add_node(k, label=str(name))
    for u, v in np.argwhere(np.triu(first | second | (differs > LIKELY), 1)).tolist():
        if differs[u, v] > LIKELY:
            own = np.asarray(difference.only_first)[u, v] > np.asarray(difference.only_second)[u, v]
            state = FIRST if own else SECOND
        else:
            state = BOTH if first[u, v] and second[u, v] else DOUBTFUL
        graph.add_edge(u, v, state=state, share=float(differs[u, v]))
    return graph


def _union(names: Sequence[str], differences: Sequence[Difference]) -> nx.Graph:
    graph = nx.Graph()
    for difference in differences:
        graph = nx.compose(graph, _graph(names, difference))
    return graph


def _looks(first: str, second: str) -> dict[str, EdgeLook]:
    looks = two_graph_looks(first, second)
    doubtful = EdgeLook("in one, probably no difference", IN_BOTH, (0, (1.0, 1.6)))
    return {
        BOTH: looks[BOTH],
        DOUBTFUL: doubtful,
        FIRST: looks[FIRST],
        SECOND: looks[SECOND],
    }
