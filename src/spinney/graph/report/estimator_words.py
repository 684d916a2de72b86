"""A learned graph in plain words, where the judge has none of his own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.text import counted

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["summarise_estimator"]

MOST_EDGES = 8
"""Edges that are told one by one."""


def summarise_estimator(view: GraphView) -> str:
    """Tell what an estimator found: how much, and what leads its ranking."""
    d, n_edges = len(view.names), len(view.edges)
    joined = [part for part in view.components if len(part) > 1]
    n_alone = len(view.components) - len(joined)
    parts = [
        f"{counted(n_edges, 'edge')} among {counted(d * (d - 1) // 2, 'pair')} of {d} columns."
    ]
    if joined:
        sizes = ", ".join(str(len(part)) for part in joined[:10])
        more = " and smaller ones" if len(joined) > 10 else ""
        alone = f"; {counted(n_alone, 'column')} without any edge" if n_alone else ""
        parts.append(f"{counted(len(joined), 'component')} of {sizes} columns{more}{alone}.")
    if n_edges:
        first = view.edges.head(MOST_EDGES)
        told = ", ".join(
            f"{row['source']} – {row['target']} ({row[view.score]:.2g})"
            for row in first.to_dict("records")
        )
        which = "The edges" if n_edges <= MOST_EDGES else f"The first {MOST_EDGES} edges"
        parts.append(f"{which}, by {view.score_label}: {told}.")
        if not view.is_probability:
            parts.append(
                "These numbers rank the pairs; they are no probabilities that a pair is an edge."
            )
    else:
        parts.append(str(getattr(view.model, "why_no_edges_", None) or ""))
    return " ".join(part for part in parts if part)
