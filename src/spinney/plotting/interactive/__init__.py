"""Plots that answer to the mouse: twins of those in :mod:`spinney.plotting`, drawn by plotly.

Each returns a ``plotly.graph_objects.Figure``, which notebooks show and
``figure.write_html(path)`` writes to a page. plotly is imported when the first figure is made.
"""

from spinney.plotting.interactive.graph import graph_figure
from spinney.plotting.interactive.heat_map import heat_map_figure
from spinney.plotting.interactive.pair import pair_figure
from spinney.plotting.interactive.reliability import reliability_figure

__all__ = ["graph_figure", "heat_map_figure", "pair_figure", "reliability_figure"]
