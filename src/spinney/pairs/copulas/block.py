"""Fit and choose among all candidates for a block of pairs, and their log-densities, compiled.

For each pair every candidate is fitted on all samples and then, for cross-validation, without
each fold. Held-out likelihood never exceeds the likelihood of the fit on everything: a fold's own
parameter is the better one on the samples it was fitted to, and the common parameter is the best
on all samples together, so the common parameter is at least as good on the fold. A candidate
whose full likelihood is below the best held-out likelihood need not be refitted.

Pairs with levels have likelihoods of another kind (:mod:`spinney.pairs.copulas.levels`), under the
same rule of choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel, merged
from spinney.pairs.copulas.coordinates import Coordinates
from spinney.pairs.copulas.search import (
    Candidates,
    Scratch,
    Work,
    fit_candidate,
    log_likelihood,
    new_scratch,
    prepare,
    refit_candidate,
    see,
)


class Rule(NamedTuple):
    """How the winner is chosen."""

    cross_validate: bool  # by held-out likelihood; otherwise by likelihood less a penalty
    penalty: float  # per parameter ...
    by_rows: bool  # ... times the logarithm of the number of rows
    margin: float  # by which a candidate must beat one with fewer parameters
    refit_chosen: bool = False  # without each fold, whatever the winner is chosen by


class Fits(NamedTuple):
    """Results, one row per pair."""

    candidate: Ints  # (pairs,) the chosen candidate
    parameters: Floats  # (pairs, 2)
    fold_parameters: Floats  # (pairs, folds, 2) the chosen candidate without each fold
    log_likelihood: Floats  # (pairs, families) of the best rotation, on all samples
    criterion: Floats  # (pairs, families); NaN where the family could not win


class Densities(NamedTuple):
    """The copulas whose log-densities are wanted, one entry per pair."""

    family: Ints  # numbers of the families
    row_u: Ints  # rows of the coordinates
    row_v: Ints
    parameters: Floats  # (pairs, folds, 2): each range of samples has its own


def empty_fits(pairs: int, n_folds: int, n_families: int) -> Fits:
    """Make room for results."""
    return Fits(
        candidate=np.zeros(pairs, dtype=np.int64),
        parameters=np.full((pairs, 2), np.nan),
        fold_parameters=np.full((pairs, n_folds, 2), np.nan),
        log_likelihood=np.full((pairs, n_families), -np.inf),
        criterion=np.full((pairs, n_families), np.nan),
    )


@kernel
def fit_pairs(
    where: Coordinates, first: Ints, second: Ints, places: Ints, taus: Floats, folds: Ints,
    rule: Rule, candidates: Candidates, fits: Fits,
) -> None:  # fmt: skip
    """Fit the pairs (first[p], second[p]), which have their places in `taus` and `fits`.

    Samples are sorted by fold; fold f is ``folds[f]`` to ``folds[f + 1]``.
    """
    n, n_folds, n_candidates = folds[folds.size - 1], folds.size - 1, candidates.method.size
    scratch = new_scratch(n, n_folds, where.grid.size, n_candidates)
    for p in range(first.size):
        tau = taus[places[p]]
        work = Work(where, first[p], second[p], tau, folds, candidates, scratch)
        prepare(work)
        for c in range(n_candidates):
            fit_candidate(work, c)
        settle(refit_candidate, work, n, rule, places[p], fits)


@merged
def settle(refit: Any, work: Any, n: int, rule: Rule, place: int, fits: Fits) -> None:
    """Choose among fitted candidates, refitting them if need be, and write the results."""
    candidates, scratch, best = work.candidates, work.scratch, -np.inf
    start_values(rule, n, candidates, scratch)
    for _ in range(candidates.method.size if rule.cross_validate else 0):
        c = next_to_refit(best, scratch)
        if c < 0:
            break
        scratch.value[c] = refit(work, c)
        best = max(best, scratch.value[c] - rule.margin)
    chosen = choose(rule, candidates, scratch)
    if rule.refit_chosen and not rule.cross_validate:
        refit(work, chosen)
    record(place, chosen, candidates, scratch, fits)


@merged
def start_values(rule: Rule, n: int, candidates: Candidates, scratch: Scratch) -> None:
    """Likelihood less the penalty of n samples; NaN if candidates are to be cross-validated."""
    penalty = rule.penalty * np.log(float(n)) if rule.by_rows else rule.penalty
    for c in range(candidates.method.size):
        scratch.value[c] = scratch.likelihood[c] - penalty * candidates.n_parameters[c]
        if rule.cross_validate:
            scratch.value[c] = np.nan


@merged
def next_to_refit(best: float, scratch: Scratch) -> int:
    """Find the candidate to fit without each fold: the likeliest that may still win; -1 if none."""
    found = int(np.argmax(scratch.likelihood))
    for c in range(scratch.value.size):
        if np.isnan(scratch.value[c]):
            done = not np.isnan(scratch.value[found])
            if done or scratch.likelihood[c] > scratch.likelihood[found]:
                found = c
    may_win = scratch.likelihood[found] > best and np.isnan(scratch.value[found])
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
    where: Coordinates, first: Ints, second: Ints, places: Ints, copulas: Densities, folds: Ints,
    out: Floats,
) -> None:  # fmt: skip
    """Log-densities of pairs, which have their places among `copulas`, into ``out`` (pairs, n)."""
    for p in range(first.size):
        i, j = first[p], second[p]
        for fold in range(folds.size - 1):
            k = places[p]
            theta, df = copulas.parameters[k, fold]
            place = int(np.argmin(np.abs(where.grid - df))) if df == df else -1
            seen = see(where, i, j, copulas.family[k], copulas.row_u[k], copulas.row_v[k], place)
            log_likelihood(seen, theta, folds[fold], folds[fold + 1], out[p])
