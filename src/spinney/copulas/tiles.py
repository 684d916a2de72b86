"""Cut the pairs of a table into pieces that fit into memory, and work on them in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from spinney._pairs import pair_nodes
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
    pairs: Ints  # positions among all pairs


def cut(d: int, most: int) -> Iterator[Tile]:
    """Cut all pairs of `d` variables into tiles of at most `most` (at least 2) variables.

    Examples
    --------
    >>> [tile.pairs.size for tile in cut(5, most=4)]
    [1, 4, 2, 1, 2]
    """
    if most >= d:
        yield Tile(np.arange(d), *pair_nodes(d), np.arange(d * (d - 1) // 2))
        return
    half = max(most // 2, 1)
    edges = range(0, d, half)
    for a in edges:
        for b in edges[a // half :]:
            rows, columns = np.arange(a, min(a + half, d)), np.arange(b, min(b + half, d))
            variables = np.union1d(rows, columns)
            u, v = np.meshgrid(rows, columns, indexing="ij")
            u, v = u[u < v], v[u < v]
            if u.size:
                pairs = u * (2 * d - u - 1) // 2 + v - u - 1
                yield Tile(
                    variables, np.searchsorted(variables, u), np.searchsorted(variables, v), pairs
                )


def over_tiles(
    work: Callable[[Coordinates, Tile], None],
    U: Floats,
    layout: Layout,
    *,
    label: str,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Call ``work(coordinates, tile)`` until every pair of U's columns has been in a tile once.

    Calls may run side by side in threads; they must write to places of their own.
    """
    n, d = U.shape
    most = max(MEMORY // max(n * layout.n_bytes, 1), 2)
    jobs = effective_n_jobs(n_jobs)
    # Pieces of some 200,000 samples: short enough to interrupt, long enough not to notice.
    piece = max(ceil(200_000 / n), 8)
    with progress_bar(d * (d - 1) // 2, label, progress) as advance:

        def step(where: Coordinates, tile: Tile) -> int:
            work(where, tile)
            return tile.pairs.size

        for tile in cut(d, most):
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
