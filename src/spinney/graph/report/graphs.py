"""A learned graph for other programs: every number, a place for each node, and a look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.graph import parameters_text
from spinney.graph.export.graphs import export_graphml
from spinney.graph.export.graphs import write_cyjs as export_cyjs
from spinney.graph.plots.style import DATA, FALLING, INK, LINES, PALE

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["export_graph", "write_cyjs", "write_graphml"]

COLOURS = {1: LINES, -1: FALLING, 0: DATA}
"""Colour of an edge by its sign."""
WIDTHS = (1.0, 6.0)
"""Width of the weakest and of the surest edge."""


def export_graph(view: GraphView) -> nx.Graph:
    """Build a graph that carries all numbers of a view's tables, and what programs draw it by.

    Nodes (by number) have the columns of ``nodes``, the name as ``label``, and ``x``, ``y`` (in
    points, y upwards), ``size`` and colour: ``color``, and ``r``, ``g``, ``b`` for Gephi. Edges
    have the columns of ``edges``, ``color`` (by sign), ``r``, ``g``, ``b``, ``width`` (by score),
    and a ``weight`` for programs that draw or place by it: the score, if the edge has none already.
    """
    graph = nx.Graph(name=view.title, estimator=view.estimator, score=view.score)
    places = view.layout.positions - view.layout.corners[0]
    for k, row in enumerate(view.nodes.to_dict("records")):
        told = {"label": row.pop("name"), **_plain(row)}
        told |= {"x": float(places[k, 0]), "y": float(places[k, 1])}
        told |= {"size": float(12.0 + 6.0 * np.sqrt(row["degree"]))}
        graph.add_node(k, **told, **_colour("#9BC7E4" if row["degree"] else PALE))
    widths = _widths(view)
    for k, row in enumerate(view.edges.to_dict("records")):
        u, v = view.edge_positions[k].tolist()
        told = _plain({key: row[key] for key in row if key not in ("source", "target")})
        told.setdefault("weight", told.get(view.score))
        graph.add_edge(u, v, **told, width=float(widths[k]), **_colour(COLOURS[view.signs[u, v]]))
    return graph


def write_graphml(path: str | Path, view: GraphView) -> None:
    """Write the graph as GraphML; see :func:`spinney.graph.export.graphs.export_graphml`."""
    export_graphml(path, export_graph(view))


def write_cyjs(path: str | Path, view: GraphView) -> None:
    """Write the graph for Cytoscape; see :func:`spinney.graph.export.graphs.write_cyjs`."""
    graph = export_graph(view)
    # There y points downwards.
    height = max((data["y"] for _, data in graph.nodes(data=True)), default=0.0)
    positions = {}
    for node, data in graph.nodes(data=True):
        positions[node] = data.pop("x"), height - data.pop("y")
    export_cyjs(path, graph, positions=positions, style=STYLE)


STYLE: list[dict[str, Any]] = [
    {
        "selector": "node",
        "style": {
            "label": "data(name)",
            "width": "data(size)",
            "height": "data(size)",
            "background-color": "data(color)",
            "border-color": INK,
            "border-width": 0.5,
            "color": INK,
            "font-size": 9,
            "text-valign": "center",
            "text-halign": "center",
            "text-outline-color": "#FFFFFF",
            "text-outline-width": 1.5,
        },
    },
    {
        "selector": "edge",
        "style": {
            "width": "data(width)",
            "line-color": "data(color)",
            "line-style": "solid",
            "curve-style": "straight",
            "opacity": 0.8,
        },
    },
    {"selector": "edge[sign < 0]", "style": {"line-style": "dashed"}},
    {"selector": ":selected", "style": {"border-width": 3, "opacity": 1.0}},
]
"""The look of the graph in Cytoscape.js: as in the picture."""


def _widths(view: GraphView) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Width of each edge: shares as they are, weights by the largest."""
    score = np.abs(view.edges[view.score].to_numpy(dtype=float))
    top = 1.0 if view.score != "weight" else max(float(np.nanmax(score, initial=0.0)), 1e-300)
    share = np.clip(np.nan_to_num(score / top), 0.0, 1.0)
    return WIDTHS[0] + (WIDTHS[1] - WIDTHS[0]) * share


def _colour(colour: str) -> dict[str, Any]:
    parts = {key: int(colour[k : k + 2], 16) for key, k in (("r", 1), ("g", 3), ("b", 5))}
    return {"color": colour, **parts}


def _plain(values: dict[Any, Any]) -> dict[str, Any]:
    """Values as plain numbers and text; what is not known is left out."""
    told: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, tuple):
            value = parameters_text(value)
        elif isinstance(value, np.generic):
            value = value.item()
        if value is not None and value is not pd.NA and value == value and value != "":
            told[str(key)] = value
    return told
