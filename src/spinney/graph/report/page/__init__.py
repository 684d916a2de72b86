"""The page that explains a learned graph: one self-contained HTML file, made from a payload."""

from spinney.graph.report.page.render import render

__all__ = ["render"]
