"""Pages of several plots."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from spinney.exceptions import InputError
from spinney.graph.plots.contours import plot_contours, plot_fitted_copula
from spinney.graph.plots.style import INK
from spinney.pairs.copulas import Clayton, Copula, Frank, Gaussian, Gumbel, Independence, Student
from spinney.pairs.copulas.pair_copulas import Node, PairCopulas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gallery", "plot_gallery", "plot_pairs"]


def gallery(tau: float = 0.5) -> list[Copula]:
    """Six copulas of one Kendall's tau: those of the founding paper's first figure."""
    rho = float(np.sin(np.pi / 2 * tau))
    frank = _frank_of(tau)
    return [
        Independence(),
        Gaussian(rho),
        Student(rho, 2.0),
        Clayton(2 * tau / (1 - tau)),
        Gumbel(1 / (1 - tau)),
        frank,
    ]


def plot_gallery(copulas: Sequence[Copula] | None = None) -> Figure:
    """Draw contours of several copulas with normal margins side by side.

    Parameters
    ----------
    copulas : list of Copula, optional
        By default the six of :func:`gallery`.

    Returns
    -------
    matplotlib figure
    """
    chosen = gallery() if copulas is None else list(copulas)
    figure, axes = _sheet(len(chosen), columns=3)
    for ax, copula in zip(axes, chosen, strict=True):
        plot_contours(copula, ax)
    return figure


def plot_pairs(
    pairs: PairCopulas,
    U: ArrayLike | pd.DataFrame,
    chosen: Sequence[tuple[Node, Node]] | None = None,
    *,
    columns: int = 3,
    title: str | None = None,
) -> Figure:
    """Draw several fitted pairs over their data on one page.

    Parameters
    ----------
    pairs : PairCopulas
        Fitted.
    U : data frame or array of shape (n, d)
        Pseudo-observations.
    chosen : list of (u, v), optional
        The pairs; by default the nine of largest held-out log-density.
    columns : int
        Plots side by side.
    title : str, optional
        Title of the page.

    Returns
    -------
    matplotlib figure
    """
    if chosen is None:
        best = pairs.table_.nlargest(9, "held_out_log_density")
        chosen = list(zip(best.u, best.v, strict=True))
    if not chosen:
        raise InputError("There is no pair to draw. Name at least one.")
    figure, axes = _sheet(len(chosen), columns)
    for ax, (u, v) in zip(axes, chosen, strict=True):
        plot_fitted_copula(pairs, U, u, v, ax)
    if title is not None:
        figure.suptitle(title, fontsize=12, color=INK)
    return figure


def _sheet(count: int, columns: int) -> tuple[Figure, list[Axes]]:
    """Make a figure of its own, which no window manager knows of, with `count` square axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(columns, count)
    rows = ceil(count / columns)
    figure = Figure(figsize=(2.9 * columns, 3.0 * rows + 0.3), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in grid[count:]:
        spare.set_axis_off()
    return figure, list(grid[:count])


def _frank_of(tau: float) -> Frank:
    from scipy.optimize import brentq

    return Frank(float(brentq(lambda theta: Frank(theta).tau - tau, -100.0, 100.0)))
