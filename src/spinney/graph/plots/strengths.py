"""Strengths of edges with their intervals, a line each; and how stable they are over samples."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import counted, shorten_middle, signed
from spinney.exceptions import InputError
from spinney.graph.columns import CENTRALITIES
from spinney.graph.plots import style
from spinney.graph.plots.graph import LOOKS, OPACITIES, between, edge_shares
from spinney.graph.plots.layout import shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spinney.graph.graph import LearnedGraph
    from spinney.graph.stability import Stability

MOST = 60
"""Most edges drawn."""
AXIS_LABEL = "strength given the neighbours, with 95 % interval"
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
    return _strongest(found.dropna(subset="strength"), most)


def _strongest(table: pd.DataFrame, most: int) -> pd.DataFrame:
    """Choose the strongest edges, sorted from positive to negative."""
    chosen = table["strength"].abs().nlargest(most).index
    return table.loc[chosen].sort_values("strength", ascending=False, kind="stable")


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
    text = style.figure_bytes(draw_strengths(graph), "svg", transparent=True).decode("utf-8")
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


# Stability over samples of the rows: dropped cases, intervals, and what differs from what

WHAT = ("case_dropping", "edges", "edge_differences", "centrality_differences")
MOST_SAMPLED = 40
"""Most edges or columns of a picture; the strongest are drawn."""
LONGEST = 32
"""Longest name shown."""
STYLES = {
    "edges": (style.INK, "s"),
    "strength": (style.LINES, "o"),
    "expected_influence": (style.FALLING, "^"),
    "betweenness": (style.PURPLE, "D"),
    "closeness": ("#117733", "v"),
}
"""Colour and marker of each statistic."""


def draw_stability(stability: Stability, what: str, dpi: float = 110.0) -> Figure:
    """Draw a picture, as :meth:`spinney.graph.stability.Stability.plot` names it, on a page."""
    figure = style.new_page(_inches(stability, what), dpi)
    plot_stability(stability, what, figure.subplots())
    return figure


def plot_stability(
    stability: Stability, what: str, ax: Axes | None = None, centrality: str = "strength"
) -> Axes:
    """Draw a picture; see :meth:`spinney.graph.stability.Stability.plot`."""
    check_choice(what, WHAT, "what")
    check_choice(centrality, CENTRALITIES, "centrality")
    ax = style.new_axes(_inches(stability, what)) if ax is None else ax
    if what == "case_dropping":
        return _draw_cases(ax, stability)
    if what == "centrality_differences":
        table = stability.centrality_differences
        own = table[table["centrality"] == centrality]
        title = f"Columns: which differ in {_word(centrality)}"
        return _triangle(ax, _central(stability, centrality), own, title)
    table = _edges(stability)
    some = "Edges" if len(table) == stability.graph.n_edges else f"{len(table)} strongest edges"
    if what == "edge_differences":
        values = dict(zip(table["label"], table["strength"], strict=True))
        title = f"{some}: which differ in strength"
        return _triangle(ax, values, stability.edge_differences, title)
    table = table.rename(columns={"strength_low": "low", "strength_high": "high"})
    table = table.assign(i=np.arange(len(table)), j=0, ink=1.0, sign=np.sign(table["strength"]))
    table["told"] = [f"{100 * share:.0f} %" for share in table["frequency"]]
    title = f"{some}: strengths, and share of samples"
    return draw_intervals(ax, table, "strength, and 95 % of the bootstrap samples", title)


def _draw_cases(ax: Axes, stability: Stability) -> Axes:
    """Draw the mean correlation with the whole table by the share of cases dropped.

    Bands hold 95 % of the subsets. The CS coefficient of each line stands in the legend.
    """
    table, cs = stability.case_dropping, stability.cs
    ax.axhline(0.7, color=style.AXIS, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    for name, own in table.groupby("statistic", sort=False):
        colour, marker = STYLES[str(name)]
        ax.fill_between(own["dropped"], own["low"], own["high"], alpha=0.08, color=colour)
        line: Any = {"color": colour, "marker": marker, "markersize": 4.5, "linewidth": 1.4}
        label = f"{_word(str(name))} (CS {cs[str(name)]:.2f})"
        ax.plot(own["dropped"], own["correlation"], label=label, **line)
    ax.set(xlim=(0.0, 0.8), ylim=(min(0.0, table["low"].min()) - 0.02, 1.02))
    ax.set_xticks(np.arange(0.0, 0.81, 0.1), [f"{k} %" for k in range(0, 81, 10)])
    style.name_axes(ax, ("cases dropped", "correlation with all cases"))
    style.quiet(ax)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=style.SMALL)
    style.write_title(ax, "Stability of edges and centralities", 11)
    return ax


def _triangle(ax: Axes, values: dict[str, float], table: pd.DataFrame, title: str) -> Axes:
    """Draw a square for each two, and on the diagonal the values."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    cells = table.pivot(index="second", columns="first", values="differs")
    cells = cells.reindex(index=list(values), columns=list(values)).astype(float)
    colours: Any = ListedColormap([style.PALE, style.INK])
    ax.pcolormesh(cells, cmap=colours, vmin=0, vmax=1, edgecolors="white", linewidth=1.5)
    size = min(style.SMALL, 26.0 * style.SMALL / max(len(values), 1))
    for k, value in enumerate(values.values()):
        told = f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)
        look: Any = {"ha": "center", "va": "center", "fontsize": size * 0.85}
        ax.text(k + 0.5, k + 0.5, told, color=LOOKS[int(np.sign(value))][0], **look)
    names = [_short(name) for name in values]
    look = {"fontsize": size, "fontfamily": style.font_families("".join(names)), "color": style.INK}
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90, parse_math=False, **look)
    ax.set_yticks(np.arange(len(names)) + 0.5, names, parse_math=False, **look)
    ax.set(xlim=(0, max(len(names), 1)), ylim=(max(len(names), 1), 0), aspect="equal")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    handles = [
        Patch(color=style.INK, label="differ"),
        Patch(color=style.PALE, label="may be equal"),
    ]
    ax.legend(handles=handles, loc="upper right", frameon=False, fontsize=style.SMALL)
    style.write_title(ax, title, 11)
    return ax


def _edges(stability: Stability) -> pd.DataFrame:
    """List the strongest edges, from positive to negative."""
    table = stability.pairs[stability.pairs["edge"]].copy()
    table["label"] = [f"{u} – {v}" for u, v in zip(table["source"], table["target"], strict=True)]
    return _strongest(table, MOST_SAMPLED)


def _central(stability: Stability, centrality: str) -> dict[str, float]:
    values = stability.original[centrality]
    order = np.argsort(-values, kind="stable")[:MOST_SAMPLED]
    return {stability.names[k]: float(values[k]) for k in order}


def _inches(stability: Stability, what: str) -> tuple[float, float]:
    if what == "case_dropping":
        return 7.0, 4.0
    central = what == "centrality_differences"
    names = [*_central(stability, "strength")] if central else [*_edges(stability)["label"]]
    if what == "edges":
        return interval_inches(names)
    side = max(0.34 * len(names), 2.5)
    side += max((style.text_width(_short(name)) for name in names), default=0.0) / 72
    return side + 0.3, side + 0.5


def _short(name: str) -> str:
    return shorten_middle(str(name), LONGEST)


def _word(name: str) -> str:
    return name.replace("_", " ")
