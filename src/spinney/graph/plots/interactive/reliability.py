"""The reliability diagram, to be looked at with the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from spinney.graph.plots.interactive._text import template
from spinney.graph.plots.style import DATA, LINES

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["reliability_figure"]


def reliability_figure(table: pd.DataFrame, *, title: str | None = None) -> Figure:
    """Draw claimed against realised shares of edges with plotly: hovering counts the pairs.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`spinney.metrics.reliability`; as in :func:`spinney.graph.plots.plot_reliability`,
        whose twin this is.
    title : str, optional
        Title.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from spinney.metrics import reliability
    >>> P, A = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> reliability_figure(reliability(P, A)).layout.xaxis.title.text
    'mean probability of the pairs'
    """
    import plotly.graph_objects as go

    filled = table[table["count"] > 0]
    diagonal = go.Scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": DATA, "dash": "dash", "width": 1},
        hoverinfo="skip",
    )
    told = [
        f"{count:,.0f} pairs<br>claimed: {claimed:.3f}<br>are edges: {share:.3f}"
        for claimed, share, count in filled[["mean_probability", "edge_share", "count"]].to_numpy()
    ]
    points = go.Scatter(
        x=filled["mean_probability"].to_numpy(),
        y=filled["edge_share"].to_numpy(),
        mode="lines+markers",
        line={"color": LINES, "width": 1.5},
        # By the logarithm: non-edges outnumber edges a hundredfold.
        marker={"color": LINES, "size": (5 + 3 * np.log10(filled["count"])).to_numpy()},
        hovertext=told,
        hoverinfo="text",
    )
    plan = template(
        title,
        xaxis={"range": [-0.02, 1.02], "title": {"text": "mean probability of the pairs"}},
        yaxis={
            "range": [-0.02, 1.02],
            "title": {"text": "share that are edges"},
            "scaleanchor": "x",
        },
        showlegend=False,
    )
    return go.Figure([diagonal, points], plan)
