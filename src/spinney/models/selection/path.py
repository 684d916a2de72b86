"""The path of an L1 penalty: active sets, each solution checked on all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney.models.objectives import L1, ListedRooted, NegativeLogLikelihood, Rooted
from spinney.models.solvers import spectral_projected_gradient
from spinney.pairs.densities import PairDensities

__all__ = ["PathPoint", "follow_path", "largest_penalty"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_ROUNDS = 50
"""Rounds of solving and checking per penalty, before giving up on the check."""
MOST_STEPS = 200
"""Steps of projected gradients in each round."""
ENTERING = 0.5
"""Pairs that violate the check by more than this part of the largest violation enter at once."""


FIRST_STEP = 0.3
"""Length of a first step from a solution nearby: longer ones are mostly rejected."""
CLIFF = 100.0
"""Slope at zero of pairs that are nearly copies of each other."""


@dataclass(frozen=True)
class PathPoint:
    """The solution at one penalty.

    Attributes
    ----------
    penalty : float
        λ.
    beta : array of shape (n_pairs,)
        Edge weights.
    value : float
        Minus the mean log-likelihood, without the penalty.
    max_kkt_violation : float
        Largest violation of the optimality conditions over all allowed pairs, in units of λ.
    n_evaluations : int
        Evaluations of the objective, on active pairs or on all.
    """

    penalty: float
    beta: Floats
    value: float
    max_kkt_violation: float
    n_evaluations: int


def largest_penalty(ensemble: Rooted, evidence: PairDensities, penalty_factors: Floats) -> float:
    r"""Find the smallest λ at which no edge enters.

    .. math:: \lambda_{\max} = \max_e \frac{2}{\alpha \lambda_e}
              \Bigl(\frac1n \sum_j w_e^j - 1\Bigr)

    Pairs of factor zero (they are never shrunk) and infinity (never edges) do not count.
    """
    charged = np.isfinite(penalty_factors) & (penalty_factors > 0)
    if not charged.any():
        return 0.0
    W = evidence.W[:, charged]
    # A mean of exponentials that may overflow is as large a penalty as there is.
    with np.errstate(over="ignore"):
        mean = (np.exp(W) if evidence.log else W).mean(axis=0)
    gain = 2.0 / ensemble.root_weight * (mean - 1.0) / penalty_factors[charged]
    return float(min(gain.max(), 1e300))


def follow_path(
    ensemble: Rooted,
    evidence: PairDensities,
    penalties: Floats,
    penalty_factors: Floats,
    *,
    tol: float = 0.01,
    most_edges: float = np.inf,
) -> Iterator[PathPoint]:
    r"""Minimise :math:`f(\beta) + \lambda \sum_e \lambda_e \beta_e`, from large λ to small.

    Each solution starts from the one before and moves only the active pairs: those with weight, and
    those that violated

    .. math:: R_e(\beta) - \frac1n \sum_j w_e^j R_e(\beta \circ W^j) + \lambda \lambda_e \ge 0

    when all pairs were last checked. It is accepted when no allowed pair violates that by more than
    `tol` times λ.

    Parameters
    ----------
    ensemble : Rooted or ListedRooted
        Rooted forests on all pairs, or on listed ones.
    evidence : PairDensities
        Pair densities, of the same pairs.
    penalties : array
        Values of λ, falling.
    penalty_factors : array of shape (n_pairs,)
        :math:`\lambda_e`; infinity for pairs that may not be edges.
    tol : float
        Allowed violation, in units of λ.
    most_edges : int, optional
        The path ends at the first solution with more edges.

    Yields
    ------
    PathPoint
    """
    allowed = np.isfinite(penalty_factors)
    check = _check(ensemble, evidence)
    beta = np.zeros(ensemble.n_pairs)
    factors = np.where(allowed, penalty_factors, 0.0)
    for penalty in penalties:
        charge = penalty * factors
        bound = tol * penalty
        tolerated = np.where(allowed, charge + bound, np.inf)
        value, gradient = check(beta, tolerated)
        n_evaluations = 0
        for _ in range(MOST_ROUNDS):
            violation = _violations(beta, gradient + charge, allowed)
            if violation.max(initial=0.0) <= bound:
                break
            entering = violation > max(bound, ENTERING * violation.max())
            active = np.flatnonzero((beta > 0) | entering)
            objective = NegativeLogLikelihood(ensemble.restrict(active), evidence.take(active))
            # Where the slope at zero promises more than any step can keep, start beyond the cliff.
            start = np.where((beta == 0) & (gradient < -CLIFF), 1.0, beta)[active]
            # A little stricter than the check, which sees the same numbers through other sums.
            result = spectral_projected_gradient(
                L1(objective, charge[active]),
                start,
                tol=0.9 * bound,
                max_iter=MOST_STEPS,
                first_step=FIRST_STEP if beta.any() else None,
            )
            beta = np.zeros_like(beta)
            beta[active] = result.beta
            value, gradient = check(beta, tolerated)
            n_evaluations += result.n_evaluations + 1
        worst = float(_violations(beta, gradient + charge, allowed).max(initial=0.0))
        yield PathPoint(float(penalty), beta, value, worst / penalty, n_evaluations)
        if np.count_nonzero(beta) > most_edges:
            return


def _check(
    ensemble: Rooted, evidence: PairDensities
) -> Callable[[Floats, Floats], tuple[float, Floats]]:
    """Prepare the check of all pairs: value and gradient, whatever slope is tolerated.

    Of listed pairs only those are solved whose slope may be steeper than that.
    """
    if isinstance(ensemble, ListedRooted):
        return lambda beta, tolerated: ensemble.slopes(beta, evidence, tolerated)
    whole = NegativeLogLikelihood(ensemble, evidence)
    last: list[tuple[Floats, tuple[float, Floats]]] = []

    def check(beta: Floats, tolerated: Floats) -> tuple[float, Floats]:
        if not last or last[0][0] is not beta:  # the next penalty starts where the last one ended
            last[:] = [(beta, whole.evaluate(beta))]
        return last[0][1]

    return check


def _violations(beta: Floats, slope: Floats, allowed: NDArray[np.bool_]) -> Floats:
    """Measure how far a projected gradient step would move each allowed pair."""
    return np.where(allowed, np.abs(np.maximum(beta - slope, 0.0) - beta), 0.0)
