"""Figure 5: true against false edges, as far as one in a hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.graph.plots.style import DATA, INK, quiet
from spinney.reproduce.curves import FALSE_EDGES, FDR, mean_curve
from spinney.reproduce.figures._sheet import (
    group_boxes,
    legend,
    methods_in,
    new_figure,
    repetitions_said,
    rows_of,
)
from spinney.reproduce.methods import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

__all__ = ["draw_curves"]

STYLES: dict[str, Any] = {"": "-", "_by_presence": (0, (3, 2))}
"""Lines of curves by how pairs are ranked."""


def draw_curves(frame: pd.DataFrame) -> Figure:
    """Draw figure 5: curves for each number of rows in two readings, and boxes of where they end.

    The first row ends, as the paper says, where one in a hundred of the edges found is false; the
    second where one in a hundred of the pairs that are no edges has been taken for one.
    """
    sizes = sorted(set(frame.n))
    methods = methods_in(frame)
    figure = new_figure(max(3.1 * len(sizes), 9.0), 10.6)
    top, middle, bottom = rows_of(figure, (1.15, 1.15, 1.0))
    for row, draw, said in (
        (top, _draw_to_fdr, "mean over tables, as far as 1 % of the edges found are false"),
        (middle, _draw_to_false, f"mean over tables, as far as {FALSE_EDGES} false edges"),
    ):
        panels = row.subplots(1, len(sizes), sharey=True, sharex=True, squeeze=False)[0]
        for axes, n in zip(panels, sizes, strict=True):
            draw(axes, frame[frame.n == n], methods)
            axes.set_title(f"{n} samples", fontsize=10.5, color=INK)
            axes.set_xlabel("false edges", fontsize=9, color=INK)
            axes.grid(True, color="#EEEEEE", linewidth=0.7)
            axes.set_axisbelow(True)
            quiet(axes)
        panels[0].set_ylabel("true edges", fontsize=9, color=INK)
        panels[0].set_ylim(bottom=0)
        panels[0].set_xlim(left=-0.015 * panels[0].get_xlim()[1])
        row.suptitle(f"ROC curves, {said}", fontsize=9.5, color=INK)
    left, right = bottom.subplots(1, 2, sharey=True)
    of_paths = frame.dropna(subset=["edges_before_fdr_1_by_presence"])
    for axes, part, suffix, said in (
        (left, frame, "", "by strength along the path, or by probability (solid)"),
        (right, of_paths, "_by_presence", "by presence along the path (dashed)"),
    ):
        group_boxes(axes, part, f"edges_before_fdr_1{suffix}", methods_in(part))
        axes.set_title(f"pairs ranked {said}", fontsize=9.5, color=INK)
        axes.set_xlabel("samples", fontsize=9, color=INK)
        axes.tick_params(labelleft=True)
    left.set_ylabel("true edges before 1 % FDR, each table", fontsize=9, color=INK)
    left.set_ylim(bottom=-0.02 * left.get_ylim()[1])
    figure.suptitle(
        f"Figure 5: GMRFs, 80 nodes, 3 neighbours each on average\n{repetitions_said(frame)}",
        fontsize=12,
        color=INK,
    )
    legend(
        figure,
        methods,
        "Copulas: EF-λ Gaussian; RootedForests and SharedForest choose from the default families.",
    )
    return figure


def _curves(part: pd.DataFrame, method: str, name: str) -> Floats | None:
    """Stack the curves of a method, where it has some."""
    if name not in part:
        return None
    found = [c for c in part[part.method == method][name] if isinstance(c, list)]
    return np.array(found, dtype=float) if found else None


def _width(k: int) -> float:
    """Make lines that come later thinner, so that one that lies on another hides no colour."""
    return max(4.0 - 0.85 * k, 1.2)


def _draw_to_fdr(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    furthest, highest = 0.05, 0.0
    for k, method in enumerate(methods):
        for suffix, style in STYLES.items():
            curves = _curves(part, method, f"true_edges_by_rank{suffix}")
            if curves is None:
                continue
            false, true = mean_curve(curves)
            furthest, highest = max(furthest, false[-1]), max(highest, true[-1])
            if true[-1] == 0:
                continue  # a dot on the corner would only hide the others
            axes.plot(
                false,
                true,
                linestyle=style,
                color=METHODS[method].colour,
                linewidth=_width(k),
                marker="o",
                markevery=[len(true) - 1],
                markersize=1.5 + 1.5 * _width(k),
                clip_on=False,
            )
    edge = np.array([0.0, furthest * 1.15])
    axes.plot(edge, edge * (1 - FDR) / FDR, color=DATA, linewidth=0.9, linestyle=":", zorder=0)
    axes.annotate(
        "1 % FDR",
        (edge[1] * 0.93, edge[1] * 0.93 * (1 - FDR) / FDR),
        textcoords="offset points",
        xytext=(-4, 4),
        ha="right",
        fontsize=7.5,
        color=DATA,
    )
    if highest == 0:
        axes.text(
            0.97,
            0.04,
            "of the first pairs on the tables\nmore than 1 % are false,\nwhatever the method",
            transform=axes.transAxes,
            ha="right",
            va="bottom",
            fontsize=8,
            color=DATA,
        )


def _draw_to_false(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    for k, method in enumerate(methods):
        for suffix, style in STYLES.items():
            curves = _curves(part, method, f"true_edges_before_false{suffix}")
            if curves is None:
                continue
            mean = curves.mean(axis=0)
            colour = METHODS[method].colour
            false = np.arange(len(mean))
            axes.plot(false, mean, linestyle=style, color=colour, linewidth=0.7 * _width(k))
