"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from spinney.graph.plots.comparison import EdgeLook, plot_edge_classes
from spinney.graph.plots.graph import plot_graph
from spinney.graph.plots.pair import plot_pair
from spinney.graph.plots.strengths import plot_strengths

__all__ = [
    "EdgeLook",
    "plot_edge_classes",
    "plot_graph",
    "plot_pair",
    "plot_strengths",
]
