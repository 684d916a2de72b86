"""The founding paper's first figure: contours of six copulas with the same Kendall's tau."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spinney.graph.plots.pair import REACH, density_grid
from spinney.graph.plots.style import INK, LINES, new_page, quiet
from spinney.pairs.copulas import Clayton, Copula, Frank, Gaussian, Gumbel, Independence, Student

__all__ = ["gallery", "plot_contours", "plot_gallery"]


def plot_contours(copula: Copula, ax: Axes) -> Axes:
    """Draw the contours of a copula with standard normal margins, under its name.

    Examples
    --------
    >>> plot_contours(Clayton(2.0, rotation=180), Figure().subplots()).get_title()
    'Clayton 180°, τ = 0.50'
    """
    grid = density_grid(copula)
    # Two masses can share a level where a density is nearly flat; matplotlib wants distinct levels.
    levels: Any = np.unique(grid.levels)
    ax.contour(grid.z, grid.z, grid.density, levels=levels, colors=LINES, linewidths=1.1)
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    ax.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    quiet(ax)
    turned = f" {copula.rotation}°" if copula.rotation else ""
    freedom = f", df = {copula.parameters[1]:g}" if copula.family == "student" else ""
    tau = f", τ = {copula.tau:.2f}".replace("-", "−")
    ax.set_title(f"{type(copula).__name__}{turned}{freedom}{tau}", fontsize=9, color=INK)
    return ax


def gallery(tau: float = 0.5) -> list[Copula]:
    """Return six copulas with the same Kendall's tau, as in the founding paper's first figure."""
    rho = float(np.sin(np.pi / 2 * tau))
    theta = float(scipy.optimize.brentq(lambda theta: Frank(theta).tau - tau, -100.0, 100.0))
    clayton, gumbel = Clayton(2 * tau / (1 - tau)), Gumbel(1 / (1 - tau))
    return [Independence(), Gaussian(rho), Student(rho, 2.0), clayton, gumbel, Frank(theta)]


def plot_gallery() -> Figure:
    """Draw the copulas of :func:`gallery` side by side."""
    figure = new_page((8.7, 6.3), 150)
    for k, copula in enumerate(gallery()):
        plot_contours(copula, figure.add_subplot(2, 3, k + 1))
    return figure
