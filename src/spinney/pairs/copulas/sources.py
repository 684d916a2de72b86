"""Coordinates of a list of numbers, for pairs that have levels or gaps.

Ranks of m rows take m values, whatever the pair: their coordinates are computed once and looked
up. Coordinates that depend on a second parameter (t quantiles) are interpolated, since they are
wanted at every value of its grid: from a table over normal scores, to some 12 digits.

For the pairs of a column with levels and a continuous one, this is also where the points stand at
which the search looks at the continuous one, in place of all rows (:func:`points_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._core.compile import kernel
from spinney.pairs.copulas._math import exp
from spinney.pairs.copulas.base import SMALLEST
from spinney.pairs.copulas.batch import Profile
from spinney.pairs.copulas.coordinates import Layout

__all__ = ["N_POINTS", "Points", "Source", "grid_tables", "points_of", "source_of"]

Floats = NDArray[np.float64]

N_POINTS = 20
"""Points at which a search looks at a continuous variable."""

_STEP = 1.0 / 32.0
_LOWEST, _HIGHEST = -8.5, 0.75


class Source(NamedTuple):
    """Coordinates of numbers between 0 and 1, in the last axis."""

    plain: Floats  # (n_rows, size): the rows of the layout
    profile: Floats  # (n_grid, size)
    profile_term: Floats  # (n_grid, size)
    grid: Floats  # (n_grid,)
    constant: Floats  # (n_grid,)


class Points(NamedTuple):
    """Points of a continuous variable, and how its values look from there."""

    plain: Floats  # (n_rows, points): coordinates of the points
    profile: Floats  # (n_grid, points)
    weights: Floats  # (size, points): of each point in the polynomial's value at each number


def source_of(values: Floats, layout: Layout, *, terms: bool) -> Source:
    """Compute the coordinates of a list of numbers; the terms of log-densities if wanted.

    Examples
    --------
    >>> from spinney.pairs.copulas.student import Student
    >>> layout = Layout((), Student.batch.profile, (4.0,))
    >>> source_of(np.array([0.1, 0.5]), layout, terms=False).profile.round(6).tolist()
    [[-1.533206, 0.0]]
    """
    values = np.clip(values, SMALLEST, 1 - SMALLEST)
    plain = np.empty((len(layout.rows), values.size))
    for k, (coordinate, flip) in enumerate(layout.rows):
        plain[k] = coordinate(values, flip)
    grid = np.array(layout.grid, dtype=float)
    profile = np.empty((grid.size, values.size))
    term = np.empty_like(profile) if terms else np.empty((grid.size, 0))
    constant = np.zeros(grid.size)
    if layout.profile is not None and grid.size:
        upper = values > 0.5
        z = np.asarray(special.ndtri(np.where(upper, 1 - values, values)))
        table = _by_normal_score(layout.profile, layout.grid)
        _interpolate(table, z, np.where(upper, -1.0, 1.0), profile)
        for k, second in enumerate(layout.grid if terms else ()):
            term[k] = layout.profile.term(profile[k], second)
            constant[k] = layout.profile.constant(second)
    return Source(plain, profile, term, grid, constant)


def grid_tables(layout: Layout) -> Floats:
    """Tables that kernels of strips need at each value of the second parameter, (n_grid, size)."""
    if layout.profile is None or layout.profile.table is None or not layout.grid:
        return np.empty((len(layout.grid), 0))
    table = layout.profile.table
    return np.stack([np.asarray(table(second), dtype=float) for second in layout.grid])


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
    z = reach * np.cos(angles) / np.cos(angles[0])  # the outermost points stand at the ends
    barycentric = (-1.0) ** np.arange(count) * np.sin(angles)
    distance = np.asarray(special.ndtri(np.clip(values, SMALLEST, 1 - SMALLEST)))[:, None] - z
    hit = np.abs(distance) < 1e-13
    share = barycentric / np.where(hit, 1.0, distance)
    share = np.where(hit.any(axis=1, keepdims=True), hit.astype(float), share)
    at_points = source_of(np.asarray(special.ndtr(z)), layout, terms=False)
    weights = share / share.sum(axis=1, keepdims=True)
    return Points(at_points.plain, at_points.profile, np.ascontiguousarray(weights))
