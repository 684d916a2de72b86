"""What the families need of one variable alone, computed once per variable.

Logarithms, normal scores, t quantiles on a grid of degrees of freedom: whatever the chosen
families work on. Ranks of n rows take only n values, so coordinates are computed for distinct
values and looked up.

Pairs with levels or gaps have ranks and thresholds of their own, and look them up in a list of
numbers (:func:`coordinates_of_numbers`). There the coordinates that depend on a second parameter
(t quantiles) are interpolated, since they are wanted at every value of its grid: from a table over
normal scores, to some 12 digits. Beside a column with levels, the search evaluates a continuous one
at a few points instead of all rows (:func:`points_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from spinney._core.arrays import Floats
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import exp
from spinney.pairs.copulas.batch import Coordinate, Profile
from spinney.pairs.copulas.rectangles import SMALLEST

N_POINTS = 20
"""Points at which a search evaluates a continuous variable."""

_STEP = 1.0 / 32.0
_LOWEST, _HIGHEST = -8.5, 0.75


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
    """Coordinates of some variables, samples in the last axis; of a list of numbers without d.

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
    """Values that all columns of a table share, ascending, and their coordinates."""

    values: Floats
    found: Coordinates


class Points(NamedTuple):
    """Points of a continuous variable, and how its values look from there."""

    plain: Floats  # (n_rows, points): coordinates of the points
    profile: Floats  # (n_grid, points)
    weights: Floats  # (size, points): of each point in the polynomial's value at each number


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
    return Lookup(values, _exact(values, layout))


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
    if known is None:
        values, codes = np.unique(u, return_inverse=True)
        if values.size > u.size // 2:  # not ranks: nothing is gained by looking values up
            return _exact(u, layout)
        known, codes = Lookup(values, _exact(values, layout)), codes.reshape(u.shape)
    else:
        codes = np.searchsorted(known.values, u)
    of = known.found

    def taken(table: Floats) -> Floats:
        whole = np.empty((len(table), *u.shape))
        for k in range(len(table)):
            np.take(table[k], codes, out=whole[k])
        return whole

    return of._replace(
        plain=taken(of.plain), profile=taken(of.profile), profile_term=taken(of.profile_term)
    )


def _exact(u: Floats, layout: Layout) -> Coordinates:
    """Compute the coordinates of numbers, one by one."""
    room = _new_coordinates(layout, u.shape)
    for k, (coordinate, flip) in enumerate(layout.rows):
        room.plain[k] = coordinate(u, flip)
    if layout.profile is not None:
        for k, second in enumerate(layout.grid):
            room.profile[k] = layout.profile.coordinate(u, second)
            room.profile_term[k] = layout.profile.term(room.profile[k], second)
            room.constant[k] = layout.profile.constant(second)
    return room


def _new_coordinates(layout: Layout, shape: tuple[int, ...]) -> Coordinates:
    """Make room for coordinates."""
    n_grid = len(layout.grid)
    profile, term = (np.empty((n_grid, *shape)) for _ in range(2))
    grid, plain = np.array(layout.grid, dtype=float), np.empty((len(layout.rows), *shape))
    return Coordinates(plain, profile, term, grid, np.zeros(n_grid))


def coordinates_of_numbers(values: Floats, layout: Layout, *, terms: bool) -> Coordinates:
    """Compute the coordinates of a list of numbers; the terms of log-densities if wanted.

    Examples
    --------
    >>> from spinney.pairs.copulas.student import Student
    >>> layout = Layout((), Student.batch.profile, (4.0,))
    >>> found = coordinates_of_numbers(np.array([0.1, 0.5]), layout, terms=False)
    >>> found.profile.round(6).tolist()
    [[-1.533206, 0.0]]
    """
    values = np.clip(values, SMALLEST, 1 - SMALLEST)
    room = _new_coordinates(layout, values.shape)
    for k, (coordinate, flip) in enumerate(layout.rows):
        room.plain[k] = coordinate(values, flip)
    if layout.profile is not None and layout.grid:
        upper = values > 0.5
        z = np.asarray(special.ndtri(np.where(upper, 1 - values, values)))
        table = _by_normal_score(layout.profile, layout.grid)
        _interpolate(table, z, np.where(upper, -1.0, 1.0), room.profile)
        for k, second in enumerate(layout.grid if terms else ()):
            room.profile_term[k] = layout.profile.term(room.profile[k], second)
            room.constant[k] = layout.profile.constant(second)
    return room


@lru_cache(maxsize=8)
def _by_normal_score(profile: Profile, grid: Sequence[float]) -> Floats:
    """Inverse hyperbolic sines of the coordinates by normal score, (n_grid, nodes).

    They are smooth where the coordinates themselves grow like powers of 1/u. The upper half mirrors
    the lower one: such a family has its sign in its first parameter.
    """
    u = special.ndtr(np.arange(_LOWEST, _HIGHEST + _STEP / 2, _STEP))
    return np.stack([np.arcsinh(profile.coordinate(u, second)) for second in grid])


@kernel
def _interpolate(table: Floats, z: Floats, sign: Floats, out: Floats) -> None:
    """Polynomials of degree seven through the eight nearest nodes, then the hyperbolic sine."""
    weights = np.empty(8)
    for s in range(z.size):
        place = (z[s] - _LOWEST) / _STEP
        first = min(max(int(place) - 3, 0), table.shape[1] - 8)
        t = place - first
        for a in range(8):
            weight = 1.0
            for b in range(8):
                if b != a:
                    weight *= (t - b) / (a - b)
            weights[a] = weight
        for k in range(table.shape[0]):
            total = 0.0
            for a in range(8):
                total += weights[a] * table[k, first + a]
            out[k, s] = total
    for k in range(out.shape[0]):
        row = out[k]
        for s in range(row.size):
            grown = exp(row[s])
            row[s] = sign[s] * 0.5 * (grown - 1.0 / grown)


def points_of(values: Floats, reach: float, layout: Layout, count: int = N_POINTS) -> Points:
    r"""Chebyshev points of the normal scores in ``[-reach, reach]``, and Lagrange's weights.

    A smooth function f of the normal score z is, at the numbers `values`, close to
    ``weights @ f(points)``: the sum of a log-likelihood over many rows is one over few points.

    References
    ----------
    .. [1] J.-P. Berrut and L. N. Trefethen (2004). Barycentric Lagrange interpolation. SIAM
       Review 46.

    Examples
    --------
    >>> from scipy.special import ndtri
    >>> weights = points_of(np.array([0.3, 0.9]), 2.0, Layout((), None, ()), count=3).weights
    >>> z = np.array([2.0, 0.0, -2.0])
    >>> np.allclose(weights @ z**2, ndtri([0.3, 0.9]) ** 2)
    True
    """
    angles = np.pi * (np.arange(count) + 0.5) / count
    z = reach * np.cos(angles) / np.cos(angles[0])  # the outermost points are at the ends
    barycentric = (-1.0) ** np.arange(count) * np.sin(angles)
    distance = np.asarray(special.ndtri(np.clip(values, SMALLEST, 1 - SMALLEST)))[:, None] - z
    hit = np.abs(distance) < 1e-13
    share = barycentric / np.where(hit, 1.0, distance)
    share = np.where(hit.any(axis=1, keepdims=True), hit.astype(float), share)
    at_points = coordinates_of_numbers(np.asarray(special.ndtr(z)), layout, terms=False)
    weights = share / share.sum(axis=1, keepdims=True)
    return Points(at_points.plain, at_points.profile, np.ascontiguousarray(weights))
