"""Thousands of nodes as dots, some with their names beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from spinney._core.text import counted
from spinney.graph.plots.graph_data import MARKS, Kinds, shown_name
from spinney.graph.plots.graph_layout import GraphLayout
from spinney.graph.plots.labels import font_families
from spinney.graph.plots.style import DATA, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["THIN_WIDTHS", "draw_dots"]

THIN_WIDTHS = (0.3, 1.0)
"""Line widths of the weakest and the surest edge between dots, in points."""
FILL, FILL_ALONE = "#4D5A63", "#C4C9CC"
"""Colours of dots with and without an edge."""


def draw_dots(ax: Axes, graph: nx.Graph, found: GraphLayout, kinds: Kinds, scale: float) -> None:
    """Draw nodes as dots, in the shape of their kind, and write the names that have room.

    Below the others stand those without an edge, with their number.
    """
    joined = np.array([graph.degree(node) > 0 for node in found.nodes], dtype=bool)
    kind_of = np.array([str(kinds.get(node, "")) for node in found.nodes], dtype=object)
    across = found.sizes[:, 0] * scale
    for kind in sorted(set(kind_of)):
        for is_joined in (False, True):
            own = (kind_of == kind) & (joined == is_joined)
            if not own.any():
                continue
            ax.scatter(
                found.positions[own, 0],
                found.positions[own, 1],
                s=across[own] ** 2,
                marker=MARKS.get(kind, "o"),
                color=FILL if is_joined else FILL_ALONE,
                edgecolors="white",
                linewidths=0.5 * scale,
                zorder=2,
            )
    # Not a stroke around the letters, which would make lines of them in an SVG.
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4 * scale}
    for k, (x, y, font) in (found.names or {}).items():
        shown = shown_name(graph, found.nodes[k])
        name = ax.text(
            *(x, y, shown),
            fontsize=font * scale,
            fontfamily=font_families(shown),
            color=INK,
            ha="center",
            va="center_baseline",
            parse_math=False,
            bbox=ground,
            zorder=3,
        )
        name.set_in_layout(False)  # it lies inside the axes, which have room for it
    alone = int((~joined).sum())
    if alone and found.isolated_top is not None:
        told = ax.text(
            *(found.positions[~joined, 0].min(), found.isolated_top + 3.0),
            f"{counted(alone, 'column')} without an edge",
            fontsize=8.0 * scale,
            color=DATA,
            ha="left",
            va="bottom",
            zorder=3,
        )
        told.set_in_layout(False)
