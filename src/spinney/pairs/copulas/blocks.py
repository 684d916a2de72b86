"""All pairs of a table, a block at a time: fits and log-densities.

Pairs of continuous columns without gaps are cut into tiles that share columns, whose coordinates
fit into memory. Pairs with levels or gaps have rows and margins of their own: a pair with gaps is
fitted on its common rows as if they were the whole table. Continuous values are ranked again among
them (average ranks for ties), and levels have the shares that they have there, those that do not
occur left out. Blocks run in threads; the numbers do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from math import ceil
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import PairIndex
from spinney._core.progress import progress_bar
from spinney._core.threads import n_threads, run_in_threads
from spinney.pairs.copulas.block import (
    Densities,
    Fits,
    Rule,
    empty_fits,
    fit_pairs,
    write_log_density,
)
from spinney.pairs.copulas.candidates import lay_out, tail_tables
from spinney.pairs.copulas.coordinates import (
    Coordinates,
    Grid,
    coordinates,
    coordinates_of,
    coordinates_of_ranks,
    n_bytes,
)
from spinney.pairs.copulas.kendall import kendall_tau_of_pairs
from spinney.pairs.copulas.levels import Side, evaluate, fit_level_pair, level_pair, see, thresholds
from spinney.pairs.pseudo import MIN_COMMON_ROWS, PseudoTable
from spinney.tables import MIN_ROWS

MEMORY = 1 << 29
"""Bytes that the coordinates of a tile may take."""
COUNTED_AT_A_TIME = 1 << 24
"""Flags compared at once, which bounds memory."""
_FIRST, _SECOND = np.array([0]), np.array([1])


class Resources(NamedTuple):
    """Threads and progress bar; see :class:`~spinney.pairs.copulas.PairCopulas`."""

    n_jobs: int | None
    progress: bool


def block_size(n: int) -> int:
    """Pairs of n rows that are worked on in one go.

    About 200,000 samples: short enough to interrupt, long enough to hide the overhead.
    """
    return max(ceil(200_000 / n), 8)


# ---- rows ----


def common_rows(present: Bools, index: PairIndex) -> Ints:
    """Count rows with both values.

    Examples
    --------
    >>> common_rows(np.array([[True, False], [True, True], [True, True]]), PairIndex(2))
    array([2])
    """
    first, second = index.ends
    if present.all():
        return np.full(first.size, len(present))
    by_column, counts = np.ascontiguousarray(present.T), np.empty(first.size, dtype=np.int64)
    step = max(COUNTED_AT_A_TIME // max(len(present), 1), 1)
    for k in range(0, first.size, step):
        part = slice(k, k + step)
        counts[part] = (by_column[first[part]] & by_column[second[part]]).sum(axis=1)
    return counts


def enough_rows(table: PseudoTable, fold_of_row: Ints, index: PairIndex) -> Bools:
    """Whether each listed pair has enough common rows to be fitted.

    At least `MIN_COMMON_ROWS`, and some outside of each fold; a pair without gaps is fitted
    whatever its size.
    """
    present = table.present
    if present.all():
        return np.ones(len(index), dtype=bool)
    n_rows = common_rows(present, index)
    largest = np.zeros(n_rows.size, dtype=np.int64)
    for fold in range(int(fold_of_row.max()) + 1):
        largest = np.maximum(largest, common_rows(present[fold_of_row == fold], index))
    enough = (n_rows >= MIN_COMMON_ROWS) & (n_rows - largest >= MIN_ROWS)
    return np.asarray(enough | (n_rows == len(table)))


class Rows(NamedTuple):
    """How the rows of a table are read."""

    order: Ints  # sorts them by fold
    folds: Ints  # where each fold begins then, and where the last ends
    own_margins: bool  # of pairs with gaps: those of their own rows, or those of the table


class PairRows(NamedTuple):
    """What a pair with levels or gaps consists of."""

    rows: Ints  # those with both values
    folds: Ints  # where each fold begins among them
    sides: tuple[Side, Side]

    @property
    def has_levels(self) -> bool:
        """Whether one of the columns has levels."""
        return any(side.masses.size for side in self.sides)

    def coordinates(self, grid: Grid) -> Coordinates:
        """Coordinates of a pair of continuous columns."""
        return Coordinates(np.stack([side.at for side in self.sides], axis=1), np.array(grid))


class Reader:
    """Reads pairs with levels or gaps off a table that is sorted by fold.

    Coordinates of whole columns are computed once, as long as memory allows.
    """

    def __init__(self, table: PseudoTable, rows: Rows, grid: Grid, most: int) -> None:
        self.table, self.rows, self.grid = table, rows, grid
        self.present = table.present
        self.column = lru_cache(most)(lambda k: coordinates_of(table.u[:, k], grid))
        self.codes = cache(lambda k: np.unique(table.u[:, k], return_inverse=True)[1])
        self.ends = lru_cache(most)(lambda k: thresholds(table.masses[k], grid))

    def pair(self, i: int, j: int) -> PairRows:
        """Find the common rows of two columns, and their margins there."""
        common = np.flatnonzero(self.present[:, i] & self.present[:, j])
        sides = self._side(i, common), self._side(j, common)
        return PairRows(common, np.searchsorted(common, self.rows.folds), sides)

    def _side(self, column: int, rows: Ints) -> Side:
        table, whole = self.table, rows.size == len(self.table)
        own, masses = self.rows.own_margins and not whole, table.masses[column]
        if masses.size:
            codes, nowhere = table.codes[rows, column], np.empty((0, 0))
            if not own:
                return Side(nowhere, codes, masses, self.ends(column))
            codes = np.unique(codes, return_inverse=True)[1]
            masses = np.bincount(codes) / rows.size
            return Side(nowhere, codes, masses, thresholds(masses, self.grid))
        if own:
            at = coordinates_of_ranks(self.codes(column)[rows], self.grid)
        else:
            at = self.column(column) if whole else np.take(self.column(column), rows, axis=1)
        return Side(at, np.empty(0, dtype=np.int64), masses, np.empty((2, 0, 0)))


# ---- all pairs ----


def visit(
    table: PseudoTable,
    pairs: tuple[Ints, Ints],
    plain: Bools,
    rows: Rows,
    grid: Grid,
    resources: Resources,
    label: str,
    do_tile: Callable[[Coordinates, Ints, Ints, Ints], None],
    do_other: Callable[[PairRows, int], None],
) -> None:
    """Go through pairs in threads, those between `plain` columns in tiles.

    Both functions get positions among the pairs; `do_tile` shared coordinates, and the two columns
    of each pair among these.
    """
    (first, second), jobs = pairs, n_threads(resources.n_jobs)
    table = table.take(rows.order)
    n, most = len(table), max(MEMORY // max(len(table) * n_bytes(grid), 1), 2)
    even = plain[first] & plain[second]
    with progress_bar(first.size, label, resources.progress) as advance:

        def run(work: Callable[[Ints], None], some: Ints) -> None:
            def piece(part: Ints) -> None:
                work(part)
                advance(part.size)

            size = max(min(block_size(n), ceil(some.size / jobs)), 1)
            parts = [some[k : k + size] for k in range(0, some.size, size)]
            run_in_threads([partial(piece, part) for part in parts], jobs)

        for tile in _tiles(first, second, np.flatnonzero(even), most):
            used = np.union1d(first[tile], second[tile])
            where = coordinates(np.nan_to_num(table.u[:, used], nan=0.5), grid)

            def in_tile(some: Ints, where: Coordinates = where, used: Ints = used) -> None:
                ends = np.searchsorted(used, first[some]), np.searchsorted(used, second[some])
                do_tile(where, *ends, some)

            run(in_tile, tile)

        reader = Reader(table, rows, grid, most)

        def one_by_one(some: Ints) -> None:
            for k in some:
                do_other(reader.pair(int(first[k]), int(second[k])), int(k))

        run(one_by_one, np.flatnonzero(~even))


def _tiles(first: Ints, second: Ints, some: Ints, most: int) -> Iterator[Ints]:
    """Cut pairs into tiles of at most `most` (at least 2) variables.

    Examples
    --------
    >>> from spinney._core.pairs import pair_nodes
    >>> [tile.size for tile in _tiles(*pair_nodes(5), np.arange(10), most=4)]
    [1, 4, 2, 1, 2]
    """
    half = max(most // 2, 1)
    block = first[some] // half * (second.max(initial=0) + 1) + second[some] // half
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order])) + 1
    yield from (some[part] for part in np.split(order, starts) if part.size)


def fit_table(
    table: PseudoTable,
    index: PairIndex,
    wanted: Bools,
    rows: Rows,
    rule: Rule,
    families: tuple[str, ...],
    grid: Grid,
    resources: Resources,
) -> tuple[Fits, Floats]:
    """Fit the wanted ones of the listed pairs; return results and Kendall's tau of all listed.

    Pairs that are not wanted, have a nominal column or one with a single value are left as
    independence; a tau that was not needed is NaN.
    """
    first, second = index.ends
    plain = (table.n_levels == 0) & table.present.all(axis=0)
    wanted = wanted & ~(table.nominal[first] | table.nominal[second])
    asked = (plain[first] & plain[second]) | wanted
    taus = np.full(first.size, np.nan)
    ranked = np.where(table.codes >= 0, table.codes.astype(float), table.u)
    taus[asked] = kendall_tau_of_pairs(ranked, first[asked], second[asked])
    places = np.flatnonzero(wanted & ~np.isnan(taus))
    candidates, _ = lay_out(families)
    grid = grid if "student" in families else ()
    seconds, tables = np.array(grid), tail_tables(grid)
    fits = empty_fits(first.size, rows.folds.size - 1, len(families))
    rest = np.setdiff1d(np.arange(first.size), places)  # independence
    fits.log_likelihood[rest, 0] = fits.criterion[rest, 0] = 0.0

    def fit_tile(where: Coordinates, u: Ints, v: Ints, some: Ints) -> None:
        fit_pairs(where, u, v, places[some], taus, rows.folds, rule, candidates, fits)

    def fit_other(pair: PairRows, k: int) -> None:
        at = places[k]
        if pair.has_levels:
            known = level_pair(pair.sides, pair.folds)
            fit_level_pair(known, candidates, seconds, tables, taus[at], rule, at, fits)
        else:
            both = pair.coordinates(grid), _FIRST, _SECOND
            fit_pairs(*both, places[k : k + 1], taus, pair.folds, rule, candidates, fits)

    ends = first[places], second[places]
    visit(table, ends, plain, rows, grid, resources, "fitting pairs", fit_tile, fit_other)
    return fits, taus


def log_densities(
    table: PseudoTable,
    index: PairIndex,
    wanted: Bools,
    rows: Rows,
    copulas: Densities,
    grid: Grid,
    resources: Resources,
) -> Floats:
    """Log-densities of the wanted ones of the listed pairs, shape (n, wanted pairs)."""
    (first, second), n, here = index.ends, len(table), np.flatnonzero(wanted)
    found = np.zeros((n, here.size))
    columns = np.flatnonzero(copulas.family[here])  # not of independence, whose number is 0
    places = here[columns]
    ends = first[places], second[places]
    plain = (table.n_levels == 0) & (table.present.all(axis=0) | (not rows.own_margins))

    def write_tile(where: Coordinates, u: Ints, v: Ints, some: Ints) -> None:
        values = np.empty((some.size, n))
        write_log_density(where, u, v, places[some], copulas, rows.folds, values)
        found[np.ix_(rows.order, columns[some])] = values.T

    def write_other(pair: PairRows, k: int) -> None:
        values = np.empty((1, pair.rows.size))
        if pair.has_levels and pair.rows.size:
            values[0] = _of_levels(pair, copulas, places[k], grid)
        elif pair.rows.size:
            both = pair.coordinates(grid), _FIRST, _SECOND
            write_log_density(*both, places[k : k + 1], copulas, pair.folds, values)
        found[rows.order[pair.rows], columns[k]] = values[0]

    visit(table, ends, plain, rows, grid, resources, "log-densities", write_tile, write_other)
    if plain.any() and not table.present.all():
        missing = ~table.present
        for k, u, v in zip(columns, *ends, strict=True):
            found[missing[:, u] | missing[:, v], k] = 0.0
    return found


def _of_levels(pair: PairRows, copulas: Densities, at: int, grid: Grid) -> Floats:
    """Log w of the rows of a pair with levels; each fold has its own parameters."""
    known, df, tables = level_pair(pair.sides, pair.folds), np.array(grid), tail_tables(grid)
    values, found = np.empty(max(pair.rows.size, known.log_mass.size)), np.empty(pair.rows.size)
    copula = int(copulas.family[at]), int(copulas.row_u[at]), int(copulas.row_v[at])
    for fold in range(pair.folds.size - 1):
        start, stop = int(pair.folds[fold]), int(pair.folds[fold + 1])
        theta, second = copulas.parameters[at, fold]
        place = int(np.argmin(np.abs(df - second))) if second == second else -1
        evaluate(see(known, *copula, place, df, tables), theta, start, stop, values)
        both = known.n_u and known.n_v
        found[start:stop] = values[known.codes[start:stop]] if both else values[start:stop]
    return found - known.log_mass[known.codes]
