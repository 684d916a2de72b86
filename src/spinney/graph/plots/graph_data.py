"""What is drawn of a learned graph, by whatever: names and kinds of nodes, looks of edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.graph import edge_graph, edge_share
from spinney._core.text import plain_line
from spinney.graph.plots.dots import MOST_NAMED, lay_out_dots
from spinney.graph.plots.graph_layout import GraphLayout, Layout, lay_out_graph
from spinney.graph.plots.labels import text_width
from spinney.graph.plots.style import DATA, FALLING, LINES
from spinney.tables import Table

__all__ = [
    "FONT",
    "LOOKS",
    "MARK",
    "MARKS",
    "MEANINGS",
    "WIDTHS",
    "Edges",
    "Kinds",
    "between",
    "lay_out_labels",
    "prepare",
    "shown_name",
]

Floats = NDArray[np.float64]
Kinds = dict[Any, str]

FONT = 9.0
LONGEST = 22
"""Letters of a name that are shown."""
PADDING = (9.0, 6.5)
"""Space that a label takes beyond its text, in points: right and left, above and below together."""
MARK = 5.5
"""Size of the mark that tells a column's kind, in points."""
WIDTHS = (0.7, 4.2)
"""Line widths of the weakest and the surest edge, in points."""
LOOKS: dict[int, tuple[str, Any]] = {
    0: (DATA, "solid"),
    1: (LINES, "solid"),
    -1: (FALLING, (0, (2.2, 0.9))),
}
"""Colour and dashes of each sign."""
MEANINGS = {1: "rise together", -1: "one falls as the other rises", 0: "no order to rise in"}
MARKS = {"continuous": "o", "ordinal": "D", "binary": "^", "nominal": "s"}
"""Mark of each kind of column."""


@dataclass(frozen=True)
class Edges:
    """What is drawn of the edges.

    Attributes
    ----------
    ends : array of shape (m, 2)
        Positions of their nodes in the graph.
    strengths : array of shape (m,)
        Probability, frequency or weight, the larger the surer.
    top : float
        Strength that is drawn widest.
    shares : bool
        Whether `strengths` are shares, between 0 and 1.
    meaning : str
        What `strengths` are, in words; empty if the edges have none.
    signs : array of shape (m,)
        Sign of the dependence: 1, -1, or 0 where it is not known, or where there is none because a
        column has no order.
    unordered : bool
        Whether to say so of signs that are 0.
    """

    ends: NDArray[np.int64]
    strengths: Floats
    top: float
    shares: bool
    meaning: str
    signs: Floats
    unordered: bool = False

    @property
    def share(self) -> Floats:
        """Strength between 0 and 1."""
        return np.clip(self.strengths / self.top, 0.0, 1.0)


def lay_out_labels(graph: nx.Graph, layout: Layout = "kamada-kawai") -> GraphLayout:
    """Place the nodes of a graph as :func:`plot_graph` does, with room for their labels.

    More than 300 nodes are dots; see :mod:`spinney.graph.plots.dots`.

    Parameters
    ----------
    graph : networkx.Graph
        As there.
    layout : {"kamada-kawai", "spring"} or mapping of nodes to positions
        See :func:`spinney.graph.plots.graph_layout.lay_out_graph`.

    Examples
    --------
    >>> graph = nx.path_graph(3)
    >>> graph.nodes[1]["label"] = "a name that takes room"
    >>> widths = lay_out_labels(graph).sizes[:, 0]
    >>> bool(widths[1] > 4 * widths[0])
    True
    """
    return _lay_out(graph, _kinds(None, graph), layout)


def _lay_out(graph: nx.Graph, kinds: Kinds, layout: Layout) -> GraphLayout:
    if len(graph) > MOST_NAMED:
        # Of letters in small sizes widths are rounded to whole points.
        return lay_out_dots(
            graph, layout, lambda node, size: text_width(shown_name(graph, node), 90.0) * size / 90
        )
    sizes = np.array([text_width(shown_name(graph, node), FONT) for node in graph]).reshape(-1, 1)
    sizes += MARK if kinds else 0.0
    height = np.full_like(sizes, FONT)
    return lay_out_graph(graph, np.hstack([sizes, height]) + PADDING, layout)


def prepare(model: Any, layout: Layout | GraphLayout) -> tuple[nx.Graph, Kinds, Edges, GraphLayout]:
    """Find the graph of a model, the kinds of its nodes, its edges, and where it goes."""
    if isinstance(model, nx.Graph):
        graph, labels = model, model.graph
    else:
        graph, share = edge_graph(model), edge_share(model)
        labels = {} if share is None else {share.column: share.label}
    kinds = _kinds(model, graph)
    found = layout if isinstance(layout, GraphLayout) else _lay_out(graph, kinds, layout)
    return graph, kinds, _edges(graph, labels, "nominal" in kinds.values()), found


def _kinds(model: Any, graph: nx.Graph) -> Kinds:
    """Kind of each node, if they are known and differ."""
    kinds = {node: data["kind"] for node, data in graph.nodes(data=True) if "kind" in data}
    table = getattr(model, "table_", None)
    if isinstance(table, Table) and len(table.kinds) == len(graph):
        kinds = dict(zip(graph, table.kinds, strict=True))
    kinds = {node: kind for node, kind in kinds.items() if kind in MARKS}
    return kinds if len(set(kinds.values())) > 1 else {}


def _edges(graph: nx.Graph, labels: Mapping[str, str], unordered: bool) -> Edges:
    index = {node: k for k, node in enumerate(graph)}
    data = [(index[u], index[v], values) for u, v, values in graph.edges(data=True) if u != v]
    ends = np.array([[u, v] for u, v, _ in data], dtype=np.int64).reshape(-1, 2)
    signs = np.sign([float(values.get("sign", values.get("tau", 0.0))) for *_, values in data])
    for name in ("probability", "share", "frequency", "weight"):
        strengths = np.array([values.get(name, np.nan) for *_, values in data], dtype=float)
        if len(data) and np.isfinite(strengths).all():
            strengths = np.abs(strengths)
            shares = name != "weight"
            top = 1.0 if shares else float(strengths.max())
            if top > 0:
                meaning = labels.get(name, f"edge {name}")
                return Edges(ends, strengths, top, shares, meaning, signs, unordered)
    return Edges(ends, np.full(len(data), 0.5), 1.0, False, "", signs, unordered)


def between(ends: tuple[float, float], share: Floats) -> Floats:
    """Go from one end to the other by a share."""
    return ends[0] + (ends[1] - ends[0]) * share


def shown_name(graph: nx.Graph, node: Any) -> str:
    """Name of a node as it is drawn: one line, not too long, nothing that cannot be seen."""
    return plain_line(graph.nodes[node].get("label", node), LONGEST)
