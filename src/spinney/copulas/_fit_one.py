"""Fit one candidate to one pair, compiled: on all samples, and without each fold in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel, merged
from spinney.copulas._kernels import (
    FRANK,
    GAUSSIAN,
    GUMBEL,
    INDEPENDENCE,
    JOE,
    STUDENT,
    scalar_density,
    student_density,
    total,
    total_squares,
)
from spinney.copulas._search import (
    gaussian_log_likelihood,
    gaussian_mle,
    gaussian_sums,
    maximise,
    score_sums,
    student_profile,
)
from spinney.copulas.coordinates import LOG, LOGLOG, NORMAL, UNIFORM, Coordinates

__all__ = ["Candidates", "Scratch", "coordinate_row", "fit_candidate", "prepare", "refit_candidate"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Candidates(NamedTuple):
    """What is tried on every pair, one entry per family and rotation."""

    family: Ints  # code of the family
    column: Ints  # position among the families of the criterion table
    flip_u: Ints  # 1 where u is mirrored
    flip_v: Ints
    low: Floats  # bounds of the parameter
    high: Floats
    start: Floats  # (n_candidates, n_tau): parameter by |tau|, on an even grid from 0 to 1
    n_parameters: Ints


class Scratch(NamedTuple):
    """Memory for one pair at a time, and what its candidates' fits leave behind."""

    work: Floats  # (n,)
    scores: Floats  # (n,)
    squares: Floats  # (folds,) sums of x² + y² of normal scores
    products: Floats  # (folds,) sums of x y
    rhos: Floats  # (n_df,) t correlation at each degree of freedom
    student_sums: Floats  # (n_df, folds) t log-likelihood by fold
    parameters: Floats  # (candidates, 2)
    slopes: Floats  # (candidates,) second derivative of the log-likelihood
    likelihood: Floats  # (candidates,) -inf where the candidate has the wrong sign
    value: Floats  # (candidates,) the criterion, NaN where it was not needed
    fold_parameters: Floats  # (candidates, folds, 2)


@merged
def coordinate_row(family: int, flip: int) -> int:
    """Row of the coordinates that a family works on, mirrored or not."""
    if family == GUMBEL:
        return LOGLOG + flip
    if family == FRANK:
        return UNIFORM + flip
    if family == JOE:
        return LOG + 1 - flip
    return LOG + flip


@merged
def prepare(where: Coordinates, i: int, j: int, folds: Ints, scratch: Scratch) -> None:
    """Gaussian sufficient statistics of each fold."""
    x, y = where.plain[NORMAL, i], where.plain[NORMAL, j]
    for fold in range(folds.size - 1):
        squares, products = gaussian_sums(x, y, folds[fold], folds[fold + 1])
        scratch.squares[fold], scratch.products[fold] = squares, products


@merged
def _flips(candidates: Candidates, c: int, tau: float) -> tuple[int, int]:
    """Mirrors of a candidate; Frank, which has no rotations, takes its sign from tau."""
    if candidates.family[c] == FRANK and tau < 0.0:
        return 1 - candidates.flip_u[c], candidates.flip_v[c]
    return candidates.flip_u[c], candidates.flip_v[c]


@merged
def _first_guess(candidates: Candidates, c: int, tau: float) -> float:
    """Interpolate the table of parameters by |tau|."""
    table = candidates.start[c]
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
    family, low, high = candidates.family[c], candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    work = scratch.work
    scratch.likelihood[c] = -np.inf
    scratch.parameters[c, 0] = scratch.parameters[c, 1] = np.nan
    if family == INDEPENDENCE:
        scratch.likelihood[c] = 0.0
    elif family == GAUSSIAN:
        squares, products = scratch.squares.sum(), scratch.products.sum()
        rho = gaussian_mle(end, squares, products, low, high)
        scratch.parameters[c, 0] = rho
        scratch.likelihood[c] = gaussian_log_likelihood(end, squares, products, rho)
    elif family == STUDENT:
        rho = gaussian_mle(end, scratch.squares.sum(), scratch.products.sum(), low, high)
        k = student_profile(
            where, i, j, rho, low, high, folds, scratch.rhos, scratch.student_sums, work
        )
        x, y, df, rho = where.student[k, i], where.student[k, j], where.df[k], scratch.rhos[k]
        gradient, information = score_sums(family, x, y, df, rho, begin, begin, work)
        rho, slope = maximise(
            family, x, y, df, rho, gradient, -information, low, high, begin, begin, work
        )
        student_density(where, k, i, j, rho, begin, end, work)
        scratch.slopes[c] = slope
        scratch.parameters[c, 0], scratch.parameters[c, 1] = rho, df
        scratch.likelihood[c] = total(work, begin, end)
    else:
        flip_u, flip_v = _flips(candidates, c, tau)
        if (flip_u != flip_v) == (tau < 0.0):
            x = where.plain[coordinate_row(family, flip_u), i]
            y = where.plain[coordinate_row(family, flip_v), j]
            theta = _first_guess(candidates, c, tau)
            gradient, information = score_sums(family, x, y, 0.0, theta, begin, begin, work)
            theta, slope = maximise(
                family, x, y, 0.0, theta, gradient, -information, low, high, begin, begin, work
            )
            scalar_density(family, x, y, theta, begin, end, work)
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
    family, low, high = candidates.family[c], candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    work, scores = scratch.work, scratch.scores
    one_parameter = family != INDEPENDENCE and family != GAUSSIAN and family != STUDENT
    x = y = where.plain[NORMAL, i]
    theta, information = scratch.parameters[c, 0], 1.0
    if one_parameter:
        flip_u, flip_v = _flips(candidates, c, tau)
        x = where.plain[coordinate_row(family, flip_u), i]
        y = where.plain[coordinate_row(family, flip_v), j]
        # One pass gives the score of every fold at the common parameter, hence each first step.
        _, information = score_sums(family, x, y, 0.0, theta, begin, begin, scores)
    held_out = 0.0
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if family == GAUSSIAN:
            squares = scratch.squares.sum() - scratch.squares[fold]
            products = scratch.products.sum() - scratch.products[fold]
            rho = gaussian_mle(end - (stop - start), squares, products, low, high)
            scratch.fold_parameters[c, fold, 0] = rho
            held_out += gaussian_log_likelihood(
                stop - start, scratch.squares[fold], scratch.products[fold], rho
            )
        elif family == STUDENT:
            k = _best_df_without(scratch.student_sums, fold)
            x, y, df = where.student[k, i], where.student[k, j], where.df[k]
            gradient, information = score_sums(family, x, y, df, scratch.rhos[k], start, stop, work)
            rho, _ = maximise(
                family, x, y, df, scratch.rhos[k], gradient, -information, low, high, start, stop,
                work,
            )  # fmt: skip
            student_density(where, k, i, j, rho, start, stop, work)
            scratch.fold_parameters[c, fold, 0] = rho
            scratch.fold_parameters[c, fold, 1] = df
            held_out += total(work, start, stop)
        elif one_parameter:
            gradient = total(scores, begin, start) + total(scores, stop, end)
            share = 1.0 - total_squares(scores, start, stop) / information
            fitted, _ = maximise(
                family, x, y, 0.0, theta, gradient, scratch.slopes[c] * share, low, high,
                start, stop, work,
            )  # fmt: skip
            scalar_density(family, x, y, fitted, start, stop, work)
            scratch.fold_parameters[c, fold, 0] = fitted
            held_out += total(work, start, stop)
    return held_out


@merged
def _best_df_without(student_sums: Floats, fold: int) -> int:
    """Position of the degrees of freedom that are best on all folds but one."""
    best, best_value = fold - fold, -np.inf
    for k in range(student_sums.shape[0]):
        value = student_sums[k].sum() - student_sums[k, fold]
        if value > best_value:  # never true of a position that was not visited, which is NaN
            best, best_value = k, value
    return best
