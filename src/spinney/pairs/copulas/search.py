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
from spinney.pairs.copulas.coordinates import N_ROWS, Coordinates, row_of

STEP_TOLERANCE = 3e-4
"""The last step, in standard errors. What it leaves undone in log-likelihood was below 1e-12 on
120 samples of 500 rows."""


_NORMAL = row_of(normal_score)


class Candidates(NamedTuple):
    """What is tried on every pair, one entry per family and rotation."""

    method: Ints  # how the parameters are found
    family: Ints  # numbers of the families
    column: Ints  # position among the families of the criterion table
    row_u: Ints  # rows of the coordinates
    row_v: Ints
    tried: Bools  # (n_candidates, 2): whether the candidate can have that sign
    low: Floats  # bounds of the parameter
    high: Floats
    start: Floats  # (n_candidates, n_tau): parameter by |tau|, evenly to 1
    scale: Floats  # (n_candidates, 2) on which the parameter is searched beside levels
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


class Work(NamedTuple):
    """A pair of columns, what it is fitted with, and memory."""

    where: Coordinates
    i: int
    j: int
    tau: float
    folds: Ints  # where each fold begins among the samples, and where the last ends
    candidates: Candidates
    scratch: Scratch


class Seen(NamedTuple):
    """A pair of columns as a copula sees it."""

    family: int
    x: Floats
    y: Floats
    df: float  # NaN where there is no second parameter


class Search(NamedTuple):
    """A search for one parameter on all samples but a range."""

    seen: Seen
    low: float
    high: float
    start: int  # of the range that is left out
    stop: int
    work: Floats


@merged
def see(
    where: Coordinates, i: int, j: int, family: int, row_u: int, row_v: int, place: int
) -> Seen:
    """See two columns in rows of coordinates, or at a place of the grid of the second parameter."""
    df = np.nan
    if place >= 0:
        row_u = row_v = N_ROWS + place
        df = where.grid[place]
    return Seen(family, where.at[row_u, i], where.at[row_v, j], df)


@merged
def see_as(work: Work, c: int, place: int) -> Seen:
    """See a pair as a candidate does."""
    family, row_u = work.candidates.family[c], work.candidates.row_u[c]
    return see(work.where, work.i, work.j, family, row_u, work.candidates.row_v[c], place)


@reduction
def total(values: Floats, start: int, stop: int) -> float:
    """Sum of a range."""
    part = values[start:stop]
    result = 0.0
    for k in range(part.size):
        result += part[k]
    return result


@reduction
def dot(x: Floats, y: Floats, start: int, stop: int) -> float:
    """Sum of the products of a range."""
    x, y = x[start:stop], y[start:stop]
    result = 0.0
    for k in range(x.size):
        result += x[k] * y[k]
    return result


@kernel
def score_sums(search: Search, theta: float) -> tuple[float, float]:
    """Total score and total squared score.

    The sum of squares estimates the Fisher information, so that the ratio of the two is a Newton
    step.
    """
    gradient, information, seen, work = 0.0, 0.0, search.seen, search.work
    start, stop = search.start - search.start, search.start  # a zero of the same type as the rest
    for _ in range(2):
        if start < stop:
            x, y = seen.x[start:stop], seen.y[start:stop]
            kernels.score(seen.family, x, y, theta, seen.df, work[start:stop])
            gradient += total(work, start, stop)
            information += dot(work, work, start, stop)
        start, stop = search.stop, seen.x.size
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


@kernel
def log_likelihood(seen: Seen, theta: float, start: int, stop: int, out: Floats) -> float:
    """Write the log-densities of a range of samples into `out`; return their sum."""
    x, y = seen.x[start:stop], seen.y[start:stop]
    kernels.density(seen.family, x, y, theta, seen.df, out[start:stop])
    return total(out, start, stop)


@kernel
def profile_second(work: Work, c: int, theta: float) -> int:
    """Profile likelihood over the grid of the second parameter; returns the best position.

    Every other position first, then the neighbours of the best. One Newton step in theta from the
    position before is enough to compare them: the likelihood is flat around its maximum. `thetas`
    and `profile_sums` are filled where a position was visited; elsewhere `profile_sums` is NaN.
    """
    candidates, scratch = work.candidates, work.scratch
    folds, out, n_grid = work.folds, scratch.work, work.where.grid.size
    thetas, fold_sums, coarse = scratch.thetas, scratch.profile_sums, (n_grid + 1) // 2
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
            seen = see_as(work, c, k)
            search = Search(seen, candidates.low[c], candidates.high[c], begin, begin, out)
            gradient, information = score_sums(search, theta)
            theta = min(max(theta + gradient / information, search.low), search.high)
            thetas[k] = theta
            log_likelihood(seen, theta, begin, end, out)
            value = 0.0
            for fold in range(folds.size - 1):
                fold_sums[k, fold] = total(out, folds[fold], folds[fold + 1])
                value += fold_sums[k, fold]
            if value > best_value:
                best, best_value = k, value
    return best


@merged
def prepare(work: Work) -> None:
    """Gaussian sufficient statistics of each fold."""
    folds, scratch = work.folds, work.scratch
    x, y = work.where.at[_NORMAL, work.i], work.where.at[_NORMAL, work.j]
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        scratch.squares[fold] = dot(x, x, start, stop) + dot(y, y, start, stop)
        scratch.products[fold] = dot(x, y, start, stop)


@merged
def _first_guess(candidates: Candidates, c: int, tau: float) -> float:
    """Interpolate the table of parameters by tau."""
    table = candidates.start[c]
    position = abs(tau) * (table.size - 1)
    k = min(int(position), table.size - 2)
    share = position - k
    guess = (1.0 - share) * table[k] + share * table[k + 1]
    return min(max(guess, candidates.low[c]), candidates.high[c])


@kernel
def fit_candidate(work: Work, c: int) -> None:
    """Fit candidate `c` on all samples; its likelihood is -inf if its sign is not that of tau."""
    candidates, scratch, folds = work.candidates, work.scratch, work.folds
    out, method = scratch.work, candidates.method[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    scratch.likelihood[c] = -np.inf
    scratch.parameters[c] = np.nan
    if not candidates.tried[c, 1 if work.tau < 0.0 else 0]:
        return
    if method == NONE:
        scratch.likelihood[c] = 0.0
        return
    if method == SEARCH:
        theta, place = _first_guess(candidates, c, work.tau), -1
    else:
        squares, products = scratch.squares.sum(), scratch.products.sum()
        theta, place = gaussian_mle(end, squares, products, low, high), -1
        scratch.likelihood[c] = gaussian_log_likelihood(end, squares, products, theta)
    if method == PROFILE:
        place = profile_second(work, c, theta)
        theta = scratch.thetas[place]
    if method != SUMS:
        search = Search(see_as(work, c, place), low, high, begin, begin, out)
        gradient, information = score_sums(search, theta)
        theta, scratch.slopes[c] = maximise(search, theta, gradient, -information)
        scratch.likelihood[c] = log_likelihood(search.seen, theta, begin, end, out)
        scratch.parameters[c, 1] = search.seen.df
    scratch.parameters[c, 0] = theta


@kernel
def refit_candidate(work: Work, c: int) -> float:
    """Fit candidate `c` without each fold; return the log-density of what was held out."""
    candidates, scratch, folds = work.candidates, work.scratch, work.folds
    method = candidates.method[c]
    low, high = candidates.low[c], candidates.high[c]
    begin, end = folds[0], folds[folds.size - 1]
    out, scores, information, held_out = scratch.work, scratch.scores, 1.0, 0.0
    scratch.fold_parameters[c] = np.nan
    if method == NONE:
        return held_out
    if method == SEARCH:
        # One pass gives the score of every fold at the common parameter, hence each first step.
        search = Search(see_as(work, c, -1), low, high, begin, begin, scores)
        _, information = score_sums(search, scratch.parameters[c, 0])
    for fold in range(folds.size - 1):
        start, stop = folds[fold], folds[fold + 1]
        if method == SUMS:
            squares = scratch.squares.sum() - scratch.squares[fold]
            products = scratch.products.sum() - scratch.products[fold]
            theta = gaussian_mle(end - (stop - start), squares, products, low, high)
            squares, products = scratch.squares[fold], scratch.products[fold]
            held_out += gaussian_log_likelihood(stop - start, squares, products, theta)
        else:
            place = best_without(scratch.profile_sums, fold) if method == PROFILE else -1
            search = Search(see_as(work, c, place), low, high, start, stop, out)
            if method == PROFILE:
                theta = scratch.thetas[place]
                gradient, square = score_sums(search, theta)
                slope = -square
            else:
                theta = scratch.parameters[c, 0]
                gradient = total(scores, begin, start) + total(scores, stop, end)
                share = 1.0 - dot(scores, scores, start, stop) / information
                slope = scratch.slopes[c] * share
            theta, _ = maximise(search, theta, gradient, slope)
            held_out += log_likelihood(search.seen, theta, start, stop, out)
            scratch.fold_parameters[c, fold, 1] = search.seen.df
        scratch.fold_parameters[c, fold, 0] = theta
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
