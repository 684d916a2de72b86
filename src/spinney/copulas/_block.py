"""Fit and choose among all candidates for a block of pairs, compiled.

For each pair: fit every candidate on all samples; then, for cross-validation, refit without each
fold and sum the log-density of what was held out. Held-out likelihood never exceeds the
likelihood of the fit on everything (each fold's best parameter beats the common one on its own
training samples, so it cannot also beat it on the rest), so a candidate whose full likelihood is
below the best held-out likelihood so far need not be refitted. That bound is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel
from spinney.copulas._kernels import (
    FRANK,
    GAUSSIAN,
    GUMBEL,
    INDEPENDENCE,
    JOE,
    STUDENT,
    gaussian_density,
    scalar_density,
    scalar_score,
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
from spinney.copulas.coordinates import LOG, LOGLOG, NORMAL, UNIFORM

__all__ = ["Candidates", "Fits", "fit_pairs", "write_log_density"]

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


class Fits(NamedTuple):
    """Results, one row per pair."""

    candidate: Ints  # (pairs,) the chosen candidate
    parameters: Floats  # (pairs, 2)
    fold_parameters: Floats  # (pairs, folds, 2) the chosen candidate without each fold
    log_likelihood: Floats  # (pairs, families) of the best rotation, on all samples
    criterion: Floats  # (pairs, families); NaN where the family could not win
    held_out: Floats  # (pairs,) held-out log-density of the chosen candidate, summed


@kernel
def _flipped(family: int, flip_u: int, flip_v: int, tau: float) -> tuple[int, int]:
    """Mirrors of a candidate; Frank, which has no rotations, takes its sign from tau."""
    if family == FRANK and tau < 0.0:
        return 1, 0
    return flip_u, flip_v


@kernel
def _coordinate_row(family: int, flip: int) -> int:
    if family == GUMBEL:
        return LOGLOG + flip
    if family == FRANK:
        return UNIFORM + flip
    if family == JOE:
        return LOG + 1 - flip
    return LOG + flip


@kernel
def _grid_position(df: Floats, value: float) -> int:
    """Position of a value that is on the grid."""
    position = 0
    for k in range(df.size):
        if abs(df[k] - value) < abs(df[position] - value):
            position = k
    return position


@kernel
def _start(candidates: Candidates, c: int, tau: float) -> float:
    """First guess of the parameter: interpolate the table of parameters by |tau|."""
    table = candidates.start[c]
    position = abs(tau) * (table.size - 1)
    k = min(int(position), table.size - 2)
    share = position - k
    guess = (1.0 - share) * table[k] + share * table[k + 1]
    return min(max(guess, candidates.low[c]), candidates.high[c])


@kernel
def fit_pairs(
    plain: Floats,
    student: Floats,
    student_log: Floats,
    df: Floats,
    df_constant: Floats,
    first: Ints,
    second: Ints,
    taus: Floats,
    folds: Ints,
    cross_validate: bool,
    penalty: float,
    margin: float,
    prune: bool,
    candidates: Candidates,
    fits: Fits,
) -> None:
    """Fit a block of pairs.

    Parameters
    ----------
    plain, student, student_log, df, df_constant
        Fields of :class:`~spinney.copulas.coordinates.Coordinates`; samples sorted by fold.
    first, second : array of shape (pairs,)
        Variables of each pair.
    taus : array of shape (pairs,)
        Kendall's tau, for signs and first guesses.
    folds : array of shape (n_folds + 1,)
        Where each fold starts; the last entry is n.
    cross_validate : bool
        Choose by held-out likelihood; otherwise by likelihood less `penalty` per parameter.
    margin : float
        How much a family must be better than a simpler one.
    prune : bool
        Skip refits that cannot matter.
    """
    n = plain.shape[2]
    n_folds, n_candidates = folds.size - 1, candidates.family.size
    work = np.empty(n)
    rhos = np.empty(df.size)
    student_sums = np.empty((df.size, n_folds))
    fold_squares, fold_products = np.empty(n_folds), np.empty(n_folds)
    parameter = np.empty((n_candidates, 2))
    slopes = np.empty(n_candidates)
    likelihood = np.empty(n_candidates)
    value = np.empty(n_candidates)
    by_fold = np.empty((n_candidates, n_folds, 2))

    for pair in range(first.size):
        i, j, tau = first[pair], second[pair], taus[pair]
        squares, products = 0.0, 0.0
        for fold in range(n_folds):
            s, p = gaussian_sums(plain[NORMAL, i], plain[NORMAL, j], folds[fold], folds[fold + 1])
            fold_squares[fold], fold_products[fold] = s, p
            squares += s
            products += p
        normal_rho = gaussian_mle(n, squares, products, -0.9999, 0.9999)

        # ---- every candidate on all samples ----
        for c in range(n_candidates):
            family, low, high = candidates.family[c], candidates.low[c], candidates.high[c]
            likelihood[c] = -np.inf
            value[c] = np.nan
            parameter[c] = np.nan
            if family == INDEPENDENCE:
                likelihood[c] = 0.0
            elif family == GAUSSIAN:
                parameter[c, 0] = normal_rho
                likelihood[c] = gaussian_log_likelihood(n, squares, products, normal_rho)
            elif family == STUDENT:
                k = student_profile(
                    student, student_log, df, df_constant, i, j, normal_rho, low, high, folds,
                    rhos, student_sums, work,
                )  # fmt: skip
                x, y = student[k, i], student[k, j]
                gradient, information = score_sums(STUDENT, x, y, df[k], rhos[k], 0, 0, work)
                rho, slopes[c] = maximise(
                    STUDENT, x, y, df[k], rhos[k], gradient, -information, low, high, 0, 0, work
                )
                parameter[c, 0], parameter[c, 1] = rho, df[k]
                student_density(
                    x, y, student_log[k, i], student_log[k, j], rho, df[k], df_constant[k], 0, n,
                    work,
                )  # fmt: skip
                likelihood[c] = total(work, 0, n)
            else:
                flip_u, flip_v = _flipped(family, candidates.flip_u[c], candidates.flip_v[c], tau)
                if (flip_u != flip_v) != (tau < 0.0):
                    continue  # the rotation has the other sign
                x = plain[_coordinate_row(family, flip_u), i]
                y = plain[_coordinate_row(family, flip_v), j]
                theta = _start(candidates, c, tau)
                gradient, information = score_sums(family, x, y, 0.0, theta, 0, 0, work)
                theta, slopes[c] = maximise(
                    family, x, y, 0.0, theta, gradient, -information, low, high, 0, 0, work
                )
                parameter[c, 0] = theta
                scalar_density(family, x, y, theta, 0, n, work)
                likelihood[c] = total(work, 0, n)

        # ---- held out ----
        if cross_validate:
            best = -np.inf
            tried = np.zeros(n_candidates, dtype=np.bool_)
            for _ in range(n_candidates):
                c = -1
                for other in range(n_candidates):
                    if not tried[other] and (c < 0 or likelihood[other] > likelihood[c]):
                        c = other
                tried[c] = True
                if likelihood[c] == -np.inf or (prune and likelihood[c] <= best):
                    continue
                value[c] = _held_out(
                    plain, student, student_log, df, df_constant, i, j, tau, folds, candidates, c,
                    parameter, slopes, rhos, student_sums, fold_squares, fold_products,
                    by_fold, work,
                )  # fmt: skip
                best = max(best, value[c] - margin)
        else:
            for c in range(n_candidates):
                value[c] = likelihood[c] - penalty * candidates.n_parameters[c]

        # ---- choose ----
        chosen = -1
        for c in range(n_candidates):
            if likelihood[c] > -np.inf and not np.isnan(value[c]):
                if chosen < 0:
                    chosen = c
                else:
                    extra = candidates.n_parameters[c] > candidates.n_parameters[chosen]
                    if value[c] > value[chosen] + (margin if extra else 0.0):
                        chosen = c
            column = candidates.column[c]
            if likelihood[c] > fits.log_likelihood[pair, column]:
                fits.log_likelihood[pair, column] = likelihood[c]
            if not np.isnan(value[c]) and not value[c] <= fits.criterion[pair, column]:
                fits.criterion[pair, column] = value[c]
        if cross_validate:
            fits.held_out[pair] = value[chosen]
        else:
            fits.held_out[pair] = _held_out(
                plain, student, student_log, df, df_constant, i, j, tau, folds, candidates, chosen,
                parameter, slopes, rhos, student_sums, fold_squares, fold_products,
                by_fold, work,
            )  # fmt: skip
        fits.candidate[pair] = chosen
        fits.parameters[pair] = parameter[chosen]
        fits.fold_parameters[pair] = by_fold[chosen]


@kernel
def _held_out(
    plain: Floats,
    student: Floats,
    student_log: Floats,
    df: Floats,
    df_constant: Floats,
    i: int,
    j: int,
    tau: float,
    folds: Ints,
    candidates: Candidates,
    c: int,
    parameter: Floats,
    slopes: Floats,
    rhos: Floats,
    student_sums: Floats,
    fold_squares: Floats,
    fold_products: Floats,
    by_fold: Floats,
    work: Floats,
) -> float:
    """Refit a candidate without each fold; return the log-density of the folds, summed."""
    n, n_folds = plain.shape[2], folds.size - 1
    family, low, high = candidates.family[c], candidates.low[c], candidates.high[c]
    by_fold[c] = np.nan
    held_out = 0.0
    if family == INDEPENDENCE:
        return held_out
    if family == GAUSSIAN:
        squares, products = fold_squares.sum(), fold_products.sum()
        for fold in range(n_folds):
            size = folds[fold + 1] - folds[fold]
            s, p = fold_squares[fold], fold_products[fold]
            rho = gaussian_mle(n - size, squares - s, products - p, low, high)
            by_fold[c, fold, 0] = rho
            held_out += gaussian_log_likelihood(size, s, p, rho)
        return held_out
    if family == STUDENT:
        for fold in range(n_folds):
            start, stop = folds[fold], folds[fold + 1]
            k, best = -1, -np.inf
            for position in range(df.size):
                without = student_sums[position].sum() - student_sums[position, fold]
                if without > best:
                    k, best = position, without
            x, y = student[k, i], student[k, j]
            gradient, information = score_sums(STUDENT, x, y, df[k], rhos[k], start, stop, work)
            rho, _ = maximise(
                STUDENT, x, y, df[k], rhos[k], gradient, -information, low, high, start, stop, work
            )
            by_fold[c, fold, 0], by_fold[c, fold, 1] = rho, df[k]
            student_density(
                x, y, student_log[k, i], student_log[k, j], rho, df[k], df_constant[k], start, stop,
                work,
            )  # fmt: skip
            held_out += total(work, start, stop)
        return held_out
    flip_u, flip_v = _flipped(family, candidates.flip_u[c], candidates.flip_v[c], tau)
    x = plain[_coordinate_row(family, flip_u), i]
    y = plain[_coordinate_row(family, flip_v), j]
    theta = parameter[c, 0]
    # One pass gives the score of every fold at the common parameter, hence each first step.
    scores = np.empty(n)
    scalar_score(family, x, y, theta, 0, n, scores)
    all_information = total_squares(scores, 0, n)
    for fold in range(n_folds):
        start, stop = folds[fold], folds[fold + 1]
        gradient = total(scores, 0, start) + total(scores, stop, n)
        share = 1.0 - total_squares(scores, start, stop) / all_information
        fitted, _ = maximise(
            family, x, y, 0.0, theta, gradient, slopes[c] * share, low, high, start, stop, work
        )
        by_fold[c, fold, 0] = fitted
        scalar_density(family, x, y, fitted, start, stop, work)
        held_out += total(work, start, stop)
    return held_out


@kernel
def write_log_density(
    plain: Floats,
    student: Floats,
    student_log: Floats,
    df: Floats,
    df_constant: Floats,
    first: Ints,
    second: Ints,
    family: Ints,
    flip_u: Ints,
    flip_v: Ints,
    parameters: Floats,
    folds: Ints,
    out: Floats,
) -> None:
    """Log-densities of a block of pairs into ``out`` (pairs, n).

    `parameters` has shape (pairs, n_folds, 2): each range of samples has its own.
    """
    for pair in range(first.size):
        i, j, code, row = first[pair], second[pair], family[pair], out[pair]
        for fold in range(folds.size - 1):
            start, stop = folds[fold], folds[fold + 1]
            theta, second_parameter = parameters[pair, fold, 0], parameters[pair, fold, 1]
            if code == INDEPENDENCE:
                row[start:stop] = 0.0
            elif code == GAUSSIAN:
                gaussian_density(plain[NORMAL, i], plain[NORMAL, j], theta, start, stop, row)
            elif code == STUDENT:
                k = _grid_position(df, second_parameter)
                student_density(
                    student[k, i], student[k, j], student_log[k, i], student_log[k, j], theta,
                    df[k], df_constant[k], start, stop, row,
                )  # fmt: skip
            else:
                x = plain[_coordinate_row(code, flip_u[pair]), i]
                y = plain[_coordinate_row(code, flip_v[pair]), j]
                scalar_density(code, x, y, theta, start, stop, row)
