"""Plots that answer to the mouse: twins of those in :mod:`spinney.graph.plots`, drawn by plotly.

Each returns a ``plotly.graph_objects.Figure``, which notebooks show and
``figure.write_html(path)`` writes to a page. plotly is imported when the first figure is made.
"""

from spinney.graph.plots.interactive.graph import graph_figure
from spinney.graph.plots.interactive.heat_map import heat_map_figure
from spinney.graph.plots.interactive.pair import pair_figure
from spinney.graph.plots.interactive.reliability import reliability_figure

__all__ = ["graph_figure", "heat_map_figure", "pair_figure", "reliability_figure"]
