"""Cut pairs of a table's columns into pieces that fit into memory, and work on them in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from spinney._core.progress import progress_bar
from spinney._core.threads import n_threads
from spinney.pairs.copulas.coordinates import Coordinates, Layout, coordinates, look_up

__all__ = ["MEMORY", "Tile", "block_size", "cut", "over_tiles", "put"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MEMORY = 1 << 29
"""Bytes that the coordinates of a tile may take."""
MOST_MEMORY = 1 << 31
"""Bytes that they may take where fewer columns would leave a thread without a pair."""
LONG = 100_000
"""Rows from which on coordinates are computed once for all tiles, and looked up in each."""


class Tile(NamedTuple):
    """Some pairs, and the variables that they are made of."""

    variables: Ints  # columns of the table
    first: Ints  # positions among `variables`
    second: Ints
    pairs: Ints  # positions among the pairs that are cut up

    def pieces(self, size: int) -> Iterator[Tile]:
        """Cut the tile into pieces of at most `size` pairs, which keep its variables."""
        for k in range(0, self.pairs.size, size):
            yield Tile(self.variables, *(field[k : k + size] for field in self[1:]))


def block_size(n: int) -> int:
    """Pairs of n rows that are worked on in one go.

    Some 200,000 samples: short enough to interrupt, long enough not to notice.
    """
    return max(ceil(200_000 / n), 8)


def put(whole: Iterable[NDArray[Any]], places: Ints, part: Iterable[NDArray[Any]]) -> None:
    """Write the arrays of some pairs to their places in those of all."""
    for array, piece in zip(whole, part, strict=True):
        array[places] = piece


def cut(first: Ints, second: Ints, most: int) -> Iterator[Tile]:
    """Cut pairs into tiles of at most `most` (at least 2) variables.

    Variables that are in none of the pairs are left out.

    Examples
    --------
    >>> from spinney._core.pairs import pair_nodes
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
    order: Ints | None = None,
    piece: int | None = None,
) -> None:
    """Call ``work(coordinates, tile)`` until each of some pairs of columns was in a tile once.

    Calls may run side by side in threads; they must write to places of their own. With `order`,
    they see the rows in that order. With `piece`, one follows the other, with that many pairs at
    most.
    """
    n, _ = U.shape
    most = max(MEMORY // max(n * layout.n_bytes, 1), 2)
    if most < 4 and 4 * n * layout.n_bytes <= MOST_MEMORY:
        most = 4
    known = look_up(U, layout) if n >= LONG and most < U.shape[1] else None
    jobs = n_threads(n_jobs) if piece is None else 1
    piece = block_size(n) if piece is None else piece
    with progress_bar(pairs[0].size, label, progress) as advance:

        def step(where: Coordinates, tile: Tile) -> int:
            work(where, tile)
            return tile.pairs.size

        for tile in cut(*pairs, most):
            values = U[:, tile.variables]
            where = coordinates(values if order is None else values[order], layout, known)
            size = min(piece, ceil(tile.pairs.size / jobs))
            pieces = tile.pieces(size)
            if jobs == 1:
                for part in pieces:
                    advance(step(where, part))
            else:
                run = Parallel(n_jobs=jobs, require="sharedmem", return_as="generator_unordered")
                for done in run(delayed(step)(where, part) for part in pieces):
                    advance(done)
                del run
            del where, values  # before those of the next tile are there: they may be large
