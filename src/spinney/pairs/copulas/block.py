"""Fit and choose among all candidates for a block of pairs, and their log-densities, compiled.

For each pair every candidate is fitted on all samples and then, for cross-validation, without
each fold. Held-out likelihood never exceeds the likelihood of the fit on everything: a fold's own
parameter is the better one on the samples it was fitted to, and the common parameter is the best
on all samples together, so the common parameter is at least as good on the fold. A candidate
whose full likelihood is below the best held-out likelihood need not be refitted.

Pairs of continuous columns without gaps share rows and coordinates (:func:`fit_pairs`,
:func:`write_log_density`); pairs with gaps are the same with coordinates of their own
(:func:`pair_coordinates`). Pairs with levels have likelihoods of another kind, and kernels of
their own, under the same rule of choice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel, merged
from spinney.pairs.copulas._levels import (
    CELLS,
    ROWS,
    LevelKernels,
    PairBlock,
    View,
    evaluate,
    look,
    weigh,
)
from spinney.pairs.copulas._levels_search import (
    Guess,
    Stencils,
    Work,
    exact_refit,
    fit_levels,
    refit_levels,
)
from spinney.pairs.copulas.addresses import call_density
from spinney.pairs.copulas.batch import NONE, PROFILE
from spinney.pairs.copulas.coordinates import Coordinates
from spinney.pairs.copulas.search import (
    Candidates,
    Pair,
    Scratch,
    fit_candidate,
    new_scratch,
    prepare,
    profile_density,
    refit_candidate,
)


class Rule(NamedTuple):
    """How the winner is chosen."""

    cross_validate: bool  # by held-out likelihood; otherwise by likelihood less a penalty
    penalty: float  # per parameter ...
    by_rows: bool  # ... times the logarithm of the number of rows
    margin: float  # by which a candidate must beat one with fewer parameters
    refit_all: bool = False  # also the candidates that cannot win


class Fits(NamedTuple):
    """Results, one row per pair."""

    candidate: Ints  # (pairs,) the chosen candidate
    parameters: Floats  # (pairs, 2)
    fold_parameters: Floats  # (pairs, folds, 2) the chosen candidate without each fold
    held_out: Floats  # (pairs,) its held-out log-density, summed
    log_likelihood: Floats  # (pairs, families) of the best rotation, on all samples
    criterion: Floats  # (pairs, families); NaN where the family could not win

    def take(self, pairs: slice) -> Fits:
        """Look at the results of some pairs."""
        return Fits._make(field[pairs] for field in self)


class Densities(NamedTuple):
    """The copulas whose log-densities are wanted, one entry per pair."""

    method: Ints
    density: Ints  # address of the kernel
    row_u: Ints  # rows of the coordinates
    row_v: Ints
    parameters: Floats  # (pairs, folds, 2): each range of samples has its own

    def take(self, pairs: NDArray[np.intp]) -> Densities:
        """Pick the copulas of some pairs."""
        return Densities._make(field[pairs] for field in self)


def empty_fits(pairs: int, n_folds: int, n_families: int) -> Fits:
    """Make room for results."""
    return Fits(
        candidate=np.zeros(pairs, dtype=np.int64),
        parameters=np.full((pairs, 2), np.nan),
        fold_parameters=np.full((pairs, n_folds, 2), np.nan),
        held_out=np.zeros(pairs),
        log_likelihood=np.full((pairs, n_families), -np.inf),
        criterion=np.full((pairs, n_families), np.nan),
    )


@kernel
def fit_pairs(
    where: Coordinates, first: Ints, second: Ints, taus: Floats, folds: Ints, rule: Rule,
    candidates: Candidates, fits: Fits,
) -> None:  # fmt: skip
    """Fit the pairs (first[p], second[p]), whose Kendall's tau are `taus`, into `fits`.

    Samples are sorted by fold; fold f is ``folds[f]`` to ``folds[f + 1]``.
    """
    n, n_folds, n_candidates = folds[folds.size - 1], folds.size - 1, candidates.method.size
    scratch = new_scratch(n, n_folds, where.grid.size, n_candidates)
    for p in range(first.size):
        pair = Pair(where, first[p], second[p], taus[p], folds)
        prepare(pair, candidates, scratch)
        for c in range(n_candidates):
            fit_candidate(pair, candidates, c, scratch)
        start_values(rule, n, candidates, scratch)
        best, held_out = -np.inf, 0.0
        for _ in range(n_candidates if rule.cross_validate else 1):
            c = next_to_refit(rule, best, candidates, scratch)
            if c < 0:
                break
            held_out = refit_candidate(pair, candidates, c, scratch)
            if rule.cross_validate:
                scratch.value[c] = held_out
                best = max(best, held_out - rule.margin)
        chosen = choose(rule, candidates, scratch)
        fits.held_out[p] = scratch.value[chosen] if rule.cross_validate else held_out
        record(p, chosen, candidates, scratch, fits)


@merged
def start_values(rule: Rule, n: int, candidates: Candidates, scratch: Scratch) -> None:
    """Likelihood less the penalty of n samples; NaN if candidates are to be cross-validated."""
    penalty = rule.penalty * np.log(float(n)) if rule.by_rows else rule.penalty
    for c in range(candidates.method.size):
        scratch.value[c] = scratch.likelihood[c] - penalty * candidates.n_parameters[c]
        if rule.cross_validate:
            scratch.value[c] = np.nan


@merged
def next_to_refit(rule: Rule, best: float, candidates: Candidates, scratch: Scratch) -> int:
    """Find the candidate to fit without each fold: the likeliest that may still win; -1 if none.

    Without cross-validation it is the chosen one.
    """
    if not rule.cross_validate:
        return choose(rule, candidates, scratch)
    found = int(np.argmax(scratch.likelihood))
    for c in range(scratch.value.size):
        if np.isnan(scratch.value[c]):
            done = not np.isnan(scratch.value[found])
            if done or scratch.likelihood[c] > scratch.likelihood[found]:
                found = c
    enough = -np.inf if rule.refit_all else best
    may_win = scratch.likelihood[found] > enough and np.isnan(scratch.value[found])
    return found if may_win else -1


@merged
def choose(rule: Rule, candidates: Candidates, scratch: Scratch) -> int:
    """Best value; more parameters must be better by a margin. Fewest parameters stand first."""
    chosen = int(np.argmin(candidates.n_parameters))  # independence, which is always fitted
    for c in range(candidates.method.size):
        more = candidates.n_parameters[c] > candidates.n_parameters[chosen]
        threshold = scratch.value[chosen] + (rule.margin if more else 0.0)
        if np.isnan(scratch.value[chosen]) or scratch.value[c] > threshold:
            chosen = c
    return chosen


@merged
def record(pair: int, chosen: int, candidates: Candidates, scratch: Scratch, fits: Fits) -> None:
    """Write the results of one pair."""
    fits.candidate[pair] = chosen
    for k in range(2):
        fits.parameters[pair, k] = scratch.parameters[chosen, k]
        for fold in range(fits.fold_parameters.shape[1]):
            value = scratch.fold_parameters[chosen, fold, k]
            fits.fold_parameters[pair, fold, k] = value
    for c in range(candidates.method.size):
        column = candidates.column[c]
        if scratch.likelihood[c] > fits.log_likelihood[pair, column]:
            fits.log_likelihood[pair, column] = scratch.likelihood[c]
        known = fits.criterion[pair, column]
        if np.isnan(known) or scratch.value[c] > known:
            fits.criterion[pair, column] = scratch.value[c]


@kernel
def write_log_density(
    where: Coordinates, first: Ints, second: Ints, copulas: Densities, folds: Ints, out: Floats
) -> None:
    """Log-densities of a block of pairs into ``out`` (pairs, n)."""
    for p in range(first.size):
        pair, row = Pair(where, first[p], second[p], 0.0, folds), out[p]
        method, density = copulas.method[p], copulas.density[p]
        for fold in range(folds.size - 1):
            start, stop = folds[fold], folds[fold + 1]
            theta = copulas.parameters[p, fold, 0]
            if method == NONE:
                for k in range(start, stop):
                    row[k] = 0.0
            elif method == PROFILE:
                k = int(np.argmin(np.abs(where.grid - copulas.parameters[p, fold, 1])))
                profile_density(density, pair, k, theta, start, stop, row)
            else:
                x = where.plain[copulas.row_u[p], pair.i]
                y = where.plain[copulas.row_v[p], pair.j]
                call_density(density, start, stop, x, y, theta, row)


@kernel
def pair_coordinates(block: PairBlock, pair: int) -> Coordinates:
    """Coordinates of a pair of continuous columns, on its own rows."""
    m, source = block.pairs.size[pair], block.source
    n_rows, n_grid = source.plain.shape[0], source.grid.size
    plain = np.empty((n_rows, 2, m))
    profile = np.empty((n_grid, 2, m))
    term = np.empty((n_grid, 2, m))
    for side in range(2):
        places = block.pairs.entries[pair, side]
        for r in range(n_rows):
            for k in range(m):
                plain[r, side, k] = source.plain[r, places[k]]
        for r in range(n_grid):
            for k in range(m):
                profile[r, side, k] = source.profile[r, places[k]]
                term[r, side, k] = source.profile_term[r, places[k]]
    return Coordinates(plain, profile, term, source.grid, source.constant)


@kernel
def fit_level_pairs(
    block: PairBlock, candidates: Candidates, kernels: LevelKernels, view: View, stencils: Stencils,
    which: Ints, taus: Floats, rule: Rule, fits: Fits,
) -> None:  # fmt: skip
    """Fit the pairs `which` of a block, whose Kendall's tau are `taus`, into `fits`.

    At least one column of each has levels.
    """
    n_candidates, pairs = candidates.method.size, block.pairs
    scratch = new_scratch(0, fits.fold_parameters.shape[1], 0, n_candidates)
    work = Work(block, candidates, kernels, view, stencils, scratch)
    for pair in which:
        tau, n_rows = taus[pair], float(pairs.size[pair])
        # Four cells with given margins leave one number free: every family with one parameter is
        # the same model, and a second parameter is not identified.
        four_cells = pairs.n_levels[pair, 0] == 2 and pairs.n_levels[pair, 1] == 2
        fitted = False
        mode = weigh(block, pair, view)
        scratch.likelihood[:] = -np.inf
        scratch.parameters[:] = np.nan
        begin = min(1.05 * abs(tau), 0.95)
        guess = Guess(begin, max((1.0 - begin * begin) / np.sqrt(n_rows), 1e-3))
        for c in range(n_candidates):
            if candidates.method[c] == NONE:
                scratch.likelihood[c] = 0.0
                continue
            able = (kernels.cells[c] if mode == CELLS else kernels.strip[c]) != 0
            superfluous = four_cells and (fitted or candidates.method[c] == PROFILE)
            if able and candidates.tried[c, 1 if tau < 0.0 else 0] and not superfluous:
                guess = fit_levels(work, pair, mode, c, tau, guess)
                fitted = True
        start_values(rule, pairs.size[pair], candidates, scratch)
        best, held_out = -np.inf, 0.0
        for _ in range(n_candidates if rule.cross_validate else 1):
            c = next_to_refit(rule, best, candidates, scratch)
            if c < 0:
                break
            held_out = refit_levels(work, pair, c, tau)
            if rule.cross_validate:
                scratch.value[c] = held_out
                best = max(best, held_out - rule.margin)
        chosen = choose(rule, candidates, scratch)
        fits.held_out[pair] = scratch.value[chosen] if rule.cross_validate else held_out
        if mode == CELLS and candidates.method[chosen] != NONE:
            fits.held_out[pair] = exact_refit(work, pair, chosen, tau)
            if rule.cross_validate:
                scratch.value[chosen] = fits.held_out[pair]
        record(pair, chosen, candidates, scratch, fits)


@kernel
def write_level_pairs(
    block: PairBlock, which: Ints, copulas: Densities, kernels: LevelKernels, view: View,
    out: Floats,
) -> None:  # fmt: skip
    """Log w of the common rows of the pairs `which` into ``out`` (pairs, n), which holds zeros.

    At least one column of each has levels. `kernels` has one entry per pair here.
    """
    for pair in which:
        pairs = block.pairs
        rows, folds, method = pairs.rows[pair], pairs.folds[pair], copulas.method[pair]
        n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
        row_u, row_v = copulas.row_u[pair], copulas.row_v[pair]
        first, second = pairs.entries[pair, 0], pairs.entries[pair, 1]
        mode = CELLS if n_u > 0 and n_v > 0 else ROWS
        if method == NONE or pairs.size[pair] == 0:
            continue
        for fold in range(folds.size - 1):
            place = -1
            if method == PROFILE:
                place = int(np.argmin(np.abs(view.grid - copulas.parameters[pair, fold, 1])))
            look(block, pair, mode, row_u, row_v, place, kernels, pair, view)
            start, stop = folds[fold], folds[fold + 1]
            theta = copulas.parameters[pair, fold, 0]
            if mode == CELLS:
                evaluate(view, theta, n_u - n_u, n_u * n_v)
            else:
                evaluate(view, theta, start, stop)
            flip_u = place < 0 and kernels.mirrors[row_u]
            flip_v = place < 0 and kernels.mirrors[row_v]
            for k in range(start, stop):
                at = k
                if mode == CELLS:
                    i = n_u - 1 - first[k] if flip_u else first[k]
                    at = i * n_v + (n_v - 1 - second[k] if flip_v else second[k])
                value = view.out[at]
                if n_u > 0:
                    value -= pairs.log_masses[pair, 0, first[k]]
                if n_v > 0:
                    value -= pairs.log_masses[pair, 1, second[k]]
                out[pair, rows[k]] = value
