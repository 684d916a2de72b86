"""The kernels that fit pairs on the GPU, a family at a time.

One kernel that tried every family on a pair would be too long for the cache that instructions go
through: it was seven times slower than these. So every family has a kernel that fits it to all
pairs, and one that fits it without each fold to the pairs on which it is next in turn; whose turn
it is, and which family wins, is found out by a thread for each pair.

The code of the search is that of :mod:`spinney.pairs.copulas._fit_one`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from spinney.pairs.copulas import _block, _fit_one, _search
from spinney.pairs.copulas._fit_one import Scratch
from spinney.pairs.copulas.batch import NONE, PROFILE, SUMS
from spinney.pairs.copulas.cuda.lanes import primitives
from spinney.scale.gpu.device import cuda_kernel, cuda_module, device_function, twin

__all__ = ["Room", "Stages", "finish_kernel", "pick_kernel", "stages"]

cuda: Any = cuda_module()  # by this name the simulator finds it

REGISTERS = 96
"""Registers that a lane may use; the fewer, the more lanes run at a time."""


class Room(NamedTuple):
    """What is known of each pair between two kernels, and memory for a block at a time.

    The members of :class:`~spinney.pairs.copulas._fit_one.Scratch`, with pairs along the first axis
    (blocks, of `work` and `scores`), and
    """

    work: Any
    scores: Any
    squares: Any
    products: Any
    thetas: Any
    profile_sums: Any
    parameters: Any
    slopes: Any
    likelihood: Any
    value: Any
    fold_parameters: Any
    held_out: Any  # (pairs,) of the candidate that was last refitted
    best: Any  # (pairs,) what the full likelihood of a candidate must pass
    turn: Any  # (pairs,) the candidate that is next; -1 if there is none


class Stages(NamedTuple):
    """The kernels of one family, or of the candidates that need none."""

    fit: Any
    refit: Any


def search_twins(density: Any, score: Any, method: int) -> dict[str, Any]:
    """Compile the search for one pair, in which lanes add up, with the kernels of one family."""
    kernels = (density, score)
    own = primitives(*((None, None, *kernels) if method == PROFILE else (*kernels, None, None)))
    names: dict[str, Any] = own._asdict()
    for module, functions in (
        (_search, "gaussian_log_likelihood gaussian_mle maximise profile_density profile_second"),
        (_fit_one, "prepare _first_guess best_without fit_candidate refit_candidate"),
    ):
        for name in functions.split():  # each is compiled with those that stand before it
            names[name] = twin(getattr(module, name), **names)
    return names


def stages(density: Any, score: Any, method: int) -> Stages:
    """Compile the kernels of a family, with SUMS those of candidates that need none."""
    names = search_twins(density, score, method)
    names |= {"_FIRST": method == SUMS, "_same": _same(method)}
    options: dict[str, Any] = {"registers": REGISTERS, **names}
    if density is not None:
        options["name"] = f"{density.__module__}.{density.__name__}"
        options["files"] = (density.__code__.co_filename,)
    return Stages(cuda_kernel(fit, **options), cuda_kernel(refit, **options))


@lru_cache(maxsize=1)
def pick_kernel() -> Any:
    """Compile the kernel that says whose turn is next."""
    names = {f: twin(getattr(_block, f), np=np) for f in ("next_likely", "choose")}
    return cuda_kernel(pick, **names)


@lru_cache(maxsize=1)
def finish_kernel() -> Any:
    """Compile the kernel that chooses and writes results."""
    names = {f: twin(getattr(_block, f), np=np) for f in ("choose", "record")}
    return cuda_kernel(finish, **names)


def _same(method: int) -> Any:
    """Compile a test that is always true, but from which the compiler learns of the method.

    It then leaves out what belongs to others. NONE needs no kernels, and stands with SUMS.
    """

    @device_function
    def same(found):  # type: ignore[no-untyped-def]
        return found == method or (method == SUMS and found == NONE)

    return same


# Kernels; names that are not defined here are put in place where they are compiled.


def fit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
    """Fit some candidates to all pairs; the first of these kernels prepares pairs."""
    block = cuda.blockIdx.x
    for pair in range(block, pairs.first.size, cuda.gridDim.x):
        scratch = _scratch(room, block, pair)
        i, j, tau = pairs.first[pair], pairs.second[pair], pairs.tau[pair]
        if _FIRST:  # type: ignore[name-defined]  # noqa: F821
            # All lanes have the same numbers, and write them to the same places.
            room.best[pair] = -math.inf
            room.turn[pair] = -1
            for c in range(candidates.method.size):
                room.value[pair, c] = math.nan
            prepare(where, i, j, folds, candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
        for k in range(own.size):
            if _same(candidates.method[own[k]]):
                fit_candidate(  # type: ignore[name-defined]  # noqa: F821
                    where, i, j, tau, folds, candidates, own[k], scratch
                )


def refit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
    """Fit, without each fold, the candidate whose turn it is."""
    block = cuda.blockIdx.x
    for pair in range(block, pairs.first.size, cuda.gridDim.x):
        for k in range(own.size):
            if room.turn[pair] == own[k] and _same(candidates.method[own[k]]):
                scratch = _scratch(room, block, pair)
                i, j, tau = pairs.first[pair], pairs.second[pair], pairs.tau[pair]
                room.held_out[pair] = refit_candidate(  # type: ignore[name-defined]  # noqa: F821
                    where, i, j, tau, folds, candidates, own[k], scratch
                )


def pick(rule, candidates, room, count):  # type: ignore[no-untyped-def]
    """Say whose turn is next, a thread for each pair, as :mod:`spinney.pairs.copulas._block` does."""
    pair = cuda.grid(1)
    if pair >= room.turn.size:
        return
    scratch = _scratch(room, 0, pair)
    turn = room.turn[pair]
    if rule.cross_validate:
        if turn >= 0:
            value = room.held_out[pair]
            scratch.value[turn] = value
            room.best[pair] = max(room.best[pair], value - rule.margin)
        c = next_likely(scratch)  # type: ignore[name-defined]  # noqa: F821
        enough = -math.inf if rule.refit_all else room.best[pair]
        turn = c if scratch.likelihood[c] > enough and math.isnan(scratch.value[c]) else -1
    elif turn < 0:
        for c in range(candidates.method.size):
            penalty = rule.penalty * candidates.n_parameters[c]
            scratch.value[c] = scratch.likelihood[c] - penalty
        turn = choose(rule, candidates, scratch)  # type: ignore[name-defined]  # noqa: F821
    else:
        return
    room.turn[pair] = turn
    if turn >= 0:
        cuda.atomic.add(count, 0, 1)


def finish(rule, candidates, room, fits):  # type: ignore[no-untyped-def]
    """Choose, and write results."""
    pair = cuda.grid(1)
    if pair >= room.turn.size:
        return
    scratch = _scratch(room, 0, pair)
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
