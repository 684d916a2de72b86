"""Probabilities of edges: all pairs at once as a heat map, and the reliability diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.components import component_labels
from spinney._core.graph import edge_share
from spinney._core.text import plain_line
from spinney.exceptions import InputError
from spinney.graph.plots.style import (
    AXIS,
    DATA,
    INK,
    LINES,
    UNKNOWN,
    font_families,
    name_axes,
    new_axes,
    quiet,
    shorten,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HeatMap", "heat_map_table", "plot_heat_map", "plot_reliability"]

Floats = NDArray[np.float64]

COLOURS = "Blues"
"""From light to dark: seen alike by all readers, and on paper."""
LONGEST = 40
MOST_NAMES = 60
"""Columns up to which names along the sides find room."""


@dataclass(frozen=True)
class HeatMap:
    """The numbers behind a heat map.

    Attributes
    ----------
    names : list of str
        Columns: components together, the largest first, in each the best joined first.
    order : int array of shape (d,)
        Their positions in the model.
    values : array of shape (d, d)
        Probability, share or frequency of each pair; else the size of its weight. NaN on the
        diagonal, and where nothing is known.
    edges : bool array of shape (d, d)
        Which pairs are edges.
    label : str
        What the values are.
    top : float
        Largest value of the scale: 1 for shares.
    """

    names: list[str]
    order: NDArray[np.intp]
    values: Floats
    edges: NDArray[np.bool_]
    label: str
    top: float


def heat_map_table(model: Any) -> HeatMap:
    """Order the columns of a fitted model, and take what it knows of each pair.

    Parameters
    ----------
    model : estimator or LearnedGraph
        Fitted.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> P = np.array([[0.0, 0.1, 0.2], [0.1, 0.0, 0.9], [0.2, 0.9, 0.0]])
    >>> model = SimpleNamespace(edge_probabilities_=P, adjacency_=P > 0.5, node_names_="abc")
    >>> heat_map_table(model).names
    ['b', 'c', 'a']
    """
    model = getattr(model, "learner", model)
    if not hasattr(model, "adjacency_"):
        raise InputError(f"A {type(model).__name__} has no learned graph. Fit it to a table first.")
    adjacency = np.asarray(model.adjacency_, dtype=bool)
    share = edge_share(model)
    source = "edge_weights_" if share is None else share.attribute
    values = np.abs(np.asarray(getattr(model, source), dtype=float))
    labels, degrees = component_labels(adjacency), adjacency.sum(axis=1)
    sizes = np.bincount(labels)[labels] if len(labels) else labels
    order = np.lexsort((np.arange(len(labels)), -degrees, labels, -sizes))
    values = values[np.ix_(order, order)].copy()
    np.fill_diagonal(values, np.nan)
    top = 1.0 if share is not None else float(np.nanmax(values, initial=0.0)) or 1.0
    names = [str(model.node_names_[k]) for k in order]
    label = "size of the weight" if share is None else share.label
    return HeatMap(names, order, values, adjacency[np.ix_(order, order)], label, top)


def plot_heat_map(model: Any, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw what a model knows of every pair, edges with a dot.

    Components stand together along the diagonal, so that what goes together is seen as a block.

    Parameters
    ----------
    model : estimator or LearnedGraph
        Fitted.
    ax : matplotlib axes, optional
        Where; by default on new axes.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from types import SimpleNamespace
    >>> P = np.array([[0.0, 0.9], [0.9, 0.0]])
    >>> model = SimpleNamespace(edge_probabilities_=P, adjacency_=P > 0.5, node_names_="ab")
    >>> [t.get_text() for t in plot_heat_map(model, Figure().subplots()).get_xticklabels()]
    ['a', 'b']
    """
    found = heat_map_table(model)
    d = len(found.names)
    if ax is None:
        side = float(np.clip(2.2 + 0.19 * d, 3.6, 12.0))
        ax = new_axes((side + 0.9, side))
    image = ax.imshow(found.values, cmap=COLOURS, vmin=0.0, vmax=found.top, interpolation="none")
    ax.set_facecolor(UNKNOWN)  # what is not known, and the diagonal
    if d <= 2 * MOST_NAMES:
        rows, columns = np.nonzero(found.edges)
        # White with a dark rim is seen on every colour of the scale.
        size = float(np.clip(90 / max(d, 1), 0.6, 14.0))
        ax.scatter(columns, rows, s=size, c="white", edgecolors="black", linewidths=0.5)
    if d <= MOST_NAMES:
        # Letters are counted first: to measure a name of thousands takes long.
        texts = [shorten(plain_line(name, LONGEST), 90.0, 7.0) for name in found.names]
        style: dict[str, Any] = {"fontsize": 7, "color": INK, "parse_math": False}
        style["fontfamily"] = font_families("".join(texts))
        ax.set_xticks(range(d), texts, rotation=90, **style)
        ax.set_yticks(range(d), texts, **style)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{d} columns, components together", fontsize=8, color=INK)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(f"{found.label}; dots: edges", fontsize=8, color=INK)
    bar.ax.tick_params(labelsize=7, color=AXIS, labelcolor=INK)
    bar.outline.set_visible(False)
    write_title(ax, None if title is None else plain_line(title), 11)
    return ax


def plot_reliability(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw claimed against realised shares of edges; on the diagonal they agree.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`spinney.metrics.reliability`.
    ax : matplotlib axes, optional
        Where to draw; by default on axes of their own.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from spinney.metrics import reliability
    >>> P, A = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> plot_reliability(reliability(P, A)).get_xlabel()
    'mean probability of the pairs'
    """
    ax = new_axes() if ax is None else ax
    filled = table[table["count"] > 0]
    ax.plot([0, 1], [0, 1], color=DATA, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    ax.plot(filled.mean_probability, filled.edge_share, color=LINES, linewidth=1.2, zorder=1)
    # Area by the logarithm: non-edges outnumber edges a hundredfold.
    size = 8 + 10 * np.log10(filled["count"])
    ax.scatter(filled.mean_probability, filled.edge_share, s=size, color=LINES, zorder=2)
    for x, y, count in filled[["mean_probability", "edge_share", "count"]].to_numpy():
        beside: dict[str, Any] = {"textcoords": "offset points", "xytext": (5, -9)}
        ax.annotate(f"{count:,.0f}", (x, y), fontsize=6, color=DATA, **beside)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    name_axes(ax, ("mean probability of the pairs", "share that are edges"))
    quiet(ax)
    return ax
