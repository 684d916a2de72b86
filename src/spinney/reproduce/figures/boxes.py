"""Figures 2 to 4: boxes by method and number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from spinney.graph.plots.style import INK
from spinney.reproduce.figures._sheet import (
    group_boxes,
    legend,
    methods_in,
    new_figure,
    repetitions_said,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_boxes"]

TITLES = {
    "figure2": "Figure 2: connected GMRFs, 25 nodes, 2 neighbours each on average",
    "figure3": "Figure 3: GMRFs of two components, 25 nodes, 2 neighbours each on average",
    "figure4": "Figure 4: t copulas (df = 1) on cliques of 3 or 4 among 25 nodes",
}
POTENTIALS = {
    "figure2": "Copulas: EF-λ, EF-cuts and ET Gaussian; RootedForests and SharedForest choose "
    "from the default families.",
    "figure3": "Copulas: EF-λ, EF-cuts and ET Gaussian; RootedForests and SharedForest choose "
    "from the default families.",
    "figure4": "Copulas: EF-λ and ET Student; RootedForests and SharedForest choose from the "
    "default families.",
}
PANELS = {
    "hamming": "Hamming distance",
    "false_positives": "false positive edges",
    "inter_component_false_positives": "inter-cluster false positives",
    "precision": "precision",
    "recall": "recall",
    "n_components": "connected components",
}
TRUE_COMPONENTS = {"figure3": (2, 2), "figure4": (7, 8)}


def draw_boxes(name: str, frame: pd.DataFrame) -> Figure:
    """Draw the panels of figure 2, 3 or 4: Hamming distance, false edges, precision, recall.

    Parameters
    ----------
    name : str
        Which of the three.
    frame : pandas.DataFrame
        From :func:`spinney.reproduce.results.tidy`.
    """
    panels = dict(PANELS)
    if name == "figure2":  # one component: no edge is between components
        del panels["inter_component_false_positives"], panels["n_components"]
    columns = len(panels) // 2
    figure = new_figure(5.4 * columns, 7.4)
    methods = methods_in(frame)
    grid = figure.subplots(2, columns).ravel()
    for axes, (metric, label) in zip(grid, panels.items(), strict=True):
        group_boxes(axes, frame, metric, methods)
        axes.set_title(label, fontsize=10.5, color=INK)
        axes.set_xlabel("samples", fontsize=9, color=INK)
        if metric in ("precision", "recall"):
            axes.set_ylim(-0.02, 1.03)
        else:
            axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
    if name in TRUE_COMPONENTS:
        low, high = TRUE_COMPONENTS[name]
        grid[-1].axhspan(low - 0.15, high + 0.15, color="#D8D8D8", zorder=1)
        said = f"connected components (truth: {low if low == high else f'{low} or {high}'})"
        grid[-1].set_title(said, fontsize=10.5, color=INK)
    figure.suptitle(f"{TITLES[name]}\n{repetitions_said(frame)}", fontsize=12, color=INK)
    legend(figure, methods, POTENTIALS[name])
    return figure
