"""Fit one candidate to one pair, compiled: on all samples, and without each fold in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel, merged
from spinney.pairs.copulas._call import call_density
from spinney.pairs.copulas._search import (
    gaussian_log_likelihood,
    gaussian_mle,
    gaussian_sums,
    maximise,
    profile_density,
    profile_second,
    score_sums,
    total,
    total_squares,
)
from spinney.pairs.copulas.batch import NONE, PROFILE, SEARCH, SUMS
from spinney.pairs.copulas.coordinates import Coordinates

__all__ = [
    "Candidates",
    "Scratch",
    "best_without",
    "fit_candidate",
    "prepare",
    "refit_candidate",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Candidates(NamedTuple):
    """What is tried on every pair, one entry per family and rotation."""

    method: Ints  # how the parameters are found
    density: Ints  # addresses of the kernels
    score: Ints
    column: Ints  # position among the families of the criterion table
    row_u: Ints  # (n_candidates, 2): row of u's coordinate, for tau >= 0 and for tau < 0
    row_v: Ints  # row of v's coordinate
    tried: Bools  # (n_candidates, 2): whether the candidate can have that sign
    low: Floats  # bounds of the parameter
    high: Floats
    start: Floats  # (n_candidates, 2, n_tau): parameter by sign of tau and |tau|, evenly to 1
    n_parameters: Ints
    normal_row: int  # row of the normal scores; -1 if no candidate needs them


class Scratch(NamedTuple):
    """Memory for one pair at a time, and what its candidates' fits leave behind."""

    work: Floats  # (n,)
    scores: Floats  # (n,)
    squares: Floats  # (folds,) sums of x² + y² of normal scores
    products: Floats  # (folds,) sums of x y
    thetas: Floats  # (n_grid,) first parameter at each value of the second
    profile_sums: Floats  # (n_grid, folds) log-likelihood by fold
    parameters: Floats  # (candidates, 2)
    slopes: Floats  # (candidates,) second derivative of the log-likelihood
    likelihood: Floats  # (candidates,) -inf where the candidate has the wrong sign
    value: Floats  # (candidates,) the criterion, NaN where it was not needed
    fold_parameters: Floats  # (candidates, folds, 2)


@merged
def prepare(
    where: Coordinates, i: int, j: int, folds: Ints, candidates: Candidates, scratch: Scratch
) -> None:
    """Gaussian sufficient statistics of each fold."""
    if candidates.normal_row >= 0:
        x, y = where.plain[candidates.normal_row, i], where.plain[candidates.normal_row, j]
        for fold in range(folds.size - 1):
            squares, products = gaussian_sums(x, y, folds[fold], folds[fold + 1])
            scratch.squares[fold], scratch.products[fold] = squares, products


@merged
def _first_guess(candidates: Candidates, c: int, tau: float) -> float:
    """Interpolate the table of parameters by tau."""
    table = candidates.start[c, 1 if tau < 0.0 else 0]
    position = abs(tau) * (table.size - 1)
    k = min(int(position), table.size - 2)
    share = position - k
    guess = (1.0 - share) * table[k] + share * table[k + 1]
    return min(max(guess, candidates.low[c]), candidates.high[c])


@kernel
def fit_candidate(
    where: Coordinates,
    i: int,
    j: int,
    tau: float,
    folds: Ints,
    candidates: Candidates,
    c: int,
    scratch: Scratch,
) -> None:
    """Fit candidate `c` on all samples; its likelihood is -inf if its sign is not that of tau."""
    method, score, density = candidates.method[c], candidates.score[c], candidates.density[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    work = scratch.work
    scratch.likelihood[c] = -np.inf
    scratch.parameters[c, 0] = scratch.parameters[c, 1] = np.nan
    negative = 1 if tau < 0.0 else 0
    if not candidates.tried[c, negative]:
        return
    if method == NONE:
        scratch.likelihood[c] = 0.0
    elif method == SUMS:
        squares, products = scratch.squares.sum(), scratch.products.sum()
        rho = gaussian_mle(end, squares, products, low, high)
        scratch.parameters[c, 0] = rho
        scratch.likelihood[c] = gaussian_log_likelihood(end, squares, products, rho)
    elif method == PROFILE:
        theta = gaussian_mle(end, scratch.squares.sum(), scratch.products.sum(), low, high)
        k = profile_second(
            density, score, where, i, j, theta, low, high, folds, scratch.thetas,
            scratch.profile_sums, work,
        )  # fmt: skip
        x, y, second = where.profile[k, i], where.profile[k, j], where.grid[k]
        theta = scratch.thetas[k]
        gradient, information = score_sums(method, score, x, y, second, theta, begin, begin, work)
        theta, slope = maximise(
            method, score, x, y, second, theta, gradient, -information, low, high, begin, begin,
            work,
        )  # fmt: skip
        profile_density(density, where, k, i, j, theta, begin, end, work)
        scratch.slopes[c] = slope
        scratch.parameters[c, 0], scratch.parameters[c, 1] = theta, second
        scratch.likelihood[c] = total(work, begin, end)
    elif method == SEARCH:
        x = where.plain[candidates.row_u[c, negative], i]
        y = where.plain[candidates.row_v[c], j]
        theta = _first_guess(candidates, c, tau)
        gradient, information = score_sums(method, score, x, y, 0.0, theta, begin, begin, work)
        theta, slope = maximise(
            method, score, x, y, 0.0, theta, gradient, -information, low, high, begin, begin, work
        )
        call_density(density, begin, end, x, y, theta, work)
        scratch.slopes[c] = slope
        scratch.parameters[c, 0] = theta
        scratch.likelihood[c] = total(work, begin, end)


@kernel
def refit_candidate(
    where: Coordinates,
    i: int,
    j: int,
    tau: float,
    folds: Ints,
    candidates: Candidates,
    c: int,
    scratch: Scratch,
) -> float:
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    method, score, density = candidates.method[c], candidates.score[c], candidates.density[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    work, scores = scratch.work, scratch.scores
    x = y = scores  # of the right type until they are set
    theta, information = scratch.parameters[c, 0], 1.0
    if method == SEARCH:
        x = where.plain[candidates.row_u[c, 1 if tau < 0.0 else 0], i]
        y = where.plain[candidates.row_v[c], j]
        # One pass gives the score of every fold at the common parameter, hence each first step.
        _, information = score_sums(method, score, x, y, 0.0, theta, begin, begin, scores)
    held_out = 0.0
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if method == SUMS:
            squares = scratch.squares.sum() - scratch.squares[fold]
            products = scratch.products.sum() - scratch.products[fold]
            rho = gaussian_mle(end - (stop - start), squares, products, low, high)
            scratch.fold_parameters[c, fold, 0] = rho
            held_out += gaussian_log_likelihood(
                stop - start, scratch.squares[fold], scratch.products[fold], rho
            )
        elif method == PROFILE:
            k = best_without(scratch.profile_sums, fold)
            x, y, second = where.profile[k, i], where.profile[k, j], where.grid[k]
            gradient, information = score_sums(
                method, score, x, y, second, scratch.thetas[k], start, stop, work
            )
            fitted, _ = maximise(
                method, score, x, y, second, scratch.thetas[k], gradient, -information, low, high,
                start, stop, work,
            )  # fmt: skip
            profile_density(density, where, k, i, j, fitted, start, stop, work)
            scratch.fold_parameters[c, fold, 0] = fitted
            scratch.fold_parameters[c, fold, 1] = second
            held_out += total(work, start, stop)
        elif method == SEARCH:
            gradient = total(scores, begin, start) + total(scores, stop, end)
            share = 1.0 - total_squares(scores, start, stop) / information
            fitted, _ = maximise(
                method, score, x, y, 0.0, theta, gradient, scratch.slopes[c] * share, low, high,
                start, stop, work,
            )  # fmt: skip
            call_density(density, start, stop, x, y, fitted, work)
            scratch.fold_parameters[c, fold, 0] = fitted
            held_out += total(work, start, stop)
    return held_out


@merged
def best_without(profile_sums: Floats, fold: int) -> int:
    """Position on the grid of the second parameter that is best on all folds but one."""
    best, best_value = fold - fold, -np.inf
    for k in range(profile_sums.shape[0]):
        value = profile_sums[k].sum() - profile_sums[k, fold]
        if value > best_value:  # never true of a position that was not visited, which is NaN
            best, best_value = k, value
    return best
