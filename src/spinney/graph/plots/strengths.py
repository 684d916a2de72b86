"""The strength of every edge with its interval: a line each, the strongest at either end.

Python draws it with matplotlib; the page and the file are written as SVG, which takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np
import pandas as pd

from spinney._core.text import counted, signed
from spinney.exceptions import InputError
from spinney.graph.export.graphs import xml_text
from spinney.graph.plots.graph import LOOKS, OPACITIES, between, edge_shares
from spinney.graph.plots.layout import shown_name
from spinney.graph.plots.style import AXIS, INK, SMALL, font_families, new_axes, quiet, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spinney.graph.graph import LearnedGraph

__all__ = ["plot_strengths", "strength_table", "strengths_svg"]

MOST = 60
"""Most edges drawn."""
AXIS_LABEL = "strength given the neighbours, with 95 % interval"
CLASSES = {1: "positive", -1: "negative", 0: "unsigned"}
ROW, TRACK, FIGURES = 20, 340, 165
"""Height of a line of the SVG, width of its axis, and room for figures beside it."""
STYLE = (
    "svg{background:#fff;font:11px sans-serif}text{fill:#222}.axis{stroke:#aaa}.zero{stroke:#aaa}"
    + "".join(
        f".{CLASSES[sign]}{{stroke:{LOOKS[sign][0]};fill:{LOOKS[sign][0]}}}" for sign in LOOKS
    )
)
"""Colours of the SVG on its own; the page has its own, by theme."""


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
    ax = new_axes((6.2, 0.9 + 0.19 * len(table))) if ax is None else ax
    colours: Any = [
        (LOOKS[sign][0], float(ink))
        for sign, ink in zip(
            table["sign"], between(OPACITIES, table["ink"].to_numpy()), strict=True
        )
    ]
    places = np.arange(len(table))
    ax.axvline(0.0, color=AXIS, linewidth=0.8, zorder=0)
    ax.hlines(places, table["low"], table["high"], colors=colours, linewidth=1.6)
    ax.scatter(table["strength"], places, s=18, c=colours, zorder=2)
    fonts = font_families("".join(table["label"]))
    ax.set_yticks(places, table["label"], fontsize=SMALL, fontfamily=fonts, parse_math=False)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_xlabel(AXIS_LABEL if graph.is_probability else "weight", fontsize=9, color=INK)
    quiet(ax)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    write_title(ax, _title(len(table), graph.n_edges) if title is None else title, 11)
    return ax


def _title(drawn: int, edges: int) -> str:
    if not drawn:
        return "No edge has a strength"
    some = f"{drawn} of " if drawn < edges else ""
    return f"Strength of {some}{counted(edges, 'edge')}"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def strengths_svg(
    rows: Sequence[Sequence[Any]], n_edges: int, axis: str = AXIS_LABEL, style: str = STYLE
) -> str:
    """Write the same as SVG, whose colours are those of `style`.

    Parameters
    ----------
    rows : list of lists
        Of :func:`strength_table`, in the order of its columns; None in place of NaN.
    n_edges : int
        Edges of the graph.
    axis : str
        What is drawn.
    style : str
        A style sheet; empty if there is one already.
    """
    wide = max((sum(12 if east_asian_width(c) in "WF" else 6.4 for c in row[2]) for row in rows),
               default=0.0)  # fmt: skip
    left, height = ceil(wide) + 14, ROW * len(rows) + 64
    ends = [0.0, *(value for row in rows for value in row[3:6] if value is not None)]
    low, high = min(ends), max(ends)
    span = high - low or 1.0
    step = 10.0 ** floor(log10(span / 2))
    step = next(step * k for k in (1, 2, 5, 10) if span / (step * k) <= 7)
    first = floor(low / step)
    last = max(ceil(high / step), first + 1)

    def at(value: float) -> str:
        return f"{left + TRACK * (value / step - first) / (last - first):.1f}"

    bottom = height - 34
    made = [f'<text x="{left + TRACK / 2:.0f}" y="18" text-anchor="middle">'
            f"{_title(len(rows), n_edges)}</text>"]  # fmt: skip
    for k in range(first, last + 1):
        x, look = at(k * step), "zero" if k == 0 else "axis"
        made.append(f'<path class="{look}" d="M{x} {30 if k == 0 else bottom - 4}V{bottom}"/>')
        made.append(
            f'<text x="{x}" y="{bottom + 14}" text-anchor="middle">{_minus(f"{k * step:g}")}</text>'
        )
    made.append(f'<text x="{left + TRACK / 2:.0f}" y="{height - 4}" text-anchor="middle">'
                f"{axis}</text>")  # fmt: skip
    for k, (i, j, label, strength, lower, upper, sign, ink) in enumerate(rows):
        y, told = 30 + ROW * k + ROW / 2, signed(strength)
        line = ""
        if lower is not None:
            line = f'<path stroke-width="2" d="M{at(lower)} {y}H{at(upper)}"/>'
            told += f" ({signed(lower)} to {signed(upper)})"
        opacity = float(between(OPACITIES, np.array(ink)))
        made.append(
            f'<g data-pair="{i}-{j}"><text x="{left - 10}" y="{y + 4}" text-anchor="end">'
            f'{escape(xml_text(label))}</text><g class="{CLASSES[sign]}" opacity="{opacity:.2f}">'
            f'{line}<circle cx="{at(strength)}" cy="{y}" r="3.4"/></g>'
            f'<text x="{left + TRACK + 12}" y="{y + 4}">{_minus(told)}</text></g>'
        )
    width = left + TRACK + FIGURES
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="strengths" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{_title(len(rows), n_edges)}">'
        f"<style>{style}</style>{''.join(made)}</svg>\n"
    ).replace("<style></style>", "")
