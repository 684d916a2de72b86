"""A learned graph: who is joined to whom, how surely, and in which direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._graph import edge_graph, edge_share
from spinney.plotting.graph_layout import LEAST_WIDTH, GraphLayout, Layout, lay_out_graph
from spinney.plotting.labels import font_families, plain_line, text_width
from spinney.plotting.style import DATA, FALLING, INK, LINES, new_axes
from spinney.tables import MixedTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["draw_graph_page", "draw_nodes", "lay_out_labels", "plot_graph"]

Floats = NDArray[np.float64]
Kinds = dict[Any, str]

FONT = 9.0
LONGEST = 22
"""Letters of a name that are shown."""
PADDING = (9.0, 6.5)
"""Space that a label takes beyond its text, in points: right and left, above and below together."""
BOX = 0.28
"""Space between a label's text and its frame, in units of its font."""
MARK = 5.5
"""Size of the mark that tells a column's kind, in points."""
WIDTHS = (0.7, 4.2)
"""Line widths of the weakest and the surest edge, in points."""
OPACITIES = (0.35, 0.95)
MARGIN = 12.0
LEGEND_LINE = 17.0
MOST_PIXELS = 9000
"""Longer side of the largest page."""
SMALLEST = (LEAST_WIDTH, 70.0)
"""Width and height of the smallest picture, in points."""


@dataclass(frozen=True)
class Edges:
    """What is drawn of the edges.

    Attributes
    ----------
    ends : array of shape (m, 2)
        Positions of their nodes in the graph.
    strengths : array of shape (m,)
        Probability, frequency or weight, the larger the surer.
    top : float
        Strength that is drawn widest.
    shares : bool
        Whether `strengths` are shares, between 0 and 1.
    meaning : str
        What `strengths` are, in words; empty if the edges have none.
    signs : array of shape (m,)
        Sign of the dependence: 1, -1, or 0 where it is not known, or where there is none because a
        column has no order.
    unordered : bool
        Whether to say so of signs that are 0.
    """

    ends: NDArray[np.int64]
    strengths: Floats
    top: float
    shares: bool
    meaning: str
    signs: Floats
    unordered: bool = False

    @property
    def share(self) -> Floats:
        """Strength between 0 and 1."""
        return np.clip(self.strengths / self.top, 0.0, 1.0)


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
    stand side by side, and isolated variables in rows below.

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
        See :func:`spinney.plotting.graph_layout.lay_out_graph`; or what :func:`lay_out_labels`
        found.
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
    graph, kinds, edges, found = _prepare(model, layout)
    lines = len(_legend_rows(edges, kinds)) if legend else 0
    if ax is None:
        ax = new_axes(_inches(found, lines, title))
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

    graph, kinds, edges, found = _prepare(model, options.pop("layout", "kamada-kawai"))
    lines = len(_legend_rows(edges, kinds)) if options.pop("legend", True) else 0
    size = _inches(found, lines, title)
    figure = Figure(figsize=size, layout="constrained", dpi=min(200.0, MOST_PIXELS / max(size)))
    FigureCanvasAgg(figure)
    _draw(graph, kinds, edges, found, figure.subplots(), title, lines, **options)
    return figure


def lay_out_labels(graph: nx.Graph, layout: Layout = "kamada-kawai") -> GraphLayout:
    """Place the nodes of a graph as :func:`plot_graph` does, with room for their labels.

    Parameters
    ----------
    graph : networkx.Graph
        As there.
    layout : {"kamada-kawai", "spring"} or mapping of nodes to positions
        See :func:`spinney.plotting.graph_layout.lay_out_graph`.

    Examples
    --------
    >>> graph = nx.path_graph(3)
    >>> graph.nodes[1]["label"] = "a name that takes room"
    >>> widths = lay_out_labels(graph).sizes[:, 0]
    >>> bool(widths[1] > 4 * widths[0])
    True
    """
    return _lay_out(graph, _kinds(None, graph), layout)


def _lay_out(graph: nx.Graph, kinds: Kinds, layout: Layout) -> GraphLayout:
    sizes = np.array([text_width(_shown(graph, node), FONT) for node in graph]).reshape(-1, 1)
    sizes += MARK if kinds else 0.0
    height = np.full_like(sizes, FONT)
    return lay_out_graph(graph, np.hstack([sizes, height]) + PADDING, layout)


def _prepare(
    model: Any, layout: Layout | GraphLayout
) -> tuple[nx.Graph, Kinds, Edges, GraphLayout]:
    if isinstance(model, nx.Graph):
        graph, labels = model, model.graph
    else:
        graph, share = edge_graph(model), edge_share(model)
        labels = {} if share is None else {share.column: share.label}
    kinds = _kinds(model, graph)
    found = layout if isinstance(layout, GraphLayout) else _lay_out(graph, kinds, layout)
    return graph, kinds, _edges(graph, labels, "nominal" in kinds.values()), found


def _kinds(model: Any, graph: nx.Graph) -> Kinds:
    """Kind of each node, if they are known and differ."""
    kinds = {node: data["kind"] for node, data in graph.nodes(data=True) if "kind" in data}
    table = getattr(model, "table_", None)
    if isinstance(table, MixedTable) and len(table.kinds) == len(graph):
        kinds = dict(zip(graph, table.kinds, strict=True))
    kinds = {node: kind for node, kind in kinds.items() if kind in _MARKS}
    return kinds if len(set(kinds.values())) > 1 else {}


def _edges(graph: nx.Graph, labels: Mapping[str, str], unordered: bool) -> Edges:
    index = {node: k for k, node in enumerate(graph)}
    data = [(index[u], index[v], values) for u, v, values in graph.edges(data=True) if u != v]
    ends = np.array([[u, v] for u, v, _ in data], dtype=np.int64).reshape(-1, 2)
    signs = np.sign([float(values.get("sign", values.get("tau", 0.0))) for *_, values in data])
    for name in ("probability", "share", "frequency", "weight"):
        strengths = np.array([values.get(name, np.nan) for *_, values in data], dtype=float)
        if len(data) and np.isfinite(strengths).all():
            strengths = np.abs(strengths)
            shares = name != "weight"
            top = 1.0 if shares else float(strengths.max())
            if top > 0:
                meaning = labels.get(name, f"edge {name}")
                return Edges(ends, strengths, top, shares, meaning, signs, unordered)
    return Edges(ends, np.full(len(data), 0.5), 1.0, False, "", signs, unordered)


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

    low, high = _frame(found, LEGEND_LINE * legend_lines)
    # The drawing is in points; on axes of another size everything shrinks or grows with it.
    box = ax.get_window_extent()
    inches = np.array([box.width, box.height]) / ax.figure.dpi
    scale = float(np.clip((72 * inches / (high - low)).min(), 0.2, 1.5))
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()

    order = np.argsort(edges.strengths, kind="stable")  # the surest on top
    for sign, (colour, dashes) in _LOOKS.items():
        chosen = order[edges.signs[order] == sign]
        share = edges.share[chosen]
        lines = LineCollection(
            list(found.positions[edges.ends[chosen]]),
            colors=[(colour, float(alpha)) for alpha in _between(OPACITIES, share)],
            linewidths=scale * _between(WIDTHS, share),
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
        _draw_legend(ax, edges, kinds, scale)


def draw_nodes(ax: Axes, graph: nx.Graph, found: GraphLayout, kinds: Kinds, scale: float) -> None:
    """Write the names of the nodes into frames, paler where nothing is joined to them."""
    for node, (x, y) in zip(found.nodes, found.positions, strict=True):
        joined = graph.degree(node) > 0
        shown = _shown(graph, node)
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
                "edgecolor": "#8A8A8A" if joined else "#D0D0D0",
                "linewidth": 0.8 * scale,
            },
        )
        label.set_in_layout(False)  # it lies inside the axes, which have room for it
        if node in kinds:
            _draw_mark(ax, label, kinds[node], scale, joined)


_LOOKS: dict[int, tuple[str, Any]] = {
    0: (DATA, "solid"),
    1: (LINES, "solid"),
    -1: (FALLING, (0, (2.2, 0.9))),
}
_MEANINGS = {1: "rise together", -1: "one falls as the other rises", 0: "no order to rise in"}
_MARKS = {"continuous": "o", "ordinal": "D", "binary": "^", "nominal": "s"}
"""Mark of each kind of column."""


def _draw_mark(ax: Axes, label: Text, kind: str, scale: float, joined: bool) -> None:
    """Draw the mark of a kind on the left side of a label's frame, wherever the text ends."""
    from matplotlib.lines import Line2D
    from matplotlib.offsetbox import AnnotationBbox, DrawingArea

    area = DrawingArea(0.0, 0.0)
    area.add_artist(Line2D([0.0], [0.0], marker=_MARKS[kind], **_mark_look(scale, joined)))
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


def _legend_rows(edges: Edges, kinds: Kinds, scale: float = 1.0) -> list[list[Any]]:
    """Lines of the legend from below, each a list of what stands in it."""
    from matplotlib.lines import Line2D

    rows: list[list[Any]] = []
    there = [kind for kind in _MARKS if kind in kinds.values()]
    if there:
        look = _mark_look(scale)
        rows.append([Line2D([], [], marker=_MARKS[kind], label=kind, **look) for kind in there])
    looked_at = (1, -1, 0) if edges.unordered else (1, -1)
    signs = [sign for sign in looked_at if (edges.signs == sign).any()]
    if signs:
        row = []
        for sign in signs:
            colour, dashes = _LOOKS[sign]
            line = Line2D([], [], color=colour, linestyle=dashes, linewidth=2.2 * scale)
            line.set_label(_MEANINGS[sign])
            row.append(line)
        rows.append(row)
    if not len(edges.ends):
        rows.append([Line2D([], [], linestyle="none", label="no edges")])
    if edges.meaning:
        row = [Line2D([], [], linestyle="none", label=edges.meaning)]
        for strength in _ticks(edges):
            share = np.array([strength / edges.top])
            line = Line2D([], [], color=INK, alpha=float(_between(OPACITIES, share)[0]))
            line.set_linewidth(scale * float(_between(WIDTHS, share)[0]))
            line.set_label(f"{strength:.2g}")
            row.append(line)
        rows.append(row)
    return rows


def _draw_legend(ax: Axes, edges: Edges, kinds: Kinds, scale: float) -> None:
    from matplotlib.legend import Legend

    low, high = ax.get_ylim()
    for k, row in enumerate(_legend_rows(edges, kinds, scale)):
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


def _frame(found: GraphLayout, strip: float) -> tuple[Floats, Floats]:
    """Lower left and upper right corner of the drawing, with the strip of the legend."""
    low, high = found.corners
    short = np.maximum(SMALLEST - (high - low), 0.0) / 2
    low, high = low - short - MARGIN, high + short + MARGIN
    low[1] -= strip
    return low, high


def _inches(found: GraphLayout, lines: int, title: str | None) -> tuple[float, float]:
    low, high = _frame(found, LEGEND_LINE * lines)
    width, height = (high - low) / 72 + 0.1
    return float(width), float(height + (0.3 if title else 0.0))


def _between(ends: tuple[float, float], share: Floats) -> Floats:
    return ends[0] + (ends[1] - ends[0]) * share


def _shown(graph: nx.Graph, node: Any) -> str:
    """Name of a node as it is drawn: one line, not too long, nothing that cannot be seen."""
    name = plain_line(str(graph.nodes[node].get("label", node)))
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
