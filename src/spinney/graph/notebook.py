"""A learned graph in a notebook: what was found, a small picture, and the first edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spinney._core.html import block, edges_html, graph_sentence, sentence, shown
from spinney.graph.plots.graph import OPACITIES, between, edge_shares
from spinney.graph.plots.layout import GraphLayout, lay_out_labels
from spinney.graph.plots.style import DATA, FALLING, LINES
from spinney.graph.words import cautions, expected, first_cautions

if TYPE_CHECKING:
    import networkx as nx

    from spinney.graph.graph import LearnedGraph

__all__ = ["graph_html"]

MOST_NAMED, MOST_DRAWN = 40, 120
"""Most columns of a picture with names, and of any picture."""
LONGEST = 22
MARGIN = 6.0
_COLOURS = {1: LINES, -1: FALLING, 0: DATA}


def graph_html(graph: LearnedGraph) -> str:
    """Write a learned graph as a few kilobytes of HTML, with all names escaped."""
    edges = graph.edges
    told = graph_sentence(len(edges), graph.labels.tolist())
    if graph.is_probability:
        told += f" {expected(graph)}"
    parts = [sentence(told), _picture(graph)]
    why_none = str(getattr(graph.learner, "why_no_edges_", None) or "")
    parts.append(
        edges_html(edges, {graph.score: graph.score_label}) if len(edges) else sentence(why_none)
    )
    parts += [sentence(f"Careful: {each}") for each in first_cautions(cautions(graph))]
    return block(parts)


def _picture(graph: LearnedGraph) -> str:
    """Draw the graph as SVG: without names if it is large, not at all if it is very large."""
    drawn = graph.to_networkx()
    if not 0 < len(drawn) <= MOST_DRAWN or not drawn.number_of_edges():
        return ""
    named = len(drawn) <= MOST_NAMED
    found = lay_out_labels(drawn)
    low, high = found.corners
    width, height = high - low + 2 * MARGIN
    # y points down in SVG, up in the layout.
    at = (found.positions - low + MARGIN) * [1.0, -1.0] + [0.0, height]
    lines = _lines(drawn, found, at)
    nodes = _labels(found, at) if named else _dots(found, at)
    title = f"{drawn.number_of_edges()} edges among {len(drawn)} columns"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="{title}" style="width:{min(1.25 * width, 640):.0f}px;'
        f'max-width:100%;height:auto;display:block" font-family="sans-serif" font-size="9">'
        f"{lines}{nodes}</svg>"
    )


def _lines(graph: nx.Graph, found: GraphLayout, at: np.ndarray) -> str:
    place = {node: k for k, node in enumerate(found.nodes)}
    made = []
    edges = list(graph.edges(data=True))
    shares = edge_shares([data for *_, data in edges])
    looks = zip(shares.width, between(OPACITIES, shares.ink), strict=True)
    for (u, v, data), (width, ink) in zip(edges, looks, strict=True):
        (x1, y1), (x2, y2) = at[place[u]], at[place[v]]
        sign = int(data.get("sign", 0))
        dashes = ' stroke-dasharray="5 2.5"' if sign < 0 else ""
        made.append(
            f'<path d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}" stroke="{_COLOURS[sign]}" '
            f'stroke-width="{0.6 + 3.4 * width:.1f}" stroke-opacity="{ink:.2f}"{dashes}/>'
        )
    return "".join(made)


def _labels(found: GraphLayout, at: np.ndarray) -> str:
    """Write names on white boxes, readable in light and dark themes."""
    boxes = "".join(
        f'<rect x="{x - w / 2:.0f}" y="{y - h / 2:.0f}" width="{w:.0f}" height="{h:.0f}" rx="4"/>'
        for (x, y), (w, h) in zip(at, found.sizes, strict=True)
    )
    names = "".join(
        f'<text x="{x:.0f}" y="{y + 3:.0f}">{shown(node, LONGEST)}</text>'
        for node, (x, y) in zip(found.nodes, at, strict=True)
    )
    return (
        f'<g fill="#fff" stroke="#8a8a8a" stroke-width="0.7">{boxes}</g>'
        f'<g fill="#222" text-anchor="middle">{names}</g>'
    )


def _dots(found: GraphLayout, at: np.ndarray) -> str:
    return "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="#fff" stroke="#8a8a8a">'
        f"<title>{shown(node)}</title></circle>"
        for node, (x, y) in zip(found.nodes, at, strict=True)
    )
