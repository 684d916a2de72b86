"""The strength of every edge with its interval: a line each, the strongest at either end."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.text import counted, signed
from spinney.exceptions import InputError
from spinney.graph.plots import style
from spinney.graph.plots.graph import LOOKS, OPACITIES, between, edge_shares
from spinney.graph.plots.layout import shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spinney.graph.graph import LearnedGraph

MOST = 60
"""Most edges drawn."""
AXIS_LABEL = "strength given the neighbours, with 95 % interval"
COLUMNS = ["i", "j", "label", "strength", "low", "high", "sign", "ink"]
"""Columns of the table."""
CLASSES = {1: "positive", -1: "negative", 0: "unsigned"}
_GROUP = re.compile(r'<g id="(\w+)-(\d+-\d+)">')


def strength_table(graph: LearnedGraph, most: int = MOST) -> pd.DataFrame:
    """List the strongest edges, from positive to negative: what :func:`plot_strengths` draws.

    Returns
    -------
    pandas.DataFrame
        ``i`` and ``j`` (columns by number), ``label``, ``strength``, ``low``, ``high`` (NaN where
        there is no interval), ``sign``, and ``ink`` between 0 and 1, by the score.
    """
    drawn, table = graph.as_drawn, graph.edges
    u, v = np.sort(graph.edge_positions, axis=1).T
    found = pd.DataFrame({"i": u, "j": v})
    ends = list(zip(u.tolist(), v.tolist(), strict=True))
    found["label"] = [f"{shown_name(drawn, a)} – {shown_name(drawn, b)}" for a, b in ends]
    found["strength"] = table[graph.strength]
    for name in ("low", "high"):
        found[name] = table.get(f"strength_{name}", np.nan)
    found["sign"], found["ink"] = graph.signs[u, v], edge_shares(drawn, ends).ink
    found = found.dropna(subset="strength")
    strongest = found["strength"].abs().sort_values(ascending=False, kind="stable").index[:most]
    return found.loc[strongest].sort_values("strength", ascending=False, kind="stable")


def plot_strengths(
    graph: LearnedGraph, ax: Axes | None = None, *, most: int = MOST, title: str | None = None
) -> Axes:
    """Draw the strength of each edge with its 95 % interval, one line per edge.

    Sorted by strength; blue where two columns rise together, orange where one falls as the other
    rises, grey where the sign is open; pale where the edge is not sure.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.
    ax : matplotlib axes, optional
        By default new ones of the right size.
    most : int
        Most edges drawn; the strongest are.
    title : str, optional
        By default it says how many edges are drawn.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        If no edge has a strength.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from spinney.graph import learn
    >>> from spinney.simulate import copula_forest
    >>> found = learn(copula_forest(300, 5, random_state=0).X)
    >>> ax = plot_strengths(found, Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0 – x3', 'x2 – x4', 'x0 – x4', 'x1 – x2']
    """
    table = strength_table(graph, most)
    if not len(table):
        raise InputError("No edge has a strength, so there is nothing to draw.")
    ax = style.new_axes(interval_inches(table["label"])) if ax is None else ax
    return _draw(ax, graph, table, title)


def draw_strengths(graph: LearnedGraph) -> Figure:
    """Draw the same on a new page, even if no edge has a strength."""
    table = strength_table(graph)
    figure = style.new_page(interval_inches(table["label"]), 72.0)
    _draw(figure.subplots(), graph, table)
    return figure


def strengths_svg(graph: LearnedGraph) -> str:
    """Draw the same as SVG for the page, whose style sheet and script know its lines.

    Each has a class by its sign (``positive``, ``negative``, ``unsigned``) and the columns of its
    edge (``data-pair``).
    """
    text = style.svg_text(draw_strengths(graph), transparent=True)
    text = _GROUP.sub(r'<g class="\1" data-pair="\2">', text[text.index("<svg ") :])
    return text.replace(
        "<svg ", '<svg class="strengths" role="img" aria-label="Strengths of the edges" ', 1
    )


def _draw(ax: Axes, graph: LearnedGraph, table: pd.DataFrame, title: str | None = None) -> Axes:
    some = f"{len(table)} of " if len(table) < graph.n_edges else ""
    told = f"Strength of {some}{counted(graph.n_edges, 'edge')}"
    axis = AXIS_LABEL if graph.is_probability else "weight"
    title = title or (told if len(table) else "No edge has a strength")
    return draw_intervals(ax, table, axis, title)


def interval_inches(labels: Collection[str]) -> tuple[float, float]:
    """Width and height of a picture with a line per label."""
    widest = max(map(style.text_width, labels), default=0.0)
    return 5.0 + widest / 72, 0.9 + 0.21 * max(len(labels), 1)


def draw_intervals(ax: Axes, table: pd.DataFrame, axis: str, title: str) -> Axes:
    """Draw a line per row, with its numbers beside it: those of `told`, or the strength's."""
    ax.axvline(0.0, color=style.AXIS, linewidth=0.8, zorder=0)
    fonts = style.font_families("".join(table["label"]))
    look: Any = {
        "fontsize": style.SMALL,
        "fontfamily": fonts,
        "parse_math": False,
        "color": style.INK,
    }
    ax.set_yticks(np.arange(len(table)), table["label"], **look)
    rows: Any = zip(table.itertuples(index=False), ax.get_yticklabels(), strict=True)
    for k, (row, label) in enumerate(rows):
        ends, told, pair = [row.strength], signed(row.strength), f"{row.i}-{row.j}"
        if row.low == row.low:  # there is an interval
            ends = [row.low, row.strength, row.high]
            told += f" ({signed(row.low)} to {signed(row.high)})"
        told = getattr(row, "told", told)
        look = {"color": LOOKS[row.sign][0], "alpha": float(between(OPACITIES, row.ink))}
        look |= {"marker": "o", "markersize": 5.0, "markeredgewidth": 0.0}
        look |= {"markevery": [len(ends) // 2], "gid": f"{CLASSES[row.sign]}-{pair}"}
        ax.plot(ends, [k] * len(ends), linewidth=1.6, **look)
        look = {"transform": ax.get_yaxis_transform(), "va": "center", "gid": f"told-{pair}"}
        ax.text(1.02, k, told.replace("-", "−"), fontsize=style.SMALL, color=style.INK, **look)
        label.set_gid(f"name-{pair}")
    ax.set_ylim(max(len(table), 1) - 0.4, -0.6)
    ax.set_xlabel(axis, fontsize=9, color=style.INK)
    style.quiet(ax)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    style.write_title(ax, title, 11)
    return ax
