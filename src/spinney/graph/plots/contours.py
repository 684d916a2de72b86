"""Contours of copulas with normal margins: one, and several on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import special

from spinney.graph.plots.style import INK, LINES, new_axes, new_page, quiet
from spinney.pairs.copulas import Clayton, Copula, Frank, Gaussian, Gumbel, Independence, Student

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    *("DensityGrid", "density_grid", "describe", "frame_scores", "gallery", "plot_contours"),
    "plot_gallery",
]

MASSES = (0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
"""Share of the probability inside each contour."""
REACH = 3.2
"""Range of the picture in normal scores: all but 3 in 2000 values of each variable."""


@dataclass(frozen=True)
class DensityGrid:
    """The numbers behind a contour plot.

    Attributes
    ----------
    z : array of shape (m,)
        Normal scores, of both axes.
    density : array of shape (m, m)
        Joint density; rows belong to the second variable, as in matplotlib.
    levels : array
        Densities of the contours, ascending; each encloses one of `masses`.
    masses : tuple of float
        Probability inside each contour, descending.
    """

    z: NDArray[np.float64]
    density: NDArray[np.float64]
    levels: NDArray[np.float64]
    masses: tuple[float, ...]


def density_grid(
    copula: Copula, masses: Sequence[float] = MASSES, m: int = 201, reach: float = REACH
) -> DensityGrid:
    r"""Joint density with standard normal margins, :math:`c(\Phi(x), \Phi(y))\varphi(x)\varphi(y)`.

    Contours enclose the smallest regions that hold given shares of the probability, so that
    pictures of different copulas can be compared. The grid has `m` points each way, from -`reach`
    to `reach`.

    Examples
    --------
    >>> from spinney.pairs.copulas import Independence
    >>> grid = density_grid(Independence(), masses=[0.5])
    >>> round(float(grid.levels[0]), 3)  # half of the normal's peak, 1 / (4 pi)
    0.08
    """
    z = np.linspace(-reach, reach, m)
    u = special.ndtr(z)
    normal = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    density = copula.pdf(u[None, :], u[:, None]) * normal[None, :] * normal[:, None]
    falling = np.sort(density, axis=None)[::-1]
    inside = np.cumsum(falling) * (z[1] - z[0]) ** 2
    ordered = tuple(sorted(masses, reverse=True))
    positions = np.minimum(np.searchsorted(inside, ordered), falling.size - 1)
    return DensityGrid(z, density, falling[positions], ordered)


def describe(copula: Copula, tau: bool = True) -> str:
    """Name a copula briefly, with or without its Kendall's tau.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> describe(Clayton(2.0, rotation=180))
    'Clayton 180°, τ = 0.50'
    """
    turned = f" {copula.rotation}°" if copula.rotation else ""
    freedom = f", df = {copula.parameters[1]:g}" if copula.family == "student" else ""
    strength = f", τ = {copula.tau:.2f}".replace("-", "−") if tau else ""
    return f"{type(copula).__name__}{turned}{freedom}{strength}"


def plot_contours(
    copula: Copula, ax: Axes | None = None, *, title: str | None = None, **options: Any
) -> Axes:
    """Draw the contours of a copula with standard normal margins.

    Parameters
    ----------
    copula : Copula
        What to draw.
    ax : matplotlib axes, optional
        Where; by default on new axes.
    title : str, optional
        By default family, rotation and tau.
    **options
        Passed on to matplotlib's ``contour``.

    Returns
    -------
    matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    grid = density_grid(copula)
    style: dict[str, Any] = {"colors": LINES, "linewidths": 1.1} | options
    # Two masses can share a level where a density is nearly flat; matplotlib wants distinct levels.
    ax.contour(grid.z, grid.z, grid.density, levels=np.unique(grid.levels), **style)
    frame_scores(ax)
    ax.set_title(describe(copula) if title is None else title, fontsize=9, color=INK)
    return ax


def frame_scores(ax: Axes) -> None:
    """Set the limits of axes of normal scores."""
    ax.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    ax.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    quiet(ax)


def gallery(tau: float = 0.5) -> list[Copula]:
    """Return six copulas with the same Kendall's tau, as in the founding paper's first figure."""
    rho = float(np.sin(np.pi / 2 * tau))
    theta = float(scipy.optimize.brentq(lambda theta: Frank(theta).tau - tau, -100.0, 100.0))
    clayton, gumbel = Clayton(2 * tau / (1 - tau)), Gumbel(1 / (1 - tau))
    return [Independence(), Gaussian(rho), Student(rho, 2.0), clayton, gumbel, Frank(theta)]


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
    rows = ceil(len(chosen) / 3)
    figure = new_page((8.7, 3.0 * rows + 0.3), 150)
    axes = figure.subplots(rows, 3, squeeze=False).ravel()
    for ax, copula in zip(axes, chosen, strict=False):
        plot_contours(copula, ax)
    for spare in axes[len(chosen) :]:
        spare.set_axis_off()
    return figure
