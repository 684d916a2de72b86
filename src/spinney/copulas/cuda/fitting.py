"""Fit pairs on the GPU: what :func:`spinney.copulas._block.fit_pairs` does, for many at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from spinney._cuda import cuda_module, simulated
from spinney.copulas._block import Fits, Rule, fit_pairs
from spinney.copulas._call import density_address, score_address
from spinney.copulas._fit_one import Candidates, Scratch
from spinney.copulas.batch import PROFILE, SEARCH, Batch
from spinney.copulas.coordinates import Coordinates
from spinney.copulas.cuda.lanes import LANES
from spinney.copulas.cuda.search import fit_pair_on_lanes
from spinney.copulas.cuda.sending import Sent, send
from spinney.copulas.registry import FAMILIES
from spinney.exceptions import DataWarning

__all__ = ["DeviceFit"]

cuda: Any = cuda_module()  # by this name the simulator finds it

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCKS = 132 * 16
"""Pairs that are worked on at a time: enough for the largest GPUs, and a few in turn on others."""

REGISTERS = 128
"""Registers that a lane may use; the fewer, the more lanes run at a time."""


class Kernels(NamedTuple):
    """Kernels of the families that are fitted; those of one parameter by number."""

    densities: tuple[Any, ...]
    scores: tuple[Any, ...]
    profile: tuple[Any, Any] | None


class DeviceFit:
    """A drop-in for :func:`spinney.copulas._block.fit_pairs` that works on the GPU.

    Coordinates are sent there once for all calls that bring the same.

    Parameters
    ----------
    candidates : Candidates
        What is tried on every pair.
    """

    def __init__(self, candidates: Candidates) -> None:
        kernels, numbers = _kernels(candidates)
        self._kernel = _compiled(kernels)
        # Kernels are found by number, not by address.
        self._candidates = send(candidates._replace(density=numbers, score=numbers))
        self._n_candidates = candidates.method.size
        self._fallback = False
        self._where = Sent()
        self._room: tuple[tuple[int, ...], Any] | None = None

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
            self._fit(where, (first, second, taus, folds), rule, fits)
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

    def _fit(
        self, where: Coordinates, pairs: tuple[Ints, Ints, Floats, Ints], rule: Rule, fits: Fits
    ) -> None:
        first, _, _, folds = pairs
        blocks = min(len(first), BLOCKS)
        n_folds, n_families = fits.fold_parameters.shape[1], fits.criterion.shape[1]
        sizes = (blocks, int(folds[-1]), n_folds, where.grid.size, self._n_candidates)
        if self._room is None or self._room[0] != sizes:
            self._room = sizes, _scratch(*sizes)
        results = _room_for_fits(len(first), n_folds, n_families)
        self._kernel[blocks, LANES](
            self._where(where),
            *send(pairs),
            rule,
            self._candidates,
            self._room[1],
            results,
        )
        for mine, found in zip(fits, results, strict=True):
            found.copy_to_host(mine)


def _scratch(blocks: int, n: int, n_folds: int, n_grid: int, n_candidates: int) -> Scratch:
    """Make room for every block; small numbers have one place for each lane, side by side."""
    array = cuda.device_array
    return Scratch(
        work=array((blocks, n)),
        scores=array((blocks, n)),
        squares=array((blocks, n_folds, LANES)),
        products=array((blocks, n_folds, LANES)),
        thetas=array((blocks, n_grid, LANES)),
        profile_sums=array((blocks, n_grid, n_folds, LANES)),
        parameters=array((blocks, n_candidates, 2, LANES)),
        slopes=array((blocks, n_candidates, LANES)),
        likelihood=array((blocks, n_candidates, LANES)),
        value=array((blocks, n_candidates, LANES)),
        fold_parameters=array((blocks, n_candidates, n_folds, 2, LANES)),
    )


def _room_for_fits(pairs: int, n_folds: int, n_families: int) -> Fits:
    array = cuda.device_array
    return Fits(
        candidate=array(pairs, dtype=np.int64),
        parameters=array((pairs, 2)),
        fold_parameters=array((pairs, n_folds, 2)),
        held_out=array(pairs),
        log_likelihood=array((pairs, n_families)),
        criterion=array((pairs, n_families)),
    )


def _kernels(candidates: Candidates) -> tuple[Kernels, Ints]:
    """Find the kernels behind the candidates' addresses, and number them."""
    batches: list[Batch] = [cls.batch for cls in FAMILIES.values() if cls.batch is not None]
    known = {(density_address(b), score_address(b)): b for b in batches}
    searched: list[Batch] = []
    profile = None
    numbers = np.zeros(candidates.method.size, dtype=np.int64)
    for c, method in enumerate(candidates.method):
        batch = known[int(candidates.density[c]), int(candidates.score[c])]
        if method == PROFILE:
            profile = (batch.density, batch.score)
        elif method == SEARCH:
            if batch not in searched:
                searched.append(batch)
            numbers[c] = searched.index(batch)
    kernels = Kernels(tuple(b.density for b in searched), tuple(b.score for b in searched), profile)
    return kernels, numbers


@lru_cache(maxsize=8)
def _compiled(kernels: Kernels) -> Any:
    """Compile the fit for some families; numba does the work at the first call."""
    options = {} if simulated() else {"max_registers": REGISTERS}
    return cuda.jit(**options)(fit_function(kernels))


def fit_function(kernels: Kernels) -> Any:
    """Build the kernel that fits pairs, a block of one warp each, in turn."""
    fit_pair = fit_pair_on_lanes(*kernels)
    minus_infinity, nothing = -np.inf, np.nan

    def fit(where, first, second, taus, folds, rule, candidates, room, fits):  # type: ignore[no-untyped-def]
        lane, block = cuda.threadIdx.x, cuda.blockIdx.x
        scratch = Scratch(
            room.work[block],
            room.scores[block],
            room.squares[block, :, lane],
            room.products[block, :, lane],
            room.thetas[block, :, lane],
            room.profile_sums[block, :, :, lane],
            room.parameters[block, :, :, lane],
            room.slopes[block, :, lane],
            room.likelihood[block, :, lane],
            room.value[block, :, lane],
            room.fold_parameters[block, :, :, :, lane],
        )
        for pair in range(block, first.size, cuda.gridDim.x):
            # All lanes have the same numbers and write them to the same places.
            for column in range(fits.criterion.shape[1]):
                fits.log_likelihood[pair, column] = minus_infinity
                fits.criterion[pair, column] = nothing
            cuda.syncthreads()
            i, j, tau = first[pair], second[pair], taus[pair]
            fit_pair(where, i, j, tau, folds, rule, candidates, scratch, pair, fits)

    return fit
