"""The rows that two columns have in common, and the pair's own margins, compiled.

Pairs without gaps keep the margins that the table brings. A pair with gaps is fitted on its common
rows as if they were the whole table: continuous values are ranked again among them (average ranks
for ties), and levels have the shares that they have there, those that do not occur left out.

Rows are sorted by fold. Continuous values are handed on as positions in a list of numbers whose
coordinates are known (see :mod:`spinney.pairs.copulas.sources`), levels as codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel, merged

__all__ = ["Columns", "PairRows", "gather_pairs", "make_room"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Columns(NamedTuple):
    """A table of pseudo-observations, rows sorted by fold."""

    u: Floats  # (d, n)
    codes: Ints  # (d, n)
    present: Bools  # (d, n)
    order: Ints  # (d, n) rows by rising u, missing ones last
    n_levels: Ints  # (d,) zero where a column is continuous
    masses: Floats  # (d, most levels)


class PairRows(NamedTuple):
    """What a block of pairs is fitted to, one entry per pair; sides are u and v."""

    size: Ints  # (pairs,) number of common rows
    rows: Ints  # (pairs, n) which they are
    folds: Ints  # (pairs, folds + 1) where each fold begins among them
    entries: Ints  # (pairs, 2, n) codes of levels, or positions of continuous values
    n_levels: Ints  # (pairs, 2) zero where a side is continuous
    thresholds: Floats  # (pairs, 2, most levels - 1) between the levels; 0.5 where there is none
    log_masses: Floats  # (pairs, 2, most levels)


def make_room(pairs: int, n: int, n_folds: int, most_levels: int) -> PairRows:
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
def gather_pairs(
    columns: Columns,
    first: Ints,
    second: Ints,
    folds: Ints,
    own_margins: bool,
    places: Ints,
    rank_places: Ints,
    ranks_per_row: int,
    out: PairRows,
) -> None:
    """Find the common rows of the pairs (first[p], second[p]), and what stands in them.

    Parameters
    ----------
    own_margins : bool
        Whether pairs with gaps get margins of their own rows.
    places : array of shape (d, n)
        Position of each continuous value in the list of numbers.
    rank_places : array of shape (n + 1,)
        Where the ranks of m rows begin in that list, by m.
    ranks_per_row : {1, 2}
        2 if the list has half ranks between the whole ones.
    """
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
        own = own_margins and m < n
        for side in range(2):
            column = first[pair] if side == 0 else second[pair]
            if columns.n_levels[column] > 0:
                _levels(columns, column, own, pair, side, out)
            elif own:
                _rank(
                    columns, column, among, rank_places[m], ranks_per_row, out.entries[pair, side]
                )
            else:
                for k in range(m):
                    out.entries[pair, side, k] = places[column, rows[k]]


@merged
def _levels(columns: Columns, column: int, own: bool, pair: int, side: int, out: PairRows) -> None:
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
def _rank(
    columns: Columns, column: int, among: Ints, begin: int, ranks_per_row: int, out: Ints
) -> None:
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
        place = begin + (ranks_per_row * (2 * below + tied - 1)) // 2
        for k in range(start, stop):
            if among[order[k]] >= 0:
                out[among[order[k]]] = place
        below += tied
        start = stop
