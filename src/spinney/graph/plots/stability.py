"""Pictures of stability: dropped cases, intervals of strengths, and what differs from what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import shorten_middle
from spinney.graph.centrality import CENTRALITIES
from spinney.graph.plots.graph import LOOKS
from spinney.graph.plots.style import (
    AXIS,
    FALLING,
    INK,
    LINES,
    PALE,
    PURPLE,
    SMALL,
    font_families,
    name_axes,
    new_page,
    quiet,
    text_width,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spinney.graph.stability import Stability

__all__ = [
    *("PICTURES", "draw_stability", "plot_case_dropping", "plot_centrality_differences"),
    *("plot_edge_differences", "plot_edge_intervals"),
]

MOST = 40
"""Most edges or columns of a picture; the strongest are drawn."""
LONGEST = 32
"""Longest name shown."""
COLOURS = {
    "edges": INK,
    "strength": LINES,
    "expected_influence": FALLING,
    "betweenness": PURPLE,
    "closeness": "#117733",
}
MARKERS = {
    "edges": "s",
    "strength": "o",
    "expected_influence": "^",
    "betweenness": "D",
    "closeness": "v",
}
PICTURES = ("case_dropping", "edges", "edge_differences", "centrality_differences")
"""What is drawn, as :meth:`spinney.graph.stability.Stability.plot` names it."""


def draw_stability(stability: Stability, what: str, dpi: float = 110.0) -> Figure:
    """Draw one of :data:`PICTURES` on a page of its own."""
    figure = new_page(_inches(stability, what), dpi)
    stability.plot(what, figure.subplots())
    return figure


def plot_case_dropping(stability: Stability, ax: Axes | None = None) -> Axes:
    """Draw the mean correlation with the whole table by the share of cases dropped.

    Bands hold 95 % of the subsets. The CS coefficient of each line stands in the legend.
    """
    ax = _axes(stability, "case_dropping", ax)
    table, cs = stability.case_dropping, stability.cs
    ax.axhline(0.7, color=AXIS, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    for name, own in table.groupby("statistic", sort=False):
        name = str(name)
        look: Any = {"color": COLOURS[name], "zorder": 2}
        ax.fill_between(own["dropped"], own["low"], own["high"], alpha=0.08, linewidth=0.0, **look)
        label = f"{_word(name)} (CS {cs[name]:.2f})"
        line: Any = {"marker": MARKERS[name], "markersize": 4.5, "linewidth": 1.4, "label": label}
        ax.plot(own["dropped"], own["correlation"], **line, **look)
    ax.set(xlim=(0.0, 0.8), ylim=(min(0.0, table["low"].min()) - 0.02, 1.02))
    ax.set_xticks(np.arange(0.0, 0.81, 0.1), [f"{k} %" for k in range(0, 81, 10)])
    name_axes(ax, ("cases dropped", "correlation with all cases"))
    quiet(ax)
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=SMALL, labelcolor=INK
    )
    write_title(ax, "Stability of edges and centralities", 11)
    return ax


def plot_edge_intervals(stability: Stability, ax: Axes | None = None) -> Axes:
    """Draw the strength of each edge, and between what 95 % of the bootstrap samples have it.

    The number beside an edge is the share of samples that have it.
    """
    ax = _axes(stability, "edges", ax)
    table = _edges(stability)
    ax.axvline(0.0, color=AXIS, linewidth=0.8, zorder=0)
    for k, row in enumerate(table.to_dict("records")):
        colour = LOOKS[int(np.sign(row["strength"]))][0]
        ends = [row["strength_low"], row["strength_high"]]
        ax.plot(ends, [k, k], color=colour, linewidth=4.0, alpha=0.35, solid_capstyle="butt")
        ax.plot(row["strength"], k, "o", color=colour, markersize=5.0, markeredgewidth=0.0)
        told = f"{100 * row['frequency']:.0f} %"
        place: Any = {"transform": ax.get_yaxis_transform(), "va": "center", "ha": "right"}
        ax.text(1.09, k, told, fontsize=SMALL, color=INK, **place)
    _names(ax, table["label"], "y")
    ax.set_ylim(max(len(table), 1) - 0.4, -0.6)
    ax.set_xlabel("strength, and 95 % of the bootstrap samples", fontsize=9, color=INK)
    quiet(ax)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    some = _some(table, stability.graph.n_edges, "edges")
    write_title(ax, f"{some}: strengths, and share of samples", 11)
    return ax


def plot_edge_differences(stability: Stability, ax: Axes | None = None) -> Axes:
    """Draw which of each two edges differ in strength: black, where their difference is not 0."""
    ax = _axes(stability, "edge_differences", ax)
    table = _edges(stability)
    values = dict(zip(table["label"], table["strength"], strict=True))
    title = f"{_some(table, stability.graph.n_edges, 'edges')}: which differ in strength"
    return _triangle(ax, values, stability.edge_differences, title)


def plot_centrality_differences(
    stability: Stability, ax: Axes | None = None, *, centrality: str = "strength"
) -> Axes:
    """Draw which of each two columns differ in a centrality; see :func:`plot_edge_differences`."""
    check_choice(centrality, CENTRALITIES, "centrality")
    ax = _axes(stability, "centrality_differences", ax)
    table = stability.centrality_differences
    values = _central(stability, centrality)
    own = table[table["centrality"] == centrality]
    return _triangle(ax, values, own, f"Columns: which differ in {_word(centrality)}")


def _triangle(ax: Axes, values: dict[str, float], table: pd.DataFrame, title: str) -> Axes:
    """Draw a square for each two, and on the diagonal the values."""
    place = {name: k for k, name in enumerate(values)}
    shown = table[table["first"].isin(place) & table["second"].isin(place)]
    numbers = np.array(list(values.values()))
    largest = max(float(np.abs(numbers).max(initial=0.0)), 1e-9)
    size = min(SMALL, 26.0 * SMALL / max(len(values), 1))
    squares: Any = {"width": 0.9, "height": 0.9, "linewidth": 0.0}
    for row in shown.to_dict("records"):
        x, y = place[row["first"]], place[row["second"]]
        ax.add_patch(_box(x, y, color=INK if row["differs"] else PALE, **squares))
    for k, value in enumerate(numbers.tolist()):
        colour = LOOKS[int(np.sign(value))][0]
        share = 0.1 + 0.6 * abs(value) / largest
        ax.add_patch(_box(k, k, color=colour, alpha=share, **squares))
        told = f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)
        ax.text(k, k, told, ha="center", va="center", fontsize=size * 0.85, color=INK)
    labels = list(values)
    _names(ax, labels, "y", size)
    _names(ax, labels, "x", size)
    ax.set(xlim=(-0.6, len(values) - 0.4), ylim=(len(values) - 0.4, -0.6), aspect="equal")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for k, (colour, word) in enumerate(((INK, "differ"), (PALE, "may be equal"))):
        where: Any = {"transform": ax.transAxes, "clip_on": False}
        ax.plot(0.62, 0.94 - 0.06 * k, "s", color=colour, markersize=7.0, **where)
        ax.text(0.65, 0.94 - 0.06 * k, word, va="center", fontsize=SMALL, color=INK, **where)
    write_title(ax, title, 11)
    return ax


def _box(x: float, y: float, **look: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.45, y - 0.45), **look)


def _edges(stability: Stability) -> pd.DataFrame:
    """List the strongest edges, from positive to negative."""
    table = stability.pairs[stability.pairs["edge"]].copy()
    table["label"] = [f"{u} – {v}" for u, v in zip(table["source"], table["target"], strict=True)]
    strongest = table["strength"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    return table.loc[strongest].sort_values("strength", ascending=False, kind="stable")


def _central(stability: Stability, centrality: str) -> dict[str, float]:
    values = stability.original[centrality]
    order = np.argsort(-values, kind="stable")[:MOST]
    return {stability.names[k]: float(values[k]) for k in order}


def _axes(stability: Stability, what: str, ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # here, because it selects a backend

    return plt.subplots(figsize=_inches(stability, what), layout="constrained")[1]


def _inches(stability: Stability, what: str) -> tuple[float, float]:
    if what == "case_dropping":
        return 7.0, 4.0
    central = what == "centrality_differences"
    labels = _central(stability, "strength") if central else list(_edges(stability)["label"])
    widest = max((text_width(_short(name)) for name in labels), default=0.0) / 72
    if what == "edges":
        return 5.0 + widest, 0.9 + 0.21 * max(len(labels), 1)
    side = max(0.34 * len(labels), 2.5)
    return side + widest + 0.3, side + widest + 0.5


def _names(ax: Axes, labels: Any, axis: str, size: float = SMALL) -> None:
    told = [_short(name) for name in labels]
    look: Any = {"fontsize": size, "fontfamily": font_families("".join(told)), "color": INK}
    look |= {"parse_math": False}
    if axis == "y":
        ax.set_yticks(np.arange(len(told)), told, **look)
    else:
        ax.set_xticks(np.arange(len(told)), told, rotation=90, **look)


def _some(table: pd.DataFrame, n_edges: int, noun: str) -> str:
    return noun.capitalize() if len(table) == n_edges else f"{len(table)} strongest {noun}"


def _short(name: str) -> str:
    return shorten_middle(str(name), LONGEST)


def _word(name: str) -> str:
    return name.replace("_", " ")
