"""A learned graph in a notebook: what was found, a small picture, and the first edges."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from spinney._core.html import block, edges_html, graph_sentence, sentence
from spinney._core.text import counted
from spinney.graph.report.writers import graph_svg
from spinney.graph.words import cautions, expected, first_cautions

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["graph_html"]

MOST_DRAWN = 120
"""Most columns of a picture."""


def graph_html(graph: LearnedGraph) -> str:
    """Write a learned graph as HTML, with all names escaped."""
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
    """Draw the graph as an image; none if it is very large."""
    if len(graph.names) > MOST_DRAWN or not graph.n_edges:
        return ""
    drawn = b64encode(graph_svg(graph).encode()).decode("ascii")
    told = f"{counted(graph.n_edges, 'edge')} among {counted(len(graph.names), 'column')}"
    return (
        f'<img alt="{told}" src="data:image/svg+xml;base64,{drawn}" '
        'style="max-width:min(100%,640px);display:block">'
    )
