"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from spinney.graph.plots.comparison import EdgeLook, plot_edge_classes, plot_overlaps
from spinney.graph.plots.contours import (
    density_grid,
    describe,
    gallery,
    plot_contours,
    plot_fitted_copula,
    plot_gallery,
    plot_pairs,
)
from spinney.graph.plots.graph import draw_graph_page, plot_graph
from spinney.graph.plots.mosaic import Mosaic, mosaic_table, plot_mosaic
from spinney.graph.plots.pair import plot_pair
from spinney.graph.plots.probabilities import plot_reliability
from spinney.graph.plots.strengths import plot_strengths
from spinney.graph.plots.strips import plot_strip

__all__ = ["EdgeLook", "Mosaic", "density_grid", "describe", "draw_graph_page", "gallery"]
__all__ += ["mosaic_table", "plot_contours", "plot_edge_classes", "plot_fitted_copula"]
__all__ += ["plot_gallery", "plot_graph", "plot_mosaic", "plot_overlaps", "plot_pair", "plot_pairs"]
__all__ += ["plot_reliability", "plot_strengths", "plot_strip"]
