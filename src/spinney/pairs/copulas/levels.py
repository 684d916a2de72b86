"""Maximum likelihood for one pair of which a column or both have levels, compiled.

Two columns with levels have a log-likelihood that is a sum over cells, each with the number of rows
that it holds, counted once by fold. A column with levels beside a continuous one has a sum over
rows. Either is climbed by Newton's method, on a scale much like Kendall's tau (:func:`from_scale`),
on which log-likelihoods are close to parabolas: on all rows, and from there on all but one fold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel, merged
from spinney.pairs.copulas.base import NONE, PROFILE
from spinney.pairs.copulas.block import Fits, Rule, settle
from spinney.pairs.copulas.coordinates import N_ROWS, Grid, coordinates_of, mirrors_of
from spinney.pairs.copulas.kernels import cells, strip
from spinney.pairs.copulas.search import Candidates, Scratch, dot, new_scratch, total

PRIOR_ROWS = 1.0
"""Rows that a search adds to a table of cells, spread over it as if the columns were independent.

Otherwise a cell without rows would drive the parameter to perfect dependence, even if it is empty
only because its rows are all held out: these would then be impossible, and the strongest pairs of
yes/no columns would be taken for independent. Reported and held-out likelihoods are those of the
rows alone."""

_FLOOR = -700.0
"""Replaces log 0: perfect dependence leaves cells without probability."""
_WIDTH = 0.5
"""Steps between places around a maximum, in standard errors: the places reach as far as most folds
move it, and the polynomial through them is right to 1e-4 of an error."""


class Side(NamedTuple):
    """A column on the rows of a pair: a continuous one has `at`, one with levels the others."""

    at: Floats  # (coordinates, rows)
    codes: Ints
    masses: Floats
    ends: Floats  # (2, coordinates, levels - 1): thresholds and their coordinates


class LevelPair(NamedTuple):
    """A pair with levels. Coordinates are the rows, then those on the grid."""

    n_u: int  # levels; zero where a side is continuous
    n_v: int
    folds: Ints  # where each fold begins among the rows, and where the last ends
    u: Floats  # (2, coordinates, n_u - 1): thresholds, mirrored as the coordinate is, and theirs
    v: Floats
    counts: Floats  # (folds + 1, cells) rows by cell; prior rows last
    at: Floats  # (coordinates, rows) of the continuous side
    codes: Ints  # (rows,) cells, or levels beside a continuous side
    log_mass: Floats  # (cells,) under independence
    log_masses: Floats  # (folds + 1,) summed over the rows of each fold, and the prior rows


def thresholds(masses: Floats, grid: Grid) -> Floats:
    """Cumulated masses between levels and their coordinates, mirrored as the coordinate is."""
    t, flip = np.cumsum(masses)[:-1], mirrors_of(grid)[:, None] == 1
    found = coordinates_of(t, grid)
    return np.stack([np.where(flip, 1.0 - t[::-1], t), np.where(flip, found[:, ::-1], found)])


def level_pair(sides: tuple[Side, Side], folds: Ints) -> LevelPair:
    """Lay out a pair; `folds` tells where each fold begins among its rows."""
    n_folds, (n_u, n_v) = folds.size - 1, (side.masses.size for side in sides)
    # Rows by fold and cell, a continuous side being a single level; then the prior rows.
    u, v = (side.masses if side.masses.size else np.ones(1) for side in sides)
    mass, codes = np.outer(u, v).ravel(), np.zeros(folds[-1], dtype=np.int64)
    for side, step in zip(sides, (v.size, 1), strict=True):
        if side.masses.size:
            codes += step * side.codes
    counts = np.full((n_folds + 1, mass.size), PRIOR_ROWS * mass if n_u and n_v else 0.0)
    places = np.repeat(np.arange(n_folds) * mass.size, np.diff(folds)) + codes
    counts[:-1] = np.bincount(places, minlength=n_folds * mass.size).reshape(n_folds, mass.size)
    at, log_mass = sides[1 if n_u else 0].at, np.log(mass)
    known = counts, at, codes, log_mass, counts @ log_mass
    return LevelPair(n_u, n_v, folds.astype(np.int64), sides[0].ends, sides[1].ends, *known)


class SeenAt(NamedTuple):
    """A pair as a copula sees it."""

    pair: LevelPair
    family: int
    row_u: int  # coordinates
    row_v: int
    df: float  # NaN where there is no second parameter
    table: Floats  # of the conditional distribution of Student's copula


@kernel
def see(
    pair: LevelPair, family: int, row_u: int, row_v: int, place: int, grid: Floats, tables: Floats
) -> SeenAt:
    """See a pair in two rows of coordinates, or at a place of the grid of the second parameter."""
    df = np.nan
    if place >= 0:
        row_u = row_v = N_ROWS + place
        df = grid[place]
    return SeenAt(pair, family, row_u, row_v, df, tables[max(place, 0)])


@merged
def _mirrors(row: int) -> bool:
    """Whether a coordinate is that of 1 - u."""
    return row < N_ROWS and row % 2 == 1


@kernel
def evaluate(seen: SeenAt, theta: float, start: int, stop: int, out: Floats) -> None:
    """Log-probabilities of all cells, or of the rows from `start` to `stop`, into `out`."""
    pair, row_u, row_v = seen.pair, seen.row_u, seen.row_v
    n_u, n_v = pair.n_u, pair.n_v
    if n_u > 0 and n_v > 0:
        start, stop = 0, n_u * n_v
        cells(
            seen.family, pair.u[0, row_u], pair.v[0, row_v], pair.u[1, row_u], pair.v[1, row_v],
            _mirrors(row_u), _mirrors(row_v), theta, seen.df, out[:stop],
        )  # fmt: skip
    else:
        row, other = (row_u, row_v) if n_u > 0 else (row_v, row_u)
        cuts = pair.u[1, row] if n_u > 0 else pair.v[1, row]
        strip(
            seen.family, pair.at[other, start:stop], cuts, pair.codes[start:stop], _mirrors(row),
            theta, seen.df, seen.table, out[start:stop],
        )  # fmt: skip
    for k in range(start, stop):
        if not out[k] > _FLOOR:
            out[k] = _FLOOR


@kernel
def fold_sums(seen: SeenAt, theta: float, out: Floats, sums: Floats) -> float:
    """Log-likelihood of each fold and of the prior rows into `sums`; returns that of all."""
    folds, whole = seen.pair.folds, 0.0
    evaluate(seen, theta, folds[0], folds[folds.size - 1], out)
    for fold in range(folds.size):
        sums[fold] = _sum_of_fold(seen, fold, out)
        whole += sums[fold]
    return whole


@merged
def _sum_of_fold(seen: SeenAt, fold: int, out: Floats) -> float:
    """Sum what was evaluated over the rows of a fold; those after the last are the prior's."""
    pair, value = seen.pair, 0.0
    if pair.n_u > 0 and pair.n_v > 0:
        value = dot(pair.counts[fold], out, 0, pair.counts.shape[1])
    elif fold < pair.folds.size - 1:
        value = total(out, pair.folds[fold], pair.folds[fold + 1])
    return value - pair.log_masses[fold]


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


class Likelihood(NamedTuple):
    """The log-likelihood of a candidate, on its scale."""

    seen: SeenAt
    scale: Floats
    low: float  # bounds
    high: float
    out: Floats


@kernel
def look_around(
    target: Likelihood, place: float, step: float, known: Floats
) -> tuple[float, float]:
    """Log-likelihoods by fold at five places around one, within bounds, into `known`.

    Returns the middle of the five, and the steps between them.
    """
    step = min(step, 0.25 * (target.high - target.low))
    middle = min(max(place, target.low + 2.0 * step), target.high - 2.0 * step)
    for k in range(5):
        theta = from_scale(middle + (k - 2.0) * step, target.scale)
        fold_sums(target.seen, theta, target.out, known[k])
    return middle, step


@kernel
def polynomial_maximum(heights: Floats) -> tuple[float, float]:
    """Where the polynomial through five even places is highest, and its second derivative there.

    In steps from the middle one; by Newton's method, at most a step from the highest of the five.
    """
    a, b, c, d, e = heights
    first, second = (a - 8.0 * b + 8.0 * d - e) / 12.0, (16.0 * (b + d) - 30.0 * c - a - e) / 12.0
    third, fourth = (2.0 * (b - d) - a + e) / 2.0, a + e - 4.0 * (b + d) + 6.0 * c
    best = np.argmax(heights) - 2.0
    low, high, bend = max(best - 1.0, -2.0), min(best + 1.0, 2.0), second
    for _ in range(6):
        slope = first + best * (second + best * (third / 2.0 + best * fourth / 6.0))
        bend = second + best * (third + best * fourth / 2.0)
        if bend >= 0.0:
            break
        best = min(max(best - slope / bend, low), high)
    return best, bend


@kernel
def climb(
    target: Likelihood, place: float, middle: float, step: float, skip: int, known: Floats
) -> tuple[float, float, float]:
    """Place of the highest log-likelihood within bounds, without the fold `skip` (-1: with all).

    By Newton's method, with derivatives of the polynomial through five places around the last one:
    their `middle`, `step` and heights by fold, in `known`, are what :func:`look_around` found, and
    are returned for the next search. They are to be half a standard error apart, and the place
    among them; with all folds, they are to be around the maximum.
    """
    for _ in range(40):
        heights = known.sum(axis=1)
        if skip >= 0:
            heights -= known[:, skip]
        shift, bend = polynomial_maximum(heights)
        last, place = place, min(max(middle + shift * step, target.low), target.high)
        errors = np.sqrt(-bend) if bend < 0.0 else 2.0  # of which a step is so many
        if abs(shift) < 2.0:
            if skip >= 0 or (errors <= 0.6 and abs(place - last) <= step):
                break
            step *= min(max(_WIDTH / errors, 0.25), 4.0)
        elif min(place - target.low, target.high - place) < 1e-9:
            break
        else:
            step *= 2.0
        middle, step = look_around(target, place, step, known)
    return place, middle, step


class LevelWork(NamedTuple):
    """What a pair is fitted with, and memory."""

    pair: LevelPair
    candidates: Candidates
    grid: Floats  # of the second parameter
    tables: Floats
    scratch: Scratch
    out: Floats
    sums: Floats
    known: Floats  # (candidates, 5, folds + 1) around each candidate's maximum
    around: Floats  # (candidates, 2): the middle of these places, and their step
    tau: float


@merged
def _likelihood(work: LevelWork, c: int, place: int) -> Likelihood:
    """See a pair as candidate `c` does, at a place of the grid of the second parameter."""
    of, scale = work.candidates, work.candidates.scale[c]
    rows = of.family[c], of.row_u[c], of.row_v[c]
    seen = see(work.pair, rows[0], rows[1], rows[2], place, work.grid, work.tables)
    return Likelihood(
        seen, scale, to_scale(of.low[c], scale), to_scale(of.high[c], scale), work.out
    )


@kernel
def _best_second(work: LevelWork, c: int, theta: float, place: int) -> int:
    """Climb on the grid of the second parameter from a place, at a given first one."""
    best, top = place, fold_sums(_likelihood(work, c, place).seen, theta, work.out, work.sums)
    for step in (4, -4, 1, -1):
        while 0 <= best + step < work.grid.size:
            here = fold_sums(_likelihood(work, c, best + step).seen, theta, work.out, work.sums)
            if here <= top:
                break
            best, top = best + step, here
    return best


@kernel
def fit_candidate(work: LevelWork, c: int, guess: float, step: float) -> tuple[float, float]:
    """Fit candidate `c` on all rows from a guess of tau (absolute); return a better guess.

    Also returned is the step between places, which is given as about a standard error of tau.
    """
    candidates, scratch, known = work.candidates, work.scratch, work.known[c]
    scale, target = candidates.scale[c], _likelihood(work, c, -1)
    # A scale with its own sign is that of a correlation.
    t = -guess if work.tau < 0.0 and scale[1] == 0.0 else guess
    t, place = min(max(t, target.low), target.high), -1
    if candidates.method[c] == PROFILE:
        place = _best_second(work, c, from_scale(t, scale), work.grid.size // 2)
    for _ in range(5):
        target = _likelihood(work, c, place)
        middle, step = look_around(target, t, step, known)
        t, middle, step = climb(target, t, middle, step, -1, known)
        theta = min(max(from_scale(t, scale), candidates.low[c]), candidates.high[c])
        if place < 0:
            break
        better = _best_second(work, c, theta, place)
        if better == place:
            break
        place = better
    work.around[c, 0], work.around[c, 1] = middle, step
    likelihood = fold_sums(_likelihood(work, c, place).seen, theta, work.out, work.sums)
    scratch.parameters[c, 0] = theta
    scratch.parameters[c, 1] = work.grid[place] if place >= 0 else np.nan
    scratch.likelihood[c] = likelihood - work.sums[work.sums.size - 1]  # of the rows alone
    return min(abs(t), 0.98), step


@kernel
def refit_candidate(work: LevelWork, c: int) -> float:
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    candidates, scratch, folds = work.candidates, work.scratch, work.pair.folds
    scale, held_out = candidates.scale[c], 0.0
    scratch.fold_parameters[c] = np.nan
    if candidates.method[c] == NONE:
        return held_out
    theta, first, last, own = scratch.parameters[c, 0], -1, -1, -1
    near = np.empty((3, folds.size))  # of the second parameter and its neighbours on the grid
    if candidates.method[c] == PROFILE:
        own = int(np.argmin(np.abs(work.grid - scratch.parameters[c, 1])))
        first, last = max(own - 1, 0), min(own + 1, work.grid.size - 1)
        for k in range(first, last + 1):
            fold_sums(_likelihood(work, c, k).seen, theta, work.out, near[k - first])
    known, start = np.empty((5, folds.size)), to_scale(theta, scale)
    for fold in range(folds.size - 1):
        place = own
        for k in range(first, last + 1):
            here, there = near[k - first], near[place - first]
            if here.sum() - here[fold] > there.sum() - there[fold]:
                place = k
        target, (middle, step) = _likelihood(work, c, place), work.around[c]
        known[:] = work.known[c]
        if place != own:
            middle, step = look_around(target, start, step, known)
        t, _, _ = climb(target, start, middle, step, fold, known)
        fitted = min(max(from_scale(t, scale), candidates.low[c]), candidates.high[c])
        evaluate(target.seen, fitted, folds[fold], folds[fold + 1], work.out)
        held_out += _sum_of_fold(target.seen, fold, work.out)
        scratch.fold_parameters[c, fold, 0] = fitted
        if place >= 0:
            scratch.fold_parameters[c, fold, 1] = work.grid[place]
    return held_out


@kernel
def fit_level_pair(
    pair: LevelPair, candidates: Candidates, grid: Floats, tables: Floats, tau: float, rule: Rule,
    place: int, fits: Fits,
) -> None:  # fmt: skip
    """Fit one pair, whose Kendall's tau is `tau`, into its place of `fits`."""
    n_candidates, n_folds = candidates.method.size, pair.folds.size - 1
    n_rows = pair.folds[n_folds]
    scratch = new_scratch(0, n_folds, 0, n_candidates)
    scratch.likelihood[:] = -np.inf
    scratch.parameters[:] = np.nan
    guess = min(1.05 * abs(tau), 0.95)
    step = _WIDTH * max((1.0 - guess * guess) / np.sqrt(float(n_rows)), 1e-3)
    out, sums = np.empty(max(n_rows, pair.n_u * pair.n_v)), np.empty(n_folds + 1)
    known, around = np.empty((n_candidates, 5, n_folds + 1)), np.empty((n_candidates, 2))
    work = LevelWork(pair, candidates, grid, tables, scratch, out, sums, known, around, tau)
    # Four cells with given margins leave one number free: every family with one parameter is the
    # same model, and a second parameter is not identified.
    four_cells, fitted = pair.n_u == 2 and pair.n_v == 2, False
    for c in range(n_candidates):
        if candidates.method[c] == NONE:
            scratch.likelihood[c] = 0.0
            continue
        superfluous = four_cells and (fitted or candidates.method[c] == PROFILE)
        if candidates.tried[c, 1 if tau < 0.0 else 0] and not superfluous:
            guess, step = fit_candidate(work, c, guess, step)
            fitted = True
    settle(refit_candidate, work, n_rows, rule, place, fits)
