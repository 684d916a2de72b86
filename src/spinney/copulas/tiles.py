"""Cut pairs of a table's columns into pieces that fit into memory, and work on them in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from spinney._progress import progress_bar
from spinney.copulas.coordinates import Coordinates, Layout, coordinates

__all__ = ["MEMORY", "Tile", "cut", "over_tiles"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MEMORY = 1 << 29
"""Bytes that the coordinates of a tile may take."""


class Tile(NamedTuple):
    """Some pairs, and the variables that they are made of."""

    variables: Ints  # columns of the table
    first: Ints  # positions among `variables`
    second: Ints
    pairs: Ints  # positions among the pairs that are cut up


def cut(first: Ints, second: Ints, most: int) -> Iterator[Tile]:
    """Cut pairs into tiles of at most `most` (at least 2) variables.

    Variables that are in none of the pairs are left out.

    Examples
    --------
    >>> from spinney._pairs import pair_nodes
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


def over_tiles(
    work: Callable[[Coordinates, Tile], None],
    U: Floats,
    pairs: tuple[Ints, Ints],
    layout: Layout,
    *,
    label: str,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Call ``work(coordinates, tile)`` until each of some pairs of columns was in a tile once.

    Calls may run side by side in threads; they must write to places of their own.
    """
    n, _ = U.shape
    most = max(MEMORY // max(n * layout.n_bytes, 1), 2)
    jobs = effective_n_jobs(n_jobs)
    # Pieces of some 200,000 samples: short enough to interrupt, long enough not to notice.
    piece = max(ceil(200_000 / n), 8)
    with progress_bar(pairs[0].size, label, progress) as advance:

        def step(where: Coordinates, tile: Tile) -> int:
            work(where, tile)
            return tile.pairs.size

        for tile in cut(*pairs, most):
            where = coordinates(U[:, tile.variables], layout)
            size = min(piece, ceil(tile.pairs.size / jobs))
            pieces = (
                Tile(tile.variables, *(field[k : k + size] for field in tile[1:]))
                for k in range(0, tile.pairs.size, size)
            )
            if jobs == 1:
                for part in pieces:
                    advance(step(where, part))
            else:
                run = Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered")
                for done in run(delayed(step)(where, part) for part in pieces):
                    advance(done)
