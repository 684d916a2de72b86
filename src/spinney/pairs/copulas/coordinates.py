"""What the families need of one variable alone, computed once per variable.

Logarithms, normal scores, t quantiles on a grid of degrees of freedom: whatever the chosen
families work on. Coordinates that depend on a second parameter (t quantiles) are wanted at every
value of its grid, and are read off a spline over normal scores, to some 11 digits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.interpolate import make_interp_spline

from spinney._core.arrays import Floats, Ints
from spinney.pairs.copulas.batch import Coordinate, Profile
from spinney.pairs.copulas.rectangles import SMALLEST

_NODES = np.arange(-8.5, 0.76, 1.0 / 32.0)
"""Normal scores of the spline. The upper half mirrors the lower one: a family with a second
parameter has its sign in its first."""


MOST_LOOKED_UP = 4000
"""Rows up to which the coordinates of all ranks are kept; 64 such tables take 200 MB at most."""


class Layout(NamedTuple):
    """Which coordinates are wanted.

    Attributes
    ----------
    rows : tuple of (coordinate, bool)
        Functions of u, and whether they are taken of 1 - u.
    profile : Profile, optional
        The family with a second parameter on a grid, if there is one.
    grid : tuple of float
        The values of that parameter.
    """

    rows: tuple[tuple[Coordinate, bool], ...]
    profile: Profile | None
    grid: tuple[float, ...]

    @property
    def n_bytes(self) -> int:
        """Memory that the coordinates of one number take."""
        return 8 * (len(self.rows) + 2 * len(self.grid))

    @property
    def mirrors(self) -> Ints:
        """Whether each coordinate is that of 1 - u: the rows, then those on the grid, never."""
        return np.array([flip for _, flip in self.rows] + [0] * len(self.grid), dtype=np.int64)


class Coordinates(NamedTuple):
    """Coordinates of some variables, samples in the last axis.

    Attributes
    ----------
    plain : array of shape (n_rows, d, n)
        The rows of the layout.
    profile : array of shape (n_grid, d, n)
        Coordinates that depend on the second parameter, on its grid.
    profile_term : array of shape (n_grid, d, n)
        The part of the log-density that goes with them.
    grid : array of shape (n_grid,)
        The second parameter.
    constant : array of shape (n_grid,)
        The part of the log-density that it decides alone.
    """

    plain: Floats
    profile: Floats
    profile_term: Floats
    grid: Floats
    constant: Floats


def coordinates(U: Floats, layout: Layout) -> Coordinates:
    """Compute the coordinates of a table of pseudo-observations, shape (n, d).

    Examples
    --------
    >>> from spinney.pairs.copulas.batch import log_u
    >>> layout = Layout(((log_u, False), (log_u, True)), None, ())
    >>> coordinates(np.array([[0.5], [0.1]]), layout).plain.round(2).tolist()
    [[[-0.69, -2.3]], [[-0.69, -0.11]]]
    """
    found = coordinates_of(np.ravel(U, order="F"), layout)
    return lay_out_coordinates(found.reshape(-1, *U.shape[::-1]), layout)


def lay_out_coordinates(found: Floats, layout: Layout) -> Coordinates:
    """Name the parts of what :func:`coordinates_of` found, shape (…, d, n)."""
    rows, grid = len(layout.rows), len(layout.grid)
    parts = found[:rows], found[rows : rows + grid], found[rows + grid :]
    return Coordinates(*parts, np.array(layout.grid), _constants(layout))


def coordinates_of(values: Floats, layout: Layout) -> Floats:
    """Compute the coordinates of a list of numbers: the rows of the layout, then on the grid.

    Behind these stand the parts of the log-density that go with the latter.

    Examples
    --------
    >>> from spinney.pairs.copulas.student import Student
    >>> layout = Layout((), Student.batch.profile, (4.0,))
    >>> coordinates_of(np.array([0.1, 0.9]), layout)[0].round(6).tolist()
    [-1.533206, 1.533206]
    """
    u = np.clip(values, SMALLEST, 1 - SMALLEST)
    rows, grid = len(layout.rows), len(layout.grid)
    found = np.empty((rows + 2 * grid, u.size))
    for k, (coordinate, flip) in enumerate(layout.rows):
        found[k] = coordinate(u, flip)
    if layout.profile is not None and grid:
        z = special.ndtri(np.minimum(u, 1 - u))
        profile = np.sinh(_by_normal_score(layout.profile, layout.grid)(z)).T
        found[rows : rows + grid] = profile * np.where(u > 0.5, -1.0, 1.0)
        seconds = np.array(layout.grid)[:, None]
        found[rows + grid :] = layout.profile.term(found[rows : rows + grid], seconds)
    return found


def coordinates_of_ranks(codes: Ints, layout: Layout) -> Floats:
    """Compute the coordinates of n values by their average ranks, over n + 1.

    Parameters
    ----------
    codes : array of shape (n,)
        Whole numbers in the order of the values, equal where these tie.
    layout : Layout
        What is wanted. Twice a rank is a whole number, so that of short lists it is looked up.
    """
    n, counts = codes.size, np.bincount(codes)
    twice = (2 * np.cumsum(counts) - counts + 1)[codes]
    if n > MOST_LOOKED_UP:
        return coordinates_of(twice / 2.0 / (n + 1.0), layout)
    return np.take(_by_twice_the_rank(n, layout), twice - 2, axis=1)


@lru_cache(maxsize=64)
def _by_twice_the_rank(n: int, layout: Layout) -> Floats:
    return coordinates_of(np.arange(2, 2 * n + 1) / 2.0 / (n + 1.0), layout)


@lru_cache(maxsize=8)
def _constants(layout: Layout) -> Floats:
    constants = () if layout.profile is None else map(layout.profile.constant, layout.grid)
    return np.array([*constants], dtype=float)


@lru_cache(maxsize=8)
def _by_normal_score(profile: Profile, grid: tuple[float, ...]) -> Any:
    """Splines of the inverse hyperbolic sines of the coordinates, by normal score.

    These are smooth where the coordinates themselves grow like powers of 1/u.
    """
    u = special.ndtr(_NODES)
    nodes = np.stack([np.arcsinh(profile.coordinate(u, second)) for second in grid], axis=1)
    return make_interp_spline(_NODES, nodes, k=7)
