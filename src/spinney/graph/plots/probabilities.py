"""The reliability diagram: claimed probabilities against realised shares of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney.graph.plots.style import DATA, LINES, name_axes, new_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_reliability"]


def plot_reliability(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw claimed against realised shares of edges; on the diagonal they agree.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`spinney.metrics.reliability`.
    ax : matplotlib axes, optional
        Where; by default on new axes.

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
    # Area by the logarithm, because non-edges outnumber edges a hundredfold.
    size = 8 + 10 * np.log10(filled["count"])
    ax.scatter(filled.mean_probability, filled.edge_share, s=size, color=LINES, zorder=2)
    for x, y, count in filled[["mean_probability", "edge_share", "count"]].to_numpy():
        beside: dict[str, Any] = {"textcoords": "offset points", "xytext": (5, -9)}
        ax.annotate(f"{count:,.0f}", (x, y), fontsize=6, color=DATA, **beside)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    name_axes(ax, ("mean probability of the pairs", "share that are edges"))
    quiet(ax)
    return ax
