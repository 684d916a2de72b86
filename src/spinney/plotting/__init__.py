"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from spinney.plotting.contours import density_grid, describe, plot_contours, plot_pair
from spinney.plotting.graph import draw_graph_page, plot_graph
from spinney.plotting.pages import gallery, plot_gallery, plot_pairs
from spinney.plotting.reliability import plot_reliability

__all__ = [
    "density_grid",
    "describe",
    "draw_graph_page",
    "gallery",
    "plot_contours",
    "plot_gallery",
    "plot_graph",
    "plot_pair",
    "plot_pairs",
    "plot_reliability",
]
