"""All pairs at once: a heat map of what is known of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.components import component_labels
from spinney._core.graph import edge_share
from spinney._core.text import plain_line
from spinney.exceptions import InputError
from spinney.graph.plots.labels import font_families, shorten
from spinney.graph.plots.style import AXIS, INK, UNKNOWN, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HeatMap", "heat_map_table", "plot_heat_map"]

Floats = NDArray[np.float64]

COLOURS = "Blues"
"""From light to dark, which all readers see alike, and paper, too."""
LONGEST = 40
MOST_NAMES = 60
"""Columns from which on names along the sides find no room."""


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
    if title is not None:
        ax.set_title(
            plain_line(title),
            fontsize=11,
            color=INK,
            fontfamily=font_families(title),
            parse_math=False,
        )
    return ax
