"""What the families need of one variable alone, computed once per variable.

Logarithms, normal scores, and t quantiles at every one of some degrees of freedom, the grid; these
are read off a spline over normal scores, to some 11 digits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.interpolate import make_interp_spline

from spinney._core.arrays import Floats, Ints
from spinney.pairs.copulas.base import COORDINATES, Coordinate
from spinney.pairs.copulas.elliptical import quantile
from spinney.pairs.copulas.rectangles import SMALLEST

Grid = tuple[float, ...]
"""Degrees of freedom; none where Student's copula is not wanted."""

_NODES = np.arange(-8.5, 0.76, 1.0 / 32.0)
"""Normal scores of the spline. The upper half mirrors the lower one: a family with a second
parameter has its sign in its first."""


MOST_LOOKED_UP = 4000
"""Rows up to which the coordinates of all ranks are kept; 64 such tables take 100 MB at most."""


N_ROWS = 2 * len(COORDINATES)


def row_of(coordinate: Coordinate, flip: bool = False) -> int:
    """Find the row of a coordinate of u, or of 1 - u if `flip`."""
    return 2 * COORDINATES.index(coordinate) + flip


def mirrors_of(grid: Grid) -> Ints:
    """Whether each coordinate is that of 1 - u: the rows, then those on the grid, never."""
    return np.array([0, 1] * len(COORDINATES) + [0] * len(grid), dtype=np.int64)


def n_bytes(grid: Grid) -> int:
    """Count the bytes that the coordinates of one number take."""
    return 8 * (N_ROWS + len(grid))


class Coordinates(NamedTuple):
    """Coordinates of some variables, samples in the last axis.

    Attributes
    ----------
    at : array of shape (n_rows + n_grid, d, n)
        Each of `COORDINATES`, of u and of 1 - u; then the t quantiles, on the grid.
    grid : array of shape (n_grid,)
        The degrees of freedom.
    """

    at: Floats
    grid: Floats


def coordinates(U: Floats, grid: Grid) -> Coordinates:
    """Compute the coordinates of a table of pseudo-observations, shape (n, d).

    Examples
    --------
    >>> coordinates(np.array([[0.5], [0.1]]), ()).at[2:4].round(2).tolist()
    [[[-0.69, -2.3]], [[-0.69, -0.11]]]
    """
    found = coordinates_of(np.ravel(U, order="F"), grid)
    return Coordinates(found.reshape(-1, *U.shape[::-1]), np.array(grid))


def coordinates_of(values: Floats, grid: Grid) -> Floats:
    """Compute the coordinates of a list of numbers: the rows, and the t quantiles.

    Examples
    --------
    >>> coordinates_of(np.array([0.1, 0.9]), (4.0,))[N_ROWS].round(6).tolist()
    [-1.533206, 1.533206]
    """
    u = np.clip(values, SMALLEST, 1 - SMALLEST)
    found = np.empty((N_ROWS + len(grid), u.size))
    for coordinate in COORDINATES:
        for flip in (False, True):
            found[row_of(coordinate, flip)] = coordinate(u, flip)
    if grid:
        z = special.ndtri(np.minimum(u, 1 - u))
        found[N_ROWS:] = np.sinh(_by_normal_score(grid)(z)).T * np.where(u > 0.5, -1.0, 1.0)
    return found


def coordinates_of_ranks(codes: Ints, grid: Grid) -> Floats:
    """Compute the coordinates of n values by their average ranks, over n + 1.

    Parameters
    ----------
    codes : array of shape (n,)
        Whole numbers in the order of the values, equal where these tie.
    grid : tuple of float
        Degrees of freedom. Twice a rank is a whole number, so that of short lists it is looked up.
    """
    n, counts = codes.size, np.bincount(codes)
    twice = (2 * np.cumsum(counts) - counts + 1)[codes]
    if n > MOST_LOOKED_UP:
        return coordinates_of(twice / 2.0 / (n + 1.0), grid)
    return np.take(_by_twice_the_rank(n, grid), twice - 2, axis=1)


@lru_cache(maxsize=64)
def _by_twice_the_rank(n: int, grid: Grid) -> Floats:
    return coordinates_of(np.arange(2, 2 * n + 1) / 2.0 / (n + 1.0), grid)


@lru_cache(maxsize=8)
def _by_normal_score(grid: Grid) -> Any:
    """Splines of the inverse hyperbolic sines of the t quantiles, by normal score.

    These are smooth where the quantiles themselves grow like powers of 1/u.
    """
    u = special.ndtr(_NODES)
    nodes = np.stack([np.arcsinh(quantile(df, u, 1 - u)) for df in grid], axis=1)
    return make_interp_spline(_NODES, nodes, k=7)
