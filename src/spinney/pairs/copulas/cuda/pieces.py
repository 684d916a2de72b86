"""Pairs of a table in pieces: sent to the GPU, worked on, fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas._block import Densities, Fits, Rule, empty_fits
from spinney.pairs.copulas._fit_one import Candidates
from spinney.pairs.copulas.coordinates import Coordinates, Layout
from spinney.pairs.copulas.cuda.density import DeviceDensities
from spinney.pairs.copulas.cuda.fitting import DeviceFit, bytes_per_pair
from spinney.pairs.copulas.listing import Some
from spinney.pairs.copulas.tiles import Tile, over_tiles
from spinney.scale.gpu.device import download, free_memory, simulated, torch_module, why_no_cuda

__all__ = ["fit_on_device", "write_on_device"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PIECE = 1 << 20
"""Most pairs that are fitted at a time: 3 GB with the default families."""

CELLS = 1 << 28
"""Log-densities that are computed at a time."""


def fit_on_device(
    values: Floats,
    pairs: tuple[Some, Floats],
    folds: Ints,
    rule: Rule,
    what: tuple[Candidates, Layout],
    fits: Fits,
    *,
    progress: bool,
) -> None:
    """Do what :meth:`spinney.pairs.copulas.work.Rows.fit_plain` does; `pairs` come with all taus."""
    (some, taus), (candidates, layout) = pairs, what
    n_folds, n_families = fits.fold_parameters.shape[1], fits.criterion.shape[1]
    fit = DeviceFit(candidates)

    def work(where: Coordinates, tile: Tile) -> None:
        places = _slice_if_possible(some.places[tile.pairs])
        direct = isinstance(places, slice)
        part = (
            Fits(*(whole[places] for whole in fits))
            if direct
            else empty_fits(tile.pairs.size, n_folds, n_families)
        )
        fit(where, tile.first, tile.second, taus[places], folds, rule, candidates, part)
        if not direct:
            for whole, piece in zip(fits, part, strict=True):
                whole[places] = piece

    each = bytes_per_pair(candidates.method.size, n_folds, len(layout.grid))
    over_tiles(
        work, values, some[1:], layout, label="fitting pairs", n_jobs=1, progress=progress,
        piece=min(PIECE, max(free_memory() // 2 // each, 1000)),
    )  # fmt: skip


def write_on_device(
    values: Floats,
    some: Some,
    folds: Ints,
    what: tuple[Densities, Layout],
    receive: Callable[[Ints, Floats], None],
    *,
    progress: bool,
) -> None:
    """Do what :meth:`spinney.pairs.copulas.work.Rows.write_plain` does."""
    copulas, layout = what
    write = DeviceDensities()

    def work(where: Coordinates, tile: Tile) -> None:
        places = some.places[tile.pairs]
        found = write(where, tile.first, tile.second, copulas.take(places), folds)
        if why_no_cuda(("torch",)) is not None or simulated():
            receive(places, found.copy_to_host().T)
        else:
            receive(places, download(torch_module().as_tensor(found, device="cuda")).T)

    over_tiles(
        work, values, some[1:], layout, label="log-densities", n_jobs=1, progress=progress,
        piece=max(CELLS // max(len(values), 1), 1),
    )  # fmt: skip


def _slice_if_possible(places: Ints) -> Any:
    """Give places that follow each other as a slice, which copies nothing."""
    if places.size and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
