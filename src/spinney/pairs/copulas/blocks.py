"""All pairs of a table, a block at a time: fits and log-densities.

Pairs of continuous columns without gaps are cut into tiles that share columns, whose coordinates
fit into memory; pairs with levels or gaps into blocks of pairs that have as many rows in common.
A block is fitted by a plain function of arrays, which runs in threads of this machine or, within
:func:`spinney.scale.cluster.cluster`, on others: the numbers do not depend on it. Compiled
functions have other addresses in every process, so each lays out the candidates for itself.
Log-densities are computed where they are wanted, for sending one takes longer than computing it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import PairIndex
from spinney._core.progress import progress_bar
from spinney._core.threads import n_threads
from spinney.pairs.copulas._levels import PairBlock, RankedColumns, new_view
from spinney.pairs.copulas._levels_search import new_stencils
from spinney.pairs.copulas.block import (
    Densities,
    Fits,
    Rule,
    empty_fits,
    fit_level_pairs,
    fit_pairs,
    pair_coordinates,
    write_level_pairs,
    write_log_density,
)
from spinney.pairs.copulas.candidates import lay_out, lay_out_kernels
from spinney.pairs.copulas.coordinates import Coordinates, Layout, coordinates, look_up
from spinney.pairs.copulas.kendall import kendall_tau_of_pairs
from spinney.pairs.copulas.rectangles import SMALLEST
from spinney.pairs.pseudo import MIN_COMMON_ROWS, PseudoTable
from spinney.scale.tasks import as_finished, on_cluster
from spinney.tables import MIN_ROWS

Receive = Callable[[Ints, Floats], None]
"""Takes the log-densities of some listed pairs: their places, and numbers of shape (pairs, n)."""
Block = tuple[Ints, Fits]
"""Positions of some pairs among those that are fitted, and their results."""

MEMORY = 1 << 29
"""Bytes that the coordinates of a tile may take."""
MOST_MEMORY = 1 << 31
"""Bytes that they may take where fewer columns would leave a thread without a pair."""
LONG = 100_000
"""Rows from which on coordinates are computed once for all tiles, and looked up in each."""
MOST_VARIABLES = 256
"""Variables of a tile on a cluster, where every worker computes coordinates for itself."""
COUNTED_AT_A_TIME = 1 << 24
"""Flags compared at once, which bounds memory."""
_FIRST, _SECOND = np.array([0]), np.array([1])


class Settings(NamedTuple):
    """What the fit of a block needs besides its pairs."""

    folds: Ints  # where each fold begins among the rows, sorted by fold, and where the last ends
    rule: Rule
    families: tuple[str, ...]
    grid: tuple[float, ...]  # of the second parameter


class Resources(NamedTuple):
    """Threads and progress bar; see :class:`~spinney.pairs.copulas.PairCopulas`."""

    n_jobs: int | None
    progress: bool


class Chosen(NamedTuple):
    """The copulas of all listed pairs, whose log-densities are wanted."""

    copulas: Densities
    layout: Layout
    families: tuple[str, ...]
    column: Ints  # (pairs,) position of each pair's family


def block_size(n: int) -> int:
    """Pairs of n rows that are worked on in one go.

    About 200,000 samples: short enough to interrupt, long enough to hide the overhead.
    """
    return max(ceil(200_000 / n), 8)


# ---- rows that pairs have in common ----


def common_rows(table: PseudoTable, index: PairIndex | None = None) -> Ints:
    """Rows in which both columns of each listed pair have a value; by default of all pairs.

    Examples
    --------
    >>> nan, empty = np.nan, np.empty(0)
    >>> u = np.array([[0.2, nan], [0.5, 0.3], [0.8, 0.6]])
    >>> codes = np.full((3, 2), -1)
    >>> common_rows(PseudoTable(u, codes, (empty, empty), np.zeros(2, bool), ("a", "b")))
    array([2])
    """
    return _count_common(table.present, PairIndex(table.n_columns) if index is None else index)


def _count_common(present: Bools, index: PairIndex) -> Ints:
    """Count rows with both values, for all pairs by a product, for listed ones one by one."""
    if index.numbers is None:
        here = present.astype(float)
        return (here.T @ here)[index.ends].astype(np.int64)
    first, second = index.ends
    counts = np.full(first.size, len(present), dtype=np.int64)
    gaps = np.asarray(~present.all(axis=0))
    hard = np.flatnonzero(gaps[first] | gaps[second])
    counts[hard] = _count_both(np.ascontiguousarray(present.T), first[hard], second[hard])
    return counts


def _count_both(by_column: Bools, first: Ints, second: Ints) -> Ints:
    """Count rows with both values of some pairs, a few pairs at a time."""
    counts = np.empty(first.size, dtype=np.int64)
    step = max(COUNTED_AT_A_TIME // max(by_column.shape[1], 1), 1)
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
    n_rows = _count_common(present, index)
    largest = np.zeros(n_rows.size, dtype=np.int64)
    for fold in range(int(fold_of_row.max()) + 1):
        largest = np.maximum(largest, _count_common(present[fold_of_row == fold], index))
    enough = (n_rows >= MIN_COMMON_ROWS) & (n_rows - largest >= MIN_ROWS)
    return np.asarray(enough | (n_rows == len(table)))


# ---- tiles and blocks ----


class Tile(NamedTuple):
    """Some pairs, and the variables that they are made of."""

    variables: Ints  # columns of the table
    first: Ints  # positions among `variables`
    second: Ints
    pairs: Ints  # positions among the pairs that are cut up

    def pieces(self, size: int) -> list[Tile]:
        """Cut the tile into pieces of at most `size` pairs, which keep its variables."""
        return [
            Tile(self.variables, *(field[k : k + size] for field in self[1:]))
            for k in range(0, self.pairs.size, size)
        ]


def cut(first: Ints, second: Ints, most: int) -> Iterator[Tile]:
    """Cut pairs into tiles of at most `most` (at least 2) variables.

    Variables that are in none of the pairs are left out.

    Examples
    --------
    >>> from spinney._core.pairs import PairIndex, pair_nodes
    >>> [tile.pairs.size for tile in cut(*pair_nodes(5), most=4)]
    [1, 4, 2, 1, 2]
    >>> [tile.variables.tolist() for tile in cut(np.array([2, 2]), np.array([7, 9]), most=4)]
    [[2, 7, 9]]
    """
    if not first.size:
        return
    end = int(second.max()) + 1
    used = np.flatnonzero(np.bincount(first, minlength=end) + np.bincount(second, minlength=end))
    place = np.zeros(end, dtype=np.intp)
    place[used] = np.arange(used.size)
    if most >= used.size:
        yield Tile(used, place[first], place[second], np.arange(first.size))
        return
    half = max(most // 2, 1)
    n_blocks = -(-used.size // half)
    block = place[first] // half * n_blocks + place[second] // half
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order], prepend=-1))
    for pairs in np.split(order, starts[1:]):
        u, v = first[pairs], second[pairs]
        variables = np.union1d(u, v)
        yield Tile(variables, np.searchsorted(variables, u), np.searchsorted(variables, v), pairs)


def _tiles(
    U: Floats, first: Ints, second: Ints, layout: Layout, order: Ints | None
) -> Iterator[tuple[Tile, list[Coordinates]]]:
    """Cut pairs into tiles whose coordinates fit into memory, rows in some order.

    Coordinates may be large, so each comes in a list of one: the caller empties it before the
    next tile, and only one tile's coordinates are in memory.
    """
    n = len(U)
    most = max(MEMORY // max(n * layout.n_bytes, 1), 2)
    if most < 4 and 4 * n * layout.n_bytes <= MOST_MEMORY:
        most = 4
    known = look_up(U, layout) if n >= LONG and most < U.shape[1] else None
    for tile in cut(first, second, most):
        values = U[:, tile.variables]
        yield tile, [coordinates(values if order is None else values[order], layout, known)]


def ranked_columns(
    table: PseudoTable, order: Ints, folds: Ints, own_margins: bool
) -> RankedColumns:
    """Prepare a table; `order` sorts its rows by fold."""
    u = np.ascontiguousarray(table.u[order].T)
    codes = np.ascontiguousarray(table.codes[order].T, dtype=np.int64)
    n_levels = table.n_levels
    masses = np.ones((len(u), max(int(n_levels.max()), 1)))
    for k, mass in enumerate(table.masses):
        masses[k, : len(mass)] = mass
    by_u = np.argsort(u, axis=1, kind="stable")
    ties = (np.diff(np.take_along_axis(u, by_u, axis=1), axis=1) == 0.0).any()
    known = u[~np.isnan(u)]
    end = min(1.0 / (u.shape[1] + 1.0), known.min(initial=0.5), 1.0 - known.max(initial=0.5))
    reach = -float(special.ndtri(max(end, SMALLEST)))
    present = (codes >= 0) | ~np.isnan(u)
    how = (folds, own_margins, 2 if ties else 1, reach)
    return RankedColumns(u, codes, present, by_u, n_levels, masses, *how)


def _blocks(
    columns: RankedColumns, first: Ints, second: Ints, sizes: Ints, most: int
) -> list[Ints]:
    """Cut pairs with levels or gaps into blocks of at most `most`.

    Pairs with as many common rows have the same ranks, and stand together.
    """
    continuous = np.where(columns.n_levels[first] == 0, first, second)
    order = np.lexsort((continuous, sizes))
    return [order[k : k + most] for k in range(0, order.size, most)]


def _finished(
    function: Callable[..., Any], tasks: Sequence[Any], shared: tuple[Any, ...], jobs: int
) -> Iterator[tuple[int, Any]]:
    """Yield position and result of ``function(task, *shared)`` as they come, from threads."""
    if jobs == 1 or len(tasks) == 1:
        yield from ((k, function(task, *shared)) for k, task in enumerate(tasks))
        return

    # Not joblib's threads, which look for results every hundredth of a second.
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(function, task, *shared): k for k, task in enumerate(tasks)}
        try:
            for done in as_completed(list(running)):
                yield running.pop(done), done.result()
        finally:
            pool.shutdown(cancel_futures=True)


# ---- fits ----


def fit_table(
    table: PseudoTable,
    index: PairIndex,
    wanted: Bools,
    order: Ints,
    settings: Settings,
    resources: Resources,
) -> tuple[Fits, Floats]:
    """Fit the wanted ones of the listed pairs; return results and Kendall's tau of all listed.

    `order` sorts rows by fold. Pairs that are not wanted, have a nominal column or one with a
    single value are left as independence; a tau that was not needed is NaN.
    """
    first, second = index.ends
    plain = (table.n_levels == 0) & table.present.all(axis=0)
    even = plain[first] & plain[second]
    wanted = wanted & ~(table.nominal[first] | table.nominal[second])
    asked = even | wanted
    taus = np.full(first.size, np.nan)
    ranked = np.where(table.codes >= 0, table.codes.astype(float), table.u)
    taus[asked] = kendall_tau_of_pairs(ranked, first[asked], second[asked])
    wanted &= ~np.isnan(taus)
    fits = empty_fits(first.size, settings.folds.size - 1, len(settings.families))
    fits.log_likelihood[:, 0] = fits.criterion[:, 0] = 0.0  # of independence
    with progress_bar(int(wanted.sum()), "fitting pairs", resources.progress) as advance:
        for fit, some in ((_fit_plain, wanted & even), (_fit_pairwise, wanted & ~even)):
            places = np.flatnonzero(some)
            if not places.size:
                continue
            pairs = (first[places], second[places], taus[places])
            with closing(fit(table, order, pairs, settings, resources)) as run:
                for chosen, part in run:
                    for whole, piece in zip(fits, part, strict=True):
                        whole[places[chosen]] = piece
                    advance(chosen.size)
    return fits, taus


def _fit_plain(
    table: PseudoTable,
    order: Ints,
    pairs: tuple[Ints, Ints, Floats],
    settings: Settings,
    resources: Resources,
) -> Generator[Block, None, None]:
    """Fit pairs of continuous columns without gaps, tile by tile."""
    (first, second, taus), n = pairs, len(table)
    layout = lay_out(settings.families, settings.grid)[2]
    if on_cluster() and first.size > block_size(n):
        most = max(min(MEMORY // max(n * layout.n_bytes, 1), MOST_VARIABLES), 2)
        tiles = [p for tile in cut(first, second, most) for p in tile.pieces(block_size(n))]
        tasks = ((*tile[:3], taus[tile.pairs]) for tile in tiles)
        shared = (table.u[order], settings)
        for k, part in as_finished(fit_plain_block, tasks, shared=shared, label="fitting pairs"):
            yield tiles[k].pairs, part
        return
    jobs = n_threads(resources.n_jobs)
    for tile, where in _tiles(table.u, first, second, layout, order):
        pieces = tile.pieces(min(block_size(n), ceil(tile.pairs.size / jobs)))
        local = [(*piece[:3], taus[piece.pairs]) for piece in pieces]
        for k, part in _finished(fit_plain_block, local, (where[0], settings), jobs):
            yield pieces[k].pairs, part
        where.clear()


def fit_plain_block(
    task: tuple[Ints, Ints, Ints, Floats],
    table: Coordinates | Floats,
    settings: Settings,
) -> Fits:
    """Fit pairs of continuous columns without gaps.

    Parameters
    ----------
    task : tuple of arrays
        The columns of the table that are used, the pairs as positions among these, and their taus.
    table : Coordinates or array of shape (n, d)
        Of the used columns, or the whole table; rows are sorted by fold.
    settings : Settings
    """
    variables, first, second, taus = task
    candidates, _, layout = lay_out(settings.families, settings.grid)
    where = table if isinstance(table, Coordinates) else coordinates(table[:, variables], layout)
    part = empty_fits(first.size, settings.folds.size - 1, len(settings.families))
    fit_pairs(where, first, second, taus, settings.folds, settings.rule, candidates, part)
    return part


def _fit_pairwise(
    table: PseudoTable,
    order: Ints,
    pairs: tuple[Ints, Ints, Floats],
    settings: Settings,
    resources: Resources,
) -> Generator[Block, None, None]:
    """Fit pairs with levels or gaps, block by block."""
    first, second, taus = pairs
    columns = ranked_columns(table, order, settings.folds, own_margins=True)
    sizes, n = _count_both(columns.present, first, second), len(table)
    remote = on_cluster() and first.size > block_size(n)
    jobs = 1 if remote else n_threads(resources.n_jobs)
    most = max(min(block_size(n), ceil(first.size / jobs)), 1)
    blocks = _blocks(columns, first, second, sizes, most)
    tasks = [(first[b], second[b], sizes[b], taus[b]) for b in blocks]
    shared, label = (columns, settings), "fitting pairs with levels or gaps"
    run = (
        as_finished(fit_pairwise_block, tasks, shared=shared, label=label)
        if remote
        else _finished(fit_pairwise_block, tasks, shared, jobs)
    )
    for k, part in run:
        yield blocks[k], part


def fit_pairwise_block(
    task: tuple[Ints, Ints, Ints, Floats], columns: RankedColumns, settings: Settings
) -> Fits:
    """Fit pairs with levels or gaps: their columns, numbers of common rows, and taus."""
    first, second, sizes, taus = task
    candidates, _, layout = lay_out(settings.families, settings.grid)
    block = columns.gather(first, second, sizes, layout)
    n_folds = settings.folds.size - 1
    part = empty_fits(taus.size, n_folds, len(settings.families))
    plain, levels = _by_kind(block, np.ones(taus.size, dtype=bool))
    for k in plain:
        one = slice(k, k + 1)
        where, folds = pair_coordinates(block, k), block.pairs.folds[k]
        fit_pairs(
            where, _FIRST, _SECOND, taus[one], folds, settings.rule, candidates, part.take(one)
        )
    if levels.size:
        kernels = lay_out_kernels(settings.families, layout)
        n_candidates, n_grid = candidates.method.size, block.source.grid.size
        stencils = new_stencils(n_candidates, n_grid, n_folds)
        view = new_view(block, kernels)
        fit_level_pairs(
            block, candidates, kernels, view, stencils, levels, taus, settings.rule, part
        )
    return part


def _by_kind(block: PairBlock, some: Bools) -> tuple[Ints, Ints]:
    """Split the wanted pairs of a block into those without and those with levels."""
    levels = (block.pairs.n_levels > 0).any(axis=1)
    return np.flatnonzero(some & ~levels), np.flatnonzero(some & levels)


# ---- log-densities ----


def visit_log_density(
    table: PseudoTable,
    index: PairIndex,
    wanted: Bools,
    rows: tuple[Ints, Ints, bool],
    chosen: Chosen,
    receive: Receive,
    resources: Resources,
) -> None:
    """Pass the log-densities of the wanted pairs to `receive`; independent pairs are skipped.

    `rows` are the order that sorts them by fold, where folds begin then, and whether pairs with
    gaps have the margins of their own rows or those of the table.
    """
    order, folds, own_margins = rows
    first, second = index.ends
    present = table.present
    plain = (table.n_levels == 0) & (present.all(axis=0) | (not own_margins))
    ordered = ~(table.nominal[first] | table.nominal[second])
    wanted = wanted & (chosen.column != chosen.families.index("independence")) & ordered
    even = plain[first] & plain[second]
    with progress_bar(int(wanted.sum()), "log-densities", resources.progress) as advance:
        places = np.flatnonzero(wanted & even)
        if places.size:
            pairs = (places, first[places], second[places])
            _visit_plain(table, pairs, order, folds, chosen, receive, resources, advance)
        places = np.flatnonzero(wanted & ~even)
        if places.size:
            columns = ranked_columns(table, order, folds, own_margins)
            pairs = (places, first[places], second[places])
            _visit_pairwise(columns, pairs, chosen, receive, resources, advance)


def _visit_plain(
    table: PseudoTable,
    pairs: tuple[Ints, Ints, Ints],
    order: Ints,
    folds: Ints,
    chosen: Chosen,
    receive: Receive,
    resources: Resources,
    advance: Callable[[int], None],
) -> None:
    places, first, second = pairs
    missing, values = np.isnan(table.u), table.u
    with_gaps = np.asarray(missing.any(axis=0))
    gaps = bool((with_gaps[first] | with_gaps[second]).any())
    if gaps:
        values = np.where(missing, 0.5, values)
    jobs, size = n_threads(resources.n_jobs), block_size(len(values))

    def work(piece: Tile, where: Coordinates) -> int:
        own = places[piece.pairs]
        copulas = chosen.copulas.take(own)
        found = np.empty((piece.first.size, int(folds[-1])))
        write_log_density(where, piece.first, piece.second, copulas, folds, found)
        if gaps:
            absent = missing[:, first[piece.pairs]] | missing[:, second[piece.pairs]]
            found[absent[order].T] = 0.0
        receive(own, found)
        return int(own.size)

    # Without folds, rows are already in order.
    tiles = _tiles(values, first, second, chosen.layout, None if folds.size == 2 else order)
    for tile, where in tiles:
        pieces = tile.pieces(min(size, ceil(tile.pairs.size / jobs)))
        for _, done in _finished(work, pieces, (where[0],), jobs):
            advance(done)
        where.clear()


def _visit_pairwise(
    columns: RankedColumns,
    pairs: tuple[Ints, Ints, Ints],
    chosen: Chosen,
    receive: Receive,
    resources: Resources,
    advance: Callable[[int], None],
) -> None:
    places, first, second = pairs
    kernels = lay_out_kernels(chosen.families, chosen.layout, chosen.column)
    n, sizes = columns.u.shape[1], _count_both(columns.present, first, second)
    jobs = n_threads(resources.n_jobs)

    def work(some: Ints) -> int:
        block = columns.gather(first[some], second[some], sizes[some], chosen.layout)
        own = places[some]
        buffer, part = np.zeros((own.size, n)), chosen.copulas.take(own)
        plain, levels = _by_kind(block, block.pairs.size > 0)
        for k in plain:
            rows = block.pairs.rows[k, : block.pairs.size[k]]
            values, one = np.empty((1, rows.size)), part.take(np.array([k]))
            where = pair_coordinates(block, k)
            write_log_density(where, _FIRST, _SECOND, one, block.pairs.folds[k], values)
            buffer[k, rows] = values[0]
        if levels.size:
            each = kernels._replace(strip=kernels.strip[own], cells=kernels.cells[own])
            write_level_pairs(block, levels, part, each, new_view(block, kernels), buffer)
        receive(own, buffer)
        return int(own.size)

    most = max(min(block_size(n), ceil(places.size / jobs)), 1)
    for _, done in _finished(work, _blocks(columns, first, second, sizes, most), (), jobs):
        advance(done)
