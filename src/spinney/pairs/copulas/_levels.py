"""Pairs with levels or gaps: their common rows, their own margins, and their log-likelihoods.

Pairs without gaps keep the margins of the table. A pair with gaps is fitted on its common
rows as if they were the whole table: continuous values are ranked again among them (average ranks
for ties), and levels have the shares that they have there, those that do not occur left out.
Continuous values are positions in a list of numbers whose coordinates are known
(:func:`~spinney.pairs.copulas.coordinates.coordinates_of_numbers`), levels are codes.

A pair of columns with levels has a log-likelihood that is a sum over cells, each with the number of
rows that it holds: rows are counted once, by fold. A column with levels and a
continuous one have a sum over rows of a smooth function of the continuous one, one function per
level; by interpolation it is a sum over a few points and all levels, with weights instead of
counts. Both are *tables*, and searched alike. (The log-likelihood that is reported, and what is
held out, is summed over the rows themselves.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel, merged, reduction
from spinney.pairs.copulas.addresses import call_cells, call_strip
from spinney.pairs.copulas.coordinates import (
    Coordinates,
    Layout,
    Points,
    coordinates_of_numbers,
    points_of,
)
from spinney.pairs.copulas.search import total

CELLS, POINTS, ROWS = range(3)

PRIOR_ROWS = 1.0
"""Rows that a search adds to a table of cells, spread over it as if the columns were independent.

Otherwise a cell without rows would drive the parameter to perfect dependence, even if it is empty
only because its rows are all held out: these would then be impossible, and the strongest pairs of
yes/no columns would be taken for independent. Reported and held-out likelihoods are those of the
rows alone."""

_FLOOR = -700.0
"""Replaces log 0: perfect dependence leaves cells without probability."""


class RankedColumns(NamedTuple):
    """A table whose pairs have rows and margins of their own; its rows are sorted by fold."""

    u: Floats  # (d, n)
    codes: Ints  # (d, n)
    present: Bools  # (d, n)
    order: Ints  # (d, n) rows by rising u, missing ones last
    n_levels: Ints  # (d,) zero where a column is continuous
    masses: Floats  # (d, most levels)
    folds: Ints  # where each fold begins, and where the last ends
    own_margins: bool  # of pairs with gaps: those of their own rows, or those of the table
    ranks_per_row: int  # 2 if there are ties, which have half ranks; otherwise 1
    reach: float  # largest normal score of all continuous values

    def gather(self, first: Ints, second: Ints, sizes: Ints, layout: Layout) -> PairBlock:
        """Find rows, margins and coordinates of some pairs, which have `sizes` common rows."""
        n = self.u.shape[1]
        continuous = self.n_levels == 0
        own = self.own_margins & (sizes < n)
        sides = np.stack([first, second])
        used = np.unique(sides[:, ~own])
        used = used[continuous[used]]
        values, inverse = np.unique(self.u[used], return_inverse=True)
        places = np.zeros(self.u.shape, dtype=np.int64)
        places[used] = inverse.reshape(used.size, n)
        lists, begin = [np.where(np.isnan(values), 0.5, values)], values.size
        rank_places = np.zeros(n + 1, dtype=np.int64)
        for m in np.unique(sizes[own & continuous[sides].any(axis=0)]):
            step = 1.0 / self.ranks_per_row
            lists.append(np.arange(1.0, m + step / 2, step) / (m + 1.0))
            rank_places[m] = begin
            begin += lists[-1].size
        values = np.concatenate(lists)
        most_levels = max(int(self.n_levels[sides].max(initial=1)), 1)
        pairs = _new_rows(first.size, n, self.folds.size - 1, most_levels)
        _gather(self, first, second, places, rank_places, pairs)
        plain = pairs.n_levels == 0
        terms = bool(plain.all(axis=1).any())
        source = coordinates_of_numbers(values, layout, terms=terms)
        # Points are for a continuous column beside one with levels.
        mixed = (plain[:, 0] != plain[:, 1]).any()
        points = points_of(values if mixed else values[:0], self.reach, layout)
        levels = coordinates_of_numbers(pairs.thresholds.ravel(), layout, terms=False)
        return PairBlock(pairs, source, points, levels)


class PairRows(NamedTuple):
    """What a block of pairs is fitted to, one entry per pair; sides are u and v."""

    size: Ints  # (pairs,) number of common rows
    rows: Ints  # (pairs, n) which they are
    folds: Ints  # (pairs, folds + 1) where each fold begins among them
    entries: Ints  # (pairs, 2, n) codes of levels, or positions of continuous values
    n_levels: Ints  # (pairs, 2) zero where a side is continuous
    thresholds: Floats  # (pairs, 2, most levels - 1) between the levels; 0.5 where there is none
    log_masses: Floats  # (pairs, 2, most levels)


class PairBlock(NamedTuple):
    """What the pairs of a block are made of."""

    pairs: PairRows
    source: Coordinates  # of continuous values
    points: Points  # at which searches evaluate continuous variables
    levels: Coordinates  # of all thresholds, (…, pairs * 2 * (most levels - 1))


def _new_rows(pairs: int, n: int, n_folds: int, most_levels: int) -> PairRows:
    """Make room for the rows of a block of pairs."""
    return PairRows(
        size=np.zeros(pairs, dtype=np.int64),
        rows=np.zeros((pairs, n), dtype=np.int64),
        folds=np.zeros((pairs, n_folds + 1), dtype=np.int64),
        entries=np.zeros((pairs, 2, n), dtype=np.int64),
        n_levels=np.zeros((pairs, 2), dtype=np.int64),
        thresholds=np.full((pairs, 2, max(most_levels - 1, 0)), 0.5),
        log_masses=np.zeros((pairs, 2, most_levels)),
    )


@kernel
def _gather(
    columns: RankedColumns,
    first: Ints,
    second: Ints,
    places: Ints,
    rank_places: Ints,
    out: PairRows,
) -> None:
    """Find the common rows of the pairs (first[p], second[p]), and their entries.

    Parameters
    ----------
    places : array of shape (d, n)
        Position of each continuous value in the list of numbers.
    rank_places : array of shape (n + 1,)
        Where the ranks of m rows begin in that list, by m.
    """
    folds = columns.folds
    n = columns.u.shape[1]
    among = np.empty(n, dtype=np.int64)
    for pair in range(first.size):
        m = first[pair] - first[pair]
        rows = out.rows[pair]
        for fold in range(folds.size - 1):
            out.folds[pair, fold] = m
            for row in range(folds[fold], folds[fold + 1]):
                among[row] = -1
                if columns.present[first[pair], row] and columns.present[second[pair], row]:
                    among[row] = m
                    rows[m] = row
                    m += 1
        out.folds[pair, folds.size - 1] = m
        out.size[pair] = m
        own = columns.own_margins and m < n
        for side in range(2):
            column = first[pair] if side == 0 else second[pair]
            if columns.n_levels[column] > 0:
                _levels(columns, column, own, pair, side, out)
            elif own:
                _rank(columns, column, among, rank_places[m], out.entries[pair, side])
            else:
                for k in range(m):
                    out.entries[pair, side, k] = places[column, rows[k]]


@merged
def _levels(
    columns: RankedColumns, column: int, own: bool, pair: int, side: int, out: PairRows
) -> None:
    """Codes, thresholds and masses of a column with levels."""
    m, n_levels = out.size[pair], columns.n_levels[column]
    mass = columns.masses[column, :n_levels].copy()
    code_of = np.arange(n_levels)
    if own:
        mass[:] = 0.0
        for k in range(m):
            mass[columns.codes[column, out.rows[pair, k]]] += 1.0
        kept = n_levels - n_levels
        for level in range(n_levels):
            code_of[level] = kept
            if mass[level] > 0.0:
                mass[kept] = mass[level] / m
                kept += 1
        n_levels = kept
    below = 0.0
    for level in range(n_levels):
        out.log_masses[pair, side, level] = np.log(mass[level])
        if level > 0:
            out.thresholds[pair, side, level - 1] = below
        below += mass[level]
    out.n_levels[pair, side] = n_levels
    for k in range(m):
        out.entries[pair, side, k] = code_of[columns.codes[column, out.rows[pair, k]]]


@merged
def _rank(columns: RankedColumns, column: int, among: Ints, begin: int, out: Ints) -> None:
    """Positions of a column's ranks among the common rows; average ranks for ties."""
    n = among.size
    u, order = columns.u[column], columns.order[column]
    below = begin - begin
    start = below
    while start < n and not np.isnan(u[order[start]]):
        stop, tied = start, below - below
        while stop < n and u[order[stop]] == u[order[start]]:
            if among[order[stop]] >= 0:
                tied += 1
            stop += 1
        # Ranks below + 1 to below + tied have the mean below + (tied + 1) / 2; rank 1 stands first.
        place = begin + (columns.ranks_per_row * (2 * below + tied - 1)) // 2
        for k in range(start, stop):
            if among[order[k]] >= 0:
                out[among[order[k]]] = place
        below += tied
        start = stop


class LevelKernels(NamedTuple):
    """What candidates do with levels, one entry per candidate."""

    strip: Ints  # addresses of the families' kernels
    cells: Ints
    mirrors: Bools  # (layout rows,): whether a coordinate is that of 1 - u
    tables: Floats  # (n_grid, …) for strips, by the second parameter
    scale: Floats  # (candidates, 2) on which the parameter is searched


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


def new_view(block: PairBlock, kernels: LevelKernels) -> View:
    """Make room for the pairs of a block, one at a time."""
    n, n_folds = block.pairs.rows.shape[1], block.pairs.folds.shape[1] - 1
    most_levels = block.pairs.log_masses.shape[2]
    most = most_levels * max(most_levels, block.points.weights.shape[1])
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
        grid=block.source.grid,
        tables=kernels.tables,
    )


@kernel
def weigh(block: PairBlock, pair: int, view: View) -> int:
    """Count the rows of a pair by fold, or weigh its points; return how it is best searched.

    Cells also get their prior rows, as if these were one more fold.
    """
    pairs, weights = block.pairs, block.points.weights
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    first, second = pairs.entries[pair, 0], pairs.entries[pair, 1]
    strip, n_levels, n_points = n_u == 0 or n_v == 0, n_u + n_v, weights.shape[1]
    side = 0 if n_u > 0 else 1
    # With so few rows the rows themselves are the smaller sum.
    by_rows = strip and pairs.size[pair] <= n_points * n_levels
    for fold in range(view.folds.size):
        view.folds[fold] = pairs.folds[pair, fold]
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
    block: PairBlock, pair: int, mode: int, row_u: int, row_v: int, second: int,
    kernels: LevelKernels, c: int, view: View,
) -> None:  # fmt: skip
    """See a pair as a candidate does, whose coordinates are those rows of the layout.

    With ``second >= 0`` they are those of the second parameter at that place of its grid, and not
    mirrored.
    """
    pairs = block.pairs
    n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
    room, n_levels = pairs.thresholds.shape[2], n_u + n_v
    side = 0 if n_u > 0 else 1
    row = row_u if n_u > 0 else row_v
    other = row_v if n_u > 0 else row_u
    flip = second < 0 and kernels.mirrors[row]
    flip_v = second < 0 and kernels.mirrors[row_v]
    known = block.levels.profile[second] if second >= 0 else block.levels.plain[row]
    begin = (2 * pair + side) * room
    count = pairs.n_levels[pair, side] - 1
    _thresholds(pairs.thresholds[pair, side], known, begin, count, flip, view.a, view.x)
    if mode == CELLS:
        known = block.levels.profile[second] if second >= 0 else block.levels.plain[row_v]
        _thresholds(pairs.thresholds[pair, 1], known, begin + room, n_v - 1, flip_v, view.b, view.y)
        for i in range(n_u):
            to = n_u - 1 - i if flip else i
            for j in range(n_v):
                cell = to * n_v + (n_v - 1 - j if flip_v else j)
                for fold in range(view.counts.shape[0]):
                    view.weights[fold, cell] = view.counts[fold, i * n_v + j]
        terms = n_u * n_v
    elif mode == ROWS:
        known = block.source.profile[second] if second >= 0 else block.source.plain[other]
        terms = pairs.size[pair]
        for k in range(terms):
            level = pairs.entries[pair, side, k]
            view.at[k] = known[pairs.entries[pair, 1 - side, k]]
            view.codes[k] = n_levels - 1 - level if flip else level
    else:
        known = block.points.profile[second] if second >= 0 else block.points.plain[other]
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
