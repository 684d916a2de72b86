"""Maximum likelihood for one pair with levels, compiled: on all rows, and on all but one fold.

Cells get a little prior weight (:data:`~spinney.pairs.copulas._levels.PRIOR_ROWS`) in all searches.

The log-likelihood is computed on a stencil of five evenly spaced parameters. Around its maximum it
is nearly a parabola, on the scale of a standard error: the quartic through five nodes that are most
of one apart is exact for all practical purposes. Sums over each fold at the nodes serve the fit on
all rows, the fits without each fold, and the held-out log-likelihoods; only a fold whose optimum
lies beyond the stencil gets its own. Nodes are evenly spaced on a scale that is much like
tau (:func:`from_scale`), on which log-likelihoods are closer to parabolas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel, merged
from spinney.pairs.copulas._levels import (
    CELLS,
    POINTS,
    ROWS,
    LevelKernels,
    PairBlock,
    View,
    evaluate,
    fold_sums,
    look,
)
from spinney.pairs.copulas.batch import NONE, PROFILE
from spinney.pairs.copulas.search import Candidates, Scratch, best_without, total

N_NODES = 5
SPACING = 0.6
"""Distance between nodes, in standard errors."""
MAX_DOUBT = 0.01
"""Log-likelihood by which points may miss the rows before the rows themselves are searched."""


class Stencils(NamedTuple):
    """Stencils of one pair: one for each candidate, then one for each second parameter."""

    sums: Floats  # (slots, nodes, folds + 1) log-likelihoods, at last of the prior rows
    centre: Floats  # (slots,) on the scale of the nodes; NaN where there is none
    spacing: Floats  # (slots,)
    mode: Ints  # (slots,) what was summed
    line: Floats  # (nodes,) memory
    spare: Floats  # (nodes, folds + 1) memory
    near: Floats  # (n_grid, folds + 1) at the best first parameter; NaN where it was not needed


class Work(NamedTuple):
    """What pairs with levels are searched in and with."""

    block: PairBlock
    candidates: Candidates
    kernels: LevelKernels
    seen: View  # not "view", which numba takes for that of arrays
    stencils: Stencils
    scratch: Scratch


class Guess(NamedTuple):
    """Where the next search begins: tau, and its standard error."""

    tau: float
    error: float


def new_stencils(n_candidates: int, n_grid: int, n_folds: int) -> Stencils:
    """Make room for the stencils of a pair."""
    slots = n_candidates + n_grid
    return Stencils(
        sums=np.empty((slots, N_NODES, n_folds + 1)),
        centre=np.empty(slots),
        spacing=np.empty(slots),
        mode=np.empty(slots, dtype=np.int64),
        line=np.empty(N_NODES),
        spare=np.empty((N_NODES, n_folds + 1)),
        near=np.empty((n_grid, n_folds + 1)),
    )


@kernel
def _quartic(values: Floats) -> tuple[float, float, float, float, float]:
    """Coefficients, constant first, of the quartic with these values at -2, -1, 0, 1, 2."""
    a, b, c, d, e = values[0], values[1], values[2], values[3], values[4]
    return (
        c,
        (a - 8.0 * b + 8.0 * d - e) / 12.0,
        (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / 24.0,
        (-a + 2.0 * b - 2.0 * d + e) / 12.0,
        (a - 4.0 * b + 6.0 * c - 4.0 * d + e) / 24.0,
    )


@kernel
def quartic_at(values: Floats, t: float) -> float:
    """Value at t of the quartic through five values."""
    c0, c1, c2, c3, c4 = _quartic(values)
    return c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))


@kernel
def highest_point(values: Floats, low: float, high: float) -> float:
    """Where in [low, high] the quartic through five values is highest, near the best of them.

    It begins at the highest node, and stays within one node of it: beyond, a quartic may turn up
    again where the function does not.
    """
    best = 0
    for k in range(1, values.size):
        if values[k] > values[best]:
            best = k
    _, c1, c2, c3, c4 = _quartic(values)
    low, high = max(low, best - 3.0), min(high, best - 1.0)
    t = min(max(best - 2.0, low), high)
    for _ in range(30):
        slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
        bend = 2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4)
        if slope > 0.0:
            low = t
        else:
            high = t
        target = t - slope / bend if bend < 0.0 else (high if slope > 0.0 else low)
        target = min(max(target, low), high)
        if abs(target - t) < 1e-10:
            return target
        t = target
    return t


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


@merged
def _bounds(work: Work, c: int) -> tuple[float, float]:
    """Bounds of a candidate's parameter on its scale."""
    scale = work.kernels.scale[c]
    return to_scale(work.candidates.low[c], scale), to_scale(work.candidates.high[c], scale)


@kernel
def _centre(
    view: View, scale: Floats, bounds: tuple[float, float], start: float, spacing: float, skip: int,
    line: Floats, sums: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Move a stencil until the highest point is on it; return its centre and spacing.

    `skip` is a fold that is left out, or -1. All places are on the scale.
    """
    low, high = bounds
    widest = 0.125 * (high - low)
    spacing = min(spacing, widest)
    centre = start
    for _ in range(60):
        centre = min(max(centre, low + 2.0 * spacing), high - 2.0 * spacing)
        for node in range(N_NODES):
            theta = from_scale(centre + (node - 2.0) * spacing, scale)
            line[node] = fold_sums(view, theta, sums[node])
            if skip >= 0:
                line[node] -= sums[node, skip]
        t = highest_point(line, -2.0, 2.0)
        _, _, c2, c3, c4 = _quartic(line)
        bend = -(2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4))
        error = 1.0 / np.sqrt(bend) if bend > 1e-4 else 100.0  # in nodes
        if _beyond(t, centre, spacing, low, high):
            centre += t * spacing
            spacing = min(1.5 * spacing, widest)
        elif error < 0.5 and abs(t) < 1.999:
            centre += t * spacing  # too coarse for a quartic
            spacing *= max(SPACING * error, 0.1)
        else:
            break
    return centre, spacing


@merged
def _place(work: Work, c: int, slot: int, start: float, spacing: float) -> None:
    """Centre the stencil of a slot on the highest point of what is in view."""
    stencils, scale, sums = work.stencils, work.kernels.scale[c], work.stencils.sums[slot]
    stencils.centre[slot], stencils.spacing[slot] = _centre(
        work.seen, scale, _bounds(work, c), start, spacing, -1, stencils.line, sums
    )


@kernel
def _beyond(t: float, centre: float, spacing: float, low: float, high: float) -> bool:
    """Tell whether the maximum is beyond the stencil, and not at a bound of the parameter."""
    if t <= -1.999:
        return centre - 2.0 * spacing > low + 1e-9 * spacing
    return t >= 1.999 and centre + 2.0 * spacing < high - 1e-9 * spacing


@kernel
def _top(sums: Floats, fold: int, line: Floats) -> tuple[float, float]:
    """Where on a stencil the log-likelihood of all folds but one (-1: all) is highest, and it."""
    for node in range(N_NODES):
        line[node] = sums[node].sum()
        if fold >= 0:
            line[node] -= sums[node, fold]
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
def _see(work: Work, pair: int, mode: int, c: int, tau: float, second: int) -> None:
    """See a pair as candidate `c` does, with the second parameter at a place of its grid or -1."""
    candidates = work.candidates
    row_u, row_v = candidates.row_u[c, 1 if tau < 0.0 else 0], candidates.row_v[c]
    look(work.block, pair, mode, row_u, row_v, second, work.kernels, c, work.seen)


@merged
def fit_levels(work: Work, pair: int, mode: int, c: int, tau: float, guess: Guess) -> Guess:
    """Fit candidate `c` on all rows; return a better guess for the next one."""
    block, candidates, kernels, view, stencils, scratch = work
    scale, table = kernels.scale[c], candidates.start[c, 1 if tau < 0.0 else 0]
    spacing = SPACING * guess.error
    if candidates.method[c] == PROFILE:
        start = guess.tau if tau >= 0.0 else -guess.tau
        second = _fit_second(work, pair, mode, c, start, spacing)
        slot = candidates.method.size + second
    else:
        slot, second = c, -1
        start = to_scale(_parameter_at(table, guess.tau), scale)
        _see(work, pair, mode, c, tau, second)
        _place(work, c, slot, start, spacing)
    stencils.mode[slot] = mode
    t, likelihood = _top(stencils.sums[slot], -1, stencils.line)
    place = stencils.centre[slot] + t * stencils.spacing[slot]
    if mode == POINTS or second >= 0:
        _see(work, pair, CELLS if mode == CELLS else ROWS, c, tau, second)
    exact = fold_sums(view, from_scale(place, scale), stencils.spare[0])
    exact -= stencils.spare[0, stencils.spare.shape[1] - 1]  # of the rows alone
    if mode == POINTS and not abs(exact - likelihood) < MAX_DOUBT:
        _place(work, c, slot, place, stencils.spacing[slot])
        stencils.mode[slot] = ROWS
        t, exact = _top(stencils.sums[slot], -1, stencils.line)
        place = stencils.centre[slot] + t * stencils.spacing[slot]
    theta = min(max(from_scale(place, scale), candidates.low[c]), candidates.high[c])
    scratch.parameters[c, 0] = theta
    scratch.likelihood[c] = exact
    found = guess.tau
    if second >= 0:
        scratch.parameters[c, 1] = block.source.grid[second]
    else:
        found = min(_tau_of(table, theta), 0.98)
    return Guess(found, min(max(stencils.spacing[slot] / SPACING, 1e-4), 0.25))


@merged
def _sums_at(work: Work, pair: int, mode: int, c: int, k: int, theta: float) -> float:
    """Log-likelihood with the second parameter at place `k` of its grid; by fold into `near`."""
    look(work.block, pair, mode, -1, -1, k, work.kernels, c, work.seen)
    return fold_sums(work.seen, theta, work.stencils.near[k])


@kernel
def _fit_second(work: Work, pair: int, mode: int, c: int, start: float, spacing: float) -> int:
    """Best place of the second parameter on its grid; its stencil is left, and sums around it.

    Three places, the vertex of the parabola through them, and from there uphill, all at the same
    first parameter; then a stencil. If that finds the best first parameter elsewhere, neighbours
    are tried again there, as long as one is better.
    """
    stencils, scale, grid = work.stencils, work.kernels.scale[c], work.block.source.grid
    near, line = stencils.near, stencils.line
    n_grid = grid.size
    first_slot = stencils.centre.size - n_grid
    stencils.centre[first_slot:] = np.nan
    near[:] = np.nan
    place, theta = start, from_scale(start, scale)
    for visit in range(3):
        k = _coarse(visit, n_grid)
        line[visit] = _sums_at(work, pair, mode, c, k, theta)
    best = _vertex(line, grid)
    value = _sums_at(work, pair, mode, c, best, theta)
    for step in (1, -1):
        while 0 <= best + step < n_grid:
            here = _sums_at(work, pair, mode, c, best + step, theta)
            if here <= value:
                break
            best, value = best + step, here
    while True:
        slot = first_slot + best
        look(work.block, pair, mode, -1, -1, best, work.kernels, c, work.seen)
        _place(work, c, slot, place, spacing)
        centre, spacing = stencils.centre[slot], stencils.spacing[slot]
        t, value = _top(stencils.sums[slot], -1, line)
        if abs(centre + t * spacing - place) < 0.5 * spacing:
            return best
        place = centre + t * spacing
        for fold in range(near.shape[1]):
            near[best, fold] = _fold_at(stencils.sums[slot], fold, t, line)
        better, theta = best, from_scale(place, scale)
        for step in (-1, 1):
            k = best + step
            while 0 <= k < n_grid and np.isnan(stencils.centre[first_slot + k]):
                here = _sums_at(work, pair, mode, c, k, theta)
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
def _fold_at(sums: Floats, fold: int, t: float, line: Floats) -> float:
    """Log-likelihood of one fold at a place on a stencil."""
    for node in range(N_NODES):
        line[node] = sums[node, fold]
    return quartic_at(line, t)


@kernel
def refit_levels(work: Work, pair: int, c: int, tau: float) -> float:
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    block, candidates, kernels, view, stencils, scratch = work
    line, grid, scale = stencils.line, block.source.grid, kernels.scale[c]
    low, high = _bounds(work, c)
    profile = candidates.method[c] == PROFILE
    held_out, slot, best = 0.0, c, -1
    seen = -2  # the second parameter of the rows in view
    if profile:
        best = int(np.argmin(np.abs(grid - scratch.parameters[c, 1])))
        slot = candidates.method.size + best
    if candidates.method[c] != NONE:
        t, _ = _top(stencils.sums[slot], -1, line)
        if abs(t) > 1.2:  # many a fold would be beyond the stencil
            _see(work, pair, stencils.mode[slot], c, tau, best)
            middle = stencils.centre[slot] + t * stencils.spacing[slot]
            _place(work, c, slot, middle, stencils.spacing[slot])
    for fold in range(scratch.fold_parameters.shape[1]):
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if candidates.method[c] == NONE:
            continue
        # Between neighbours on its grid the second parameter hardly moves the first.
        second = best_without(stencils.near, fold) if profile else -1
        centre, spacing, sums = stencils.centre[slot], stencils.spacing[slot], stencils.sums[slot]
        t, _ = _top(sums, fold, line)
        if _beyond(t, centre, spacing, low, high):
            _see(work, pair, stencils.mode[slot], c, tau, best)
            seen, sums = -2, stencils.spare
            middle = centre + t * spacing
            centre, spacing = _centre(view, scale, (low, high), middle, spacing, fold, line, sums)
            t, _ = _top(sums, fold, line)
        theta = from_scale(centre + t * spacing, scale)
        theta = min(max(theta, candidates.low[c]), candidates.high[c])
        scratch.fold_parameters[c, fold, 0] = theta
        if second >= 0:
            scratch.fold_parameters[c, fold, 1] = grid[second]
        if stencils.mode[slot] == CELLS:
            held_out += _fold_at(sums, fold, t, line)
            if profile:
                held_out += stencils.near[second, fold] - stencils.near[best, fold]
        else:
            if seen != second:
                _see(work, pair, ROWS, c, tau, second)
                seen = second
            start, stop = view.folds[fold], view.folds[fold + 1]
            evaluate(view, theta, start, stop)
            held_out += total(view.out, start, stop) - view.log_masses[fold]
    return held_out


@merged
def exact_refit(work: Work, pair: int, c: int, tau: float) -> float:
    """Log-density of what was held out of a table of cells, which was read off quartics so far."""
    fold_parameters, grid = work.scratch.fold_parameters, work.block.source.grid
    held_out, sums = 0.0, work.stencils.spare[0]
    for fold in range(sums.size - 1):
        second = -1
        if work.candidates.method[c] == PROFILE:
            second = int(np.argmin(np.abs(grid - fold_parameters[c, fold, 1])))
        if second >= 0 or fold == 0:
            _see(work, pair, CELLS, c, tau, second)
        fold_sums(work.seen, fold_parameters[c, fold, 0], sums)
        held_out += sums[fold]
    return held_out
