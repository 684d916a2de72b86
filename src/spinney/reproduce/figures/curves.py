"""Figure 5: true against false edges, as far as one false edge in a hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.plotting._style import DATA, INK, quiet
from spinney.reproduce.figures._sheet import (
    group_boxes,
    legend,
    methods_in,
    new_figure,
    repetitions_said,
    two_rows,
)
from spinney.reproduce.methods import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_curves", "mean_curve"]

FDR = 0.01
Floats = NDArray[np.float64]


def mean_curve(curves: Any, fdr: float = FDR) -> tuple[Floats, Floats]:
    """Average curves rank by rank, and leave the average where its false share passes `fdr`.

    Parameters
    ----------
    curves : sequence of sequences
        True edges among the first 1, 2, … pairs, one sequence per repetition.

    Returns
    -------
    false, true : arrays
        From (0, 0) to the point where the share of false edges is `fdr`, found between two ranks
        by a straight line; or to the last rank if it stays below.

    Examples
    --------
    One of two rankings has a false edge in the second place.

    >>> mean_curve([[1, 2, 3], [1, 1, 2]], fdr=0.1)
    (array([0.   , 0.   , 0.125]), array([0.   , 1.   , 1.125]))
    """
    true = np.r_[0.0, np.mean(np.array(list(curves), dtype=float), axis=0)]
    ranks = np.arange(len(true))
    false = ranks - true
    excess = false - fdr * ranks
    over = np.flatnonzero(excess > 1e-12)
    if not over.size:
        return false, true
    k = int(over[0])
    share = -excess[k - 1] / (excess[k] - excess[k - 1])
    last = [x[k - 1] + share * (x[k] - x[k - 1]) for x in (false, true)]
    return np.r_[false[:k], last[0]], np.r_[true[:k], last[1]]


def draw_curves(frame: pd.DataFrame) -> Figure:
    """Draw figure 5: a panel of curves for each number of rows, and boxes of where they end."""
    sizes = sorted(set(frame.n))
    methods = methods_in(frame)
    figure = new_figure(max(3.1 * len(sizes), 9.0), 7.6)
    top, bottom = two_rows(figure, (1.15, 1.0))
    panels = top.subplots(1, len(sizes), sharey=True, sharex=True, squeeze=False)[0]
    for axes, n in zip(panels, sizes, strict=True):
        _draw_panel(axes, frame[frame.n == n], methods)
        axes.set_title(f"{n} samples", fontsize=10.5, color=INK)
        axes.set_xlabel("false edges, mean", fontsize=9, color=INK)
    panels[0].set_ylabel("true edges, mean", fontsize=9, color=INK)
    panels[0].set_ylim(bottom=0)
    panels[0].set_xlim(left=-0.004)
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
    left.set_ylabel("true edges before 1 % FDR", fontsize=9, color=INK)
    left.set_ylim(bottom=-0.02 * left.get_ylim()[1])
    figure.suptitle(
        "Figure 5: GMRFs, 80 nodes, 3 neighbours each on average, truncated at 1 % FDR\n"
        f"{repetitions_said(frame)}",
        fontsize=12,
        color=INK,
    )
    legend(
        figure,
        methods,
        "Copulas: EF-λ Gaussian; RootedForests and SharedForest choose from the default families.",
    )
    return figure


def _draw_panel(axes: Axes, part: pd.DataFrame, methods: list[str]) -> None:
    furthest = 0.05
    for method in methods:
        rows = part[part.method == method]
        for suffix, style in (("", "-"), ("_by_presence", (0, (3, 2)))):
            name = f"true_edges_by_rank{suffix}"
            curves = [c for c in rows[name] if isinstance(c, list)] if name in rows else []
            if not curves:
                continue
            false, true = mean_curve(curves)
            furthest = max(furthest, float(false[-1]))
            label = METHODS[method].label
            axes.plot(
                false,
                true,
                linestyle=style,
                color=METHODS[method].colour,
                linewidth=2.0,
                marker="o",
                markevery=[len(true) - 1],
                markersize=4,
                clip_on=False,
                label=f"{label}, by presence" if suffix else label,
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
    axes.grid(True, color="#EEEEEE", linewidth=0.7)
    axes.set_axisbelow(True)
    quiet(axes)
