"""How many of a ranking's edges to keep: refit without penalty, and weigh gain against price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.objectives import Evidence, NegativeLogLikelihood, Rooted
from spinney.solvers import accelerated_fixed_point

__all__ = ["Refits", "fit_edges", "refit_ranking"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NEW_WEIGHT = 1.0
"""Weight that an edge enters with."""
QUICK_STEPS = 6
"""Evaluations per number of edges: each starts where the one before it ended."""
LARGEST_WEIGHT = 1e8
"""An edge that is in every forest would grow for ever."""
ALL_UP_TO = 100
"""Rankings up to this long are tried at every length."""


@dataclass(frozen=True)
class Refits:
    """Likelihood of the first k edges of a ranking.

    Attributes
    ----------
    sizes : array of int
        The values of k, rising.
    log_likelihood : array
        Mean log-likelihood per row, relative to independence.
    """

    sizes: Integers
    log_likelihood: Floats


def refit_ranking(ensemble: Rooted, evidence: Evidence, order: Integers, first: int = 0) -> Refits:
    """Fit the first k edges of a ranking without penalty, for k from `first` up.

    Rankings of up to 100 edges are tried at every length, longer ones at lengths that grow by a
    few per cent.

    Parameters
    ----------
    ensemble : Rooted
        Rooted forests on all pairs.
    evidence : Evidence
        Pair densities, as fitted or cross-fitted.
    order : array of int
        Pairs, the best first.
    first : int
        How many are in any case.
    """
    sizes = _lengths(first, len(order))
    beta = np.empty(0)
    values = np.zeros(len(sizes))
    for place, size in enumerate(sizes):
        if size == 0:
            continue
        beta = np.append(beta, np.full(size - len(beta), NEW_WEIGHT))
        beta, values[place] = fit_edges(ensemble, evidence, order[:size], beta, QUICK_STEPS)
    return Refits(sizes, values)


def fit_edges(
    ensemble: Rooted, evidence: Evidence, columns: Integers, start: Floats, max_iter: int
) -> tuple[Floats, float]:
    """Fit the weights of some edges; return them and the mean log-likelihood."""
    part = Evidence(np.ascontiguousarray(evidence.W[:, columns]), evidence.log)
    objective = NegativeLogLikelihood(ensemble.restrict(columns), part)
    result = accelerated_fixed_point(objective, start, tol=1e-3, max_iter=max_iter)
    # Weights that are nearly gone stay edges: which edges there are is decided by the ranking.
    return np.clip(result.beta, 1.0 / LARGEST_WEIGHT, LARGEST_WEIGHT), -result.value


def _lengths(first: int, last: int) -> Integers:
    if last - first <= ALL_UP_TO:
        return np.arange(first, last + 1)
    grown = [first + ALL_UP_TO]
    while grown[-1] < last:
        grown.append(min(last, max(grown[-1] + 1, int(grown[-1] * 1.05))))
    return np.concatenate([np.arange(first, first + ALL_UP_TO), grown])
