"""What the families need of one variable alone, computed once per variable.

Logarithms, normal scores, t quantiles on a grid of degrees of freedom: whatever the families that
are asked for work on. Ranks of n rows take only n values, so a coordinate is computed for distinct
values and looked up, rather than computed for every entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas.base import SMALLEST
from spinney.pairs.copulas.batch import Coordinate, Profile

__all__ = ["Coordinates", "Layout", "Lookup", "coordinates", "look_up"]

Floats = NDArray[np.float64]


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


class Lookup(NamedTuple):
    """Coordinates of the values that all columns of a table share, in the last axis.

    Attributes
    ----------
    values : array
        The values, ascending.
    found : Coordinates
        Of them, as of a table with one column.
    """

    values: Floats
    found: Coordinates


def look_up(U: Floats, layout: Layout) -> Lookup | None:
    """Compute coordinates once for all columns; None if these do not share their values.

    Examples
    --------
    >>> from spinney.pairs.copulas.batch import log_u
    >>> layout = Layout(((log_u, False),), None, ())
    >>> look_up(np.array([[0.25, 0.5], [0.5, 0.25]]), layout).values
    array([0.25, 0.5 ])
    >>> look_up(np.array([[0.25, 0.3], [0.5, 0.6], [0.7, 0.8], [0.1, 0.9]]), layout) is None
    True
    """
    values: Floats = np.empty(0)
    for column in U.T:
        column = np.clip(column, SMALLEST, 1 - SMALLEST)
        place = np.searchsorted(values, column)
        if not values.size or (values[np.minimum(place, values.size - 1)] != column).any():
            values = np.union1d(values, column)
        if values.size > len(U) + len(U) // 2:
            return None
    return Lookup(values, coordinates(values[:, None], layout))


def coordinates(U: Floats, layout: Layout, known: Lookup | None = None) -> Coordinates:
    """Compute the coordinates of a table of pseudo-observations, shape (n, d).

    Where they are `known` of all values, they are looked up.

    Examples
    --------
    >>> from spinney.pairs.copulas.batch import log_u
    >>> layout = Layout(((log_u, False), (log_u, True)), None, ())
    >>> coordinates(np.array([[0.5], [0.1]]), layout).plain.round(2).tolist()
    [[[-0.69, -2.3]], [[-0.69, -0.11]]]
    """
    u = np.clip(np.ascontiguousarray(U.T), SMALLEST, 1 - SMALLEST)
    if known is not None:
        return _looked_up(u, known)
    values, codes = np.unique(u, return_inverse=True)
    shared = values.size <= u.size // 2  # ranks: look values up; else compute them in place
    source = values if shared else u.ravel()

    def spread(table: Floats) -> Floats:
        return table[codes.reshape(u.shape)] if shared else table.reshape(u.shape)

    plain = np.empty((len(layout.rows), *u.shape))
    for k, (coordinate, flip) in enumerate(layout.rows):
        plain[k] = spread(coordinate(source, flip))
    profile = np.empty((len(layout.grid), *u.shape))
    profile_term = np.empty_like(profile)
    constant = np.empty(len(layout.grid))
    if layout.profile is not None:
        for k, second in enumerate(layout.grid):
            x = layout.profile.coordinate(source, second)
            profile[k] = spread(x)
            profile_term[k] = spread(layout.profile.term(x, second))
            constant[k] = layout.profile.constant(second)
    return Coordinates(plain, profile, profile_term, np.array(layout.grid, dtype=float), constant)


def _looked_up(u: Floats, known: Lookup) -> Coordinates:
    codes = np.searchsorted(known.values, u)

    def spread(table: Floats) -> Floats:
        whole = np.empty((len(table), *u.shape))
        for k in range(len(table)):
            np.take(table[k, 0], codes, out=whole[k])
        return whole

    of = known.found
    profile, term = spread(of.profile), spread(of.profile_term)
    return Coordinates(spread(of.plain), profile, term, of.grid, of.constant)
