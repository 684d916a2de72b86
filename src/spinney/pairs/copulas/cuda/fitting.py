"""Fit pairs on the GPU: what :func:`spinney.pairs.copulas._block.fit_pairs` does, for many at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from spinney.exceptions import DataWarning
from spinney.pairs.copulas._block import Fits, Rule, fit_pairs
from spinney.pairs.copulas._call import density_address, score_address
from spinney.pairs.copulas._fit_one import Candidates
from spinney.pairs.copulas.batch import PROFILE, SEARCH, SUMS, Batch
from spinney.pairs.copulas.coordinates import Coordinates
from spinney.pairs.copulas.cuda import lanes
from spinney.pairs.copulas.cuda.sending import Sent, send
from spinney.pairs.copulas.cuda.stages import (
    Room,
    Stages,
    finish_kernel,
    pick_kernel,
    stages,
)
from spinney.pairs.copulas.registry import FAMILIES
from spinney.scale.gpu.device import cuda_module

__all__ = ["DeviceFit", "bytes_per_pair"]

cuda: Any = cuda_module()  # by this name the simulator finds it

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCKS = 132 * 32
"""Pairs that are worked on at a time: enough for the largest GPUs, and a few in turn on others."""

THREADS = 64
"""Threads of a block where each has a pair of its own."""


class Pairs(NamedTuple):
    """The pairs that are fitted."""

    first: Any
    second: Any
    tau: Any


class DeviceFit:
    """A drop-in for :func:`spinney.pairs.copulas._block.fit_pairs` that works on the GPU.

    Coordinates are sent there once for all calls that bring the same.

    Parameters
    ----------
    candidates : Candidates
        What is tried on every pair.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._n_candidates = candidates.method.size
        self._candidates = send(candidates)
        self._own = [(kernels, *send((own,))) for kernels, own in _by_kernels(candidates)]
        self._where = Sent()
        self._room: tuple[tuple[int, ...], Room] | None = None
        self._fallback = False

    def __call__(
        self,
        where: Coordinates,
        first: Ints,
        second: Ints,
        taus: Floats,
        folds: Ints,
        rule: Rule,
        candidates: Candidates,
        fits: Fits,
    ) -> None:
        """Fit the pairs (first[p], second[p]) into `fits`, which are as :func:`empty_fits`."""
        if self._fallback:
            fit_pairs(where, first, second, taus, folds, rule, candidates, fits)
            return
        try:
            self._fit(where, Pairs(first, second, taus), folds, rule, fits)
        except NumbaError as error:
            # A family of somebody else's may use what numba does not know on GPUs.
            self._fallback = True
            warn(
                "A family cannot be compiled for the GPU, so the processor fits all pairs: "
                f"{str(error).strip().splitlines()[0]}",
                DataWarning,
                stacklevel=2,
            )
            self(where, first, second, taus, folds, rule, candidates, fits)

    def _fit(self, where: Coordinates, pairs: Pairs, folds: Ints, rule: Rule, fits: Fits) -> None:
        n_pairs, n_folds = len(pairs.first), len(folds) - 1
        blocks = min(n_pairs, BLOCKS)
        sizes = (blocks, int(folds[-1]), n_pairs, n_folds, where.grid.size, self._n_candidates)
        if self._room is None or self._room[0] != sizes:
            self._room = sizes, _room(*sizes)
        told = (self._where(where), send(pairs), *send((folds,)), self._candidates)
        results = _room_for_fits(n_pairs, n_folds, fits.criterion.shape[1])
        _launch(self._own, told, rule, self._room[1], results)
        _fetch(results, fits)


def _launch(own: list[Any], told: tuple[Any, ...], rule: Rule, room: Room, results: Any) -> None:
    """Fit every family, then refit the likeliest ones until none can win, and choose."""
    *_, candidates = told
    n_pairs = room.turn.size
    lane_sizes, sizes = (len(room.work), lanes.LANES), (-(-n_pairs // THREADS), THREADS)
    pick, finish = pick_kernel(), finish_kernel()
    for kernels, numbers in own:
        _stages(*kernels).fit[lane_sizes](*told, numbers, room)
    for _ in range(candidates.method.size if rule.cross_validate else 1):
        count = cuda.to_device(np.zeros(1, dtype=np.int64))
        pick[sizes](rule, candidates, room, count)
        if not count.copy_to_host()[0]:
            break
        for kernels, numbers in own:
            _stages(*kernels).refit[lane_sizes](*told, numbers, room)
    else:
        # The last one's value is still to be put down.
        pick[sizes](rule, candidates, room, cuda.to_device(np.zeros(1, dtype=np.int64)))
    finish[sizes](rule, candidates, room, results)


def _fetch(results: Any, fits: Fits) -> None:
    for mine, found in zip(fits, results, strict=True):
        found.copy_to_host(mine)


def bytes_per_pair(n_candidates: int, n_folds: int, n_grid: int) -> int:
    """Count the memory that a pair takes while it is fitted, and its results."""
    kept = n_candidates * (5 + 2 * n_folds) + n_grid * (1 + n_folds) + 2 * n_folds + 3
    return 8 * (kept + 4 + 2 * n_folds + 2 * n_candidates)


def _room(blocks: int, n: int, pairs: int, n_folds: int, n_grid: int, n_candidates: int) -> Room:
    array = cuda.device_array
    return Room(
        work=array((blocks, n)),
        scores=array((blocks, n)),
        squares=array((pairs, n_folds)),
        products=array((pairs, n_folds)),
        thetas=array((pairs, n_grid)),
        profile_sums=array((pairs, n_grid, n_folds)),
        parameters=array((pairs, n_candidates, 2)),
        slopes=array((pairs, n_candidates)),
        likelihood=array((pairs, n_candidates)),
        value=array((pairs, n_candidates)),
        fold_parameters=array((pairs, n_candidates, n_folds, 2)),
        held_out=array(pairs),
        best=array(pairs),
        turn=array(pairs, dtype=np.int64),
    )


def _room_for_fits(pairs: int, n_folds: int, n_families: int) -> Any:
    array = cuda.device_array
    return Fits(
        candidate=array(pairs, dtype=np.int64),
        parameters=array((pairs, 2)),
        fold_parameters=array((pairs, n_folds, 2)),
        held_out=array(pairs),
        log_likelihood=array((pairs, n_families)),
        criterion=array((pairs, n_families)),
    )


def _by_kernels(candidates: Candidates) -> list[tuple[tuple[Any, Any, int], Ints]]:
    """Group candidates by their kernels (density, score, method); those with none come first."""
    batches: list[Batch] = [cls.batch for cls in FAMILIES.values() if cls.batch is not None]
    known = {(density_address(b), score_address(b)): b for b in batches}
    groups: dict[tuple[Any, Any, int], list[int]] = {(None, None, SUMS): []}
    for c, method in enumerate(candidates.method.tolist()):
        kernels: tuple[Any, Any, int] = (None, None, SUMS)
        if method in (SEARCH, PROFILE):
            batch = known[int(candidates.density[c]), int(candidates.score[c])]
            kernels = (batch.density, batch.score, method)
        groups.setdefault(kernels, []).append(c)
    return [(kernels, np.array(own, dtype=np.int64)) for kernels, own in groups.items()]


@lru_cache(maxsize=32)
def _stages(density: Any, score: Any, method: int) -> Stages:
    """Compile a family's kernels; numba does the work at the first call."""
    return stages(density, score, method)
