"""The picture of a learned graph, as pixels and as lines and letters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._files import whole_file
from spinney.plotting import draw_graph_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spinney.report.view import GraphView

__all__ = ["write_png", "write_svg"]


def write_png(path: str | Path, view: GraphView) -> None:
    """Draw the graph into a PNG."""
    with whole_file(path) as temporary:
        _page(view).savefig(temporary, format="png", metadata={"Software": None})


def write_svg(path: str | Path, view: GraphView) -> None:
    """Draw the graph into an SVG, letters as letters, the same bytes each time."""
    import matplotlib as mpl

    look: Any = {"svg.fonttype": "none", "svg.hashsalt": "spinney"}
    with mpl.rc_context(look), whole_file(path) as temporary:
        _page(view).savefig(temporary, format="svg", metadata={"Date": None})


def _page(view: GraphView) -> Figure:
    return draw_graph_page(view.graph, title=view.title, layout=view.layout)
