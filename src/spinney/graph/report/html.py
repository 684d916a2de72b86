"""The report: one page that explains a learned graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spinney._core.files import whole_file

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["write_report"]


def write_report(path: str | Path, view: GraphView) -> None:
    """Write a learned graph as one page that needs nothing but a browser.

    Parameters
    ----------
    path : path
        Where to; written whole or not at all.
    view : GraphView
        See :func:`spinney.graph.report.view_of`.
    """
    from spinney.graph.report.content import build
    from spinney.graph.report.page import render

    text = render(build(view))
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
