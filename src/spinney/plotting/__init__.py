"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from spinney.plotting.comparison import EdgeLook, plot_edge_classes, plot_overlaps
from spinney.plotting.contours import (
    density_grid,
    describe,
    plot_contours,
    plot_fitted_copula,
)
from spinney.plotting.graph import draw_graph_page, plot_graph
from spinney.plotting.heat_map import plot_heat_map
from spinney.plotting.mosaic import Mosaic, mosaic_table, plot_mosaic
from spinney.plotting.pages import gallery, plot_gallery, plot_pairs
from spinney.plotting.pair import plot_pair
from spinney.plotting.reliability import plot_reliability
from spinney.plotting.strips import plot_strip

__all__ = [
    "EdgeLook",
    "Mosaic",
    "density_grid",
    "describe",
    "draw_graph_page",
    "gallery",
    "mosaic_table",
    "plot_contours",
    "plot_edge_classes",
    "plot_fitted_copula",
    "plot_gallery",
    "plot_graph",
    "plot_heat_map",
    "plot_mosaic",
    "plot_overlaps",
    "plot_pair",
    "plot_pairs",
    "plot_reliability",
    "plot_strip",
]
