"""All pairs at once, to be looked at with the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.graph.plots.heat_map import COLOURS, MOST_NAMES, heat_map_table
from spinney.graph.plots.interactive._text import LONGEST_IN_HOVER, shown, template
from spinney.graph.plots.style import UNKNOWN

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["heat_map_figure"]


def heat_map_figure(model: Any, *, title: str | None = None) -> Figure:
    """Draw what a model knows of every pair with plotly: hovering names the pair and its number.

    Parameters
    ----------
    model : estimator or LearnedGraph
        Fitted; as in :func:`spinney.graph.plots.plot_heat_map`, whose twin this is.
    title : str, optional
        Title.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> P = np.array([[0.0, 0.9], [0.9, 0.0]])
    >>> model = SimpleNamespace(edge_probabilities_=P, adjacency_=P > 0.5, node_names_="ab")
    >>> heat_map_figure(model).data[0].hovertext[0][1]
    '<b>a – b</b><br>probability: 0.9<br>an edge'
    """
    import plotly.graph_objects as go

    found = heat_map_table(model)
    d = len(found.names)
    names = [shown(name, LONGEST_IN_HOVER) for name in found.names]
    label = shown(found.label)

    def told(i: int, j: int) -> str:
        if i == j:
            return f"<b>{names[i]}</b>"
        value = found.values[i, j]
        number = "not known" if np.isnan(value) else f"{label}: {value:.3g}"
        edge = "<br>an edge" if found.edges[i, j] else ""
        return f"<b>{names[i]} – {names[j]}</b><br>{number}{edge}"

    heat = go.Heatmap(
        z=found.values,
        zmin=0.0,
        zmax=found.top,
        colorscale=COLOURS,
        colorbar={"title": {"text": label, "side": "right"}},
        hovertext=[[told(i, j) for j in range(d)] for i in range(d)],
        hoverinfo="text",
        name="pairs",
    )
    rows, columns = np.nonzero(found.edges)
    dots = go.Scatter(
        x=columns,
        y=rows,
        mode="markers",
        marker={
            "size": float(np.clip(240 / max(d, 1), 2, 7)),
            "color": "white",
            "line": {"color": "black", "width": 0.8},
        },
        hoverinfo="skip",
        name="edges",
        showlegend=False,
    )
    ticks: dict[str, Any] = {"showgrid": False, "zeroline": False}
    if d <= MOST_NAMES:
        ticks |= {"tickvals": list(range(d)), "ticktext": [shown(name) for name in found.names]}
    else:
        ticks["showticklabels"] = False
    plan = template(
        title,
        xaxis={**ticks, "constrain": "domain", "range": [-0.5, d - 0.5]},
        yaxis={
            **ticks,
            "constrain": "domain",
            "range": [d - 0.5, -0.5],  # the first row on top
            "scaleanchor": "x",
        },
        plot_bgcolor=UNKNOWN,
    )
    return go.Figure([heat, dots], plan)
