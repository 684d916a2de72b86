"""All pairs of a table with levels or gaps: blocks of pairs, each with its own rows and margins."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import special

from spinney._core.pairs import pair_nodes
from spinney._core.progress import progress_bar
from spinney._core.threads import n_threads
from spinney.exceptions import InputError
from spinney.pairs.copulas._block import (
    Densities,
    Fits,
    Rule,
    empty_fits,
    fit_pairs,
    write_log_density,
)
from spinney.pairs.copulas._fit_one import Candidates
from spinney.pairs.copulas._gaps import Columns, PairRows, gather_pairs, make_room
from spinney.pairs.copulas._levels_block import fit_level_pairs, pair_coordinates, write_level_pairs
from spinney.pairs.copulas._levels_fit import Given, Kernels, View, new_view
from spinney.pairs.copulas._levels_search import new_ladders
from spinney.pairs.copulas.base import SMALLEST
from spinney.pairs.copulas.candidates import lay_out_kernels
from spinney.pairs.copulas.coordinates import Layout
from spinney.pairs.copulas.listing import Listing, Some
from spinney.pairs.copulas.sources import Points, points_of, source_of
from spinney.pairs.copulas.tiles import block_size, put
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import MIN_ROWS

__all__ = [
    "MIN_COMMON_ROWS",
    "Uneven",
    "check_pseudo_table",
    "common_rows",
    "enough_rows",
    "fit_block",
    "fit_uneven",
    "in_order",
    "over_blocks",
    "ranked_values",
    "write_uneven",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MIN_COMMON_ROWS = 10
"""Fewest rows that a pair with gaps must have in common to be fitted."""

COUNTED_AT_A_TIME = 1 << 24
"""Flags that are compared together, so that memory stays bounded."""


def check_pseudo_table(table: PseudoTable, *, min_rows: int = MIN_ROWS) -> None:
    """Refuse a table of pseudo-observations that kernels could not be trusted with."""
    shape = table.u.shape
    if table.u.ndim != 2 or table.codes.shape != shape or len(table.masses) != shape[-1]:
        raise InputError("The columns of a PseudoTable do not have the same size throughout.")
    if shape[0] < min_rows:
        raise InputError(
            f"The table has too few rows (n_samples = {shape[0]}); at least {min_rows} are needed. "
            "Collect more rows."
        )
    if shape[1] < 2:
        raise InputError("The table has 1 column, but at least 2 are needed to form a pair.")
    for k, name in enumerate(table.names):
        if len(table.masses[k]):
            most = table.codes[:, k].max()
            if most >= len(table.masses[k]):
                raise InputError(
                    f"Column '{name}' has a code {most}, but only {len(table.masses[k])} levels, "
                    "counted from 0."
                )
        else:
            u = table.u[:, k]
            outside = np.flatnonzero((u <= 0.0) | (u >= 1.0))
            if outside.size:
                raise InputError(
                    f"u must lie strictly between 0 and 1; column '{name}' reaches "
                    f"{u[outside[0]]:.6} at row {outside[0]}."
                )


def ranked_values(table: PseudoTable) -> Floats:
    """One number per entry whose order is that of the column; NaN where it is missing."""
    return np.where(table.codes >= 0, table.codes.astype(float), table.u)


def common_rows(table: PseudoTable, listing: Listing | None = None) -> Ints:
    """Rows in which both columns of each listed pair have a value; by default of all pairs.

    Examples
    --------
    >>> nan, empty = np.nan, np.empty(0)
    >>> u = np.array([[0.2, nan], [0.5, 0.3], [0.8, 0.6]])
    >>> codes = np.full((3, 2), -1)
    >>> common_rows(PseudoTable(u, codes, (empty, empty), np.zeros(2, bool), ("a", "b")))
    array([2])
    """
    return _count_common(table.present, listing)


def _count_common(present: Bools, listing: Listing | None) -> Ints:
    """Count rows with both values, for all pairs by a product, for listed ones one by one."""
    if listing is None or listing.numbers is None:
        here = present.astype(float)
        return (here.T @ here)[pair_nodes(present.shape[1])].astype(np.int64)
    counts = np.full(listing.size, len(present), dtype=np.int64)
    gaps = np.asarray(~present.all(axis=0))
    hard = np.flatnonzero(gaps[listing.first] | gaps[listing.second])
    some = listing.some(hard)
    counts[hard] = _count_both(np.ascontiguousarray(present.T), some.first, some.second)
    return counts


def _count_both(by_column: Bools, first: Ints, second: Ints) -> Ints:
    """Count rows with both values of some pairs, a few pairs at a time."""
    counts = np.empty(first.size, dtype=np.int64)
    step = max(COUNTED_AT_A_TIME // max(by_column.shape[1], 1), 1)
    for k in range(0, first.size, step):
        part = slice(k, k + step)
        counts[part] = (by_column[first[part]] & by_column[second[part]]).sum(axis=1)
    return counts


def enough_rows(table: PseudoTable, fold_of_row: Ints, listing: Listing | None = None) -> Bools:
    """Tell of each listed pair whether it has enough common rows to be fitted.

    At least `MIN_COMMON_ROWS`, and some outside of each fold; a table without gaps is fitted
    whatever its size.
    """
    n_rows = common_rows(table, listing)
    present = table.present
    largest = np.zeros(n_rows.size, dtype=np.int64)
    for fold in range(int(fold_of_row.max()) + 1):
        largest = np.maximum(largest, _count_common(present[fold_of_row == fold], listing))
    enough = (n_rows >= MIN_COMMON_ROWS) & (n_rows - largest >= MIN_ROWS)
    return np.asarray(enough | (n_rows == len(table)))


class Uneven(NamedTuple):
    """A table whose pairs are to be taken one by one, rows sorted by fold.

    Attributes
    ----------
    columns : Columns
        The table.
    folds : array of int
        Where folds begin, and where the last ends.
    own_margins : bool
        Whether pairs with gaps get margins of their own rows, or those that the table brings.
    ranks_per_row : {1, 2}
        2 if there are ties, which have half ranks.
    reach : float
        Largest normal score of all continuous values.
    """

    columns: Columns
    folds: Ints
    own_margins: bool
    ranks_per_row: int
    reach: float

    @classmethod
    def of(cls, table: PseudoTable, order: Ints, folds: Ints, own_margins: bool) -> Uneven:
        """Prepare a table; `order` sorts its rows by fold."""
        u = np.ascontiguousarray(table.u[order].T)
        codes = np.ascontiguousarray(table.codes[order].T, dtype=np.int64)
        n_levels = table.n_levels
        masses = np.ones((len(u), max(int(n_levels.max()), 1)))
        for k, mass in enumerate(table.masses):
            masses[k, : len(mass)] = mass
        by_u = np.argsort(u, axis=1, kind="stable")
        ranked = np.take_along_axis(u, by_u, axis=1)
        ties = bool((np.diff(ranked, axis=1) == 0.0).any())
        known = u[~np.isnan(u)]
        end = min(1.0 / (u.shape[1] + 1.0), known.min(initial=0.5), 1.0 - known.max(initial=0.5))
        reach = -float(special.ndtri(max(end, SMALLEST)))
        columns = Columns(u, codes, (codes >= 0) | ~np.isnan(u), by_u, n_levels, masses)
        return cls(columns, folds, own_margins, 2 if ties else 1, reach)

    def gather(self, first: Ints, second: Ints, sizes: Ints, layout: Layout) -> Given:
        """Find rows, margins and coordinates of some pairs, which have `sizes` common rows."""
        n = self.columns.u.shape[1]
        continuous = self.columns.n_levels == 0
        own = self.own_margins & (sizes < n)
        sides = np.stack([first, second])
        used = np.unique(sides[:, ~own])
        used = used[continuous[used]]
        values, inverse = np.unique(self.columns.u[used], return_inverse=True)
        places = np.zeros(self.columns.u.shape, dtype=np.int64)
        places[used] = inverse.reshape(used.size, n)
        lists, begin = [np.where(np.isnan(values), 0.5, values)], values.size
        rank_places = np.zeros(n + 1, dtype=np.int64)
        for m in np.unique(sizes[own & continuous[sides].any(axis=0)]):
            step = 1.0 / self.ranks_per_row
            lists.append(np.arange(1.0, m + step / 2, step) / (m + 1.0))
            rank_places[m] = begin
            begin += lists[-1].size
        values = np.concatenate(lists)
        most_levels = int(self.columns.n_levels[sides].max(initial=1))
        pairs = make_room(first.size, n, self.folds.size - 1, max(most_levels, 1))
        gather_pairs(
            self.columns, first, second, self.folds, self.own_margins, places, rank_places,
            self.ranks_per_row, pairs,
        )  # fmt: skip
        return self._coordinates(pairs, values, layout)

    def _coordinates(self, pairs: PairRows, values: Floats, layout: Layout) -> Given:
        continuous = pairs.n_levels == 0
        source = source_of(values, layout, terms=bool(continuous.all(axis=1).any()))
        if (continuous[:, 0] != continuous[:, 1]).any():
            points = points_of(values, self.reach, layout)
        else:
            points = Points(*(np.empty((k, 0)) for k in (len(layout.rows), source.grid.size, 0)))
        levels = source_of(pairs.thresholds.ravel(), layout, terms=False)
        return Given(pairs, source, points, levels)


def over_blocks(
    work: Callable[[Given, Ints], None],
    uneven: Uneven,
    pairs: Some,
    sizes: Ints,
    layout: Layout,
    *,
    label: str,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Call ``work(given, chosen)`` until the place of each of some pairs was in `chosen` once.

    Calls may run side by side in threads; they must write to places of their own. `sizes` are the
    common rows of the pairs: pairs with as many have the same ranks, and stand together.
    """
    n = uneven.columns.u.shape[1]
    places, first, second = pairs
    order = in_order(uneven, pairs, sizes)
    jobs = n_threads(n_jobs)
    size = max(min(block_size(n), ceil(places.size / jobs)), 1)

    def step(chosen: Ints) -> int:
        given = uneven.gather(first[chosen], second[chosen], sizes[chosen], layout)
        work(given, places[chosen])
        return chosen.size

    blocks = [order[k : k + size] for k in range(0, places.size, size)]
    with progress_bar(places.size, label, progress) as advance:
        if jobs == 1:
            for block in blocks:
                advance(step(block))
        else:
            run = Parallel(n_jobs=jobs, require="sharedmem", return_as="generator_unordered")
            for done in run(delayed(step)(block) for block in blocks):
                advance(done)


def in_order(uneven: Uneven, pairs: Some, sizes: Ints) -> Ints:
    """Sort pairs by their common rows, then by their continuous column."""
    continuous = np.where(uneven.columns.n_levels[pairs.first] == 0, pairs.first, pairs.second)
    return np.lexsort((continuous, sizes))


def _new_view(given: Given, kernels: Kernels) -> View:
    """Make room for the pairs of a block."""
    pairs = given.pairs
    n_folds, most_levels = pairs.folds.shape[1] - 1, pairs.log_masses.shape[2]
    return new_view(pairs.rows.shape[1], n_folds, most_levels, given, kernels)


def _by_kind(given: Given, some: Bools) -> tuple[Ints, Ints]:
    """Tell the pairs of a block without levels from those with them, as far as they are wanted."""
    levels = (given.pairs.n_levels > 0).any(axis=1)
    return np.flatnonzero(some & ~levels), np.flatnonzero(some & levels)


def _one(fits: Fits, k: int) -> Fits:
    """Look at the results of one pair."""
    fields: Any = (field[k : k + 1] for field in fits)
    return Fits(*fields)


def fit_uneven(
    uneven: Uneven,
    pairs: Some,
    sizes: Ints,
    taus: Floats,
    rule: Rule,
    penalty_by_rows: bool,
    what: tuple[tuple[str, ...], Candidates, Layout],
    fits: Fits,
    *,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Fit some pairs of a table with levels or gaps, into their places in `fits`.

    `sizes` and `taus` are those of all listed pairs; `penalty_by_rows` multiplies the rule's
    penalty by the logarithm of each pair's number of rows.
    """

    def work(given: Given, chosen: Ints) -> None:
        put(fits, chosen, fit_block(given, taus[chosen], rule, penalty_by_rows, what))

    over_blocks(
        work, uneven, pairs, sizes[pairs.places], what[2],
        label="fitting pairs with levels or gaps", n_jobs=n_jobs, progress=progress,
    )  # fmt: skip


def fit_block(
    given: Given,
    taus: Floats,
    rule: Rule,
    penalty_by_rows: bool,
    what: tuple[tuple[str, ...], Candidates, Layout],
) -> Fits:
    """Fit the pairs of a block."""
    families, candidates, layout = what
    n_folds = given.pairs.folds.shape[1] - 1
    only, other = np.array([0]), np.array([1])
    part = empty_fits(taus.size, n_folds, len(families))
    plain, levels = _by_kind(given, np.ones(taus.size, dtype=bool))
    for k in plain:
        own = rule
        if penalty_by_rows:
            own = rule._replace(penalty=rule.penalty * float(np.log(given.pairs.size[k])))
        fit_pairs(
            pair_coordinates(given, k), only, other, taus[k : k + 1], given.pairs.folds[k], own,
            candidates, _one(part, k),
        )  # fmt: skip
    if levels.size:
        kernels = lay_out_kernels(families, layout)
        view = _new_view(given, kernels)
        ladders = new_ladders(candidates.method.size, given.source.grid.size, n_folds)
        fit_level_pairs(
            given, levels, taus, rule, penalty_by_rows, candidates, kernels, view, ladders, part
        )
    return part


def write_uneven(
    uneven: Uneven,
    pairs: Some,
    copulas: Densities,
    what: tuple[tuple[str, ...], Ints, Layout],
    receive: Callable[[Ints, Floats], None],
    *,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Hand over the log-densities of some pairs: ``receive(places, values)``, shape (pairs, n)."""
    families, family, layout = what
    kernels = lay_out_kernels(families, layout, family)
    n = uneven.columns.u.shape[1]
    sizes = _count_both(uneven.columns.present, pairs.first, pairs.second)
    only, other = np.array([0]), np.array([1])

    def work(given: Given, chosen: Ints) -> None:
        buffer = np.zeros((chosen.size, n))
        part = copulas.take(chosen)
        plain, levels = _by_kind(given, given.pairs.size > 0)
        for k in plain:
            rows = given.pairs.rows[k, : given.pairs.size[k]]
            values = np.empty((1, rows.size))
            one = part.take(np.array([k]))
            folds = given.pairs.folds[k]
            write_log_density(pair_coordinates(given, k), only, other, one, folds, values)
            buffer[k, rows] = values[0]
        if levels.size:
            own = kernels._replace(strip=kernels.strip[chosen], cells=kernels.cells[chosen])
            write_level_pairs(given, levels, part, own, _new_view(given, kernels), buffer)
        receive(chosen, buffer)

    over_blocks(
        work, uneven, pairs, sizes, layout, label="log-densities", n_jobs=n_jobs, progress=progress
    )
