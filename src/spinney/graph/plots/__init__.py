"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.graph.plots.comparison import EdgeLook as EdgeLook
    from spinney.graph.plots.comparison import plot_edge_classes as plot_edge_classes
    from spinney.graph.plots.contours import density_grid as density_grid
    from spinney.graph.plots.contours import describe as describe
    from spinney.graph.plots.contours import gallery as gallery
    from spinney.graph.plots.contours import plot_contours as plot_contours
    from spinney.graph.plots.contours import plot_gallery as plot_gallery
    from spinney.graph.plots.graph import draw_graph_page as draw_graph_page
    from spinney.graph.plots.graph import plot_graph as plot_graph
    from spinney.graph.plots.pair import plot_pair as plot_pair
    from spinney.graph.plots.probabilities import plot_reliability as plot_reliability
    from spinney.graph.plots.strengths import plot_strengths as plot_strengths

_MODULES = {
    "comparison": ("EdgeLook", "plot_edge_classes"),
    "contours": ("density_grid", "describe", "gallery", "plot_contours", "plot_gallery"),
    "graph": ("draw_graph_page", "plot_graph"),
    "pair": ("plot_pair",),
    "probabilities": ("plot_reliability",),
    "strengths": ("plot_strengths",),
}

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names},
)
