"""A learned graph: who is joined to whom, how surely, and in which direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney.graph.plots.graph_data import (
    FONT,
    LOOKS,
    MARK,
    MARKS,
    MEANINGS,
    WIDTHS,
    Edges,
    Kinds,
    between,
    prepare,
    shown_name,
)
from spinney.graph.plots.graph_dots import THIN_WIDTHS, draw_dots
from spinney.graph.plots.graph_layout import LEAST_WIDTH, GraphLayout, Layout
from spinney.graph.plots.labels import font_families
from spinney.graph.plots.style import DATA, FRAME, INK, PALE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = [
    "draw_graph_page",
    "draw_nodes",
    "frame_of",
    "plot_graph",
    "size_in_inches",
    "widths_of",
]

Floats = NDArray[np.float64]

BOX = 0.28
"""Space between a label's text and its frame, in units of its font."""
OPACITIES = (0.35, 0.95)
MARGIN = 12.0
LEGEND_LINE = 17.0
MOST_PIXELS = 9000
"""Longer side of the largest page."""
SMALLEST = (LEAST_WIDTH, 70.0)
"""Width and height of the smallest picture, in points."""


def plot_graph(
    model: Any,
    ax: Axes | None = None,
    *,
    layout: Layout | GraphLayout = "kamada-kawai",
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw a learned graph.

    Lines are wide and dark where the edge is sure: by its probability or frequency, else by its
    weight; the legend says which, and of what. Blue: the two variables rise together; orange and
    dashed: one falls as the other rises; grey: not known, or neither, because a column has no
    order. If the model has columns of several kinds, a mark at each name tells its kind. Components
    stand side by side, and isolated variables in rows below. More than 300 variables are dots, and
    the best connected of them have their names beside them, others where there is room.

    Parameters
    ----------
    model : estimator or networkx.Graph
        Fitted; or a graph whose edges may have ``probability``, ``share``, ``frequency`` or
        ``weight``, and ``sign`` or ``tau``, and whose nodes may have a ``kind``, and a ``label`` if
        they are not to be shown by their names. What an edge's number is called in the legend may
        stand in the graph's own attributes, by its name.
    ax : matplotlib axes, optional
        Where, with letters made to fit; by default on new axes of the right size.
    layout : {"kamada-kawai", "spring"}, mapping of nodes to positions, or GraphLayout
        See :func:`spinney.graph.plots.graph_layout.lay_out_graph`, or
        :func:`spinney.graph.plots.graph_data.lay_out_labels`, which finds one.
    title : str, optional
        Title.
    legend : bool
        Whether to say what width and colour mean.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> graph = nx.Graph()
    >>> graph.add_edge("Raf", "Mek", probability=0.9, tau=0.5)
    >>> ax = plot_graph(graph, Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['Raf', 'Mek']
    """
    graph, kinds, edges, found = prepare(model, layout)
    lines = len(_legend_rows(edges, kinds)) if legend else 0
    if ax is None:
        ax = new_axes(size_in_inches(found, lines, title))
    _draw(graph, kinds, edges, found, ax, title, lines)
    return ax


def draw_graph_page(model: Any, *, title: str | None = None, **options: Any) -> Figure:
    """Draw a learned graph on a page of its own, of the size that it needs.

    Parameters
    ----------
    model : estimator or networkx.Graph
        As in :func:`plot_graph`, with the same further `options`.

    Returns
    -------
    matplotlib figure
        One that no window manager knows of.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    graph, kinds, edges, found = prepare(model, options.pop("layout", "kamada-kawai"))
    lines = len(_legend_rows(edges, kinds)) if options.pop("legend", True) else 0
    size = size_in_inches(found, lines, title)
    most = 200.0 if found.names is None else 160.0  # nobody prints a poster of dots
    figure = Figure(figsize=size, layout="constrained", dpi=min(most, MOST_PIXELS / max(size)))
    FigureCanvasAgg(figure)
    _draw(graph, kinds, edges, found, figure.subplots(), title, lines, **options)
    return figure


def _draw(
    graph: nx.Graph,
    kinds: Kinds,
    edges: Edges,
    found: GraphLayout,
    ax: Axes,
    title: str | None,
    legend_lines: int,
) -> None:
    from matplotlib.collections import LineCollection

    low, high = frame_of(found, LEGEND_LINE * legend_lines)
    # The drawing is in points; on axes of another size everything shrinks or grows with it.
    box = ax.get_window_extent()
    inches = np.array([box.width, box.height]) / ax.figure.dpi
    scale = float(np.clip((72 * inches / (high - low)).min(), 0.2, 1.5))
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()

    order = np.argsort(edges.strengths, kind="stable")  # the surest on top
    widths = widths_of(found)
    for sign, (colour, dashes) in LOOKS.items():
        chosen = order[edges.signs[order] == sign]
        share = edges.share[chosen]
        lines = LineCollection(
            list(found.positions[edges.ends[chosen]]),
            colors=[(colour, float(alpha)) for alpha in between(OPACITIES, share)],
            linewidths=scale * between(widths, share),
            linestyles=dashes,
            capstyle="butt" if sign < 0 else "round",
            zorder=1,
        )
        ax.add_collection(lines, autolim=False)
    draw_nodes(ax, graph, found, kinds, scale)
    if title is not None:
        ax.set_title(
            title,
            fontsize=11 * max(scale, 0.6),
            fontfamily=font_families(title),
            color=INK,
            parse_math=False,
        )
    if legend_lines:
        _draw_legend(ax, edges, kinds, scale, widths)


def widths_of(found: GraphLayout) -> tuple[float, float]:
    """Widths of the weakest and the surest edge: thin where nodes are dots."""
    return WIDTHS if found.names is None else THIN_WIDTHS


def draw_nodes(ax: Axes, graph: nx.Graph, found: GraphLayout, kinds: Kinds, scale: float) -> None:
    """Write the names of the nodes into frames, paler where nothing is joined to them.

    Where the layout has dots for nodes these are drawn.
    """
    if found.names is not None:
        draw_dots(ax, graph, found, kinds, scale)
        return
    for node, (x, y) in zip(found.nodes, found.positions, strict=True):
        joined = graph.degree(node) > 0
        shown = shown_name(graph, node)
        label = ax.text(
            *(x, y, shown),
            fontsize=FONT * scale,
            fontfamily=font_families(shown),
            color=INK if joined else DATA,
            ha="center",
            va="center_baseline",
            parse_math=False,
            zorder=2,
            bbox={
                "boxstyle": f"round,pad={BOX},rounding_size=0.6",
                "facecolor": "white",
                "edgecolor": FRAME if joined else PALE,
                "linewidth": 0.8 * scale,
            },
        )
        label.set_in_layout(False)  # it lies inside the axes, which have room for it
        if node in kinds:
            _draw_mark(ax, label, kinds[node], scale, joined)


def _draw_mark(ax: Axes, label: Text, kind: str, scale: float, joined: bool) -> None:
    """Draw the mark of a kind on the left side of a label's frame, wherever the text ends."""
    from matplotlib.lines import Line2D
    from matplotlib.offsetbox import AnnotationBbox, DrawingArea

    area = DrawingArea(0.0, 0.0)
    area.add_artist(Line2D([0.0], [0.0], marker=MARKS[kind], **_mark_look(scale, joined)))
    mark = AnnotationBbox(
        area,
        (0.0, 0.5),
        xycoords=label,
        xybox=(-(BOX * FONT + MARK / 2) * scale, 0.0),
        boxcoords="offset points",
        frameon=False,
        pad=0.0,
        zorder=3,
    )
    mark.set_in_layout(False)
    ax.add_artist(mark)


def _mark_look(scale: float, joined: bool = True) -> dict[str, Any]:
    return {
        "markersize": MARK * scale,
        "markerfacecolor": "white",
        "markeredgecolor": INK if joined else DATA,
        "markeredgewidth": 0.9 * scale,
        "linestyle": "none",
        "clip_on": False,
    }


def _legend_rows(
    edges: Edges, kinds: Kinds, scale: float = 1.0, widths: tuple[float, float] = WIDTHS
) -> list[list[Any]]:
    """Lines of the legend from below, each a list of what stands in it."""
    from matplotlib.lines import Line2D

    rows: list[list[Any]] = []
    there = [kind for kind in MARKS if kind in kinds.values()]
    if there:
        look = _mark_look(scale)
        rows.append([Line2D([], [], marker=MARKS[kind], label=kind, **look) for kind in there])
    looked_at = (1, -1, 0) if edges.unordered else (1, -1)
    signs = [sign for sign in looked_at if (edges.signs == sign).any()]
    if signs:
        row = []
        for sign in signs:
            colour, dashes = LOOKS[sign]
            line = Line2D([], [], color=colour, linestyle=dashes, linewidth=2.2 * scale)
            line.set_label(MEANINGS[sign])
            row.append(line)
        rows.append(row)
    if not len(edges.ends):
        rows.append([Line2D([], [], linestyle="none", label="no edges")])
    if edges.meaning:
        row = [Line2D([], [], linestyle="none", label=edges.meaning)]
        for strength in _ticks(edges):
            share = np.array([strength / edges.top])
            line = Line2D([], [], color=INK, alpha=float(between(OPACITIES, share)[0]))
            line.set_linewidth(scale * float(between(widths, share)[0]))
            line.set_label(f"{strength:.2g}")
            row.append(line)
        rows.append(row)
    return rows


def _draw_legend(
    ax: Axes, edges: Edges, kinds: Kinds, scale: float, widths: tuple[float, float]
) -> None:
    from matplotlib.legend import Legend

    low, high = ax.get_ylim()
    for k, row in enumerate(_legend_rows(edges, kinds, scale, widths)):
        made = Legend(
            ax,
            row,
            [str(line.get_label()) for line in row],
            loc="lower center",
            bbox_to_anchor=(0.5, k * LEGEND_LINE / (high - low)),
            ncols=len(row),
            fontsize=8 * scale,
            labelcolor=INK,
            frameon=False,
            borderaxespad=0.0,
            borderpad=0.2,
            handlelength=2.2,
            columnspacing=1.4,
        )
        made.set_in_layout(False)  # it lies inside the axes, in a strip kept free for it
        ax.add_artist(made)


def _ticks(edges: Edges) -> list[float]:
    """Strengths for the legend: for shares always the same, so that pictures compare."""
    if edges.shares:
        return [0.1, 0.5, 1.0]
    low, high = float(edges.strengths.min()), float(edges.strengths.max())
    return [low, (low + high) / 2, high] if high - low > 0.05 * edges.top else [high]


def frame_of(found: GraphLayout, strip: float) -> tuple[Floats, Floats]:
    """Lower left and upper right corner of the drawing, with the strip of the legend."""
    low, high = found.corners
    short = np.maximum(SMALLEST - (high - low), 0.0) / 2
    low, high = low - short - MARGIN, high + short + MARGIN
    low[1] -= strip
    return low, high


def size_in_inches(found: GraphLayout, lines: int, title: str | None) -> tuple[float, float]:
    """Find the size of a page with so many lines of legend."""
    low, high = frame_of(found, LEGEND_LINE * lines)
    width, height = (high - low) / 72 + 0.1
    return float(width), float(height + (0.3 if title else 0.0))
