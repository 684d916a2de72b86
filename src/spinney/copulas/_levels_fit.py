"""Log-likelihoods of pairs with levels, compiled: what one candidate makes of one pair.

A pair of columns with levels has a log-likelihood that is a sum over cells, each with the number of
rows that it holds: rows are counted once, by fold, and never seen again. A column with levels and a
continuous one have a sum over rows of a smooth function of the continuous one, one function per
level; by interpolation it is a sum over a few points and all levels, with weights in the place of
counts. Both are *tables*, and searched alike. (The log-likelihood that is reported, and what is
held out, is summed over the rows themselves.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel, merged, reduction
from spinney.copulas._call import call_cells, call_strip
from spinney.copulas._gaps import PairRows
from spinney.copulas.sources import Points, Source

__all__ = [
    "CELLS",
    "POINTS",
    "ROWS",
    "Given",
    "Kernels",
    "View",
    "fold_sums",
    "log_probabilities",
    "look",
    "new_view",
    "weigh",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

CELLS, POINTS, ROWS = range(3)

_FLOOR = -700.0
"""Stands for the logarithm of nothing: perfect dependence leaves cells without probability."""


class Kernels(NamedTuple):
    """What candidates do with levels, one entry per candidate."""

    strip: Ints  # addresses of the kernels
    cells: Ints
    mirrors: Bools  # (layout rows,): whether a coordinate is that of 1 - u
    tables: Floats  # (n_grid, …) for strips, by the second parameter


class Given(NamedTuple):
    """What the pairs of a block are made of."""

    pairs: PairRows
    source: Source  # of continuous values
    points: Points  # where searches look at continuous variables
    levels: Source  # of all thresholds, (…, pairs * 2 * (most levels - 1))


class View(NamedTuple):
    """Memory for one pair: its rows as one candidate sees them, mirrored where it mirrors."""

    counts: Floats  # (folds, most): rows by cell, or weights by point and level
    weights: Floats  # (folds, most): the same in the candidate's order
    log_masses: Floats  # (folds,) sums over the rows of each fold
    a: Floats  # (most levels,) thresholds of u, or of the only side with levels
    b: Floats  # (most levels,)
    x: Floats  # their coordinates
    y: Floats
    at: Floats  # (most,) coordinates of points, each as often as there are levels
    codes: Ints  # (most,)
    row_at: Floats  # (n,) coordinates of continuous values
    row_codes: Ints  # (n,)
    out: Floats  # (max of most and n,)


def new_view(n: int, n_folds: int, most_levels: int, n_points: int) -> View:
    """Make room for the pairs of a block."""
    most = most_levels * max(most_levels, n_points)
    return View(
        counts=np.empty((n_folds, most)),
        weights=np.empty((n_folds, most)),
        log_masses=np.empty(n_folds),
        a=np.empty(most_levels),
        b=np.empty(most_levels),
        x=np.empty(most_levels),
        y=np.empty(most_levels),
        at=np.empty(most),
        codes=np.empty(most, dtype=np.int64),
        row_at=np.empty(n),
        row_codes=np.empty(n, dtype=np.int64),
        out=np.empty(max(most, n)),
    )


@kernel
def weigh(given: Given, pair: int, view: View) -> int:
    """Count the rows of a pair by fold, or weigh its points; return how it is best searched."""
    pairs = given.pairs
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    folds, n_points = pairs.folds[pair], given.points.weights.shape[1]
    first, second = pairs.entries[pair, 0], pairs.entries[pair, 1]
    strip = n_u == 0 or n_v == 0
    n_levels = n_u + n_v
    # With so few rows the rows themselves are the smaller sum.
    by_rows = strip and pairs.size[pair] <= n_points * n_levels
    for fold in range(folds.size - 1):
        mass, counts = 0.0, view.counts[fold]
        if not by_rows:
            counts[: n_points * n_levels if strip else n_u * n_v] = 0.0
        for k in range(folds[fold], folds[fold + 1]):
            if not strip:
                counts[first[k] * n_v + second[k]] += 1.0
                mass += pairs.log_masses[pair, 0, first[k]] + pairs.log_masses[pair, 1, second[k]]
            else:
                level = first[k] if n_u > 0 else second[k]
                mass += pairs.log_masses[pair, 0 if n_u > 0 else 1, level]
                if not by_rows:
                    place = second[k] if n_u > 0 else first[k]
                    for q in range(n_points):
                        counts[level * n_points + q] += given.points.weights[place, q]
        view.log_masses[fold] = mass
    if strip:
        return ROWS if by_rows else POINTS
    return CELLS


@kernel
def look(
    given: Given, pair: int, mode: int, row_u: int, row_v: int, second: int, mirrors: Bools,
    view: View,
) -> None:  # fmt: skip
    """See a pair as a candidate does, whose coordinates are those rows of the layout.

    With ``second >= 0`` they are those of the second parameter at that place of its grid, and not
    mirrored.
    """
    pairs = given.pairs
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    if mode == CELLS:
        flip_u = _thresholds(given, pair, 0, row_u, second, mirrors, view.a, view.x)
        flip_v = _thresholds(given, pair, 1, row_v, second, mirrors, view.b, view.y)
        for fold in range(view.counts.shape[0]):
            counts, weights = view.counts[fold], view.weights[fold]
            for i in range(n_u):
                to = n_u - 1 - i if flip_u else i
                for j in range(n_v):
                    weights[to * n_v + (n_v - 1 - j if flip_v else j)] = counts[i * n_v + j]
        return
    side = 0 if n_u > 0 else 1
    row, other = (row_u, row_v) if side == 0 else (row_v, row_u)
    n_levels = n_u + n_v
    flip = _thresholds(given, pair, side, row, second, mirrors, view.a, view.x)
    if mode == ROWS:
        at = given.source.profile[second] if second >= 0 else given.source.plain[other]
        levels, places = pairs.entries[pair, side], pairs.entries[pair, 1 - side]
        for k in range(pairs.size[pair]):
            view.row_at[k] = at[places[k]]
            view.row_codes[k] = n_levels - 1 - levels[k] if flip else levels[k]
        return
    at = given.points.profile[second] if second >= 0 else given.points.plain[other]
    for level in range(n_levels):
        for q in range(at.size):
            view.at[level * at.size + q] = at[q]
            view.codes[level * at.size + q] = n_levels - 1 - level if flip else level
    for fold in range(view.counts.shape[0]):
        for q in range(n_levels * at.size):
            view.weights[fold, q] = view.counts[fold, q]


@merged
def _thresholds(
    given: Given, pair: int, side: int, row: int, second: int, mirrors: Bools, a: Floats, x: Floats
) -> bool:
    """Thresholds of a side and their coordinates, both rising in the mirrored variable."""
    room = given.pairs.thresholds.shape[2]
    count, begin = given.pairs.n_levels[pair, side] - 1, (2 * pair + side) * room
    flip = second < 0 and mirrors[row]
    for k in range(count):
        to = count - 1 - k if flip else k
        plain = given.pairs.thresholds[pair, side, k]
        a[to] = 1.0 - plain if flip else plain
        if second >= 0:
            x[to] = given.levels.profile[second, begin + k]
        else:
            x[to] = given.levels.plain[row, begin + k]
    return flip


@kernel
def log_probabilities(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, theta: float, second: int,
    start: int, stop: int, view: View,
) -> None:  # fmt: skip
    """Fill ``view.out``: of all cells, of all points and levels, or of a range of rows."""
    n_u, n_v = given.pairs.n_levels[pair, 0], given.pairs.n_levels[pair, 1]
    value = given.source.grid[second] if second >= 0 else 0.0
    if mode == CELLS:
        size = n_u * n_v
        call_cells(
            kernels.cells[c], view.a[: n_u - 1], view.b[: n_v - 1], view.x[: n_u - 1],
            view.y[: n_v - 1], theta, value, view.out[:size],
        )  # fmt: skip
        start, stop = size - size, size
    else:
        table = kernels.tables[second] if second >= 0 else view.out[:0]
        thresholds = view.x[: n_u + n_v - 1]
        if mode == POINTS:
            stop = (n_u + n_v) * given.points.weights.shape[1]
            start = stop - stop
            at, codes = view.at[start:stop], view.codes[start:stop]
        else:
            at, codes = view.row_at[start:stop], view.row_codes[start:stop]
        call_strip(
            kernels.strip[c], at, thresholds, codes, theta, value, table, view.out[start:stop]
        )
    for k in range(start, stop):
        if not view.out[k] > _FLOOR:
            view.out[k] = _FLOOR


@kernel
def fold_sums(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, theta: float, second: int,
    view: View, sums: Floats,
) -> float:  # fmt: skip
    """Log-likelihood of each fold, and of all."""
    folds = given.pairs.folds[pair]
    total = 0.0
    log_probabilities(
        given, pair, mode, kernels, c, theta, second, folds[0], folds[folds.size - 1], view
    )
    for fold in range(folds.size - 1):
        if mode == ROWS:
            value = _sum(view.out, folds[fold], folds[fold + 1])
        else:
            n_u, n_v = given.pairs.n_levels[pair, 0], given.pairs.n_levels[pair, 1]
            size = n_u * n_v if mode == CELLS else (n_u + n_v) * given.points.weights.shape[1]
            value = _product(view.weights[fold], view.out, size)
        sums[fold] = value - view.log_masses[fold]
        total += sums[fold]
    return total


@reduction
def _sum(values: Floats, start: int, stop: int) -> float:
    result = 0.0
    for k in range(start, stop):
        result += values[k]
    return result


@reduction
def _product(weights: Floats, values: Floats, size: int) -> float:
    result = 0.0
    for k in range(size):
        result += weights[k] * values[k]
    return result
