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

from spinney._core.compile import kernel, reduction
from spinney.pairs.copulas._call import call_cells, call_strip
from spinney.pairs.copulas._gaps import PairRows
from spinney.pairs.copulas._search import total
from spinney.pairs.copulas.sources import Points, Source

__all__ = [
    "CELLS",
    "POINTS",
    "ROWS",
    "Given",
    "Kernels",
    "View",
    "evaluate",
    "fold_sums",
    "look",
    "new_view",
    "weigh",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

CELLS, POINTS, ROWS = range(3)

PRIOR_ROWS = 1.0
"""Rows that a search adds to a table of cells, spread over it as if the columns were independent.

Else a cell without rows would drive the parameter to perfect dependence, also where it is empty
only because all its rows are in the fold that is held out: these would then be impossible, and the
strongest pairs of yes/no columns be taken for independent. Likelihoods and what is held out are
those of the rows alone."""

_FLOOR = -700.0
"""Stands for the logarithm of nothing: perfect dependence leaves cells without probability."""


class Kernels(NamedTuple):
    """What candidates do with levels, one entry per candidate."""

    strip: Ints  # addresses of the kernels
    cells: Ints
    mirrors: Bools  # (layout rows,): whether a coordinate is that of 1 - u
    tables: Floats  # (n_grid, …) for strips, by the second parameter
    scale: Floats  # (candidates, 2) on which the parameter is searched


class Given(NamedTuple):
    """What the pairs of a block are made of."""

    pairs: PairRows
    source: Source  # of continuous values
    points: Points  # where searches look at continuous variables
    levels: Source  # of all thresholds, (…, pairs * 2 * (most levels - 1))


class View(NamedTuple):
    """Memory for one pair: its rows as one candidate sees them, mirrored where it mirrors."""

    shape: Ints  # (6,): what is summed, levels of u and of v, terms, second parameter, address
    folds: Ints  # (folds + 1,) where they begin among the rows
    counts: Floats  # (folds + 1, most): rows by cell, or weights by point and level; prior rows
    weights: Floats  # (folds + 1, most): the same in the candidate's order
    log_masses: Floats  # (folds + 1,) sums over the rows of each fold, and the prior rows
    a: Floats  # (most levels,) thresholds of u, or of the only side with levels
    b: Floats  # (most levels,)
    x: Floats  # their coordinates
    y: Floats
    at: Floats  # (terms,) coordinates of points or rows
    codes: Ints  # (terms,) levels beside them
    out: Floats  # (terms,)
    grid: Floats  # (n_grid,) values of the second parameter
    tables: Floats  # (n_grid, …) for strips


def new_view(n: int, n_folds: int, most_levels: int, given: Given, kernels: Kernels) -> View:
    """Make room for the pairs of a block."""
    most = most_levels * max(most_levels, given.points.weights.shape[1])
    return View(
        shape=np.zeros(6, dtype=np.int64),
        folds=np.zeros(n_folds + 1, dtype=np.int64),
        counts=np.zeros((n_folds + 1, most)),
        weights=np.zeros((n_folds + 1, most)),
        log_masses=np.zeros(n_folds + 1),
        a=np.empty(most_levels),
        b=np.empty(most_levels),
        x=np.empty(most_levels),
        y=np.empty(most_levels),
        at=np.empty(max(most, n)),
        codes=np.empty(max(most, n), dtype=np.int64),
        out=np.empty(max(most, n)),
        grid=given.source.grid,
        tables=kernels.tables,
    )


@kernel
def weigh(given: Given, pair: int, view: View) -> int:
    """Count the rows of a pair by fold, or weigh its points; return how it is best searched.

    Cells also get their prior rows, as if these were one more fold.
    """
    pairs, weights = given.pairs, given.points.weights
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    first, second = pairs.entries[pair, 0], pairs.entries[pair, 1]
    strip, n_levels, n_points = n_u == 0 or n_v == 0, n_u + n_v, weights.shape[1]
    side = 0 if n_u > 0 else 1
    # With so few rows the rows themselves are the smaller sum.
    by_rows = strip and pairs.size[pair] <= n_points * n_levels
    view.folds[:] = pairs.folds[pair]
    view.counts[:] = 0.0
    for fold in range(view.folds.size - 1):
        mass, counts = 0.0, view.counts[fold]
        for k in range(view.folds[fold], view.folds[fold + 1]):
            if not strip:
                counts[first[k] * n_v + second[k]] += 1.0
                mass += pairs.log_masses[pair, 0, first[k]] + pairs.log_masses[pair, 1, second[k]]
            else:
                level = first[k] if n_u > 0 else second[k]
                mass += pairs.log_masses[pair, side, level]
                if not by_rows:
                    place = second[k] if n_u > 0 else first[k]
                    for q in range(n_points):
                        counts[level * n_points + q] += weights[place, q]
        view.log_masses[fold] = mass
    prior = view.folds.size - 1
    view.log_masses[prior] = 0.0
    if strip:
        return ROWS if by_rows else POINTS
    for i in range(n_u):
        for j in range(n_v):
            log_mass = pairs.log_masses[pair, 0, i] + pairs.log_masses[pair, 1, j]
            rows = PRIOR_ROWS * np.exp(log_mass)
            view.counts[prior, i * n_v + j] = rows
            view.log_masses[prior] += rows * log_mass
    return CELLS


@kernel
def look(
    given: Given, pair: int, mode: int, row_u: int, row_v: int, second: int, kernels: Kernels,
    c: int, view: View,
) -> None:  # fmt: skip
    """See a pair as a candidate does, whose coordinates are those rows of the layout.

    With ``second >= 0`` they are those of the second parameter at that place of its grid, and not
    mirrored.
    """
    pairs = given.pairs
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    room, n_levels = pairs.thresholds.shape[2], n_u + n_v
    side = 0 if n_u > 0 else 1
    row = row_u if n_u > 0 else row_v
    other = row_v if n_u > 0 else row_u
    flip = second < 0 and kernels.mirrors[row]
    flip_v = second < 0 and kernels.mirrors[row_v]
    known = given.levels.profile[second] if second >= 0 else given.levels.plain[row]
    begin = (2 * pair + side) * room
    count = pairs.n_levels[pair, side] - 1
    _thresholds(pairs.thresholds[pair, side], known, begin, count, flip, view.a, view.x)
    if mode == CELLS:
        known = given.levels.profile[second] if second >= 0 else given.levels.plain[row_v]
        _thresholds(pairs.thresholds[pair, 1], known, begin + room, n_v - 1, flip_v, view.b, view.y)
        for i in range(n_u):
            to = n_u - 1 - i if flip else i
            for j in range(n_v):
                cell = to * n_v + (n_v - 1 - j if flip_v else j)
                for fold in range(view.counts.shape[0]):
                    view.weights[fold, cell] = view.counts[fold, i * n_v + j]
        terms = n_u * n_v
    elif mode == ROWS:
        known = given.source.profile[second] if second >= 0 else given.source.plain[other]
        terms = pairs.size[pair]
        for k in range(terms):
            level = pairs.entries[pair, side, k]
            view.at[k] = known[pairs.entries[pair, 1 - side, k]]
            view.codes[k] = n_levels - 1 - level if flip else level
    else:
        known = given.points.profile[second] if second >= 0 else given.points.plain[other]
        terms = n_levels * known.size
        for level in range(n_levels):
            for q in range(known.size):
                view.at[level * known.size + q] = known[q]
                view.codes[level * known.size + q] = n_levels - 1 - level if flip else level
        for fold in range(view.counts.shape[0]):
            for k in range(terms):
                view.weights[fold, k] = view.counts[fold, k]
    view.shape[0], view.shape[1], view.shape[2] = mode, n_u, n_v
    view.shape[3], view.shape[4] = terms, second
    view.shape[5] = kernels.cells[c] if mode == CELLS else kernels.strip[c]


@kernel
def _thresholds(
    thresholds: Floats, known: Floats, begin: int, count: int, flip: bool, a: Floats, x: Floats
) -> None:
    """Thresholds of a side and their coordinates, both rising in the mirrored variable."""
    for k in range(count):
        to = count - 1 - k if flip else k
        a[to] = 1.0 - thresholds[k] if flip else thresholds[k]
        x[to] = known[begin + k]


@kernel
def evaluate(view: View, theta: float, start: int, stop: int) -> None:
    """Log-probabilities of what is in view into ``view.out``; of a range, unless it is cells."""
    mode, n_u, n_v, second = view.shape[0], view.shape[1], view.shape[2], view.shape[4]
    value = view.grid[second] if second >= 0 else 0.0
    if mode == CELLS:
        call_cells(
            view.shape[5], view.a[: n_u - 1], view.b[: n_v - 1], view.x[: n_u - 1],
            view.y[: n_v - 1], theta, value, view.out[: n_u * n_v],
        )  # fmt: skip
    else:
        table = view.tables[second] if second >= 0 else view.out[:0]
        call_strip(
            view.shape[5], view.at[start:stop], view.x[: n_u + n_v - 1], view.codes[start:stop],
            theta, value, table, view.out[start:stop],
        )  # fmt: skip
    for k in range(start, stop):
        if not view.out[k] > _FLOOR:
            view.out[k] = _FLOOR


@kernel
def fold_sums(view: View, theta: float, sums: Floats) -> float:
    """Log-likelihood of each fold of what is in view, of the prior rows, and of all."""
    terms, whole = view.shape[3], 0.0
    evaluate(view, theta, terms - terms, terms)
    for fold in range(sums.size):
        if view.shape[0] == ROWS:
            last = min(fold + 1, view.folds.size - 1)  # there are no prior rows
            value = total(view.out, view.folds[fold], view.folds[last])
        else:
            value = _product(view.weights[fold], view.out, terms)
        sums[fold] = value - view.log_masses[fold]
        whole += sums[fold]
    return whole


@reduction
def _product(weights: Floats, values: Floats, size: int) -> float:
    result = 0.0
    for k in range(size):
        result += weights[k] * values[k]
    return result
