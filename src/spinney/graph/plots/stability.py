"""Pictures of stability: dropped cases, intervals of strengths, and what differs from what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import shorten_middle
from spinney.graph.columns import CENTRALITIES
from spinney.graph.plots import style
from spinney.graph.plots.graph import LOOKS
from spinney.graph.plots.strengths import draw_intervals, interval_inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spinney.graph.stability import Stability

WHAT = ("case_dropping", "edges", "edge_differences", "centrality_differences")
MOST = 40
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

    place = {name: k for k, name in enumerate(values)}
    cells = np.full((len(values),) * 2, np.nan)
    for row in table.to_dict("records"):
        if row["first"] in place and row["second"] in place:
            cells[place[row["second"]], place[row["first"]]] = row["differs"]
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
    strongest = table["strength"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    return table.loc[strongest].sort_values("strength", ascending=False, kind="stable")


def _central(stability: Stability, centrality: str) -> dict[str, float]:
    values = stability.original[centrality]
    order = np.argsort(-values, kind="stable")[:MOST]
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
