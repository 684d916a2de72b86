"""Density of a copula with normal margins, and where its contours run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney.pairs.copulas import Copula

__all__ = ["DensityGrid", "density_grid"]

MASSES = (0.98, 0.9, 0.7, 0.5, 0.3, 0.1)
"""Share of the probability inside each contour."""
REACH = 3.2
"""Range of the picture in normal scores: all but 3 in 2000 values of each variable."""


class DensityGrid(NamedTuple):
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


def density_grid(copula: Copula, m: int = 201, reach: float = REACH) -> DensityGrid:
    r"""Joint density with standard normal margins, :math:`c(\Phi(x), \Phi(y))\varphi(x)\varphi(y)`.

    Contours enclose the smallest regions that hold given shares of the probability, so that
    pictures of different copulas can be compared. The grid has `m` points each way, from -`reach`
    to `reach`.

    Examples
    --------
    >>> from spinney.pairs.copulas import Independence
    >>> grid = density_grid(Independence())
    >>> round(float(grid.levels[grid.masses.index(0.5)]), 3)  # half of the peak, 1 / (4 pi)
    0.08
    """
    z = np.linspace(-reach, reach, m)
    u, normal = special.ndtr(z), np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    density = copula.pdf(u[None, :], u[:, None]) * normal[None, :] * normal[:, None]
    falling = np.sort(density, axis=None)[::-1]
    inside = np.cumsum(falling) * (z[1] - z[0]) ** 2
    positions = np.minimum(np.searchsorted(inside, MASSES), falling.size - 1)
    return DensityGrid(z, density, falling[positions], MASSES)
