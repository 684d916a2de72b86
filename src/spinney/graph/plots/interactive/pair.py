"""Two columns of a fitted model, to be looked at with the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney.graph.plots.contours import REACH, density_grid
from spinney.graph.plots.interactive._text import LONGEST_IN_HOVER, shown, template
from spinney.graph.plots.mosaic import mosaic_table
from spinney.graph.plots.pair_data import (
    Node,
    normal_scores,
    pair_data,
    pair_title,
)
from spinney.graph.plots.style import DATA, FALLING, LINES
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, Column

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["pair_figure"]

Floats = NDArray[np.float64]

FEW = 5000
"""Points that a browser draws without effort."""


def pair_figure(model: Any, u: Node, v: Node, *, title: str | None = None) -> Figure:
    """Draw two columns of a fitted model with plotly: hovering tells the values behind a point.

    Two continuous columns: normal scores of the data, and contours of the fitted copula. A column
    with levels and a continuous one: a box and the points of each level. Two columns with levels:
    how many rows have both, and how many would if the columns had nothing to do with each other.

    Parameters
    ----------
    model : estimator or LearnedGraph
        Fitted to a table; as in :func:`spinney.graph.plots.plot_pair`, whose twin this is.
    u, v : str or int
        The columns of the horizontal and the vertical axis, by name or position.
    title : str, optional
        By default what was fitted.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from spinney import RootedForests
    >>> from spinney.simulate import copula_forest
    >>> model = RootedForests().fit(copula_forest(100, 3, random_state=0).X)
    >>> pair_figure(model, 0, 2).layout.yaxis.title.text
    'x2 (normal score)'
    """
    import plotly.graph_objects as go

    model = getattr(model, "learner", model)
    table, i, j, first, second, x, y, copula = pair_data(model, u, v)
    plan = template(title if title is not None else pair_title(model, table, i, j, copula))
    if first.kind == CONTINUOUS and second.kind == CONTINUOUS:
        traces, axes = _points(go, first, second, x, y, copula)
    elif first.kind == CONTINUOUS or second.kind == CONTINUOUS:
        traces, axes = _boxes(go, first, second, x, y)
    else:
        traces, axes = _counts(go, first, second, x, y)
    return go.Figure(traces, plan | axes)


def _points(
    go: Any, first: Column, second: Column, x: Floats, y: Floats, copula: Copula | None
) -> tuple[list[Any], dict[str, Any]]:
    """Draw scores of the data, and contours that enclose given shares of the probability."""
    names = [shown(column.name, LONGEST_IN_HOVER) for column in (first, second)]
    told = [f"{names[0]}: {a:.5g}<br>{names[1]}: {b:.5g}" for a, b in zip(x, y, strict=True)]
    traces = []
    if copula is not None:
        grid = density_grid(copula, m=81)
        density = grid.density.astype(np.float32)  # six times in the figure
        # plotly's contours are evenly spaced, these are not: each level is a trace of its own.
        for level, mass in zip(grid.levels, grid.masses, strict=True):
            traces.append(
                go.Contour(
                    x=grid.z,
                    y=grid.z,
                    z=density,
                    contours={"coloring": "none", "type": "constraint", "value": float(level)},
                    line={"color": LINES, "width": 1.3},
                    fillcolor="rgba(0, 0, 0, 0)",
                    hoverinfo="skip",
                    name=f"{mass:.0%} inside",
                    showlegend=False,
                )
            )
    draw = go.Scatter if len(x) <= FEW else go.Scattergl  # the graphics card, for very many
    traces.append(
        draw(
            x=normal_scores(x),
            y=normal_scores(y),
            mode="markers",
            marker={
                "size": 5,
                "color": DATA,
                "opacity": float(np.clip(300 / max(len(x), 1), 0.15, 0.7)),
            },
            hovertext=told,
            hoverinfo="text",
            name="rows",
            showlegend=False,
        )
    )
    axis = {"range": [-REACH, REACH], "zeroline": False, "tickvals": [-2, 0, 2]}
    axes = {
        "xaxis": {**axis, "title": {"text": f"{shown(first.name)} (normal score)"}},
        "yaxis": {
            **axis,
            "title": {"text": f"{shown(second.name)} (normal score)"},
            "scaleanchor": "x",
        },
    }
    return traces, axes


def _boxes(
    go: Any, first: Column, second: Column, x: Floats, y: Floats
) -> tuple[list[Any], dict[str, Any]]:
    """Draw a box and the points of each level."""
    across = first.kind == CONTINUOUS  # values along the horizontal axis
    levels, codes, values = (second, y, x) if across else (first, x, y)
    traces = []
    for k, level in enumerate(levels.levels):
        inside = values[codes == k]
        place = np.full(len(inside), k)
        traces.append(
            go.Box(
                x=inside if across else place,
                y=place if across else inside,
                orientation="h" if across else "v",
                boxpoints="all",
                jitter=0.5,
                pointpos=0,
                marker={"color": DATA, "size": 4, "opacity": 0.5},
                line={"color": LINES, "width": 1.3},
                fillcolor="rgba(0, 0, 0, 0)",
                name=shown(level),
                showlegend=False,
            )
        )
    ticks = {
        "tickvals": list(range(len(levels.levels))),
        "ticktext": [shown(level) for level in levels.levels],
    }
    axes: dict[str, Any] = {
        "xaxis": {"title": {"text": shown(first.name)}},
        "yaxis": {"title": {"text": shown(second.name)}},
    }
    axes["yaxis" if across else "xaxis"] |= ticks
    return traces, axes


def _counts(
    go: Any, first: Column, second: Column, x: Floats, y: Floats
) -> tuple[list[Any], dict[str, Any]]:
    """Count the rows in each cell; colour says whether they are more or fewer than by chance."""
    found = mosaic_table(x, y, len(first.levels), len(second.levels))
    counts, expected, residuals = found.counts, found.expected, found.residuals
    names = [shown(column.name, LONGEST_IN_HOVER) for column in (first, second)]
    told = [
        [
            f"{names[0]}: {shown(a)}<br>{names[1]}: {shown(b)}<br>{counts[i, j]:,.0f} rows, "
            f"{expected[i, j]:,.1f} expected if independent"
            for i, a in enumerate(first.levels)
        ]
        for j, b in enumerate(second.levels)
    ]
    reach = float(max(4.0, np.abs(residuals).max(initial=0.0)))
    heat = go.Heatmap(
        z=residuals.T,
        zmin=-reach,
        zmax=reach,
        colorscale=[[0.0, FALLING], [0.5, "#FFFFFF"], [1.0, LINES]],
        colorbar={"title": {"text": "Pearson residual", "side": "right"}},
        text=counts.T,
        texttemplate="%{text:.0f}",
        hovertext=told,
        hoverinfo="text",
        xgap=2,
        ygap=2,
        name="cells",
    )
    axes = {}
    for key, column in (("xaxis", first), ("yaxis", second)):
        axes[key] = {
            "title": {"text": shown(column.name)},
            "tickvals": list(range(len(column.levels))),
            "ticktext": [shown(level) for level in column.levels],
            "showgrid": False,
        }
    return [heat], axes
