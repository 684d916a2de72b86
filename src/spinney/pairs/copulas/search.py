"""Maximum likelihood of one candidate for one pair of continuous columns, compiled.

On all samples, and without each fold in turn. Samples are ordered so that each fold is a range;
"all but fold f" is then two ranges. Every search is a root of the total score by Newton's and the
secant method inside a bracket. It stops when the next step is a small part of a standard error, and
takes that step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel, merged, reduction
from spinney.pairs.copulas import kernels
from spinney.pairs.copulas.base import NONE, PROFILE, SEARCH, SUMS, normal_score
from spinney.pairs.copulas.coordinates import Coordinates, row_of

STEP_TOLERANCE = 3e-4
"""The last step, in standard errors. What it leaves undone in log-likelihood was below 1e-12 on
120 samples of 500 rows."""


_NORMAL = row_of(normal_score)


class Candidates(NamedTuple):
    """What is tried on every pair, one entry per family and rotation."""

    method: Ints  # how the parameters are found
    family: Ints  # numbers of the families
    column: Ints  # position among the families of the criterion table
    row_u: Ints  # (n_candidates, 2): row of u's coordinate, for tau >= 0 and for tau < 0
    row_v: Ints  # row of v's coordinate
    tried: Bools  # (n_candidates, 2): whether the candidate can have that sign
    low: Floats  # bounds of the parameter
    high: Floats
    start: Floats  # (n_candidates, 2, n_tau): parameter by sign of tau and |tau|, evenly to 1
    n_parameters: Ints


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
def new_scratch(n: int, n_folds: int, n_grid: int, n_candidates: int) -> Scratch:
    """Make room for a pair of n samples."""
    return Scratch(
        np.empty(n),
        np.empty(n),
        np.empty(n_folds),
        np.empty(n_folds),
        np.empty(n_grid),
        np.empty((n_grid, n_folds)),
        np.empty((n_candidates, 2)),
        np.empty(n_candidates),
        np.empty(n_candidates),
        np.empty(n_candidates),
        np.empty((n_candidates, n_folds, 2)),
    )


class Pair(NamedTuple):
    """A pair of columns."""

    where: Coordinates
    i: int
    j: int
    tau: float
    folds: Ints  # where each fold begins among the samples, and where the last ends


class Search(NamedTuple):
    """A search for one parameter on all samples but a range."""

    method: int
    family: int
    x: Floats
    y: Floats
    second: float  # the second parameter, where there is one
    low: float
    high: float
    start: int  # of the range that is left out
    stop: int
    work: Floats


@reduction
def total(values: Floats, start: int, stop: int) -> float:
    """Sum of a range."""
    part = values[start:stop]
    result = 0.0
    for k in range(part.size):
        result += part[k]
    return result


@reduction
def total_squares(values: Floats, start: int, stop: int) -> float:
    """Sum of squares of a range."""
    part = values[start:stop]
    result = 0.0
    for k in range(part.size):
        result += part[k] * part[k]
    return result


@reduction
def gaussian_sums(x: Floats, y: Floats, start: int, stop: int) -> tuple[float, float]:
    """Sufficient statistics of a range: the sums of x² + y² and of xy."""
    x, y = x[start:stop], y[start:stop]
    squares, products = 0.0, 0.0
    for k in range(x.size):
        squares += x[k] * x[k] + y[k] * y[k]
        products += x[k] * y[k]
    return squares, products


@kernel
def score_sums(search: Search, theta: float) -> tuple[float, float]:
    """Total score and total squared score.

    The sum of squares estimates the Fisher information, so that the ratio of the two is a Newton
    step.
    """
    gradient, information, x, y, work = 0.0, 0.0, search.x, search.y, search.work
    start, stop = search.start - search.start, search.start  # a zero of the same type as the rest
    for _ in range(2):
        if start < stop:
            if search.method == PROFILE:
                part = work[start:stop]
                kernels.student_score(x[start:stop], y[start:stop], theta, search.second, part)
            else:
                part = work[start:stop]
                kernels.score(search.family, x[start:stop], y[start:stop], theta, part)
            gradient += total(work, start, stop)
            information += total_squares(work, start, stop)
        start, stop = search.stop, x.size
    return gradient, information


@kernel
def maximise(search: Search, theta: float, gradient: float, slope: float) -> tuple[float, float]:
    """Begin at `theta`, where the total score is `gradient` and its slope about `slope` < 0.

    Returns the maximiser in [low, high] and the slope there.
    """
    low, high = search.low, search.high
    left, right = low, high  # the root lies between; the ends themselves are not yet tried
    for _ in range(60):
        if gradient > 0.0:
            left = theta
            if theta == high:
                break
        else:
            right = theta
            if theta == low:
                break
        target = theta - gradient / slope
        if target <= left:
            target = low if left == low else 0.5 * (left + theta)
        elif target >= right and right < high:
            target = 0.5 * (theta + right)
        elif target >= high:
            # Not straight to the bound, which is far away and numerically extreme.
            target = min(theta + max(2.0 * (theta - low), 0.1), high)
        step = target - theta
        if step * step * -slope <= STEP_TOLERANCE * STEP_TOLERANCE:
            theta = target
            break
        at_target, information = score_sums(search, target)
        secant = (at_target - gradient) / step
        slope = secant if secant < 0.0 else -information
        theta, gradient = target, at_target
    return theta, slope


@kernel
def gaussian_log_likelihood(n: int, squares: float, products: float, rho: float) -> float:
    """Log-likelihood of the Gaussian copula from its sufficient statistics."""
    free = (1.0 - rho) * (1.0 + rho)
    return -0.5 * n * np.log(free) - (0.5 * rho * rho * squares - rho * products) / free


@kernel
def gaussian_mle(n: int, squares: float, products: float, low: float, high: float) -> float:
    """Root of n ρ(1-ρ²) + (1+ρ²) Σxy - ρ Σ(x²+y²) in [low, high], by safeguarded Newton."""
    rho = min(max(2.0 * products / squares, low), high)
    for _ in range(60):
        value = n * rho * (1.0 - rho * rho) + products * (1.0 + rho * rho) - rho * squares
        slope = n * (1.0 - 3.0 * rho * rho) + 2.0 * rho * products - squares
        if value > 0.0:
            low = rho
        else:
            high = rho
        target = rho - value / slope if slope < 0.0 else 0.5 * (low + high)
        if not low <= target <= high:
            target = 0.5 * (low + high)
        if abs(target - rho) < 1e-14:
            return target
        rho = target
    return rho


@merged
def profile_density(pair: Pair, k: int, theta: float, start: int, stop: int, out: Floats) -> None:
    """Log-densities of a pair with the second parameter at place `k` of its grid."""
    where, i, j = pair.where, pair.i, pair.j
    kernels.student_density(
        where.profile[k, i, start:stop], where.profile[k, j, start:stop],
        where.profile_term[k, i, start:stop], where.profile_term[k, j, start:stop], theta,
        where.grid[k], where.constant[k], out[start:stop],
    )  # fmt: skip


@kernel
def profile_second(
    pair: Pair, candidates: Candidates, c: int, theta: float, scratch: Scratch
) -> int:
    """Profile likelihood over the grid of the second parameter; returns the best position.

    Every other position first, then the neighbours of the best. One Newton step in theta from the
    position before is enough to compare them: the likelihood is flat around its maximum. `thetas`
    and `profile_sums` are filled where a position was visited; elsewhere `profile_sums` is NaN.
    """
    where, folds, work = pair.where, pair.folds, scratch.work
    thetas, fold_sums = scratch.thetas, scratch.profile_sums
    n_grid, coarse = where.grid.size, (where.grid.size + 1) // 2
    begin, end = folds[0], folds[folds.size - 1]
    fold_sums[:] = np.nan
    best, best_value = begin, -np.inf
    centre = best
    for visit in range(coarse + 2):
        if visit == coarse:
            centre = best
        k = 2 * visit if visit < coarse else centre + 2 * (visit - coarse) - 1
        if 0 <= k < n_grid:
            theta = theta if visit < coarse else thetas[centre]
            x, y = where.profile[k, pair.i], where.profile[k, pair.j]
            kernels.student_score(x, y, theta, where.grid[k], work)
            step = total(work, begin, end) / total_squares(work, begin, end)
            theta = min(max(theta + step, candidates.low[c]), candidates.high[c])
            profile_density(pair, k, theta, begin, end, work)
            thetas[k] = theta
            value = 0.0
            for fold in range(folds.size - 1):
                fold_sums[k, fold] = total(work, folds[fold], folds[fold + 1])
                value += fold_sums[k, fold]
            if value > best_value:
                best, best_value = k, value
    return best


@merged
def prepare(pair: Pair, scratch: Scratch) -> None:
    """Gaussian sufficient statistics of each fold."""
    folds, x, y = pair.folds, pair.where.plain[_NORMAL, pair.i], pair.where.plain[_NORMAL, pair.j]
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
def fit_candidate(pair: Pair, candidates: Candidates, c: int, scratch: Scratch) -> None:
    """Fit candidate `c` on all samples; its likelihood is -inf if its sign is not that of tau."""
    where, i, j, folds, work = pair.where, pair.i, pair.j, pair.folds, scratch.work
    method, family = candidates.method[c], candidates.family[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    scratch.likelihood[c] = -np.inf
    scratch.parameters[c, 0] = scratch.parameters[c, 1] = np.nan
    negative = 1 if pair.tau < 0.0 else 0
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
        k = profile_second(pair, candidates, c, theta, scratch)
        x, y, second = where.profile[k, i], where.profile[k, j], where.grid[k]
        search = Search(method, family, x, y, second, low, high, begin, begin, work)
        gradient, information = score_sums(search, scratch.thetas[k])
        theta, slope = maximise(search, scratch.thetas[k], gradient, -information)
        profile_density(pair, k, theta, begin, end, work)
        scratch.slopes[c] = slope
        scratch.parameters[c, 0], scratch.parameters[c, 1] = theta, second
        scratch.likelihood[c] = total(work, begin, end)
    elif method == SEARCH:
        x, y = where.plain[candidates.row_u[c, negative], i], where.plain[candidates.row_v[c], j]
        theta = _first_guess(candidates, c, pair.tau)
        search = Search(method, family, x, y, 0.0, low, high, begin, begin, work)
        gradient, information = score_sums(search, theta)
        theta, slope = maximise(search, theta, gradient, -information)
        kernels.density(family, x, y, theta, work)
        scratch.slopes[c] = slope
        scratch.parameters[c, 0] = theta
        scratch.likelihood[c] = total(work, begin, end)


@kernel
def refit_candidate(pair: Pair, candidates: Candidates, c: int, scratch: Scratch) -> float:
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    where, i, j, folds = pair.where, pair.i, pair.j, pair.folds
    method, family = candidates.method[c], candidates.family[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    work, scores = scratch.work, scratch.scores
    x = y = scores  # of the right type until they are set
    theta, information = scratch.parameters[c, 0], 1.0
    if method == SEARCH:
        x = where.plain[candidates.row_u[c, 1 if pair.tau < 0.0 else 0], i]
        y = where.plain[candidates.row_v[c], j]
        # One pass gives the score of every fold at the common parameter, hence each first step.
        search = Search(method, family, x, y, 0.0, low, high, begin, begin, scores)
        _, information = score_sums(search, theta)
    held_out = 0.0
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        scratch.fold_parameters[c, fold, 0] = scratch.fold_parameters[c, fold, 1] = np.nan
        if method == SUMS:
            squares = scratch.squares.sum() - scratch.squares[fold]
            products = scratch.products.sum() - scratch.products[fold]
            rho = gaussian_mle(end - (stop - start), squares, products, low, high)
            scratch.fold_parameters[c, fold, 0] = rho
            squares, products = scratch.squares[fold], scratch.products[fold]
            held_out += gaussian_log_likelihood(stop - start, squares, products, rho)
        elif method == PROFILE:
            k = best_without(scratch.profile_sums, fold)
            x, y, second = where.profile[k, i], where.profile[k, j], where.grid[k]
            search = Search(method, family, x, y, second, low, high, start, stop, work)
            gradient, information = score_sums(search, scratch.thetas[k])
            fitted, _ = maximise(search, scratch.thetas[k], gradient, -information)
            profile_density(pair, k, fitted, start, stop, work)
            scratch.fold_parameters[c, fold, 0] = fitted
            scratch.fold_parameters[c, fold, 1] = second
            held_out += total(work, start, stop)
        elif method == SEARCH:
            gradient = total(scores, begin, start) + total(scores, stop, end)
            share = 1.0 - total_squares(scores, start, stop) / information
            search = Search(method, family, x, y, 0.0, low, high, start, stop, work)
            fitted, _ = maximise(search, theta, gradient, scratch.slopes[c] * share)
            part = work[start:stop]
            kernels.density(family, x[start:stop], y[start:stop], fitted, part)
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
