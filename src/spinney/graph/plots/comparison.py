"""Several graphs in one picture: what they share, and what only some of them have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.text import plain_line, shorten_middle
from spinney.exceptions import InputError
from spinney.graph.plots.graph import (
    LEGEND_LINE,
    MOST_PIXELS,
    draw_nodes,
    frame_of,
    size_in_inches,
    widths_of,
)
from spinney.graph.plots.graph_data import between, lay_out_labels
from spinney.graph.plots.graph_layout import GraphLayout, Layout
from spinney.graph.plots.labels import font_families, text_width
from spinney.graph.plots.style import (
    AXIS,
    BOTH,
    FALLING,
    INK,
    LIGHT,
    LINES,
    PALE,
    PURPLE,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GAINED",
    "LOST",
    "OTHER_SIGN",
    "SHARED",
    "EdgeLook",
    "draw_comparison_page",
    "plot_edge_classes",
    "plot_overlaps",
    "two_graph_looks",
]

Floats = NDArray[np.float64]

SHARED, GAINED, LOST, OTHER_SIGN = "shared", "gained", "lost", "other sign"
"""What an edge of two graphs can be: in both, only in the second, only in the first, in both with
opposite signs."""
LONGEST_LABEL = 40
MOST_OVERLAPS = 18
"""Bars of the picture of overlaps."""


class EdgeLook(NamedTuple):
    """How a class of edges is drawn.

    Attributes
    ----------
    label : str
        What it is called in the legend.
    colour : str
        Of the lines.
    dashes : str or (offset, lengths)
        As matplotlib has it. Classes should differ in this too, not only in colour.
    """

    label: str
    colour: str
    dashes: Any = "solid"


def two_graph_looks(first: str, second: str) -> dict[str, EdgeLook]:
    """Choose looks for the edges of two graphs, which are called `first` and `second`.

    Examples
    --------
    >>> two_graph_looks("before", "after")["lost"].label
    'only in before'
    """
    first, second = _label(first), _label(second)
    return {
        SHARED: EdgeLook("in both", BOTH),
        LOST: EdgeLook(f"only in {first}", FALLING, (0, (2.6, 1.3))),
        GAINED: EdgeLook(f"only in {second}", LINES),
        OTHER_SIGN: EdgeLook("in both, with opposite signs", PURPLE, (0, (4.0, 1.0, 0.8, 1.0))),
    }


def plot_edge_classes(
    graph: nx.Graph,
    looks: Mapping[str, EdgeLook],
    ax: Axes | None = None,
    *,
    layout: Layout | GraphLayout = "kamada-kawai",
    title: str | None = None,
) -> Axes:
    """Draw a graph whose edges belong to classes, each with a look of its own.

    Parameters
    ----------
    graph : networkx.Graph
        Every edge has a ``state``, one of the keys of `looks`; it may have a ``share`` between 0
        and 1, which makes its line thin or wide. Nodes may have a ``label``.
    looks : mapping of str to EdgeLook
        The classes, those that are drawn first, below the others, first. The legend shows those
        that have an edge, with their numbers.
    ax : matplotlib axes, optional
        Where; by default on new axes of the right size.
    layout : {"kamada-kawai", "spring"}, mapping of nodes to positions, or GraphLayout
        As in :func:`spinney.graph.plots.plot_graph`.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> graph = nx.Graph()
    >>> graph.add_edge("Raf", "Mek", state="shared")
    >>> graph.add_edge("Mek", "Erk", state="gained")
    >>> ax = plot_edge_classes(graph, two_graph_looks("A", "B"), Figure().subplots())
    >>> [text.get_text() for legend in ax.artists for text in legend.get_texts()]
    ['in both (1)', 'only in B (1)']
    """
    found = layout if isinstance(layout, GraphLayout) else lay_out_labels(graph, layout)
    classes = _classes(graph, looks)
    rows = _legend_rows(classes, looks)
    if ax is None:
        ax = new_axes(size_in_inches(found, len(rows), title))
    _draw(graph, classes, looks, found, rows, ax, title)
    return ax


def draw_comparison_page(
    graph: nx.Graph,
    looks: Mapping[str, EdgeLook],
    *,
    layout: Layout | GraphLayout = "kamada-kawai",
    title: str | None = None,
    sets: Mapping[str, set[Any]] | None = None,
) -> Figure:
    """Draw classes of edges on a page of their own, of the size that it needs.

    Parameters
    ----------
    graph, looks, layout, title
        As in :func:`plot_edge_classes`.
    sets : mapping of str to set, optional
        Sets whose overlaps are drawn below; see :func:`plot_overlaps`.

    Returns
    -------
    matplotlib figure
        One that no window manager knows of.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    found = layout if isinstance(layout, GraphLayout) else lay_out_labels(graph, layout)
    classes = _classes(graph, looks)
    rows = _legend_rows(classes, looks)
    width, height = size_in_inches(found, len(rows), title)
    below = 0.0 if sets is None else 1.9 + 0.26 * len(sets)
    width = max(width, 6.5) if sets is not None else width
    size = (width, height + below)
    figure = Figure(figsize=size, layout="constrained", dpi=min(200.0, MOST_PIXELS / max(size)))
    FigureCanvasAgg(figure)
    if sets is None:
        ax = figure.subplots()
    else:
        upper, lower = figure.subfigures(2, 1, height_ratios=[height, below], squeeze=False)[:, 0]
        ax = upper.subplots()
        plot_overlaps(sets, lower.subplots(2, 1, height_ratios=[1.5, 0.26 * len(sets)]))
    _draw(graph, classes, looks, found, rows, ax, title)
    return figure


def plot_overlaps(sets: Mapping[str, set[Any]], axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw how many elements are in exactly which of several sets [1]_.

    A bar for each combination of sets that has elements, the largest first; dots below it say in
    which sets these elements are.

    Parameters
    ----------
    sets : mapping of str to set
        The sets, by name.
    axes : two matplotlib axes
        One for the bars, and one below for the dots.

    Returns
    -------
    the axes

    References
    ----------
    .. [1] A. Lex, N. Gehlenborg, H. Strobelt, R. Vuillemot and H. Pfister (2014). UpSet:
       visualization of intersecting sets. IEEE Transactions on Visualization and Computer
       Graphics 20, 1983-1992.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> bars, dots = plot_overlaps({"a": {1, 2, 3}, "b": {3}}, Figure().subplots(2, 1))
    >>> [text.get_text() for text in bars.texts], [t.get_text() for t in dots.get_yticklabels()]
    (['2', '1'], ['a (3)', 'b (1)'])
    """
    if len(sets) < 2:
        raise InputError("Overlaps need two sets or more.")
    bars, dots = axes
    names = list(sets)
    counts: dict[tuple[bool, ...], int] = {}
    for element in set().union(*sets.values()):
        key = tuple(element in sets[name] for name in names)
        counts[key] = counts.get(key, 0) + 1
    order = sorted(counts, key=lambda key: (-counts[key], [not inside for inside in key]))
    shown, dropped = order[:MOST_OVERLAPS], order[MOST_OVERLAPS:]
    places = np.arange(len(shown))
    heights = [counts[key] for key in shown]
    # All of them have it, or only one: told apart, for these are what is asked most.
    colours = [INK if all(key) else LINES if sum(key) == 1 else LIGHT for key in shown]
    bars.bar(places, heights, width=0.62, color=colours)
    for place, count in enumerate(heights):
        bars.text(place, count, f"{count:,}", ha="center", va="bottom", fontsize=8, color=INK)
    more = sum(counts[key] for key in dropped)
    if more:
        note = f"and {more:,} in {len(dropped)} smaller overlaps"
        bars.text(1, 1, note, transform=bars.transAxes, ha="right", va="top", fontsize=8)
    bars.set_ylabel("edges", fontsize=8, color=INK)
    bars.set_ylim(0, 1.15 * max(heights, default=1))
    bars.spines[["top", "right", "bottom"]].set_visible(False)
    bars.spines["left"].set_color(AXIS)
    bars.tick_params(axis="x", bottom=False, labelbottom=False)
    bars.tick_params(axis="y", color=AXIS, labelcolor=INK, labelsize=8, length=3)
    bars.locator_params(axis="y", integer=True)

    for row in range(len(names)):
        if row % 2 == 0:
            dots.axhspan(row - 0.5, row + 0.5, color="#F2F2F2", zorder=0)
    for place, key in enumerate(shown):
        inside = np.flatnonzero(key)
        dots.plot([place] * 2, [inside.min(), inside.max()], color=INK, linewidth=1.6, zorder=1)
        colour = [INK if member else PALE for member in key]
        dots.scatter([place] * len(names), range(len(names)), s=34, c=colour, zorder=2)
    labels = [f"{_label(name)} ({len(sets[name]):,})" for name in names]
    fonts = font_families("".join(labels))
    dots.set_yticks(
        range(len(names)), labels, fontsize=8, color=INK, fontfamily=fonts, parse_math=False
    )
    dots.set(ylim=(len(names) - 0.5, -0.5))
    for ax in axes:
        ax.set_xlim(-0.6, max(len(shown), 6) - 0.4)
    dots.set_xticks([])
    dots.tick_params(length=0)
    dots.spines[:].set_visible(False)
    return axes


def _classes(graph: nx.Graph, looks: Mapping[str, EdgeLook]) -> dict[str, list[Any]]:
    """Edges of each class, as ends and shares."""
    index = {node: k for k, node in enumerate(graph)}
    found: dict[str, list[Any]] = {state: [] for state in looks}
    for u, v, data in graph.edges(data=True):
        state = data.get("state")
        if state not in found:
            raise InputError(f"The edge {u} – {v} is of a class without a look: {state!r}.")
        share = float(data.get("share", 0.5))
        found[state].append((index[u], index[v], min(max(share, 0.0), 1.0)))
    return {state: edges for state, edges in found.items() if edges}


def _legend_rows(
    classes: Mapping[str, Sequence[Any]], looks: Mapping[str, EdgeLook]
) -> list[list[tuple[str, str]]]:
    """Break the legend into lines of about the width of a small picture."""
    rows: list[list[tuple[str, str]]] = []
    room = 0.0
    for state, edges in classes.items():
        label = f"{looks[state].label} ({len(edges):,})"
        width = text_width(label, 8.0) + 34.0
        if width > room:
            rows.append([])
            room = 330.0
        rows[-1].append((state, label))
        room -= width
    return rows


def _draw(
    graph: nx.Graph,
    classes: Mapping[str, Sequence[Any]],
    looks: Mapping[str, EdgeLook],
    found: GraphLayout,
    rows: Sequence[Sequence[tuple[str, str]]],
    ax: Axes,
    title: str | None,
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    low, high = frame_of(found, LEGEND_LINE * len(rows))
    box = ax.get_window_extent()
    inches = np.array([box.width, box.height]) / ax.figure.dpi
    scale = float(np.clip((72 * inches / (high - low)).min(), 0.2, 1.5))
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()
    for state, edges in classes.items():
        look = looks[state]
        ends = np.array([edge[:2] for edge in edges])
        shares = np.array([edge[2] for edge in edges])
        lines = LineCollection(
            list(found.positions[ends]),
            colors=look.colour,
            linewidths=scale * between(widths_of(found), shares),
            linestyles=look.dashes,
            capstyle="round" if look.dashes == "solid" else "butt",
            zorder=1,
            label=look.label,
        )
        ax.add_collection(lines, autolim=False)
    draw_nodes(ax, graph, found, {}, scale)
    if title is not None:
        ax.set_title(
            title,
            fontsize=11 * max(scale, 0.6),
            fontfamily=font_families(title),
            color=INK,
            parse_math=False,
        )
    for k, row in enumerate(reversed(rows)):
        handles = [
            Line2D([], [], color=looks[state].colour, linestyle=looks[state].dashes, linewidth=2.2)
            for state, _ in row
        ]
        legend = Legend(
            ax,
            handles,
            [label for _, label in row],
            loc="lower center",
            bbox_to_anchor=(0.5, k * LEGEND_LINE / (high[1] - low[1])),
            ncols=len(row),
            fontsize=8 * scale,
            labelcolor=INK,
            frameon=False,
            borderaxespad=0.0,
            borderpad=0.2,
            handlelength=2.6,
            columnspacing=1.4,
        )
        for text in legend.get_texts():
            text.set(parse_math=False, fontfamily=font_families(text.get_text()))
        legend.set_in_layout(False)
        ax.add_artist(legend)


def _label(name: str) -> str:
    """Cut a long name in its middle."""
    return shorten_middle(plain_line(name), LONGEST_LABEL)
