"""A learned graph to be looked at with the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spinney.graph.plots.graph_data import LOOKS, MEANINGS, WIDTHS, Edges, between, prepare
from spinney.graph.plots.graph_layout import Layout
from spinney.graph.plots.interactive._text import LONGEST_IN_HOVER, shown, template
from spinney.graph.plots.style import INK

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["graph_figure"]

BINS = 4
"""Widths of lines that are told apart: plotly draws one width at a time."""
MOST_NEIGHBOURS = 12
_DASHES = {1: "solid", -1: "dash", 0: "dot"}
_SYMBOLS = {
    "continuous": "circle",
    "ordinal": "diamond",
    "binary": "triangle-up",
    "nominal": "square",
}


def graph_figure(
    model: Any, *, layout: Layout = "kamada-kawai", title: str | None = None
) -> Figure:
    """Draw a learned graph with plotly: hovering tells a node's neighbours and an edge's numbers.

    Lines are wide where the edge is sure; blue where two variables rise together, orange and
    dashed where one falls as the other rises, grey and dotted where that is not known.

    Parameters
    ----------
    model : estimator, LearnedGraph or networkx.Graph
        As in :func:`spinney.graph.plots.plot_graph`, whose twin this is.
    layout : {"kamada-kawai", "spring"} or mapping of nodes to positions
        As there; the same graph has the same places in both.
    title : str, optional
        Title.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> graph = nx.Graph()
    >>> graph.add_edge("Raf", "Mek", probability=0.9, tau=0.5)
    >>> figure = graph_figure(graph)
    >>> figure.data[-1].text
    ('Raf', 'Mek')
    """
    import plotly.graph_objects as go

    graph, kinds, edges, found = prepare(getattr(model, "learner", model), layout)
    names = [str(graph.nodes[node].get("label", node)) for node in found.nodes]
    at = found.positions
    traces = list(_lines(go, edges, at))
    traces.append(_middles(go, edges, at, names))
    symbols = [_SYMBOLS.get(str(kinds.get(node)), "circle") for node in found.nodes]
    traces.append(
        go.Scatter(
            x=at[:, 0],
            y=at[:, 1],
            mode="markers+text",
            marker={
                "size": 13 if found.names is None else found.sizes[:, 0],
                "color": "white",
                "symbol": symbols,
                "line": {"color": INK, "width": 1.2},
            },
            text=[
                shown(name) if found.names is None or k in found.names else ""
                for k, name in enumerate(names)
            ],
            textposition="top center",
            hovertext=_told(graph, found.nodes, names, kinds),
            hoverinfo="text",
            name="columns",
            showlegend=False,
        )
    )
    free = {"visible": False, "showgrid": False, "zeroline": False}
    plan = template(
        title,
        xaxis=free,
        yaxis={**free, "scaleanchor": "x"},
        hovermode="closest",
        legend={"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.02},
        dragmode="pan",
    )
    return go.Figure(traces, plan)


def _lines(go: Any, edges: Edges, at: Any) -> Any:
    """Draw lines by sign and width; the legend switches a sign off and on."""
    bins = np.minimum((edges.share * BINS).astype(int), BINS - 1)
    for sign in (1, -1, 0):
        first = True
        for level in range(BINS):
            chosen = np.flatnonzero((edges.signs == sign) & (bins == level))
            if not chosen.size:
                continue
            ends = at[edges.ends[chosen]]
            gap = np.full((len(chosen), 1), np.nan)  # the pen is lifted between two edges
            width = float(between(WIDTHS, np.array([(level + 0.5) / BINS]))[0])
            yield go.Scatter(
                x=np.hstack([ends[:, :, 0], gap]).ravel(),
                y=np.hstack([ends[:, :, 1], gap]).ravel(),
                mode="lines",
                line={"color": LOOKS[sign][0], "width": width, "dash": _DASHES[sign]},
                opacity=0.85,
                hoverinfo="skip",
                name=MEANINGS[sign] if sign else "direction not known",
                legendgroup=str(sign),
                showlegend=first,
            )
            first = False


def _middles(go: Any, edges: Edges, at: Any, names: list[str]) -> Any:
    """Put points in the middle of the lines, which cannot be seen but answer to the mouse."""
    middle = at[edges.ends].mean(axis=1) if len(edges.ends) else np.empty((0, 2))
    told = []
    for (i, j), strength, sign in zip(edges.ends, edges.strengths, edges.signs, strict=True):
        pair = f"<b>{_hover(names[i])} – {_hover(names[j])}</b>"
        number = f"<br>{shown(edges.meaning)}: {strength:.3g}" if edges.meaning else ""
        meaning = f"<br>{MEANINGS[int(sign)]}" if sign else ""
        told.append(pair + number + meaning)
    return go.Scatter(
        x=middle[:, 0],
        y=middle[:, 1],
        mode="markers",
        marker={"size": 14, "opacity": 0.0, "color": INK},
        hovertext=told,
        hoverinfo="text",
        name="edges",
        showlegend=False,
    )


def _told(graph: nx.Graph, nodes: list[Any], names: list[str], kinds: dict[Any, str]) -> list[str]:
    """Say of each node what it is joined to."""
    name_of = dict(zip(nodes, names, strict=True))
    told = []
    for node in nodes:
        near = [name_of[other] for other in graph[node] if other != node]
        listed = ", ".join(shown(name) for name in near[:MOST_NEIGHBOURS])
        more = ", …" if len(near) > MOST_NEIGHBOURS else ""
        kind = f"<br>{shown(kinds[node])}" if node in kinds else ""
        joined = f"<br>joined to {len(near)}: {listed}{more}" if near else "<br>joined to none"
        told.append(f"<b>{_hover(name_of[node])}</b>{kind}{joined}")
    return told


def _hover(name: str) -> str:
    return shown(name, LONGEST_IN_HOVER)
