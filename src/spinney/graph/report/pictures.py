"""The picture of a learned graph, as pixels, and as lines and letters."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._core.files import whole_file
from spinney._core.text import plain_line
from spinney.graph.export.graphs import xml_text
from spinney.graph.plots import draw_graph_page
from spinney.graph.plots.style import unknown_letters_allowed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spinney.graph.report.view import GraphView

__all__ = ["write_png", "write_svg"]

LONGEST_TITLE = 120
"""Letters of a title that are shown."""
SVG = "http://www.w3.org/2000/svg"


def write_png(path: str | Path, view: GraphView) -> None:
    """Draw the graph into a PNG, the same bytes each time."""
    with whole_file(path) as temporary, unknown_letters_allowed():
        _page(view).savefig(temporary, format="png", metadata={"Software": None})


def write_svg(path: str | Path, view: GraphView) -> None:
    """Draw the graph into an SVG: letters as letters, which can be searched and edited.

    It has a title and a description for those who do not see it, and the same bytes each time.
    """
    import matplotlib as mpl

    look: Any = {"svg.fonttype": "none", "svg.hashsalt": "spinney"}
    drawn = BytesIO()
    with mpl.rc_context(look), unknown_letters_allowed():
        _page(view).savefig(drawn, format="svg", metadata={"Date": None})
    text = _described(drawn.getvalue(), view)
    with whole_file(path) as temporary:
        temporary.write_bytes(text)


def _page(view: GraphView) -> Figure:
    title = plain_line(view.title, LONGEST_TITLE)
    return draw_graph_page(view.graph, title=title or None, layout=view.layout)


def _described(drawn: bytes, view: GraphView) -> bytes:
    """Say in an SVG what it shows, as screen readers want it."""
    ET.register_namespace("", SVG)
    for prefix, name in (("xlink", "http://www.w3.org/1999/xlink"), *_METADATA):
        ET.register_namespace(prefix, name)
    root = ET.fromstring(drawn)
    root.set("role", "img")
    root.set("aria-labelledby", "title description")
    for old in root.findall(f"{{{SVG}}}title"):
        root.remove(old)
    for place, (tag, key, text) in enumerate(
        [("title", "title", view.title), ("desc", "description", view.summary)]
    ):
        element = ET.Element(f"{{{SVG}}}{tag}", {"id": key})
        element.text = xml_text(text)
        root.insert(place, element)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


_METADATA = (
    ("cc", "http://creativecommons.org/ns#"),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
)
