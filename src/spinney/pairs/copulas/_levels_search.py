"""Maximum likelihood for one pair with levels, compiled: on all rows, and on all but one fold.

Cells get a little prior weight (:data:`~spinney.pairs.copulas._levels_fit.PRIOR_ROWS`) in all searches.

A candidate is climbed on a ladder of five parameters (see :mod:`spinney.pairs.copulas._ladder`), whose
sums by fold are kept: the fits without each fold are read off them, and only a fold whose optimum
lies beyond the ladder is climbed anew. Rungs are evenly spaced on a scale that is much like tau
(:func:`from_scale`), on which log-likelihoods are closer to parabolas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel, merged
from spinney.pairs.copulas._fit_one import Candidates, Scratch, best_without
from spinney.pairs.copulas._ladder import N_RUNGS, highest_point, quartic, quartic_at
from spinney.pairs.copulas._levels_fit import (
    CELLS,
    POINTS,
    ROWS,
    Given,
    Kernels,
    View,
    evaluate,
    fold_sums,
    look,
)
from spinney.pairs.copulas._search import total
from spinney.pairs.copulas.batch import NONE, PROFILE

__all__ = [
    "Guess",
    "Ladders",
    "exact_refit",
    "fit_levels",
    "from_scale",
    "new_ladders",
    "refit_levels",
    "to_scale",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SPACING = 0.6
"""Distance between rungs, in standard errors."""
MAX_DOUBT = 0.01
"""Log-likelihood by which points may miss the rows before the rows themselves are searched."""


class Ladders(NamedTuple):
    """Ladders of one pair: one for each candidate, then one for each second parameter."""

    sums: Floats  # (slots, rungs, folds + 1) log-likelihoods, at last of the prior rows
    centre: Floats  # (slots,) on the scale of the rungs; NaN where there is none
    spacing: Floats  # (slots,)
    mode: Ints  # (slots,) what was summed
    line: Floats  # (rungs,) memory
    spare: Floats  # (rungs, folds + 1) memory
    near: Floats  # (n_grid, folds + 1) at the best first parameter; NaN where it was not needed


class Guess(NamedTuple):
    """Where the next search begins: tau, and its standard error."""

    tau: float
    error: float


def new_ladders(n_candidates: int, n_grid: int, n_folds: int) -> Ladders:
    """Make room for the ladders of a pair."""
    slots = n_candidates + n_grid
    return Ladders(
        sums=np.empty((slots, N_RUNGS, n_folds + 1)),
        centre=np.empty(slots),
        spacing=np.empty(slots),
        mode=np.empty(slots, dtype=np.int64),
        line=np.empty(N_RUNGS),
        spare=np.empty((N_RUNGS, n_folds + 1)),
        near=np.empty((n_grid, n_folds + 1)),
    )


@kernel
def from_scale(t: float, scale: Floats) -> float:
    r"""Parameter at a place on the scale: :math:`b + k t / (1 - t)` or :math:`\sin(\pi t / 2)`.

    With (b, k) = (0, 2) and (1, 1) the scale is the tau of the Clayton and the Gumbel copula; k = 0
    stands for the sine, with which it is that of the Gaussian copula.
    """
    return scale[0] + scale[1] * t / (1.0 - t) if scale[1] > 0.0 else np.sin(0.5 * np.pi * t)


@kernel
def to_scale(theta: float, scale: Floats) -> float:
    """Place of a parameter on the scale."""
    if scale[1] > 0.0:
        return (theta - scale[0]) / (scale[1] + theta - scale[0])
    return np.arcsin(theta) * 2.0 / np.pi


@kernel
def _climb(
    view: View, scale: Floats, start: float, spacing: float, low: float, high: float, skip: int,
    line: Floats, sums: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Move a ladder until the highest point is on it; return its centre and spacing.

    `skip` is a fold that is left out, or -1. All places are on the scale.
    """
    widest = 0.125 * (high - low)
    spacing = min(spacing, widest)
    centre = start
    for _ in range(60):
        centre = min(max(centre, low + 2.0 * spacing), high - 2.0 * spacing)
        for rung in range(N_RUNGS):
            theta = from_scale(centre + (rung - 2.0) * spacing, scale)
            line[rung] = fold_sums(view, theta, sums[rung])
            if skip >= 0:
                line[rung] -= sums[rung, skip]
        t = highest_point(line, -2.0, 2.0)
        _, _, c2, c3, c4 = quartic(line)
        bend = -(2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4))
        error = 1.0 / np.sqrt(bend) if bend > 1e-4 else 100.0  # in rungs
        if _beyond(t, centre, spacing, low, high):
            centre += t * spacing
            spacing = min(1.5 * spacing, widest)
        elif error < 0.5 and abs(t) < 1.999:
            centre += t * spacing  # too coarse for a quartic
            spacing *= max(SPACING * error, 0.1)
        else:
            break
    return centre, spacing


@kernel
def _beyond(t: float, centre: float, spacing: float, low: float, high: float) -> bool:
    """Tell whether the maximum is beyond the ladder, and not at a bound of the parameter."""
    if t <= -1.999:
        return centre - 2.0 * spacing > low + 1e-9 * spacing
    return t >= 1.999 and centre + 2.0 * spacing < high - 1e-9 * spacing


@kernel
def _top(sums: Floats, fold: int, line: Floats) -> tuple[float, float]:
    """Where on a ladder the log-likelihood of all folds but one (-1: all) is highest, and it."""
    for rung in range(N_RUNGS):
        line[rung] = sums[rung].sum()
        if fold >= 0:
            line[rung] -= sums[rung, fold]
    t = highest_point(line, -2.0, 2.0)
    return t, quartic_at(line, t)


@kernel
def _parameter_at(table: Floats, tau: float) -> float:
    """Parameter that belongs to |tau|."""
    position = abs(tau) * (table.size - 1)
    k = min(int(position), table.size - 2)
    return table[k] + (position - k) * (table[k + 1] - table[k])


@kernel
def _tau_of(table: Floats, theta: float) -> float:
    """Size of the tau that belongs to a parameter."""
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


@merged
def fit_levels(
    given: Given, pair: int, mode: int, kernels: Kernels, candidates: Candidates, c: int,
    tau: float, guess: Guess, view: View, ladders: Ladders, scratch: Scratch,
) -> Guess:  # fmt: skip
    """Fit candidate `c` on all rows; return a better guess for the next one."""
    table, scale = candidates.start[c, 1 if tau < 0.0 else 0], kernels.scale[c]
    low, high = to_scale(candidates.low[c], scale), to_scale(candidates.high[c], scale)
    row_u, row_v = candidates.row_u[c, 1 if tau < 0.0 else 0], candidates.row_v[c]
    spacing = SPACING * guess.error
    if candidates.method[c] == PROFILE:
        start = guess.tau if tau >= 0.0 else -guess.tau
        second = _fit_second(
            given, pair, mode, kernels, c, start, spacing, low, high, view, ladders
        )
        slot = candidates.method.size + second
        ladders.mode[slot] = mode
    else:
        slot, second = c, -1
        start = to_scale(_parameter_at(table, guess.tau), scale)
        look(given, pair, mode, row_u, row_v, second, kernels, c, view)
        centre, spacing = _climb(
            view, scale, start, spacing, low, high, -1, ladders.line, ladders.sums[slot]
        )
        ladders.centre[slot], ladders.spacing[slot], ladders.mode[slot] = centre, spacing, mode
    t, likelihood = _top(ladders.sums[slot], -1, ladders.line)
    place = ladders.centre[slot] + t * ladders.spacing[slot]
    exact_mode = CELLS if mode == CELLS else ROWS
    if mode == POINTS or second >= 0:
        look(given, pair, exact_mode, row_u, row_v, second, kernels, c, view)
    exact = fold_sums(view, from_scale(place, scale), ladders.spare[0])
    exact -= ladders.spare[0, ladders.spare.shape[1] - 1]  # of the rows alone
    if mode == POINTS and not abs(exact - likelihood) < MAX_DOUBT:
        centre, spacing = _climb(
            view, scale, place, ladders.spacing[slot], low, high, -1, ladders.line,
            ladders.sums[slot],
        )  # fmt: skip
        ladders.centre[slot], ladders.spacing[slot], ladders.mode[slot] = centre, spacing, ROWS
        t, exact = _top(ladders.sums[slot], -1, ladders.line)
        place = centre + t * spacing
    theta = min(max(from_scale(place, scale), candidates.low[c]), candidates.high[c])
    scratch.parameters[c, 0] = theta
    scratch.likelihood[c] = exact
    found = guess.tau
    if second >= 0:
        scratch.parameters[c, 1] = given.source.grid[second]
    else:
        found = min(_tau_of(table, theta), 0.98)
    return Guess(found, min(max(ladders.spacing[slot] / SPACING, 1e-4), 0.25))


@kernel
def _fit_second(
    given: Given, pair: int, mode: int, kernels: Kernels, c: int, start: float, spacing: float,
    low: float, high: float, view: View, ladders: Ladders,
) -> int:  # fmt: skip
    """Best place of the second parameter on its grid; its ladder is left, and sums around it.

    Three places, the vertex of the parabola through them, and from there uphill, all at the same
    first parameter; then a ladder. If that finds the best first parameter elsewhere, neighbours
    are looked at again there, as long as one is better.
    """
    n_grid, near, line = given.source.grid.size, ladders.near, ladders.line
    first_slot = ladders.centre.size - n_grid
    ladders.centre[first_slot:] = np.nan
    near[:] = np.nan
    place, scale = start, kernels.scale[c]
    theta = from_scale(place, scale)
    for visit in range(3):
        k = _coarse(visit, n_grid)
        look(given, pair, mode, -1, -1, k, kernels, c, view)
        line[visit] = fold_sums(view, theta, near[k])
    best = _vertex(line, given.source.grid)
    look(given, pair, mode, -1, -1, best, kernels, c, view)
    value = fold_sums(view, theta, near[best])
    for step in (1, -1):
        while 0 <= best + step < n_grid:
            look(given, pair, mode, -1, -1, best + step, kernels, c, view)
            here = fold_sums(view, theta, near[best + step])
            if here <= value:
                break
            best, value = best + step, here
    while True:
        slot, centre = first_slot + best, place
        look(given, pair, mode, -1, -1, best, kernels, c, view)
        centre, spacing = _climb(
            view, scale, place, spacing, low, high, -1, line, ladders.sums[slot]
        )
        ladders.centre[slot], ladders.spacing[slot] = centre, spacing
        t, value = _top(ladders.sums[slot], -1, line)
        if abs(centre + t * spacing - place) < 0.5 * spacing:
            return best
        place = centre + t * spacing
        _at(ladders.sums[slot], t, line, near[best])
        better = best
        for step in (-1, 1):
            k = best + step
            while 0 <= k < n_grid and np.isnan(ladders.centre[first_slot + k]):
                look(given, pair, mode, -1, -1, k, kernels, c, view)
                here = fold_sums(view, from_scale(place, scale), near[k])
                if here <= value:
                    break
                better, value = k, here
                k += step
        if better == best:
            return best
        best = better


@kernel
def _coarse(visit: int, n_grid: int) -> int:
    """Place of the grid that is visited first, second and third."""
    return min(n_grid * (5 + 5 * visit) // 18, n_grid - 1)


@kernel
def _vertex(values: Floats, grid: Floats) -> int:
    """Place on a grid where the parabola through the first three values is highest.

    In one over the second parameter, which for degrees of freedom is the scale of the distance from
    the Gaussian copula.
    """
    a, b, c = _coarse(0, grid.size), _coarse(1, grid.size), _coarse(2, grid.size)
    best = a if values[0] >= values[1] else b
    if values[2] > max(values[0], values[1]):
        best = c
    if a < b < c:
        x, y, z = 1.0 / grid[a], 1.0 / grid[b], 1.0 / grid[c]
        left, right = (values[1] - values[0]) / (y - x), (values[2] - values[1]) / (z - y)
        bend = (right - left) / (z - x)
        if bend < 0.0:
            vertex = 0.5 * (x + y) - 0.5 * left / bend
            best = int(np.argmin(np.abs(1.0 / grid - vertex)))
    return best


@kernel
def _at(sums: Floats, t: float, line: Floats, out: Floats) -> None:
    """Log-likelihood of each fold at a place on a ladder."""
    for fold in range(out.size):
        for rung in range(N_RUNGS):
            line[rung] = sums[rung, fold]
        out[fold] = quartic_at(line, t)


@kernel
def refit_levels(
    given: Given, pair: int, kernels: Kernels, candidates: Candidates, c: int, tau: float,
    view: View, ladders: Ladders, scratch: Scratch,
) -> float:  # fmt: skip
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    n_candidates, line = candidates.method.size, ladders.line
    row_u, row_v = candidates.row_u[c, 1 if tau < 0.0 else 0], candidates.row_v[c]
    scale = kernels.scale[c]
    low, high = to_scale(candidates.low[c], scale), to_scale(candidates.high[c], scale)
    profile = candidates.method[c] == PROFILE
    held_out, slot, best = 0.0, c, -1
    seen = -2  # the second parameter of the rows in view
    if profile:
        best = int(np.argmin(np.abs(given.source.grid - scratch.parameters[c, 1])))
        slot = n_candidates + best
    if candidates.method[c] != NONE:
        t, _ = _top(ladders.sums[slot], -1, line)
        if abs(t) > 1.2:  # many a fold would be beyond the ladder
            look(given, pair, ladders.mode[slot], row_u, row_v, best, kernels, c, view)
            ladders.centre[slot], ladders.spacing[slot] = _climb(
                view, scale, ladders.centre[slot] + t * ladders.spacing[slot],
                ladders.spacing[slot], low, high, -1, line, ladders.sums[slot],
            )  # fmt: skip
    for fold in range(scratch.fold_parameters.shape[1]):
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if candidates.method[c] == NONE:
            continue
        # Between neighbours on its grid the second parameter hardly moves the first.
        second = best_without(ladders.near, fold) if profile else -1
        centre, spacing, sums = ladders.centre[slot], ladders.spacing[slot], ladders.sums[slot]
        t, _ = _top(sums, fold, line)
        if _beyond(t, centre, spacing, low, high):
            look(given, pair, ladders.mode[slot], row_u, row_v, best, kernels, c, view)
            seen, sums = -2, ladders.spare
            centre, spacing = _climb(
                view, scale, centre + t * spacing, spacing, low, high, fold, line, sums
            )
            t, _ = _top(sums, fold, line)
        theta = from_scale(centre + t * spacing, scale)
        theta = min(max(theta, candidates.low[c]), candidates.high[c])
        scratch.fold_parameters[c, fold, 0] = theta
        if second >= 0:
            scratch.fold_parameters[c, fold, 1] = given.source.grid[second]
        if ladders.mode[slot] == CELLS:
            for rung in range(N_RUNGS):
                line[rung] = sums[rung, fold]
            held_out += quartic_at(line, t)
            if profile:
                held_out += ladders.near[second, fold] - ladders.near[best, fold]
        else:
            if seen != second:
                look(given, pair, ROWS, row_u, row_v, second, kernels, c, view)
                seen = second
            start, stop = view.folds[fold], view.folds[fold + 1]
            evaluate(view, theta, start, stop)
            held_out += total(view.out, start, stop) - view.log_masses[fold]
    return held_out


@merged
def exact_refit(
    given: Given, pair: int, kernels: Kernels, candidates: Candidates, c: int, tau: float,
    view: View, ladders: Ladders, scratch: Scratch,
) -> float:  # fmt: skip
    """Log-density of what was held out of a table of cells, which was read off quartics so far."""
    row_u, row_v = candidates.row_u[c, 1 if tau < 0.0 else 0], candidates.row_v[c]
    held_out, sums = 0.0, ladders.spare[0]
    for fold in range(sums.size - 1):
        second = -1
        if candidates.method[c] == PROFILE:
            value = scratch.fold_parameters[c, fold, 1]
            second = int(np.argmin(np.abs(given.source.grid - value)))
        if second >= 0 or fold == 0:
            look(given, pair, CELLS, row_u, row_v, second, kernels, c, view)
        fold_sums(view, scratch.fold_parameters[c, fold, 0], sums)
        held_out += sums[fold]
    return held_out
