"""Fit and choose among all candidates for a block of pairs, compiled.

For each pair every candidate is fitted on all samples and then, for cross-validation, without
each fold. Held-out likelihood never exceeds the likelihood of the fit on everything: a fold's own
parameter is the better one on the samples it was fitted to, and the common parameter is the best
on all samples together, so the common parameter is at least as good on the fold. A candidate
whose full likelihood is below the best held-out likelihood need not be refitted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel, merged
from spinney.pairs.copulas._call import call_density
from spinney.pairs.copulas._fit_one import (
    Candidates,
    Scratch,
    fit_candidate,
    prepare,
    refit_candidate,
)
from spinney.pairs.copulas._search import profile_density
from spinney.pairs.copulas.batch import NONE, PROFILE
from spinney.pairs.copulas.coordinates import Coordinates

__all__ = [
    "Densities",
    "Fits",
    "Rule",
    "choose",
    "empty_fits",
    "fit_pairs",
    "next_likely",
    "record",
    "write_log_density",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rule(NamedTuple):
    """How the winner is chosen."""

    cross_validate: bool  # by held-out likelihood; otherwise by likelihood less a penalty
    penalty: float  # per parameter
    margin: float  # by which a candidate must beat one with fewer parameters
    refit_all: bool  # also the candidates that cannot win


class Fits(NamedTuple):
    """Results, one row per pair."""

    candidate: Ints  # (pairs,) the chosen candidate
    parameters: Floats  # (pairs, 2)
    fold_parameters: Floats  # (pairs, folds, 2) the chosen candidate without each fold
    held_out: Floats  # (pairs,) its held-out log-density, summed
    log_likelihood: Floats  # (pairs, families) of the best rotation, on all samples
    criterion: Floats  # (pairs, families); NaN where the family could not win


class Densities(NamedTuple):
    """The copulas whose log-densities are wanted, one entry per pair."""

    method: Ints
    density: Ints  # address of the kernel
    row_u: Ints  # rows of the coordinates
    row_v: Ints
    parameters: Floats  # (pairs, folds, 2): each range of samples has its own

    def take(self, pairs: NDArray[np.intp]) -> Densities:
        """Pick the copulas of some pairs."""
        return Densities(
            self.method[pairs],
            self.density[pairs],
            self.row_u[pairs],
            self.row_v[pairs],
            self.parameters[pairs],
        )


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
    where: Coordinates,
    first: Ints,
    second: Ints,
    taus: Floats,
    folds: Ints,
    rule: Rule,
    candidates: Candidates,
    fits: Fits,
) -> None:
    """Fit the pairs (first[p], second[p]), whose Kendall's tau are `taus`, into `fits`.

    Samples are sorted by fold; fold f is ``folds[f]`` to ``folds[f + 1]``.
    """
    n, n_folds, n_grid = folds[folds.size - 1], folds.size - 1, where.grid.size
    n_candidates = candidates.method.size
    scratch = Scratch(
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
    for pair in range(first.size):
        i, j, tau = first[pair], second[pair], taus[pair]
        prepare(where, i, j, folds, candidates, scratch)
        for c in range(n_candidates):
            fit_candidate(where, i, j, tau, folds, candidates, c, scratch)
        if rule.cross_validate:
            _cross_validate(where, i, j, tau, folds, rule, candidates, scratch)
        else:
            for c in range(n_candidates):
                penalty = rule.penalty * candidates.n_parameters[c]
                scratch.value[c] = scratch.likelihood[c] - penalty
        chosen = choose(rule, candidates, scratch)
        if rule.cross_validate:
            fits.held_out[pair] = scratch.value[chosen]
        else:
            fits.held_out[pair] = refit_candidate(
                where, i, j, tau, folds, candidates, chosen, scratch
            )
        record(pair, chosen, candidates, scratch, fits)


@merged
def _cross_validate(
    where: Coordinates,
    i: int,
    j: int,
    tau: float,
    folds: Ints,
    rule: Rule,
    candidates: Candidates,
    scratch: Scratch,
) -> None:
    """Held-out likelihood of the candidates that may win, the most likely ones first."""
    scratch.value[:] = np.nan
    best = -np.inf
    for _ in range(candidates.method.size):
        c = next_likely(scratch)
        enough = -np.inf if rule.refit_all else best
        if not scratch.likelihood[c] > enough or not np.isnan(scratch.value[c]):
            break
        value = refit_candidate(where, i, j, tau, folds, candidates, c, scratch)
        scratch.value[c] = value
        best = max(best, value - rule.margin)


@merged
def next_likely(scratch: Scratch) -> int:
    """Find the candidate of largest likelihood among those without a value."""
    best = int(np.argmax(scratch.likelihood))
    for c in range(scratch.value.size):
        if np.isnan(scratch.value[c]):
            done = not np.isnan(scratch.value[best])
            if done or scratch.likelihood[c] > scratch.likelihood[best]:
                best = c
    return best


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
    for pair in range(first.size):
        i, j, row = first[pair], second[pair], out[pair]
        method, density = copulas.method[pair], copulas.density[pair]
        for fold in range(folds.size - 1):
            start, stop = folds[fold], folds[fold + 1]
            theta = copulas.parameters[pair, fold, 0]
            if method == NONE:
                for k in range(start, stop):
                    row[k] = 0.0
            elif method == PROFILE:
                k = int(np.argmin(np.abs(where.grid - copulas.parameters[pair, fold, 1])))
                profile_density(density, where, k, i, j, theta, start, stop, row)
            else:
                x, y = where.plain[copulas.row_u[pair], i], where.plain[copulas.row_v[pair], j]
                call_density(density, start, stop, x, y, theta, row)
