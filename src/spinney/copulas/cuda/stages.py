"""The kernels that fit pairs on the GPU, a family at a time.

One kernel that tried every family on a pair would be too long for the cache that instructions go
through: it was six times slower than these. So every family has a kernel that fits it to all
pairs, and one that fits it without each fold to the pairs on which it is next in turn; whose turn
it is, and which family wins, is found out by a thread for each pair.

The code of the search is that of :mod:`spinney.copulas._fit_one`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._cuda import cuda_module, device_function, simulated, twin
from spinney.copulas import _block, _fit_one, _search
from spinney.copulas._fit_one import Scratch
from spinney.copulas.batch import NONE, PROFILE, SUMS
from spinney.copulas.cuda.lanes import primitives

__all__ = ["Room", "Stages", "finish_function", "fit_function", "pick_function", "refit_function"]

cuda: Any = cuda_module()  # by this name the simulator finds it

REGISTERS = 96
"""Registers that a lane may use; the fewer, the more lanes run at a time."""


class Room(NamedTuple):
    """What is known of each pair between two kernels, and memory for a block at a time.

    The members of :class:`~spinney.copulas._fit_one.Scratch`, with pairs along the first axis
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


def _lane_kernel(function: Any) -> Any:
    options = {} if simulated() else {"max_registers": REGISTERS}
    return cuda.jit(**options)(function)


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
    return Stages(
        _lane_kernel(fit_function(names, method)), _lane_kernel(refit_function(names, method))
    )


def _same(method: int) -> Any:
    """Compile a test that is always true, but from which the compiler learns of the method.

    It then leaves out what belongs to others. NONE needs no kernels, and stands with SUMS.
    """

    @device_function
    def same(found):  # type: ignore[no-untyped-def]
        return found == method or (method == SUMS and found == NONE)

    return same


def fit_function(names: dict[str, Any], method: int) -> Any:
    """Build the kernel that fits some candidates to all pairs; the first one prepares pairs."""
    fit_candidate, prepare = names["fit_candidate"], names["prepare"]
    first, same = method == SUMS, _same(method)
    minus_infinity, nothing = -math.inf, math.nan

    def fit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
        block = cuda.blockIdx.x
        for pair in range(block, pairs.first.size, cuda.gridDim.x):
            scratch = _scratch(room, block, pair)
            i, j, tau = pairs.first[pair], pairs.second[pair], pairs.tau[pair]
            if first:
                # All lanes have the same numbers, and write them to the same places.
                room.best[pair] = minus_infinity
                room.turn[pair] = -1
                for c in range(candidates.method.size):
                    room.value[pair, c] = nothing
                prepare(where, i, j, folds, candidates, scratch)
            for k in range(own.size):
                # Always true, but the compiler learns of it, and leaves out all other methods.
                if same(candidates.method[own[k]]):
                    fit_candidate(where, i, j, tau, folds, candidates, own[k], scratch)

    return fit


def refit_function(names: dict[str, Any], method: int) -> Any:
    """Build the kernel that fits, without each fold, the candidate whose turn it is."""
    refit_candidate, same = names["refit_candidate"], _same(method)

    def refit(where, pairs, folds, candidates, own, room):  # type: ignore[no-untyped-def]
        block = cuda.blockIdx.x
        for pair in range(block, pairs.first.size, cuda.gridDim.x):
            for k in range(own.size):
                if room.turn[pair] == own[k] and same(candidates.method[own[k]]):
                    scratch = _scratch(room, block, pair)
                    i, j, tau = pairs.first[pair], pairs.second[pair], pairs.tau[pair]
                    room.held_out[pair] = refit_candidate(
                        where, i, j, tau, folds, candidates, own[k], scratch
                    )

    return refit


def pick_function() -> Any:
    """Build the kernel that says whose turn is next, as :mod:`spinney.copulas._block` does."""
    next_likely, choose = (twin(getattr(_block, f), np=np) for f in ("next_likely", "choose"))
    minus_infinity = -math.inf

    def pick(rule, candidates, room, count):  # type: ignore[no-untyped-def]
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
            c = next_likely(scratch)
            enough = minus_infinity if rule.refit_all else room.best[pair]
            turn = c if scratch.likelihood[c] > enough and math.isnan(scratch.value[c]) else -1
        elif turn < 0:
            for c in range(candidates.method.size):
                penalty = rule.penalty * candidates.n_parameters[c]
                scratch.value[c] = scratch.likelihood[c] - penalty
            turn = choose(rule, candidates, scratch)
        else:
            return
        room.turn[pair] = turn
        if turn >= 0:
            cuda.atomic.add(count, 0, 1)

    return pick


def finish_function() -> Any:
    """Build the kernel that chooses and writes results."""
    choose, record = (twin(getattr(_block, f), np=np) for f in ("choose", "record"))
    minus_infinity, nothing = -math.inf, math.nan

    def finish(rule, candidates, room, fits):  # type: ignore[no-untyped-def]
        pair = cuda.grid(1)
        if pair >= room.turn.size:
            return
        scratch = _scratch(room, 0, pair)
        for column in range(fits.criterion.shape[1]):
            fits.log_likelihood[pair, column] = minus_infinity
            fits.criterion[pair, column] = nothing
        chosen = choose(rule, candidates, scratch)
        held_out = scratch.value[chosen] if rule.cross_validate else room.held_out[pair]
        fits.held_out[pair] = held_out
        record(pair, chosen, candidates, scratch, fits)

    return finish


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
