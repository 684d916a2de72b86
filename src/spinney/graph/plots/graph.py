"""Pictures of a learned graph: its edges, how certain they are, and their signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.text import counted
from spinney.graph.plots import style
from spinney.graph.plots.layout import (
    FONT,
    MARKS,
    GraphLayout,
    Positions,
    lay_out_graph,
    node_kinds,
    shown_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

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
    0: (style.DATA, "solid"),
    1: (style.LINES, "solid"),
    -1: (style.FALLING, (0, (2.2, 0.9))),
}
"""Colour and dashes of each sign."""
MEANINGS = {1: "rise together", -1: "one falls as the other rises", 0: "sign open, or a category"}
COUNTS_AS_HIGH = "after a colon: the value that counts as high"
RING, RING_WIDTH, RING_GAP = "#00735C", 2.4, 4.0
"""Colour, width and distance of the ring around a name, in points."""
FILLS = ("#BFDDF0", "#F8D3AE", "#BDE3D3", "#EBCBDF", "#F3EBA9", "#D5CFEA", "#CBE8F3", "#F3C3B4")
"""Fill of the names of each group of columns; later groups have none."""
LEGEND_WIDTH, LEGEND_LINE = 330.0, 17.0
"""Usual width and height of a line of the legend, in points."""
FILL, FILL_ALONE = "#4D5A63", "#C4C9CC"
"""Colours of dots with and without an edge."""
BOX = 0.28
"""Space between a label's text and its frame, in units of its font."""
MARGIN = 12.0
MOST_PIXELS = 6500
"""Longer side of the largest page."""


class Line(NamedTuple):
    """An edge as drawn: positions of its nodes, width from 0 to 1, colour and dashes."""

    u: int
    v: int
    width: float
    colour: Any
    dashes: Any


class Entry(NamedTuple):
    """An entry of a legend: a text, after a line if it has a `width`, or after a filled square."""

    label: str
    colour: Any = style.INK
    width: float = 0.0
    dashes: Any = "solid"
    fill: str | None = None

    @property
    def room(self) -> float:
        """Width in points."""
        return style.text_width(self.label) + (34.0 if self.width or self.fill else 12.0)


class Shares(NamedTuple):
    """Width and ink of edges, between 0 and 1, and the numbers that they stand for.

    Attributes
    ----------
    score : str
        What the ink stands for, and the width where there is no strength; may be empty.
    has_strength : bool
        Whether the width stands for the strength.
    top : float
        The score of full ink.
    width, ink : arrays
        One for each edge.
    """

    score: str
    has_strength: bool
    top: float
    width: Floats
    ink: Floats


def edge_shares(graph: nx.Graph, edges: Iterable[Sequence[Any]] | None = None) -> Shares:
    """Find width and ink of edges: by strength and score, or both by the score alone.

    If the graph says what is ``sure``, edges that are at least so probable have full ink and the
    others little. `edges` are all by default.

    Examples
    --------
    >>> graph = nx.Graph([("a", "b", {"probability": 0.75, "strength": -0.35})])
    >>> found = edge_shares(graph)
    >>> found.width, found.ink
    (array([0.5]), array([0.75]))
    """
    data = [graph.edges[u, v] for u, v in (graph.edges if edges is None else edges)]
    name, scores = "", np.full(len(data), 0.5)
    for key in ("weight", "frequency", "share", "probability"):
        found = np.abs(np.array([values.get(key, np.nan) for values in data], dtype=float))
        if len(data) and np.isfinite(found).all() and found.any():
            name, scores = key, found
    top = float(scores.max()) if name == "weight" else 1.0
    ink = scores / top
    if "sure" in graph.graph and name == "probability":
        ink = np.where(scores >= graph.graph["sure"], 1.0, LIKELY_INK)
    sizes = np.abs(np.array([values.get("strength", np.nan) for values in data], dtype=float))
    if np.isnan(sizes).all():
        return Shares(name, False, top, ink, ink)
    width = np.where(np.isnan(sizes), UNKNOWN, np.clip(sizes / STRONGEST, 0.0, 1.0))
    return Shares(name, True, top, width, ink)


def between(ends: tuple[float, float], share: Any) -> Any:
    """Interpolate between two ends."""
    return ends[0] + (ends[1] - ends[0]) * np.asarray(share)


def legend_rows(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Break entries of a legend into lines, the lowest first."""
    rows: list[list[Entry]] = []
    left = 0.0
    for entry in entries:
        if entry.room > left:
            rows.append([])
            left = LEGEND_WIDTH
        rows[-1].append(entry)
        left -= entry.room
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
    lines : list of Line
        Its edges, the lowest first.
    legend : list of list of Entry
        Lines of the legend, from the bottom.
    """

    graph: nx.Graph
    layout: GraphLayout
    lines: list[Line]
    legend: list[list[Entry]]

    @property
    def _corners(self) -> tuple[Floats, Floats]:
        """Lower left and upper right corner, legend included."""
        low, high = self.layout.corners
        legend = max((sum(entry.room for entry in row) for row in self.legend), default=0.0)
        short = np.maximum(np.array([max(legend, LEGEND_WIDTH), 70.0]) - (high - low), 0.0) / 2
        low, high = low - short - MARGIN, high + short + MARGIN
        low[1] -= LEGEND_LINE * len(self.legend)
        return low, high

    @property
    def fills(self) -> dict[str, str]:
        """Colour of each group of nodes."""
        groups = dict.fromkeys(nx.get_node_attributes(self.graph, "group").values())
        return dict(zip(groups, [*FILLS, *["white"] * len(groups)], strict=False))

    def inches(self, title: str | None = None) -> tuple[float, float]:
        """Width and height of a page for it."""
        low, high = self._corners
        width, height = (high - low) / 72 + 0.1
        return float(width), float(height + (0.3 if title else 0.0))

    def page(self, title: str | None = None) -> Figure:
        """Draw it on a new page, independent of pyplot."""
        size = self.inches(title)
        most = 200.0 if self.layout.names is None else 160.0  # nobody prints a poster of dots
        figure = style.new_page(size, min(most, MOST_PIXELS / max(size)), layout=None)
        self.draw(self._new_axes(figure, title), title)
        return figure

    def _new_axes(self, figure: Figure, title: str | None) -> Axes:
        """Fill a figure, without a search for the place, which would take half of the time."""
        size = self.inches(title)
        room = np.array([0.05, 0.05, 0.1, 0.1 + (0.3 if title else 0.0)]) / (*size, *size)
        return figure.add_axes((*room[:2], *(1.0 - room[2:])))

    def draw(self, ax: Axes | None = None, title: str | None = None) -> Axes:
        """Draw it on axes, with text scaled to fit; by default on new ones of the right size."""
        from matplotlib.collections import LineCollection

        if ax is None:
            import matplotlib.pyplot as plt  # here, because it selects a backend

            ax = self._new_axes(plt.figure(figsize=self.inches(title)), title)
        low, high = self._corners
        # The drawing is in points; on axes of another size everything is scaled, text only so far.
        box = ax.get_window_extent()
        points = 72 * np.array([box.width, box.height]) / ax.figure.dpi
        stretch = float((points / (high - low)).min())
        scale = float(np.clip(stretch, 0.2, 1.5))
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.set_axis_off()
        if self.lines:
            u, v, widths, colours, dashes = zip(*self.lines, strict=True)
            ends = self.layout.positions[np.array([u, v]).T]
            thick = scale * between(WIDTHS if self.layout.names is None else THIN_WIDTHS, widths)
            drawn = LineCollection(
                list(ends), colors=colours, linewidths=thick, linestyles=list(dashes), zorder=1
            )
            ax.add_collection(drawn, autolim=False)
        if self.layout.names is None:
            self._draw_labels(ax, scale, stretch)
        else:
            self._draw_dots(ax, scale)
        room = float((high - low)[0]) / max(style.text_width(title or "", 11.0), 1.0)
        style.write_title(ax, title, 11 * max(scale, 0.6) * float(np.clip(room, 0.5, 1.0)))
        for k, row in enumerate(self.legend):
            _draw_legend(ax, row, k * LEGEND_LINE / float((high - low)[1]), scale)
        return ax

    def _draw_labels(self, ax: Axes, scale: float, stretch: float) -> None:
        """Write the names of the nodes into frames, paler for isolated nodes, some with a ring."""
        fills, kinds = self.fills, node_kinds(self.graph)
        for k, node in enumerate(self.layout.nodes):
            joined, data = self.graph.degree(node) > 0, self.graph.nodes[node]
            place = self.layout.positions[k]
            frame = {
                "boxstyle": f"round,pad={BOX},rounding_size=0.6",
                "facecolor": fills.get(data.get("group"), "white"),
                "edgecolor": style.FRAME if joined else style.PALE,
                "linewidth": 0.8 * scale,
            }
            mark = f"{MARKS[kinds[node]]} " if node in kinds else ""
            shown = mark + shown_name(self.graph, node)
            look: Any = {"color": style.INK if joined else style.DATA, "bbox": frame, "zorder": 2}
            label = _write(ax, place, shown, FONT * scale, **look)
            if "ring" in data:
                box, pixel = label.get_window_extent(), 72 / (ax.figure.dpi * stretch)
                aside = np.mean(box.get_points(), axis=0) - ax.transData.transform(place)
                size = pixel * np.array(box.size) + (2 * BOX * FONT + RING_GAP) * scale / stretch
                _draw_ring(ax, place + pixel * aside, size, float(data["ring"]), scale)

    def _draw_dots(self, ax: Axes, scale: float) -> None:
        """Draw nodes as dots, and write the names that fit."""
        found, fills = self.layout, self.fills
        groups = [data.get("group") for _, data in self.graph.nodes(data=True)]
        joined = np.array([self.graph.degree(node) > 0 for node in found.nodes])
        plain = np.where(joined, FILL, FILL_ALONE).tolist()
        colours = [fills.get(group, own) for group, own in zip(groups, plain, strict=True)]
        look: Any = {"edgecolors": FILL if fills else "white", "linewidths": 0.5 * scale}
        x, y = found.positions.T
        ax.scatter(x, y, (found.sizes[:, 0] * scale) ** 2, colours, zorder=2, **look)
        # A stroke around the letters would turn them into paths in an SVG.
        ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4 * scale}
        look = {"color": style.INK, "bbox": ground, "zorder": 3}
        for k, (*place, font) in (found.names or {}).items():
            _write(ax, place, shown_name(self.graph, found.nodes[k]), font * scale, **look)
        if not joined.all():
            left, top = found.positions[~joined, 0].min(), found.positions[~joined, 1].max()
            told = f"{counted(int((~joined).sum()), 'column')} without an edge"
            ax.text(
                left, top + 3.0, told, fontsize=8.0 * scale, color=style.DATA, va="bottom", zorder=3
            )


def plot_graph(
    found: Any,
    ax: Axes | None = None,
    *,
    layout: Positions | GraphLayout | str | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Axes:
    """Draw a learned graph.

    Lines are wide for strong edges and dark for certain ones. Without strengths, width and ink both
    show the probability, share or frequency, else the weight; the legend names it. Blue: the two
    variables rise together; orange and dashed: one falls as the other rises; grey: the sign is
    unknown, or a column has no order. If there are several kinds of columns, a mark before
    each name shows its kind. Smaller components are beside and below the largest, isolated
    variables at the bottom. More than 300 variables are drawn as dots, with names beside hubs and
    wherever else there is room.

    Parameters
    ----------
    found : LearnedGraph, estimator or networkx.Graph
        A graph's edges may have ``strength``, one of ``probability``, ``share``, ``frequency`` and
        ``weight``, and ``sign`` or ``tau``; its nodes a ``kind``, a ``group`` (which colours them),
        a ``label`` to be shown instead of their names, and the level that is ``up``. Its own
        attributes may say what the number of an edge is called, under the number's name.
    ax : matplotlib axes, optional
        Where, with text scaled to fit; by default on new axes of the right size.
    layout : {"components", "circle", "spring"}, mapping of nodes to positions, or GraphLayout
        See :func:`spinney.graph.plots.layout.lay_out_graph`.
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
    return graph_picture(found, layout, legend).draw(ax, title)


def graph_picture(
    found: Any, layout: Positions | GraphLayout | str | None = None, legend: bool = True
) -> GraphPicture:
    """Prepare the picture of :func:`plot_graph`, which has the same parameters."""
    if not isinstance(found, nx.Graph):
        from spinney.graph.graph import LearnedGraph

        found = LearnedGraph.of(found)
        found = nx.relabel_nodes(found.as_drawn, dict(enumerate(found.names)))
    index = {node: k for k, node in enumerate(found)}
    edges, shares = list(found.edges), edge_shares(found)
    lines = []
    for k in np.argsort(shares.ink, kind="stable").tolist():  # the most certain on top
        u, v = edges[k]
        colour, dashes = LOOKS[_sign(found.edges[u, v])]
        ink = (colour, float(between(OPACITIES, shares.ink[k])))
        lines.append(Line(index[u], index[v], float(shares.width[k]), ink, dashes))
    places = layout if isinstance(layout, GraphLayout) else lay_out_graph(found, layout)
    picture = GraphPicture(found, places, lines, [])
    if legend:
        picture.legend.extend(_legend(picture, shares))
    return picture


def _sign(data: Mapping[Any, Any]) -> int:
    return int(np.sign(float(data.get("sign", data.get("tau", 0.0)))))


def _legend(picture: GraphPicture, shares: Shares) -> list[list[Entry]]:
    """List what colours, marks, signs, ink and width mean, from the bottom."""
    graph, sure = picture.graph, picture.graph.graph.get("sure")
    edges = [data for *_, data in graph.edges(data=True)]
    rows = legend_rows(Entry(name, fill=fill) for name, fill in picture.fills.items())
    if picture.layout.names is None and (kinds := set(node_kinds(graph).values())):
        rows.append([Entry(f"{MARKS[kind]} {kind}") for kind in MARKS if kind in kinds])
    if any("up" in data for _, data in graph.nodes(data=True)):
        rows.append([Entry(COUNTS_AS_HIGH)])
    signs = set(map(_sign, edges))
    told = MEANINGS if any("sign" in data for data in edges) else (1, -1)
    if present := [sign for sign in told if sign in signs]:
        rows.append([Entry(MEANINGS[s], LOOKS[s][0], 2.2, LOOKS[s][1]) for s in present])
    if not edges:
        rows.append([Entry("no edges")])
    widths = WIDTHS if picture.layout.names is None else THIN_WIDTHS
    if shares.score:
        texts = {f"{tick * shares.top:.2g}": tick for tick in (0.1, 0.5, 1.0)}
        if sure is not None:
            texts = {f"present (at least {sure:g})": 1.0, "likely": LIKELY_INK}
        row = [Entry(graph.graph.get(shares.score, f"edge {shares.score}"))]
        for text, ink in texts.items():
            width = float(between(widths, 0.6 if shares.has_strength else ink))
            row.append(Entry(text, (style.INK, float(between(OPACITIES, ink))), width))
        rows.append(row)
    if shares.has_strength:
        ticks = (0.1, 0.3, STRONGEST)
        row = [
            Entry(f"{tick:g}", style.INK, float(between(widths, tick / STRONGEST)))
            for tick in ticks
        ]
        rows.append([Entry("strength"), *row])
    if picture.layout.names is None and nx.get_node_attributes(graph, "ring"):
        rows.append([Entry("explained by the neighbours", RING, RING_WIDTH)])
    return rows


def _write(ax: Axes, place: Any, text: str, size: float, **options: Any) -> Text:
    """Write a name centred at a place."""
    x, y = place
    look: Any = {"ha": "center", "va": "center_baseline", "parse_math": False, **options}
    written = ax.text(x, y, text, fontsize=size, fontfamily=style.font_families(text), **look)
    written.set_in_layout(False)  # it lies inside the axes, which have room for it
    return written


def _draw_ring(ax: Axes, place: Floats, size: Floats, share: float, scale: float) -> None:
    """Draw a ring of this size around a label, closed as far as a share, over a pale one."""
    from matplotlib.patches import BoxStyle

    box: Any = BoxStyle.Round(pad=0.0, rounding_size=size[1] / 2 - 1.0)
    outline = np.array(box(*(place - size / 2), *size, 1.0).to_polygons()[0])
    lengths = np.insert(np.cumsum(np.linalg.norm(np.diff(outline, axis=0), axis=1)), 0, 0.0)
    for colour, part in ((style.PALE, 1.0), (RING, share)):
        along = np.linspace(0.0, part * lengths[-1], 200)
        x, y = (np.interp(along, lengths, ends) for ends in outline.T)
        look: Any = {"linewidth": RING_WIDTH * scale, "solid_capstyle": "butt", "zorder": 1.5}
        ax.plot(x, y, color=colour, **look)


def _draw_legend(ax: Axes, row: list[Entry], height: float, scale: float) -> None:
    """Draw a line of the legend at a height, a share of that of the axes."""
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    handles = []
    for entry in row:
        look: Any = {"color": entry.colour, "linewidth": entry.width * scale}
        look["linestyle"] = entry.dashes if entry.width else "none"
        if entry.fill:
            look |= {"marker": "s", "markersize": 6.0 * scale, "markerfacecolor": entry.fill}
        handles.append(Line2D([], [], **look))
    made = Legend(
        ax,
        handles,
        [entry.label for entry in row],
        loc="lower center",
        bbox_to_anchor=(0.5, height),
        ncols=len(row),
        fontsize=8 * scale,
        labelcolor=style.INK,
        frameon=False,
        borderaxespad=0.0,
        borderpad=0.2,
        handlelength=2.4 * any(entry.width or entry.fill for entry in row),  # words alone: centred
        columnspacing=1.4,
    )
    for text in made.get_texts():
        text.set(parse_math=False, fontfamily=style.font_families(text.get_text()))
    made.set_in_layout(False)  # it lies inside the axes, in a strip kept free for it
    ax.add_artist(made)
