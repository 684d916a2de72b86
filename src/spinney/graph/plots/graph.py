"""Pictures of a learned graph: its edges, how certain they are, and their signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.graph import edge_graph, edge_share
from spinney._core.text import counted
from spinney.graph.plots.layout import (
    FONT,
    LABELS,
    MARK,
    MARKS,
    GraphLayout,
    Positions,
    lay_out_labels,
    node_kinds,
    shown_name,
)
from spinney.graph.plots.style import (
    DATA,
    FALLING,
    FRAME,
    INK,
    LINES,
    PALE,
    font_families,
    new_axes,
    new_page,
    write_title,
)
from spinney.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["Entry", "GraphPicture", "Lines", "draw_graph_page", "plot_graph"]

Floats = NDArray[np.float64]

WIDTHS, THIN_WIDTHS = (0.7, 4.2), (0.3, 1.0)
"""Line widths of the least and the most certain edge, in points: with labels, with dots."""
OPACITIES = (0.35, 0.95)
LOOKS: dict[int, tuple[str, Any]] = {
    0: (DATA, "solid"),
    1: (LINES, "solid"),
    -1: (FALLING, (0, (2.2, 0.9))),
}
"""Colour and dashes of each sign."""
MEANINGS = {1: "rise together", -1: "one falls as the other rises", 0: "no order to rise in"}
FILL, FILL_ALONE = "#4D5A63", "#C4C9CC"
"""Colours of dots with and without an edge."""
BOX = 0.28
"""Space between a label's text and its frame, in units of its font."""
MARGIN = 12.0
LEGEND_LINE = 17.0
MOST_PIXELS = 9000
"""Longer side of the largest page."""
SMALLEST = (LABELS.least, 70.0)
"""Least width and height of a picture, in points."""


class Lines(NamedTuple):
    """Edges of one look.

    Attributes
    ----------
    ends : array of shape (m, 2)
        Positions of their nodes in the graph.
    shares : array of shape (m,)
        Between 0 and 1: thin to wide.
    colours : str or list
        As in matplotlib; one for all lines, or one each.
    dashes : str or (offset, lengths)
        As in matplotlib.
    label : str, optional
        What they are.
    """

    ends: NDArray[np.int64]
    shares: Floats
    colours: Any
    dashes: Any
    label: str | None = None


class Entry(NamedTuple):
    """An entry of a legend: a text, after a line if it has a `width`, or after a mark."""

    label: str
    colour: str = INK
    width: float = 0.0
    dashes: Any = "solid"
    opacity: float = 1.0
    mark: str | None = None


@dataclass(frozen=True)
class GraphPicture:
    """A graph, ready to be drawn.

    Attributes
    ----------
    graph : networkx.Graph
        Its nodes.
    layout : GraphLayout
        Where they go.
    lines : list of Lines
        Its edges, the lowest first.
    legend : list of list of Entry
        Lines of the legend, from the bottom.
    kinds : mapping of nodes to str
        Kinds of nodes, which get a mark.
    """

    graph: nx.Graph
    layout: GraphLayout
    lines: list[Lines]
    legend: list[list[Entry]]
    kinds: Mapping[Any, str] = field(default_factory=dict)

    @property
    def _corners(self) -> tuple[Floats, Floats]:
        """Lower left and upper right corner, legend included."""
        low, high = self.layout.corners
        short = np.maximum(SMALLEST - (high - low), 0.0) / 2
        low, high = low - short - MARGIN, high + short + MARGIN
        low[1] -= LEGEND_LINE * len(self.legend)
        return low, high

    def inches(self, title: str | None = None) -> tuple[float, float]:
        """Width and height of a page for it."""
        low, high = self._corners
        width, height = (high - low) / 72 + 0.1
        return float(width), float(height + (0.3 if title else 0.0))

    def draw(self, ax: Axes | None = None, title: str | None = None) -> Axes:
        """Draw it on axes, with text scaled to fit; by default on new ones of the right size."""
        from matplotlib.collections import LineCollection

        ax = new_axes(self.inches(title)) if ax is None else ax
        low, high = self._corners
        # The drawing is in points; on axes of another size everything is scaled.
        box = ax.get_window_extent()
        inches = np.array([box.width, box.height]) / ax.figure.dpi
        scale = float(np.clip((72 * inches / (high - low)).min(), 0.2, 1.5))
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.set_axis_off()
        widths = line_widths(self.layout)
        for ends, shares, colours, dashes, label in self.lines:
            drawn = LineCollection(
                list(self.layout.positions[ends]),
                colors=colours,
                linewidths=scale * between(widths, shares),
                linestyles=dashes,
                capstyle="round" if dashes == "solid" else "butt",
                zorder=1,
                label=label,
            )
            ax.add_collection(drawn, autolim=False)
        draw_nodes = _draw_labels if self.layout.names is None else _draw_dots
        draw_nodes(ax, self, scale)
        write_title(ax, title, 11 * max(scale, 0.6))
        for k, row in enumerate(self.legend):
            _draw_legend(ax, row, k * LEGEND_LINE / float((high - low)[1]), scale)
        return ax

    def page(self, title: str | None = None) -> Figure:
        """Draw it on a new page."""
        size = self.inches(title)
        most = 200.0 if self.layout.names is None else 160.0  # nobody prints a poster of dots
        figure = new_page(size, min(most, MOST_PIXELS / max(size)))
        self.draw(figure.subplots(), title)
        return figure


def plot_graph(
    model: Any,
    ax: Axes | None = None,
    *,
    layout: Positions | GraphLayout | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw a learned graph.

    Lines are wide and dark for certain edges, by probability or frequency, else by weight; the
    legend says which. Blue: the two variables rise together; orange and dashed: one
    falls as the other rises; grey: unknown, or neither, because a column has no order. If there are
    several kinds of columns, a mark beside each name shows its kind. Smaller components are beside
    and below the largest, isolated variables at the bottom. More than 300 variables are drawn as
    dots, with names beside hubs and wherever else there is room.

    Parameters
    ----------
    model : estimator or networkx.Graph
        Fitted; or a graph whose edges may have ``probability``, ``share``, ``frequency`` or
        ``weight``, and ``sign`` or ``tau``, and whose nodes may have a ``kind``, and a ``label`` to
        be shown instead of their names. The graph's own attributes may say what the number of an
        edge is called in the legend, under the number's name.
    ax : matplotlib axes, optional
        Where, with text scaled to fit; by default on new axes of the right size.
    layout : mapping of nodes to positions, or GraphLayout, optional
        See :func:`spinney.graph.plots.layout.lay_out_graph`.
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
    return _picture(model, layout, legend).draw(ax, title)


def draw_graph_page(
    model: Any,
    *,
    layout: Positions | GraphLayout | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Figure:
    """Draw a learned graph on a new page of the right size.

    Parameters
    ----------
    model, layout, title, legend
        As in :func:`plot_graph`.

    Returns
    -------
    matplotlib figure
        Independent of pyplot.
    """
    return _picture(model, layout, legend).page(title)


def _picture(model: Any, layout: Positions | GraphLayout | None, legend: bool) -> GraphPicture:
    if isinstance(model, nx.Graph):
        graph, labels = model, model.graph
    else:
        graph, share = edge_graph(model), edge_share(model)
        labels = {} if share is None else {share.column: share.label}
    table = getattr(model, "table_", None)
    kinds = node_kinds(graph, table.kinds if isinstance(table, Table) else None)
    found = layout if isinstance(layout, GraphLayout) else lay_out_labels(graph, layout, kinds)

    index = {node: k for k, node in enumerate(graph)}
    data = [(index[u], index[v], values) for u, v, values in graph.edges(data=True) if u != v]
    ends = np.array([[u, v] for u, v, _ in data], dtype=np.int64).reshape(-1, 2)
    signs = np.sign([float(values.get("sign", values.get("tau", 0.0))) for *_, values in data])
    name, strengths = _strengths([values for *_, values in data])
    top = float(strengths.max(initial=0.0)) if name == "weight" else 1.0
    shares = np.clip(strengths / top, 0.0, 1.0)
    order = np.argsort(strengths, kind="stable")  # the most certain on top
    lines = []
    for sign, (colour, dashes) in LOOKS.items():
        own = order[signs[order] == sign]
        colours = [(colour, float(opacity)) for opacity in between(OPACITIES, shares[own])]
        lines.append(Lines(ends[own], shares[own], colours, dashes))

    rows: list[list[Entry]] = []
    if kinds:
        there = [kind for kind in MARKS if kind in kinds.values()]
        rows.append([Entry(kind, mark=MARKS[kind]) for kind in there])
    told = (1, -1, 0) if "nominal" in kinds.values() else (1, -1)
    present = [sign for sign in told if (signs == sign).any()]
    if present:
        rows.append([Entry(MEANINGS[s], LOOKS[s][0], 2.2, LOOKS[s][1]) for s in present])
    if not len(ends):
        rows.append([Entry("no edges")])
    if name:
        ticks = np.array([0.1, 0.5, 1.0])  # fixed for shares, so that pictures can be compared
        if name == "weight":
            low = float(strengths.min())
            ticks = np.array([low, (low + top) / 2, top] if top - low > 0.05 * top else [top])
        looks = zip(
            ticks,
            between(line_widths(found), ticks / top).tolist(),
            between(OPACITIES, ticks / top).tolist(),
            strict=True,
        )
        row = [Entry(f"{tick:.2g}", INK, width, "solid", opacity) for tick, width, opacity in looks]
        rows.append([Entry(labels.get(name, f"edge {name}")), *row])
    return GraphPicture(graph, found, lines, rows if legend else [], kinds)


def _strengths(data: list[dict[str, Any]]) -> tuple[str, Floats]:
    """Return the name and values of the first number that all edges have."""
    for name in ("probability", "share", "frequency", "weight"):
        strengths = np.abs(np.array([values.get(name, np.nan) for values in data], dtype=float))
        if len(data) and np.isfinite(strengths).all() and (name != "weight" or strengths.any()):
            return name, strengths
    return "", np.full(len(data), 0.5)


def between(ends: tuple[float, float], share: Floats) -> Floats:
    """Interpolate between two ends."""
    return ends[0] + (ends[1] - ends[0]) * share


def line_widths(layout: GraphLayout) -> tuple[float, float]:
    """Widths of the least and the most certain edge: thin where nodes are dots."""
    return WIDTHS if layout.names is None else THIN_WIDTHS


def _draw_labels(ax: Axes, picture: GraphPicture, scale: float) -> None:
    """Write the names of the nodes into frames, paler for isolated nodes."""
    found = picture.layout
    for node, place in zip(found.nodes, found.positions, strict=True):
        joined = picture.graph.degree(node) > 0
        frame = {
            "boxstyle": f"round,pad={BOX},rounding_size=0.6",
            "facecolor": "white",
            "edgecolor": FRAME if joined else PALE,
            "linewidth": 0.8 * scale,
        }
        colour = INK if joined else DATA
        shown = shown_name(picture.graph, node)
        label = _write(ax, place, shown, FONT * scale, color=colour, bbox=frame, zorder=2)
        if node in picture.kinds:
            _draw_mark(ax, label, MARKS[picture.kinds[node]], scale, colour)


def _write(ax: Axes, place: Any, text: str, size: float, **options: Any) -> Text:
    """Write a name centred at a place."""
    written = ax.text(
        *(*place, text),
        fontsize=size,
        fontfamily=font_families(text),
        ha="center",
        va="center_baseline",
        parse_math=False,
        **options,
    )
    written.set_in_layout(False)  # it lies inside the axes, which have room for it
    return written


def _draw_mark(ax: Axes, label: Text, mark: str, scale: float, colour: str) -> None:
    """Draw the mark of a kind on the left side of a label's frame."""
    from matplotlib.offsetbox import AnnotationBbox, DrawingArea

    area = DrawingArea(0.0, 0.0)
    area.add_artist(_handle(Entry("", colour, mark=mark), scale, [0.0]))
    box = AnnotationBbox(
        area,
        (0.0, 0.5),
        xycoords=label,
        xybox=(-(BOX * FONT + MARK / 2) * scale, 0.0),
        boxcoords="offset points",
        frameon=False,
        pad=0.0,
        zorder=3,
    )
    box.set_in_layout(False)
    ax.add_artist(box)


def _draw_dots(ax: Axes, picture: GraphPicture, scale: float) -> None:
    """Draw nodes as dots, in the shape of their kind, and write the names that fit.

    Isolated nodes are at the bottom, with their number.
    """
    found = picture.layout
    joined = np.array([picture.graph.degree(node) > 0 for node in found.nodes], dtype=bool)
    marks = np.array([MARKS.get(picture.kinds.get(node, ""), "o") for node in found.nodes])
    for mark in sorted(set(marks)):
        for own, colour in ((~joined, FILL_ALONE), (joined, FILL)):
            own = own & (marks == mark)
            if own.any():
                ax.scatter(
                    found.positions[own, 0],
                    found.positions[own, 1],
                    s=(found.sizes[own, 0] * scale) ** 2,
                    marker=mark,
                    color=colour,
                    edgecolors="white",
                    linewidths=0.5 * scale,
                    zorder=2,
                )
    # A stroke around the letters would turn them into paths in an SVG.
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4 * scale}
    for k, (x, y, font) in (found.names or {}).items():
        shown = shown_name(picture.graph, found.nodes[k])
        _write(ax, (x, y), shown, font * scale, color=INK, bbox=ground, zorder=3)
    alone = int((~joined).sum())
    if alone and found.isolated_top is not None:
        told = ax.text(
            *(found.positions[~joined, 0].min(), found.isolated_top + 3.0),
            f"{counted(alone, 'column')} without an edge",
            fontsize=8.0 * scale,
            color=DATA,
            va="bottom",
            zorder=3,
        )
        told.set_in_layout(False)


def _handle(entry: Entry, scale: float, at: list[float] | None = None) -> Any:
    """Make the line or mark of an entry of the legend."""
    from matplotlib.lines import Line2D

    at = [] if at is None else at
    if entry.mark is not None:
        return Line2D(
            at,
            at,
            marker=entry.mark,
            markersize=MARK * scale,
            markerfacecolor="white",
            markeredgecolor=entry.colour,
            markeredgewidth=0.9 * scale,
            linestyle="none",
            clip_on=False,
        )
    if not entry.width:
        return Line2D(at, at, linestyle="none")
    line = Line2D(at, at, color=entry.colour, linewidth=entry.width * scale)
    line.set(linestyle=entry.dashes, alpha=entry.opacity)
    return line


def _draw_legend(ax: Axes, row: list[Entry], height: float, scale: float) -> None:
    from matplotlib.legend import Legend

    made = Legend(
        ax,
        [_handle(entry, scale) for entry in row],
        [entry.label for entry in row],
        loc="lower center",
        bbox_to_anchor=(0.5, height),
        ncols=len(row),
        fontsize=8 * scale,
        labelcolor=INK,
        frameon=False,
        borderaxespad=0.0,
        borderpad=0.2,
        handlelength=2.4,
        columnspacing=1.4,
    )
    for text in made.get_texts():
        text.set(parse_math=False, fontfamily=font_families(text.get_text()))
    made.set_in_layout(False)  # it lies inside the axes, in a strip kept free for it
    ax.add_artist(made)
