"""Plots: each computes a small table of numbers first, then draws it on given axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.graph.plots.comparison import EdgeLook as EdgeLook
    from spinney.graph.plots.comparison import plot_edge_classes as plot_edge_classes
    from spinney.graph.plots.graph import draw_graph_page as draw_graph_page
    from spinney.graph.plots.graph import plot_graph as plot_graph
    from spinney.graph.plots.pair import plot_pair as plot_pair
    from spinney.graph.plots.strengths import plot_strengths as plot_strengths

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("EdgeLook", "plot_edge_classes"), f"{__name__}.comparison"),
        **dict.fromkeys(("draw_graph_page", "plot_graph"), f"{__name__}.graph"),
        "plot_pair": f"{__name__}.pair",
        "plot_strengths": f"{__name__}.strengths",
    },
)
