"""Fit and choose among all candidates for a block of pairs that have levels or gaps, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel, merged
from spinney.copulas._block import (
    Densities,
    Fits,
    Rule,
    choose,
    fit_pairs,
    next_likely,
    record,
    write_log_density,
)
from spinney.copulas._fit_one import Candidates, Scratch
from spinney.copulas._levels_fit import (
    CELLS,
    ROWS,
    Given,
    Kernels,
    View,
    log_probabilities,
    look,
    weigh,
)
from spinney.copulas._levels_search import Guess, Ladders, exact_refit, fit_levels, refit_levels
from spinney.copulas.batch import NONE, PROFILE
from spinney.copulas.coordinates import Coordinates

__all__ = ["fit_uneven_pairs", "write_uneven_log_density"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def fit_uneven_pairs(
    given: Given, taus: Floats, rule: Rule, by_rows: bool, candidates: Candidates,
    kernels: Kernels, view: View, ladders: Ladders, fits: Fits,
) -> None:  # fmt: skip
    """Fit the pairs of a block, whose Kendall's tau are `taus`, into `fits`.

    Where tau is NaN a column has one value only, and independence is all that can be said. With
    `by_rows` the penalty is per parameter and the logarithm of the pair's own number of rows.
    """
    n_folds, n_candidates = fits.fold_parameters.shape[1], candidates.method.size
    n_grid, n_columns = given.source.grid.size, fits.criterion.shape[1]
    scratch = Scratch(
        np.empty(0),
        np.empty(0),
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
    only = np.zeros(1, dtype=np.int64)
    both = np.ones(1, dtype=np.int64)
    for pair in range(taus.size):
        size = given.pairs.size[pair]
        penalty = rule.penalty * np.log(float(size)) if by_rows else rule.penalty
        own_rule = Rule(rule.cross_validate, penalty, rule.margin, rule.refit_all)
        if np.isnan(taus[pair]):
            _leave(pair, n_folds, n_columns, candidates, scratch, fits)
        elif given.pairs.n_levels[pair, 0] == 0 and given.pairs.n_levels[pair, 1] == 0:
            part = Fits(
                fits.candidate[pair : pair + 1],
                fits.parameters[pair : pair + 1],
                fits.fold_parameters[pair : pair + 1],
                fits.held_out[pair : pair + 1],
                fits.log_likelihood[pair : pair + 1],
                fits.criterion[pair : pair + 1],
            )
            where, folds = _coordinates(given, pair), given.pairs.folds[pair]
            fit_pairs(where, only, both, taus[pair : pair + 1], folds, own_rule, candidates, part)
        else:
            _fit_levels_pair(
                given, pair, taus[pair], own_rule, candidates, kernels, view, ladders, scratch, fits
            )


@merged
def _leave(
    pair: int, n_folds: int, n_columns: int, candidates: Candidates, scratch: Scratch, fits: Fits
) -> None:
    """Record independence."""
    scratch.likelihood[:] = -np.inf
    scratch.value[:] = np.nan
    scratch.parameters[:] = np.nan
    scratch.fold_parameters[:] = np.nan
    independence = int(np.argmin(candidates.n_parameters))
    scratch.likelihood[independence] = scratch.value[independence] = 0.0
    record(pair, independence, candidates, scratch, fits)


@kernel
def _coordinates(given: Given, pair: int) -> Coordinates:
    """Coordinates of a pair of continuous columns, on its own rows."""
    m, source = given.pairs.size[pair], given.source
    n_rows, n_grid = source.plain.shape[0], source.grid.size
    plain = np.empty((n_rows, 2, m))
    profile = np.empty((n_grid, 2, m))
    term = np.empty((n_grid, 2, m))
    for side in range(2):
        places = given.pairs.entries[pair, side]
        for r in range(n_rows):
            for k in range(m):
                plain[r, side, k] = source.plain[r, places[k]]
        for r in range(n_grid):
            for k in range(m):
                profile[r, side, k] = source.profile[r, places[k]]
                term[r, side, k] = source.profile_term[r, places[k]]
    return Coordinates(plain, profile, term, source.grid, source.constant)


@kernel
def _fit_levels_pair(
    given: Given, pair: int, tau: float, rule: Rule, candidates: Candidates, kernels: Kernels,
    view: View, ladders: Ladders, scratch: Scratch, fits: Fits,
) -> None:  # fmt: skip
    """Fit a pair of which at least one column has levels."""
    mode = weigh(given, pair, view)
    n_u, n_v = given.pairs.n_levels[pair, 0], given.pairs.n_levels[pair, 1]
    # Four cells with given margins leave one number free: every family with one parameter is the
    # same model, and a second parameter cannot be told.
    four_cells = n_u == 2 and n_v == 2
    negative = 1 if tau < 0.0 else 0
    scratch.likelihood[:] = -np.inf
    scratch.parameters[:] = np.nan
    scratch.value[:] = np.nan
    begin = min(1.05 * abs(tau), 0.95)
    guess = Guess(begin, max((1.0 - begin * begin) / np.sqrt(float(given.pairs.size[pair])), 1e-3))
    fitted = 0
    for c in range(candidates.method.size):
        able = candidates.method[c] == NONE or _can(kernels, c, mode)
        if not able or not candidates.tried[c, negative]:
            continue
        if four_cells and candidates.n_parameters[c] > 0:
            if fitted > 0 or candidates.method[c] == PROFILE:
                continue
            fitted += 1
        guess = fit_levels(
            given, pair, mode, kernels, candidates, c, tau, guess, view, ladders, scratch
        )
    if rule.cross_validate:
        best = -np.inf
        for _ in range(candidates.method.size):
            c = next_likely(scratch)
            enough = -np.inf if rule.refit_all else best
            if not scratch.likelihood[c] > enough or not np.isnan(scratch.value[c]):
                break
            value = refit_levels(given, pair, kernels, candidates, c, tau, view, ladders, scratch)
            scratch.value[c] = value
            best = max(best, value - rule.margin)
    else:
        for c in range(candidates.method.size):
            scratch.value[c] = scratch.likelihood[c] - rule.penalty * candidates.n_parameters[c]
    chosen = choose(rule, candidates, scratch)
    if not rule.cross_validate:
        fits.held_out[pair] = refit_levels(
            given, pair, kernels, candidates, chosen, tau, view, ladders, scratch
        )
    else:
        fits.held_out[pair] = scratch.value[chosen]
    if mode == CELLS and candidates.method[chosen] != NONE:
        fits.held_out[pair] = exact_refit(
            given, pair, kernels, candidates, chosen, tau, view, ladders, scratch
        )
        if rule.cross_validate:
            scratch.value[chosen] = fits.held_out[pair]
    record(pair, chosen, candidates, scratch, fits)


@merged
def _can(kernels: Kernels, c: int, mode: int) -> bool:
    """Tell whether a candidate's family knows what to do with levels."""
    return (kernels.cells[c] if mode == CELLS else kernels.strip[c]) != 0


@kernel
def write_uneven_log_density(
    given: Given, copulas: Densities, kernels: Kernels, view: View, out: Floats
) -> None:
    """Log w of the common rows of each pair into ``out`` (pairs, n), which holds zeros.

    `kernels` has one entry per pair here.
    """
    only, both = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    memory = np.empty((1, out.shape[1]))
    for pair in range(out.shape[0]):
        pairs = given.pairs
        rows, folds, method = pairs.rows[pair], pairs.folds[pair], copulas.method[pair]
        n_u, n_v = pairs.n_levels[pair, 0], pairs.n_levels[pair, 1]
        if method == NONE or pairs.size[pair] == 0:
            continue
        if n_u == 0 and n_v == 0:
            one = Densities(
                copulas.method[pair : pair + 1],
                copulas.density[pair : pair + 1],
                copulas.row_u[pair : pair + 1],
                copulas.row_v[pair : pair + 1],
                copulas.parameters[pair : pair + 1],
            )
            write_log_density(_coordinates(given, pair), only, both, one, folds, memory)
            for k in range(pairs.size[pair]):
                out[pair, rows[k]] = memory[0, k]
            continue
        first, second = pairs.entries[pair, 0], pairs.entries[pair, 1]
        mode = CELLS if n_u > 0 and n_v > 0 else ROWS
        view.counts[:] = 0.0
        for fold in range(folds.size - 1):
            theta, place = copulas.parameters[pair, fold, 0], -1
            if method == PROFILE:
                place = int(
                    np.argmin(np.abs(given.source.grid - copulas.parameters[pair, fold, 1]))
                )
            row_u, row_v = copulas.row_u[pair], copulas.row_v[pair]
            look(given, pair, mode, row_u, row_v, place, kernels.mirrors, view)
            start, stop = folds[fold], folds[fold + 1]
            log_probabilities(given, pair, mode, kernels, pair, theta, place, start, stop, view)
            flip_u = place < 0 and n_u > 0 and kernels.mirrors[row_u]
            flip_v = place < 0 and n_v > 0 and kernels.mirrors[row_v]
            for k in range(start, stop):
                if mode == CELLS:
                    i = n_u - 1 - first[k] if flip_u else first[k]
                    j = n_v - 1 - second[k] if flip_v else second[k]
                    value = view.out[i * n_v + j]
                else:
                    value = view.out[k]
                if n_u > 0:
                    value -= pairs.log_masses[pair, 0, first[k]]
                if n_v > 0:
                    value -= pairs.log_masses[pair, 1, second[k]]
                out[pair, rows[k]] = value
