"""What the figures share: a sheet without a window, boxes by method and rows, a legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney.graph.plots.style import INK, quiet
from spinney.reproduce.methods import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = [
    "group_boxes",
    "legend",
    "methods_in",
    "new_figure",
    "repetitions_said",
    "rows_of",
]

GROUP = 0.86
"""Share of the distance between two groups of boxes that the boxes take."""


def new_figure(width: float, height: float) -> Figure:
    """Make a figure that no window manager knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    return figure


def rows_of(figure: Figure, heights: Sequence[float]) -> list[SubFigure]:
    """Divide a figure into some above each other."""
    parts: Any = figure.subfigures(len(heights), 1, height_ratios=heights)
    return list(parts)


def methods_in(frame: pd.DataFrame) -> list[str]:
    """Name the methods of a table, in the order of the figures."""
    present = set(frame.method)
    return [name for name in METHODS if name in present]


def repetitions_said(frame: pd.DataFrame) -> str:
    """Say how many repetitions are behind a box, and for which methods there are fewer."""
    counts = frame.groupby(["method", "n"]).size().groupby("method").max()
    usual = int(counts.max())
    fewer = [f"{METHODS[m].label} {counts[m]}" for m in methods_in(frame) if counts[m] < usual]
    return f"{usual} repetition{'s' if usual != 1 else ''}" + (
        f" ({', '.join(fewer)})" if fewer else ""
    )


def group_boxes(axes: Axes, frame: pd.DataFrame, metric: str, methods: list[str]) -> None:
    """Draw boxes of a metric: a group for each number of rows, a box for each method."""
    if metric not in frame:
        return
    sizes = sorted(set(frame.n))
    width = GROUP / len(methods)
    for k, method in enumerate(methods):
        offset = (k - (len(methods) - 1) / 2) * width
        places, values = [], []
        for position, n in enumerate(sizes):
            chosen = frame[(frame.method == method) & (frame.n == n)][metric].dropna()
            if len(chosen):
                places.append(position + offset)
                values.append(chosen.to_numpy(dtype=float))
        if values:
            _draw_boxes(axes, places, values, 0.88 * width, METHODS[method].colour)
    for position in range(1, len(sizes)):
        axes.axvline(position - 0.5, color="#E4E4E4", linewidth=0.7, zorder=0)
    axes.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.yaxis.grid(True, color="#EEEEEE", linewidth=0.7)
    axes.set_axisbelow(True)
    quiet(axes)
    axes.tick_params(axis="x", length=0)


def _draw_boxes(
    axes: Axes, places: list[float], values: list[Any], width: float, colour: str
) -> None:
    line: dict[str, Any] = {"color": INK, "linewidth": 0.7}
    axes.boxplot(
        values,
        positions=places,
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": colour, "edgecolor": INK, "linewidth": 0.6},
        whiskerprops=line,
        capprops={"linewidth": 0},
        medianprops={"color": INK, "linewidth": 1.5, "solid_capstyle": "butt"},
        flierprops={
            "marker": "o",
            "markersize": 1.8,
            "markerfacecolor": colour,
            "markeredgecolor": INK,
            "markeredgewidth": 0.3,
        },
        zorder=2,
    )
    # A box without height is a line that says nothing of its method: a square of its colour does.
    quartiles = [np.percentile(v, [25, 50, 75]) for v in values]
    flat = [(x, q[1]) for x, q in zip(places, quartiles, strict=True) if q[0] == q[2]]
    if flat:
        axes.plot(
            *zip(*flat, strict=True),
            linestyle="none",
            marker="s",
            markersize=3.2,
            markerfacecolor=colour,
            markeredgecolor=INK,
            markeredgewidth=0.5,
            zorder=3,
        )


def legend(figure: Figure, methods: list[str], note: str = "") -> None:
    """Name the colours below the panels, with a line of what else there is to know."""
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=METHODS[m].colour, edgecolor=INK, linewidth=0.6, label=METHODS[m].label)
        for m in methods
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=len(handles),
        fontsize=9,
        frameon=False,
        handlelength=1.1,
        columnspacing=1.4,
        title=note or None,
        title_fontproperties={"size": 8},
    )
