"""Maximum likelihood for one pair with levels, compiled: on all rows, and on all but one fold.

A candidate is climbed on a ladder of five parameters (see :mod:`spinney.copulas._ladder`), whose
sums by fold are kept: the fits without each fold are read off them, and only a fold whose optimum
lies beyond the ladder is climbed anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel, merged
from spinney.copulas._fit_one import Candidates, Scratch
from spinney.copulas._ladder import N_RUNGS, highest_point, quartic, quartic_at
from spinney.copulas._levels_fit import (
    CELLS,
    POINTS,
    ROWS,
    Given,
    Kernels,
    View,
    fold_sums,
    log_probabilities,
    look,
)
from spinney.copulas.batch import NONE, PROFILE

__all__ = ["Ladders", "exact_refit", "fit_levels", "new_ladders", "refit_levels"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SPACING = 0.8
"""Distance between rungs, in standard errors."""
MAX_DOUBT = 0.01
"""Log-likelihood by which points may miss the rows before the rows themselves are searched."""


class Ladders(NamedTuple):
    """Ladders of one pair: one for each candidate, then one for each second parameter."""

    sums: Floats  # (slots, rungs, folds) log-likelihoods
    centre: Floats  # (slots,) NaN where there is none
    spacing: Floats  # (slots,)
    mode: Ints  # (slots,) what was summed
    line: Floats  # (rungs,) memory
    spare: Floats  # (rungs, folds) memory
    at_start: Floats  # (n_grid,) log-likelihood where the search of the second parameter begins


class Guess(NamedTuple):
    """Where the next search begins: tau, and its standard error."""

    tau: float
    error: float


def new_ladders(n_candidates: int, n_grid: int, n_folds: int) -> Ladders:
    """Make room for the ladders of a pair."""
    slots = n_candidates + n_grid
    return Ladders(
        sums=np.empty((slots, N_RUNGS, n_folds)),
        centre=np.empty(slots),
        spacing=np.empty(slots),
        mode=np.empty(slots, dtype=np.int64),
        line=np.empty(N_RUNGS),
        spare=np.empty((N_RUNGS, n_folds)),
        at_start=np.empty(n_grid),
    )


@kernel
def _climb(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, second: int, theta: float,
    spacing: float, low: float, high: float, skip: int, view: View, line: Floats, sums: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Move a ladder until the highest point is on it; return its centre and spacing.

    `skip` is a fold that is left out, or -1. The pair must be in view.
    """
    widest = 0.125 * (high - low)
    spacing = min(spacing, widest)
    centre = theta
    for _ in range(60):
        centre = min(max(centre, low + 2.0 * spacing), high - 2.0 * spacing)
        for rung in range(N_RUNGS):
            at = centre + (rung - 2.0) * spacing
            line[rung] = fold_sums(given, pair, mode, kernels, c, at, second, view, sums[rung])
            if skip >= 0:
                line[rung] -= sums[rung, skip]
        t = highest_point(line, -2.0, 2.0)
        _, _, c2, c3, c4 = quartic(line)
        bend = -(2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4))
        error = 1.0 / np.sqrt(bend) if bend > 1e-4 else 100.0  # in rungs
        at_low = t <= -1.999 and centre - 2.0 * spacing <= low * (1.0 + 1e-12) + 1e-300
        at_high = t >= 1.999 and centre + 2.0 * spacing >= high * (1.0 - 1e-12)
        if abs(t) > 1.999 and not at_low and not at_high:
            centre += t * spacing
            spacing = min(1.5 * spacing, widest)
        elif error < 0.4 and not at_low and not at_high:
            centre += t * spacing  # too coarse for a quartic
            spacing *= max(SPACING * error, 0.1)
        else:
            break
    return centre, spacing


@merged
def _slope(candidates: Candidates, c: int, negative: int, tau: float) -> float:
    """Change of a candidate's parameter with |tau|."""
    table = candidates.start[c, negative]
    k = min(int(abs(tau) * (table.size - 1)), table.size - 2)
    return max(abs(table[k + 1] - table[k]) * (table.size - 1), 1e-3)


@merged
def _start(candidates: Candidates, c: int, negative: int, tau: float) -> float:
    """Parameter of a candidate with that |tau|."""
    table = candidates.start[c, negative]
    position = abs(tau) * (table.size - 1)
    k = min(int(position), table.size - 2)
    share = position - k
    return (1.0 - share) * table[k] + share * table[k + 1]


@merged
def _tau_of(candidates: Candidates, c: int, negative: int, theta: float) -> float:
    """Size of the tau that belongs to a parameter."""
    table = candidates.start[c, negative]
    low, high = 0, table.size - 1
    rising = table[high] > table[0]
    while high - low > 1:
        middle = (low + high) // 2
        if (table[middle] < theta) == rising:
            low = middle
        else:
            high = middle
    width = table[high] - table[low]
    share = (theta - table[low]) / width if width != 0.0 else 0.0
    return (low + min(max(share, 0.0), 1.0)) / (table.size - 1)


@kernel
def fit_levels(
    given: Given, pair: int, mode: int, kernels: Kernels, candidates: Candidates, c: int,
    tau: float, guess: Guess, view: View, ladders: Ladders, scratch: Scratch,
) -> Guess:  # fmt: skip
    """Fit candidate `c` on all rows; return a better guess for the next one."""
    negative = 1 if tau < 0.0 else 0
    low, high = candidates.low[c], candidates.high[c]
    row_u, row_v = candidates.row_u[c, negative], candidates.row_v[c]
    if candidates.method[c] == NONE:
        scratch.likelihood[c] = 0.0
        return guess
    if candidates.method[c] == PROFILE:
        size = abs(guess.tau) * 0.5 * np.pi
        rho = -np.sin(size) if negative == 1 else np.sin(size)
        spacing = SPACING * guess.error * max(0.5 * np.pi * np.cos(size), 1e-3)
        slot = candidates.method.size + _fit_second(
            given, pair, mode, kernels, c, rho, spacing, low, high, view, ladders
        )
        second = slot - candidates.method.size
    else:
        slot, second = c, -1
        spacing = SPACING * guess.error * _slope(candidates, c, negative, guess.tau)
        theta = _start(candidates, c, negative, guess.tau)
        look(given, pair, mode, row_u, row_v, second, kernels.mirrors, view)
        _settle(
            given, pair, mode, kernels, c, second, theta, spacing, low, high, view, ladders, slot
        )
    theta, likelihood = _top(ladders, slot)
    if mode == POINTS:
        look(given, pair, ROWS, row_u, row_v, second, kernels.mirrors, view)
        exact = fold_sums(given, pair, ROWS, kernels, c, theta, second, view, ladders.spare[0])
        if not abs(exact - likelihood) < MAX_DOUBT:
            _settle(
                given, pair, ROWS, kernels, c, second, theta, ladders.spacing[slot], low, high,
                view, ladders, slot,
            )  # fmt: skip
            theta, exact = _top(ladders, slot)
        likelihood = exact
    scratch.parameters[c, 0] = theta
    scratch.likelihood[c] = likelihood
    if second >= 0:
        scratch.parameters[c, 1] = given.source.grid[second]
        return guess
    found = min(_tau_of(candidates, c, negative, theta), 0.98)
    error = ladders.spacing[slot] / SPACING / _slope(candidates, c, negative, found)
    return Guess(found, min(max(error, 1e-4), 0.25))


@merged
def _settle(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, second: int, theta: float,
    spacing: float, low: float, high: float, view: View, ladders: Ladders, slot: int,
) -> None:  # fmt: skip
    """Climb on all rows, and keep the ladder."""
    centre, spacing = _climb(
        given, pair, mode, kernels, c, second, theta, spacing, low, high, -1, view,
        ladders.line, ladders.sums[slot],
    )  # fmt: skip
    ladders.centre[slot], ladders.spacing[slot] = centre, spacing
    ladders.mode[slot] = mode


@kernel
def _top(ladders: Ladders, slot: int) -> tuple[float, float]:
    """Best parameter on a ladder and the log-likelihood there."""
    for rung in range(N_RUNGS):
        ladders.line[rung] = ladders.sums[slot, rung].sum()
    t = highest_point(ladders.line, -2.0, 2.0)
    theta = ladders.centre[slot] + t * ladders.spacing[slot]
    return theta, quartic_at(ladders.line, t)


@kernel
def _fit_second(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, rho: float, spacing: float,
    low: float, high: float, view: View, ladders: Ladders,
) -> int:  # fmt: skip
    """Best place of the second parameter on its grid; ladders of it and both neighbours are left.

    First at a fixed first parameter, every fourth place, then between; then with ladders, as long
    as a neighbour is better.
    """
    n_grid = given.source.grid.size
    first_slot = ladders.centre.size - n_grid
    ladders.centre[first_slot:] = np.nan
    ladders.at_start[:] = -np.inf
    theta = min(max(rho, low), high)
    best = (n_grid - 1) // 2
    stride = 4
    while stride > 0:
        for k in range(0 if stride == 4 else max(best - stride, 0), n_grid, stride):
            if ladders.at_start[k] == -np.inf and (stride == 4 or k <= best + stride):
                look(given, pair, mode, -1, -1, k, kernels.mirrors, view)
                ladders.at_start[k] = fold_sums(
                    given, pair, mode, kernels, c, theta, k, view, ladders.spare[0]
                )
        best = int(np.argmax(ladders.at_start))
        stride //= 2
    value = -np.inf
    while True:
        around = best
        for k in (around, around - 1, around + 1):
            slot = first_slot + k
            if 0 <= k < n_grid and np.isnan(ladders.centre[slot]):
                look(given, pair, mode, -1, -1, k, kernels.mirrors, view)
                _settle(
                    given, pair, mode, kernels, c, k, theta, spacing, low, high, view, ladders,
                    slot,
                )  # fmt: skip
                theta, here = _top(ladders, slot)
                spacing = ladders.spacing[slot]
                if here > value:
                    best, value = k, here
        if best == around:
            return best


@kernel
def refit_levels(
    given: Given, pair: int, kernels: Kernels, candidates: Candidates, c: int, tau: float,
    view: View, ladders: Ladders, scratch: Scratch,
) -> float:  # fmt: skip
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    n_folds = scratch.fold_parameters.shape[1]
    negative = 1 if tau < 0.0 else 0
    row_u, row_v = candidates.row_u[c, negative], candidates.row_v[c]
    low, high = candidates.low[c], candidates.high[c]
    held_out = 0.0
    seen = -2  # the second parameter of the rows in view
    for fold in range(n_folds):
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if candidates.method[c] == NONE:
            continue
        slot = c
        if candidates.method[c] == PROFILE:
            slot = _best_slot_without(ladders, candidates.method.size, fold)
        second = slot - candidates.method.size if slot != c else -1
        mode = ladders.mode[slot]
        centre, spacing, sums = ladders.centre[slot], ladders.spacing[slot], ladders.sums[slot]
        t = _top_without(ladders.line, sums, fold)
        at_low = centre - 2.0 * spacing <= low * (1.0 + 1e-12) + 1e-300
        at_high = centre + 2.0 * spacing >= high * (1.0 - 1e-12)
        if (t <= -1.999 and not at_low) or (t >= 1.999 and not at_high):
            look(given, pair, mode, row_u, row_v, second, kernels.mirrors, view)
            seen = -2
            sums = ladders.spare
            centre, spacing = _climb(
                given, pair, mode, kernels, c, second, centre + t * spacing, spacing, low, high,
                fold, view, ladders.line, sums,
            )  # fmt: skip
            t = _top_without(ladders.line, sums, fold)
        theta = min(max(centre + t * spacing, low), high)
        scratch.fold_parameters[c, fold, 0] = theta
        if second >= 0:
            scratch.fold_parameters[c, fold, 1] = given.source.grid[second]
        if mode == CELLS:
            for rung in range(N_RUNGS):
                ladders.line[rung] = sums[rung, fold]
            held_out += quartic_at(ladders.line, t)
        else:
            if seen != second:
                look(given, pair, ROWS, row_u, row_v, second, kernels.mirrors, view)
                seen = second
            held_out += _rows_of_fold(given, pair, kernels, c, theta, second, fold, view)
    return held_out


@merged
def _rows_of_fold(
    given: Given, pair: int, kernels: Kernels, c: int, theta: float, second: int, fold: int,
    view: View,
) -> float:  # fmt: skip
    """Log-density of a fold's rows, which are in view."""
    start, stop = given.pairs.folds[pair, fold], given.pairs.folds[pair, fold + 1]
    log_probabilities(given, pair, ROWS, kernels, c, theta, second, start, stop, view)
    return view.out[start:stop].sum() - view.log_masses[fold]


@kernel
def _top_without(line: Floats, sums: Floats, fold: int) -> float:
    """Where the log-likelihood of all folds but one is highest, in rungs."""
    for rung in range(N_RUNGS):
        line[rung] = sums[rung].sum() - sums[rung, fold]
    return highest_point(line, -2.0, 2.0)


@kernel
def _best_slot_without(ladders: Ladders, first_slot: int, fold: int) -> int:
    """Ladder of the second parameter that is best on all folds but one."""
    best, best_value = first_slot, -np.inf
    for slot in range(first_slot, ladders.centre.size):
        if not np.isnan(ladders.centre[slot]):
            t = _top_without(ladders.line, ladders.sums[slot], fold)
            value = quartic_at(ladders.line, t)
            if value > best_value:
                best, best_value = slot, value
    return best


@kernel
def exact_refit(
    given: Given, pair: int, kernels: Kernels, candidates: Candidates, c: int, tau: float,
    view: View, ladders: Ladders, scratch: Scratch,
) -> float:  # fmt: skip
    """Log-density of what was held out of a table of cells, at the parameters that were found.

    Also writes the log-likelihood of candidate `c`: both were read off quartics so far.
    """
    negative = 1 if tau < 0.0 else 0
    row_u, row_v = candidates.row_u[c, negative], candidates.row_v[c]
    held_out = 0.0
    for fold in range(-1, scratch.fold_parameters.shape[1]):
        theta, value = scratch.parameters[c, 0], scratch.parameters[c, 1]
        if fold >= 0:
            theta, value = scratch.fold_parameters[c, fold, 0], scratch.fold_parameters[c, fold, 1]
        second = -1
        if candidates.method[c] == PROFILE:
            second = int(np.argmin(np.abs(given.source.grid - value)))
        if second >= 0 or fold == -1:
            look(given, pair, CELLS, row_u, row_v, second, kernels.mirrors, view)
        sums = ladders.spare[0]
        total = fold_sums(given, pair, CELLS, kernels, c, theta, second, view, sums)
        if fold >= 0:
            held_out += sums[fold]
        else:
            scratch.likelihood[c] = total
    return held_out
