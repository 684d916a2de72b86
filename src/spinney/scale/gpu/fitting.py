"""Fit pairs on the GPU: what :func:`spinney.pairs.copulas.block.fit_pairs` does, for many at once.

One kernel that tried every family on a pair would be too long for the cache that instructions go
through: it was seven times slower than these. So every family has a kernel that fits it to all
pairs, and one that fits it without each fold to the pairs on which it is next in turn; whose turn
it is, and which family wins, is found out by a thread for each pair. The code of the search is that
of :mod:`spinney.pairs.copulas.search`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from spinney.exceptions import DataWarning
from spinney.pairs.copulas import block as on_processor
from spinney.pairs.copulas import search
from spinney.pairs.copulas.addresses import kernel_address
from spinney.pairs.copulas.batch import NONE, PROFILE, SEARCH, SUMS
from spinney.pairs.copulas.block import Fits, Rule, fit_pairs
from spinney.pairs.copulas.coordinates import Coordinates
from spinney.pairs.copulas.registry import FAMILIES
from spinney.pairs.copulas.search import Candidates, Pair, Scratch
from spinney.scale.gpu import lanes
from spinney.scale.gpu.device import cuda_kernel, cuda_module, device_function, twin
from spinney.scale.gpu.lanes import Sent, primitives, send

__all__ = ["DeviceFit", "bytes_per_pair"]

cuda: Any = cuda_module()  # by this name the simulator finds it

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCKS = 132 * 32
"""Pairs that are worked on at a time: enough for the largest GPUs, and a few in turn on others."""
THREADS = 64
"""Threads of a block where each has a pair of its own."""
REGISTERS = 96
"""Registers that a lane may use; the fewer, the more lanes run at a time."""


class Room(NamedTuple):
    """What is known of each pair between two kernels, and memory for a block at a time."""

    scratch: Any  # a Scratch with pairs along the first axis; blocks, of `work` and `scores`
    held_out: Any  # (pairs,) of the candidate that was last refitted
    best: Any  # (pairs,) what the full likelihood of a candidate must pass
    turn: Any  # (pairs,) the candidate that is next; -1 if there is none, -2 before the first


class Pairs(NamedTuple):
    """The pairs that are fitted."""

    first: Any
    second: Any
    tau: Any


class DeviceFit:
    """A drop-in for :func:`spinney.pairs.copulas.block.fit_pairs` that works on the GPU.

    Coordinates are sent there once for all calls that bring the same.
    """

    def __init__(self) -> None:
        self._where, self._candidates = Sent(), Sent()
        self._own: tuple[Any, list[Any]] = None, []
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
            self._fit(where, Pairs(first, second, taus), folds, rule, candidates, fits)
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
        self,
        where: Coordinates,
        pairs: Pairs,
        folds: Ints,
        rule: Rule,
        candidates: Candidates,
        fits: Fits,
    ) -> None:
        n, n_pairs, n_folds = int(folds[-1]), len(pairs.first), len(folds) - 1
        sizes = (min(n_pairs, BLOCKS), n, n_pairs, n_folds, where.grid.size, candidates.method.size)
        if self._room is None or self._room[0] != sizes:
            self._room = sizes, _room(*sizes)
        if self._own[0] is not candidates:
            own = [(kernels, *send((some,))) for kernels, some in _by_kernels(candidates)]
            self._own = candidates, own
        told = (self._where(where), send(pairs), *send((folds,)), self._candidates(candidates))
        results: Any = Fits(*(cuda.device_array(mine.shape, dtype=mine.dtype) for mine in fits))
        _launch(self._own[1], told, rule, n, self._room[1], results)
        for mine, found in zip(fits, results, strict=True):
            found.copy_to_host(mine)


def _launch(
    own: list[Any], told: tuple[Any, ...], rule: Rule, n: int, room: Room, results: Any
) -> None:
    """Fit every family, then refit the likeliest ones until none can win, and choose."""
    *_, candidates = told
    n_pairs = room.turn.size
    lane_sizes, sizes = (len(room.scratch.work), lanes.LANES), (-(-n_pairs // THREADS), THREADS)
    pick, finish = _choice_kernels()
    for kernels, numbers in own:
        _stages(*kernels)[0][lane_sizes](*told, numbers, room)
    for _ in range(candidates.method.size if rule.cross_validate else 1):
        count = cuda.to_device(np.zeros(1, dtype=np.int64))
        pick[sizes](rule, n, candidates, room, count)
        if not count.copy_to_host()[0]:
            break
        for kernels, numbers in own:
            _stages(*kernels)[1][lane_sizes](*told, numbers, room)
    else:
        # The last one's value is still to be put down.
        pick[sizes](rule, n, candidates, room, cuda.to_device(np.zeros(1, dtype=np.int64)))
    finish[sizes](rule, candidates, room, results)


def bytes_per_pair(n_candidates: int, n_folds: int, n_grid: int) -> int:
    """Count the memory that a pair takes while it is fitted, and its results."""
    kept = n_candidates * (5 + 2 * n_folds) + n_grid * (1 + n_folds) + 2 * n_folds + 3
    return 8 * (kept + 4 + 2 * n_folds + 2 * n_candidates)


def _room(blocks: int, n: int, pairs: int, n_folds: int, n_grid: int, n_candidates: int) -> Room:
    each = (n_candidates,)
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("work", "scores"), (blocks, n)),
        **dict.fromkeys(("squares", "products"), (pairs, n_folds)),
        **dict.fromkeys(("slopes", "likelihood", "value"), (pairs, *each)),
        "thetas": (pairs, n_grid),
        "profile_sums": (pairs, n_grid, n_folds),
        "parameters": (pairs, *each, 2),
        "fold_parameters": (pairs, *each, n_folds, 2),
    }
    array = cuda.device_array
    scratch = Scratch(**{name: array(shape) for name, shape in shapes.items()})
    return Room(scratch, array(pairs), array(pairs), array(pairs, dtype=np.int64))


def _by_kernels(candidates: Candidates) -> list[tuple[tuple[Any, Any, int], Ints]]:
    """Group candidates by their kernels (density, score, method); those with none come first."""
    batches = [cls.batch for cls in FAMILIES.values() if cls.batch is not None]
    known = {(kernel_address(b, "density"), kernel_address(b, "score")): b for b in batches}
    groups: dict[tuple[Any, Any, int], list[int]] = {(None, None, SUMS): []}
    for c, method in enumerate(candidates.method.tolist()):
        kernels: tuple[Any, Any, int] = (None, None, SUMS)
        if method in (SEARCH, PROFILE):
            batch = known[int(candidates.density[c]), int(candidates.score[c])]
            kernels = (batch.density, batch.score, method)
        groups.setdefault(kernels, []).append(c)
    return [(kernels, np.array(own, dtype=np.int64)) for kernels, own in groups.items()]


@lru_cache(maxsize=32)
def _stages(density: Any, score: Any, method: int) -> tuple[Any, Any]:
    """Compile the two kernels of a family, with SUMS those of candidates that need none.

    Numba does the work at the first call. `_same` is always true, but from it the compiler learns
    of the method, and leaves out what belongs to others. NONE needs no kernels, and stands with
    SUMS.
    """

    @device_function
    def same(found):  # type: ignore[no-untyped-def]
        return found == method or (method == SUMS and found == NONE)

    names = primitives(density, score, method == PROFILE)
    for name in (
        *("gaussian_log_likelihood", "gaussian_mle", "maximise", "profile_density"),
        *("profile_second", "prepare", "_first_guess", "best_without"),
        *("fit_candidate", "refit_candidate"),
    ):  # each is compiled with those that stand before it
        names[name] = twin(getattr(search, name), **names)
    options: dict[str, Any] = {"registers": REGISTERS, **names}
    options |= {"_FIRST": method == SUMS, "_same": same}
    if density is not None:
        options["name"] = f"{density.__module__}.{density.__name__}"
        options["files"] = (density.__code__.co_filename,)
    return cuda_kernel(fit, **options), cuda_kernel(refit, **options)


@lru_cache(maxsize=1)
def _choice_kernels() -> tuple[Any, Any]:
    """Compile the kernel that says whose turn is next, and the one that writes results."""
    names: dict[str, Any] = {"np": np}
    for name in ("choose", "start_values", "next_to_refit", "record"):
        names[name] = twin(getattr(on_processor, name), **names)
    names.pop("np")
    return cuda_kernel(pick, **names), cuda_kernel(finish, **names)


# Kernels; names that are not defined here are put in place where they are compiled.


def fit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
    """Fit some candidates to all pairs; the first of these kernels prepares pairs."""
    block = cuda.blockIdx.x
    for k in range(block, pairs.first.size, cuda.gridDim.x):
        scratch = _scratch(room.scratch, block, k)
        pair = Pair(where, pairs.first[k], pairs.second[k], pairs.tau[k], folds)
        if _FIRST:  # type: ignore[name-defined]  # noqa: F821
            # All lanes have the same numbers, and write them to the same places.
            room.best[k] = -math.inf
            room.turn[k] = -2
            prepare(pair, candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
        for c in own:
            if _same(candidates.method[c]):  # type: ignore[name-defined]  # noqa: F821
                fit_candidate(pair, candidates, c, scratch)  # type: ignore[name-defined]  # noqa: F821


def refit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
    """Fit, without each fold, the candidate whose turn it is."""
    block = cuda.blockIdx.x
    for k in range(block, pairs.first.size, cuda.gridDim.x):
        for c in own:
            if room.turn[k] == c and _same(candidates.method[c]):  # type: ignore[name-defined]  # noqa: F821
                scratch = _scratch(room.scratch, block, k)
                pair = Pair(where, pairs.first[k], pairs.second[k], pairs.tau[k], folds)
                room.held_out[k] = refit_candidate(pair, candidates, c, scratch)  # type: ignore[name-defined]  # noqa: F821


def pick(rule, n, candidates, room, count):  # type: ignore[no-untyped-def]
    """Say whose turn is next, a thread for each pair, as the processor does one after the other."""
    pair = cuda.grid(1)
    if pair >= room.turn.size:
        return
    scratch = _scratch(room.scratch, 0, pair)
    turn = room.turn[pair]
    if turn == -2:
        start_values(rule, n, candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
    elif not rule.cross_validate:
        return
    elif turn >= 0:
        scratch.value[turn] = room.held_out[pair]
        room.best[pair] = max(room.best[pair], room.held_out[pair] - rule.margin)
    turn = next_to_refit(rule, room.best[pair], candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
    room.turn[pair] = turn
    if turn >= 0:
        cuda.atomic.add(count, 0, 1)


def finish(rule, candidates, room, fits):  # type: ignore[no-untyped-def]
    """Choose, and write results."""
    pair = cuda.grid(1)
    if pair >= room.turn.size:
        return
    scratch = _scratch(room.scratch, 0, pair)
    for column in range(fits.criterion.shape[1]):
        fits.log_likelihood[pair, column] = -math.inf
        fits.criterion[pair, column] = math.nan
    chosen = choose(rule, candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
    held_out = scratch.value[chosen] if rule.cross_validate else room.held_out[pair]
    fits.held_out[pair] = held_out
    record(pair, chosen, candidates, scratch, fits)  # type: ignore[name-defined]  # noqa: F821


def _scratch_of(room, block, pair):  # type: ignore[no-untyped-def]
    """Give what belongs to a pair, and the block's memory."""
    return Scratch(
        room.work[block],
        room.scores[block],
        room.squares[pair],
        room.products[pair],
        room.thetas[pair],
        room.profile_sums[pair],
        room.parameters[pair],
        room.slopes[pair],
        room.likelihood[pair],
        room.value[pair],
        room.fold_parameters[pair],
    )


_scratch: Any = cuda.jit(device=True)(_scratch_of)
