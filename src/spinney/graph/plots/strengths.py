"""The strength of every edge with its interval: a line each, the strongest at either end."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.text import counted, signed
from spinney.exceptions import InputError
from spinney.graph.plots.graph import LOOKS, OPACITIES, between, edge_shares
from spinney.graph.plots.layout import shown_name
from spinney.graph.plots.style import (
    AXIS,
    INK,
    SMALL,
    font_families,
    new_axes,
    new_page,
    quiet,
    save_figure,
    text_width,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spinney.graph.graph import LearnedGraph

__all__ = ["COLUMNS", "draw_strengths", "plot_strengths", "strength_table", "strengths_svg"]

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
    ends = [sorted(pair) for pair in graph.edge_positions.tolist()]
    unknown = pd.Series(np.nan, index=table.index)
    found = pd.DataFrame(
        {
            "i": [u for u, _ in ends],
            "j": [v for _, v in ends],
            "label": [f"{shown_name(drawn, u)} – {shown_name(drawn, v)}" for u, v in ends],
            "strength": table[graph.strength],
            "low": table.get("strength_low", unknown),
            "high": table.get("strength_high", unknown),
            "sign": [int(graph.signs[u, v]) for u, v in ends],
            "ink": edge_shares([drawn.edges[u, v] for u, v in ends]).ink,
        }
    ).dropna(subset="strength")
    strongest = found["strength"].abs().sort_values(ascending=False, kind="stable").index[:most]
    return found.loc[strongest].sort_values("strength", ascending=False, kind="stable")


def plot_strengths(
    graph: LearnedGraph, ax: Axes | None = None, *, most: int = MOST, title: str | None = None
) -> Axes:
    """Draw the strength of each edge with its 95 % interval, one line per edge.

    Sorted by strength; blue where two columns rise together, orange where one falls as the other
    rises, grey where the sign is open; the less probable an edge, the paler.

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
    >>> found = learn(copula_forest(300, 5, random_state=0).X, compare=False)
    >>> ax = plot_strengths(found, Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0 – x3', 'x2 – x4', 'x0 – x4', 'x1 – x2']
    """
    table = strength_table(graph, most)
    if not len(table):
        raise InputError("No edge has a strength, so there is nothing to draw.")
    ax = new_axes(_inches(table)) if ax is None else ax
    axis = AXIS_LABEL if graph.is_probability else "weight"
    return _draw(ax, table, graph.n_edges, axis, title)


def draw_strengths(table: pd.DataFrame, n_edges: int, axis: str = AXIS_LABEL) -> Figure:
    """Draw a table of :func:`strength_table` on a new page; `n_edges` are those of the graph."""
    figure = new_page(_inches(table), 72.0)
    _draw(figure.subplots(), table, n_edges, axis, None)
    return figure


def strengths_svg(table: pd.DataFrame, n_edges: int) -> str:
    """Draw the same as SVG for the page, whose style sheet and script know its lines.

    Each has a class by its sign (``positive``, ``negative``, ``unsigned``) and the columns of its
    edge (``data-pair``).
    """
    drawn = BytesIO()
    save_figure(draw_strengths(table, n_edges), drawn, "svg", transparent=True)
    text = drawn.getvalue().decode("utf-8")
    text = _GROUP.sub(r'<g class="\1" data-pair="\2">', text[text.index("<svg ") :])
    about = f'class="strengths" role="img" aria-label="{_title(len(table), n_edges)}"'
    return text.replace("<svg ", f"<svg {about} ", 1)


def _inches(table: pd.DataFrame) -> tuple[float, float]:
    widest = max(map(text_width, table["label"]), default=0.0)
    return 5.0 + widest / 72, 0.9 + 0.21 * max(len(table), 1)


def _draw(ax: Axes, table: pd.DataFrame, n_edges: int, axis: str, title: str | None) -> Axes:
    """Draw a line per edge, with its numbers beside it."""
    ax.axvline(0.0, color=AXIS, linewidth=0.8, zorder=0)
    rows: Any = table.itertuples(index=False)
    for k, row in enumerate(rows):
        ends, told = [row.strength], signed(row.strength)
        if row.low == row.low:  # there is an interval
            ends = [row.low, row.strength, row.high]
            told += f" ({signed(row.low)} to {signed(row.high)})"
        pair = f"{row.i:.0f}-{row.j:.0f}"
        ax.plot(
            *(ends, [k] * len(ends)),
            color=LOOKS[int(row.sign)][0],
            alpha=float(between(OPACITIES, row.ink)),
            linewidth=1.6,
            marker="o",
            markersize=5.0,
            markeredgewidth=0.0,
            markevery=[len(ends) // 2],
            gid=f"{CLASSES[int(row.sign)]}-{pair}",
        )
        beside = ax.text(
            *(1.02, k, told.replace("-", "−")),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=SMALL,
            color=INK,
        )
        beside.set_gid(f"told-{pair}")
    fonts = font_families("".join(table["label"]))
    look: Any = {"fontsize": SMALL, "fontfamily": fonts, "parse_math": False, "color": INK}
    ax.set_yticks(np.arange(len(table)), table["label"], **look)
    for label, i, j in zip(ax.get_yticklabels(), table["i"], table["j"], strict=True):
        label.set_gid(f"name-{i:.0f}-{j:.0f}")
    ax.set_ylim(max(len(table), 1) - 0.4, -0.6)
    ax.set_xlabel(axis, fontsize=9, color=INK)
    quiet(ax)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    write_title(ax, _title(len(table), n_edges) if title is None else title, 11)
    return ax


def _title(drawn: int, edges: int) -> str:
    if not drawn:
        return "No edge has a strength"
    some = f"{drawn} of " if drawn < edges else ""
    return f"Strength of {some}{counted(edges, 'edge')}"
