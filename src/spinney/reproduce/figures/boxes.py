"""Figures 2 to 4: boxes by method and number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from spinney.plotting._style import INK
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
PANELS = {
    "hamming": "Hamming distance",
    "false_positives": "false positive edges",
    "inter_component_false_positives": "inter-cluster false positives",
    "precision": "precision",
    "recall": "recall",
}


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
        del panels["inter_component_false_positives"]
    columns = 2 if len(panels) == 4 else 3
    figure = new_figure(5.6 * columns, 7.2)
    grid = figure.subplots(2, columns).ravel()
    methods = methods_in(frame)
    # With three columns the first row holds counts, the second rates and an empty place.
    for axes, (metric, label) in zip(grid, panels.items(), strict=False):
        group_boxes(axes, frame, metric, methods)
        axes.set_title(label, fontsize=10.5, color=INK)
        axes.set_xlabel("samples", fontsize=9, color=INK)
        if metric in ("precision", "recall"):
            axes.set_ylim(-0.02, 1.03)
        else:
            axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
    for spare in grid[len(panels) :]:
        spare.set_axis_off()
    figure.suptitle(f"{TITLES[name]}; {repetitions_said(frame)}", fontsize=12, color=INK)
    legend(figure, methods)
    return figure
