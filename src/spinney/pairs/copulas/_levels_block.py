"""Fit and choose among all candidates for a block of pairs that have levels, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel
from spinney.pairs.copulas._block import Densities, Fits, Rule, choose, next_likely, record
from spinney.pairs.copulas._fit_one import Candidates, Scratch
from spinney.pairs.copulas._levels_fit import (
    CELLS,
    ROWS,
    Given,
    Kernels,
    View,
    evaluate,
    look,
    weigh,
)
from spinney.pairs.copulas._levels_search import (
    Guess,
    Ladders,
    exact_refit,
    fit_levels,
    refit_levels,
)
from spinney.pairs.copulas.batch import NONE, PROFILE
from spinney.pairs.copulas.coordinates import Coordinates

__all__ = ["fit_level_pairs", "pair_coordinates", "write_level_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def pair_coordinates(given: Given, pair: int) -> Coordinates:
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
def fit_level_pairs(
    given: Given, which: Ints, taus: Floats, rule: Rule, penalty_by_rows: bool,
    candidates: Candidates, kernels: Kernels, view: View, ladders: Ladders, fits: Fits,
) -> None:  # fmt: skip
    """Fit the pairs `which` of a block, whose Kendall's tau are `taus`, into `fits`.

    At least one column of each has levels. With `penalty_by_rows` the penalty is multiplied by the
    logarithm of the pair's own number of rows.
    """
    n_folds, n_candidates = fits.fold_parameters.shape[1], candidates.method.size
    scratch = Scratch(
        np.empty(0),
        np.empty(0),
        np.empty(0),
        np.empty(0),
        np.empty(0),
        np.empty((0, 0)),
        np.empty((n_candidates, 2)),
        np.empty(0),
        np.empty(n_candidates),
        np.empty(n_candidates),
        np.empty((n_candidates, n_folds, 2)),
    )
    for pair in which:
        tau, n_rows = taus[pair], float(given.pairs.size[pair])
        n_u, n_v = given.pairs.n_levels[pair, 0], given.pairs.n_levels[pair, 1]
        # Four cells with given margins leave one number free: every family with one parameter is
        # the same model, and a second parameter cannot be told.
        four_cells, fitted = n_u == 2 and n_v == 2, False
        mode = weigh(given, pair, view)
        scratch.likelihood[:] = -np.inf
        scratch.parameters[:] = np.nan
        scratch.value[:] = np.nan
        begin = min(1.05 * abs(tau), 0.95)
        guess = Guess(begin, max((1.0 - begin * begin) / np.sqrt(n_rows), 1e-3))
        for c in range(n_candidates):
            if candidates.method[c] == NONE:
                scratch.likelihood[c] = 0.0
                continue
            able = (kernels.cells[c] if mode == CELLS else kernels.strip[c]) != 0
            superfluous = four_cells and (fitted or candidates.method[c] == PROFILE)
            if able and candidates.tried[c, 1 if tau < 0.0 else 0] and not superfluous:
                guess = fit_levels(
                    given, pair, mode, kernels, candidates, c, tau, guess, view, ladders, scratch
                )
                fitted = True
        best, chosen = -np.inf, 0
        if not rule.cross_validate:
            penalty = rule.penalty * np.log(n_rows) if penalty_by_rows else rule.penalty
            for c in range(n_candidates):
                scratch.value[c] = scratch.likelihood[c] - penalty * candidates.n_parameters[c]
            chosen = choose(rule, candidates, scratch)
        for _ in range(n_candidates):
            if rule.cross_validate:
                c = next_likely(scratch)
                enough = -np.inf if rule.refit_all else best
                if not scratch.likelihood[c] > enough or not np.isnan(scratch.value[c]):
                    break
            else:
                c = chosen
            value = refit_levels(given, pair, kernels, candidates, c, tau, view, ladders, scratch)
            fits.held_out[pair] = value
            if not rule.cross_validate:
                break
            scratch.value[c] = value
            best = max(best, value - rule.margin)
        if rule.cross_validate:
            chosen = choose(rule, candidates, scratch)
            fits.held_out[pair] = scratch.value[chosen]
        if mode == CELLS and candidates.method[chosen] != NONE:
            fits.held_out[pair] = exact_refit(
                given, pair, kernels, candidates, chosen, tau, view, ladders, scratch
            )
            if rule.cross_validate:
                scratch.value[chosen] = fits.held_out[pair]
        record(pair, chosen, candidates, scratch, fits)


@kernel
def write_level_pairs(
    given: Given, which: Ints, copulas: Densities, kernels: Kernels, view: View, out: Floats
) -> None:
    """Log w of the common rows of the pairs `which` into ``out`` (pairs, n), which holds zeros.

    At least one column of each has levels. `kernels` has one entry per pair here.
    """
    for pair in which:
        pairs = given.pairs
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
            look(given, pair, mode, row_u, row_v, place, kernels, pair, view)
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
