"""Fits of pairs on a cluster: the same blocks whatever the number of workers.

Compiled functions have other addresses in every process, so a worker lays out the candidates for
itself. Log-densities stay where they are wanted, for to send one takes longer than to compute it;
and so do tables that make a single block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.progress import progress_bar
from spinney.pairs.copulas._block import Fits, Rule, empty_fits, fit_pairs
from spinney.pairs.copulas._fit_one import Candidates
from spinney.pairs.copulas.candidates import lay_out
from spinney.pairs.copulas.coordinates import Layout, coordinates
from spinney.pairs.copulas.listing import Some
from spinney.pairs.copulas.tiles import block_size, cut, put
from spinney.pairs.copulas.uneven import Uneven, fit_block, in_order
from spinney.scale.tasks import as_finished

__all__ = ["fit_tiles_on_cluster", "fit_uneven_on_cluster"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
What = tuple[tuple[str, ...], Candidates, Layout]

MOST_VARIABLES = 256
"""Variables of a tile, whose coordinates every worker computes for itself."""


def fit_tiles_on_cluster(
    values: Floats,
    some: Some,
    taus: Floats,
    how: tuple[Ints, Rule, tuple[str, ...], tuple[float, ...]],
    most: int,
    fits: Fits,
    *,
    progress: bool,
) -> None:
    """Fit some pairs of continuous columns without gaps, into their places in `fits`.

    `values` are sorted by fold. `how` are the folds, the rule, the families and the grid of their
    second parameter; `most` are the variables for whose coordinates there is memory.
    """
    most = max(min(most, MOST_VARIABLES), 2)
    tiles = [
        piece
        for tile in cut(some.first, some.second, most)
        for piece in tile.pieces(block_size(len(values)))
    ]
    places = [some.places[tile.pairs] for tile in tiles]
    tasks = ((*tile[:3], taus[own]) for tile, own in zip(tiles, places, strict=True))
    _fit_blocks(_fit_tile, tasks, (values, *how), places, fits, "fitting pairs", progress)


def _fit_tile(
    task: tuple[Ints, Ints, Ints, Floats],
    values: Floats,
    folds: Ints,
    rule: Rule,
    families: tuple[str, ...],
    grid: tuple[float, ...],
) -> Fits:
    variables, first, second, taus = task
    _, candidates, layout = _laid_out(families, grid)
    part = empty_fits(first.size, folds.size - 1, len(families))
    where = coordinates(values[:, variables], layout)
    fit_pairs(where, first, second, taus, folds, rule, candidates, part)
    return part


def fit_uneven_on_cluster(
    uneven: Uneven,
    pairs: Some,
    sizes: Ints,
    taus: Floats,
    rule: Rule,
    penalty_by_rows: bool,
    what: What,
    fits: Fits,
    *,
    n_jobs: int | None = None,
    progress: bool,
) -> None:
    """Fit some pairs of a table with levels or gaps; as :func:`spinney.pairs.copulas.uneven.fit_uneven`.

    `n_jobs` is not used.
    """
    own = sizes[pairs.places]
    order, size = in_order(uneven, pairs, own), block_size(uneven.columns.u.shape[1])
    blocks = [order[k : k + size] for k in range(0, order.size, size)]
    tasks = ((pairs.first[b], pairs.second[b], own[b], taus[pairs.places[b]]) for b in blocks)
    shared = (uneven, rule, penalty_by_rows, what[0], what[2].grid)
    places = [pairs.places[block] for block in blocks]
    label = "fitting pairs with levels or gaps"
    _fit_blocks(_fit_uneven_block, tasks, shared, places, fits, label, progress)


def _fit_uneven_block(
    task: tuple[Ints, Ints, Ints, Floats],
    uneven: Uneven,
    rule: Rule,
    penalty_by_rows: bool,
    families: tuple[str, ...],
    grid: tuple[float, ...],
) -> Fits:
    first, second, sizes, taus = task
    what = _laid_out(families, grid)
    given = uneven.gather(first, second, sizes, what[2])
    return fit_block(given, taus, rule, penalty_by_rows, what)


def _fit_blocks(
    fit: Callable[..., Fits],
    tasks: Iterable[Any],
    shared: tuple[Any, ...],
    places: list[Ints],
    fits: Fits,
    label: str,
    progress: bool,
) -> None:
    """Fit blocks of pairs wherever there is room, each into its places as soon as it comes."""
    total = sum(own.size for own in places)
    with (
        progress_bar(total, label, progress) as advance,
        closing(as_finished(fit, tasks, shared=shared, label=label)) as run,
    ):
        for position, part in run:
            put(fits, places[position], part)
            advance(places[position].size)


@lru_cache(maxsize=8)
def _laid_out(families: tuple[str, ...], grid: tuple[float, ...]) -> What:
    candidates, _, layout = lay_out(families, grid)
    return families, candidates, layout
