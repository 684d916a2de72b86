"""Pictures of a learned graph: its edges, how certain they are, and their signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney._core.graph import edge_graph, edge_share, high_level
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
    text_width,
    write_title,
)
from spinney.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = [
    *("Entry", "GraphPicture", "Lines", "Shares", "draw_graph_page", "edge_shares", "legend_rows"),
    "plot_graph",
]

Floats = NDArray[np.float64]

WIDTHS, THIN_WIDTHS = (0.6, 5.0), (0.3, 1.6)
"""Line widths of the weakest and the strongest edge, in points: with labels, with dots."""
OPACITIES = (0.25, 1.0)
"""Ink of the least and the most certain edge."""
LIKELY_INK = 0.2
"""Share of the ink of an edge that is likely, not present for sure."""
STRONGEST = 0.7
"""Strength from which lines get no wider; fixed, so that pictures can be compared."""
UNKNOWN = 0.4
"""Share of the width for an edge whose strength is unknown."""
LOOKS: dict[int, tuple[str, Any]] = {
    0: (DATA, "solid"),
    1: (LINES, "solid"),
    -1: (FALLING, (0, (2.2, 0.9))),
}
"""Colour and dashes of each sign."""
MEANINGS = {1: "rise together", -1: "one falls as the other rises", 0: "sign open, or a category"}
COUNTS_AS_HIGH = "after a colon: the value that counts as high"
RING, RING_WIDTH, RING_GAP = "#00735C", 2.4, 4.0
"""Colour, width and distance of the ring around a name, in points."""
FILLS = ("#BFDDF0", "#F8D3AE", "#BDE3D3", "#EBCBDF", "#F3EBA9", "#D5CFEA", "#CBE8F3", "#F3C3B4")
"""Fill of the names of each group of columns; later groups have none."""
LEGEND_WIDTH = 330.0
"""Width of a line of the legend, in points."""
FILL, FILL_ALONE = "#4D5A63", "#C4C9CC"
"""Colours of dots with and without an edge."""
BOX = 0.28
"""Space between a label's text and its frame, in units of its font."""
MARGIN = 12.0
LEGEND_LINE = 17.0
MOST_PIXELS = 6500
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
    fill: str = "white"


class Shares(NamedTuple):
    """Width and ink of edges, between 0 and 1, and the numbers that they stand for.

    Attributes
    ----------
    score : str
        What the ink stands for, and the width where there is no strength; may be empty.
    has_strength : bool
        Whether the width stands for the strength.
    ticks : list of float
        Scores to be shown in a legend.
    width, ink, tick_ink : arrays
        One for each edge, and for each tick.
    """

    score: str
    has_strength: bool
    ticks: list[float]
    width: Floats
    ink: Floats
    tick_ink: Floats


def edge_shares(data: Sequence[Mapping[Any, Any]], sure: float | None = None) -> Shares:
    """Find width and ink of edges: by strength and score, or both by the score alone.

    With `sure`, edges that are at least so probable have full ink and the others little.

    Examples
    --------
    >>> found = edge_shares([{"probability": 0.75, "strength": -0.35}])
    >>> found.width, found.ink
    (array([0.5]), array([0.5]))
    """
    name, scores = _scores(data)
    known = "strength" if any("strength" in values for values in data) else "weight"
    told = known == "strength" or any("strength_low" in values for values in data)
    sizes = np.abs(np.array([values.get(known, np.nan) for values in data], dtype=float))
    told = told and not np.isnan(sizes).all()
    ticks, low, top = [0.1, 0.5, 1.0], 0.0, 1.0  # fixed, so that pictures can be compared
    if told and name == "probability" and scores.min() >= 0.5:
        ticks, low = [0.5, 0.8, 1.0], 0.5
    elif name == "weight":
        top, least = float(scores.max()), float(scores.min())
        ticks = [least, (least + top) / 2, top] if top - least > 0.05 * top else [top]
    ink, tick_ink = (
        np.clip((np.asarray(values) - low) / (top - low), 0.0, 1.0) for values in (scores, ticks)
    )
    if sure is not None and name == "probability":
        ticks, tick_ink = [1.0, sure], np.array([1.0, LIKELY_INK])
        ink = np.where(scores >= sure, 1.0, LIKELY_INK)
    if not told:
        return Shares(name, False, ticks, ink, ink, tick_ink)
    width = np.where(np.isnan(sizes), UNKNOWN, np.clip(sizes / STRONGEST, 0.0, 1.0))
    return Shares(name, True, ticks, width, ink, tick_ink)


def legend_rows(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Break entries of a legend into lines, the lowest first."""
    rows: list[list[Entry]] = []
    room = 0.0
    for entry in entries:
        width = text_width(entry.label) + 34.0
        if width > room:
            rows.append([])
            room = LEGEND_WIDTH
        rows[-1].append(entry)
        room -= width
    return rows[::-1]


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
    fills : mapping of nodes to str
        Colours of nodes, by group.
    rings : mapping of nodes to float
        How far the ring around each name is closed.
    """

    graph: nx.Graph
    layout: GraphLayout
    lines: list[Lines]
    legend: list[list[Entry]]
    kinds: Mapping[Any, str] = field(default_factory=dict)
    fills: Mapping[Any, str] = field(default_factory=dict)
    rings: Mapping[Any, float] = field(default_factory=dict)

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
        room = float((high - low)[0]) / max(text_width(title or "", 11.0), 1.0)
        write_title(ax, title, 11 * max(scale, 0.6) * float(np.clip(room, 0.5, 1.0)))
        for k, row in enumerate(self.legend):
            _draw_legend(ax, row, k * LEGEND_LINE / float((high - low)[1]), scale)
        return ax

    def page(self, title: str | None = None) -> Figure:
        """Draw it on a new page."""
        size = self.inches(title)
        most = 200.0 if self.layout.names is None else 160.0  # nobody prints a poster of dots
        figure = new_page(size, min(most, MOST_PIXELS / max(size)), layout=None)
        room = np.array([0.05, 0.05, 0.1, 0.1 + (0.3 if title else 0.0)]) / (*size, *size)
        # Known beforehand: a search for the place of the axes would take half of the time.
        self.draw(figure.add_axes((*room[:2], *(1.0 - room[2:]))), title)
        return figure


def plot_graph(
    model: Any,
    ax: Axes | None = None,
    *,
    layout: Positions | GraphLayout | str | None = None,
    colour_by: Mapping[Any, Any] | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw a learned graph.

    Lines are wide for strong edges and dark for certain ones; where there is no strength, both say
    how certain, by probability or frequency, else by weight. The legend says which. Blue: the two
    variables rise together; orange and dashed: one falls as the other rises; grey: unknown, or
    neither, because a column has no order. If there are
    several kinds of columns, a mark beside each name shows its kind. Smaller components are beside
    and below the largest, isolated variables at the bottom. More than 300 variables are drawn as
    dots, with names beside hubs and wherever else there is room.

    Parameters
    ----------
    model : estimator or networkx.Graph
        Fitted; or a graph whose edges may have ``strength``, one of ``probability``, ``share``,
        ``frequency`` and ``weight``, and ``sign`` or ``tau``, and whose nodes may have a ``kind``,
        a ``group``, a ``label`` to be shown instead of their names, and the level that is ``up``.
        The graph's own attributes may say what the number of an edge is called in the legend, under
        the number's name.
    ax : matplotlib axes, optional
        Where, with text scaled to fit; by default on new axes of the right size.
    layout : {"components", "circle", "spring"}, mapping of nodes to positions, or GraphLayout
        See :func:`spinney.graph.plots.layout.lay_out_graph`.
    colour_by : mapping of nodes to groups, optional
        Colours the names of nodes.
    title : str, optional
        Title.
    legend : bool
        Whether to say what width, ink and colours mean.

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
    return _picture(model, layout, colour_by, legend).draw(ax, title)


def draw_graph_page(
    model: Any,
    *,
    layout: Positions | GraphLayout | str | None = None,
    colour_by: Mapping[Any, Any] | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Figure:
    """Draw a learned graph on a new page of the right size.

    Parameters
    ----------
    model, layout, colour_by, title, legend
        As in :func:`plot_graph`.

    Returns
    -------
    matplotlib figure
        Independent of pyplot.
    """
    return _picture(model, layout, colour_by, legend).page(title)


def _picture(
    model: Any,
    layout: Positions | GraphLayout | str | None,
    colour_by: Mapping[Any, Any] | None,
    legend: bool,
) -> GraphPicture:
    if isinstance(model, nx.Graph):
        graph, labels = model, model.graph
    else:
        graph, share = edge_graph(model), edge_share(model)
        labels = {} if share is None else {share.column: share.label}
    table = getattr(model, "table_", None)
    for node, column in zip(graph, table.columns if isinstance(table, Table) else (), strict=False):
        if (up := high_level(column)) is not None:
            graph.nodes[node]["up"] = up
    kinds = node_kinds(graph, table.kinds if isinstance(table, Table) else None)
    found = layout if isinstance(layout, GraphLayout) else lay_out_labels(graph, layout, kinds)
    groups = nx.get_node_attributes(graph, "group")
    for node, group in (colour_by or {}).items():
        if node not in graph:
            check_choice(str(node), [str(node) for node in graph], "column")
        groups[node] = group
    coloured = dict(zip(dict.fromkeys(map(str, groups.values())), FILLS, strict=False))
    fills = {node: coloured.get(str(group), "white") for node, group in groups.items()}

    index = {node: k for k, node in enumerate(graph)}
    data = [(index[u], index[v], values) for u, v, values in graph.edges(data=True) if u != v]
    ends = np.array([[u, v] for u, v, _ in data], dtype=np.int64).reshape(-1, 2)
    signs = np.sign([float(values.get("sign", values.get("tau", 0.0))) for *_, values in data])
    sure = graph.graph.get("sure")
    shares = edge_shares([values for *_, values in data], sure)
    order = np.argsort(shares.ink, kind="stable")  # the most certain on top
    lines = []
    for sign, (colour, dashes) in LOOKS.items():
        own = order[signs[order] == sign]
        colours = [(colour, float(opacity)) for opacity in between(OPACITIES, shares.ink[own])]
        lines.append(Lines(ends[own], shares.width[own], colours, dashes))

    rows = legend_rows(Entry(name, INK, mark="s", fill=fill) for name, fill in coloured.items())
    if kinds:
        there = [kind for kind in MARKS if kind in kinds.values()]
        rows.append([Entry(kind, mark=MARKS[kind]) for kind in there])
    if any("up" in values for _, values in graph.nodes(data=True)):
        rows.append([Entry(COUNTS_AS_HIGH)])
    told = MEANINGS if any("sign" in values for *_, values in data) else (1, -1)
    present = [sign for sign in told if (signs == sign).any()]
    if present:
        rows.append([Entry(MEANINGS[s], LOOKS[s][0], 2.2, LOOKS[s][1]) for s in present])
    if not len(ends):
        rows.append([Entry("no edges")])
    widths = line_widths(found)
    if shares.score:
        inks = between(OPACITIES, shares.tick_ink).tolist()
        thick = between(widths, np.full(3, 0.6) if shares.has_strength else shares.tick_ink)
        texts = [f"{tick:.2g}" for tick in shares.ticks]
        if sure is not None:
            texts = [f"present (at least {sure:g})", "likely"]
        row = [
            Entry(text, INK, width, "solid", ink)
            for text, width, ink in zip(texts, thick.tolist(), inks, strict=False)
        ]
        rows.append([Entry(labels.get(shares.score, f"edge {shares.score}")), *row])
    if shares.has_strength:
        ticks = np.array([0.1, 0.3, STRONGEST])
        row = [
            Entry(f"{tick:g}", INK, width)
            for tick, width in zip(ticks, between(widths, ticks / STRONGEST).tolist(), strict=True)
        ]
        rows.append([Entry("strength"), *row])
    rings = nx.get_node_attributes(graph, "ring") if found.names is None else {}
    if rings:
        rows.append([Entry("explained by the neighbours", RING, RING_WIDTH)])
    return GraphPicture(graph, found, lines, rows if legend else [], kinds, fills, rings)


def _scores(data: Sequence[Mapping[Any, Any]]) -> tuple[str, Floats]:
    """Return the name and values of the first number that all edges have."""
    for name in ("probability", "share", "frequency", "weight"):
        scores = np.abs(np.array([values.get(name, np.nan) for values in data], dtype=float))
        if len(data) and np.isfinite(scores).all() and (name != "weight" or scores.any()):
            return name, scores
    return "", np.full(len(data), 0.5)


def between(ends: tuple[float, float], share: Floats) -> Floats:
    """Interpolate between two ends."""
    return ends[0] + (ends[1] - ends[0]) * share


def line_widths(layout: GraphLayout) -> tuple[float, float]:
    """Widths of the weakest and the strongest edge: thin where nodes are dots."""
    return WIDTHS if layout.names is None else THIN_WIDTHS


def _draw_labels(ax: Axes, picture: GraphPicture, scale: float) -> None:
    """Write the names of the nodes into frames, paler for isolated nodes."""
    found = picture.layout
    for node, place in zip(found.nodes, found.positions, strict=True):
        joined = picture.graph.degree(node) > 0
        frame = {
            "boxstyle": f"round,pad={BOX},rounding_size=0.6",
            "facecolor": picture.fills.get(node, "white"),
            "edgecolor": FRAME if joined else PALE,
            "linewidth": 0.8 * scale,
        }
        colour = INK if joined else DATA
        shown = shown_name(picture.graph, node)
        label = _write(ax, place, shown, FONT * scale, color=colour, bbox=frame, zorder=2)
        if node in picture.rings:
            _draw_ring(ax, place, text_width(shown, FONT), picture.rings[node], scale)
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


def _draw_ring(ax: Axes, place: Floats, text: float, share: float, scale: float) -> None:
    """Draw a ring around a name of a width, closed as far as a share, over a pale one."""
    from matplotlib.patches import FancyBboxPatch

    width, height = text + 2 * BOX * FONT + RING_GAP, (1.1 + 2 * BOX) * FONT + RING_GAP
    style = f"round,pad=0,rounding_size={height / 2 - 1.0}"
    # Dashes are counted in widths of the line.
    length = 2 * (width + height) - (8 - 2 * np.pi) * (height / 2 - 1.0)
    for colour, part in ((PALE, 1.0), (RING, share)):
        if part > 0.0:
            on = part * length / RING_WIDTH
            ax.add_patch(
                FancyBboxPatch(
                    (place[0] - width / 2, place[1] - height / 2),
                    width,
                    height,
                    boxstyle=style,
                    fill=False,
                    edgecolor=colour,
                    linewidth=RING_WIDTH * scale,
                    linestyle="solid" if part >= 1.0 else (0, (on, 1e4)),
                    capstyle="butt",
                    zorder=1.5,
                )
            )


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
    plain = np.where(joined, FILL, FILL_ALONE)
    fills = [
        picture.fills.get(node, colour) for node, colour in zip(found.nodes, plain, strict=True)
    ]
    for mark in sorted(set(marks)):
        for apart in (True, False):  # those with edges on top
            own = (marks == mark) & (joined != apart)
            if own.any():
                ax.scatter(
                    found.positions[own, 0],
                    found.positions[own, 1],
                    s=(found.sizes[own, 0] * scale) ** 2,
                    marker=mark,
                    c=[fills[k] for k in np.flatnonzero(own)],
                    edgecolors=FILL if picture.fills else "white",
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
            markerfacecolor=entry.fill,
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
        handlelength=2.4 * any(entry.width or entry.mark for entry in row),  # words alone: centred
        columnspacing=1.4,
    )
    for text in made.get_texts():
        text.set(parse_math=False, fontfamily=font_families(text.get_text()))
    made.set_in_layout(False)  # it lies inside the axes, in a strip kept free for it
    ax.add_artist(made)
