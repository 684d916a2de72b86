"""The path of an L1 penalty, and how many edges of its ranking to keep.

The path goes by active sets, each solution checked on all pairs. The edges that it ranks are then
fitted again without penalty, and gain is weighed against cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import gammaln

from spinney._core.arrays import Bools, Floats, Ints
from spinney.models.log_newton import log_newton
from spinney.models.objectives import L1, NegativeLogLikelihood, Rooted
from spinney.models.solvers import SolverResult, spectral_projected_gradient
from spinney.pairs.densities import PairDensities

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


def largest_penalty(evidence: PairDensities, penalty_factors: Floats) -> float:
    r"""Find the smallest λ at which no edge enters.

    .. math:: \lambda_{\max} = \max_e \frac{2}{\lambda_e}
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
    gain = 2.0 * (mean - 1.0) / penalty_factors[charged]
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
    ensemble : Rooted
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
    factors = np.where(allowed, penalty_factors, 0.0)
    whole = NegativeLogLikelihood(ensemble, evidence)
    beta = np.zeros(ensemble.n_pairs)
    value, gradient = whole.evaluate(beta)
    for penalty in penalties:
        charge = penalty * factors
        bound = tol * penalty
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
            value, gradient = whole.evaluate(beta)
            n_evaluations += result.n_evaluations + 1
        worst = float(_violations(beta, gradient + charge, allowed).max(initial=0.0))
        yield PathPoint(float(penalty), beta, value, worst / penalty, n_evaluations)
        if np.count_nonzero(beta) > most_edges:
            return


def _violations(beta: Floats, slope: Floats, allowed: Bools) -> Floats:
    """Measure how far a projected gradient step would move each allowed pair."""
    return np.where(allowed, np.abs(np.maximum(beta - slope, 0.0) - beta), 0.0)


# Refits without penalty


def extended_bic(
    log_likelihood: Any,
    n_edges: Any,
    n_samples: int,
    n_nodes: int,
    gamma: float = 0.5,
    parameter_cost: float | None = None,
) -> Any:
    r"""Compute the extended Bayesian information criterion; smaller is better.

    .. math:: -2 \ell + |E| \log n + 4 |E| \gamma \log d

    Parameters
    ----------
    log_likelihood : float or array
        Sum over samples, at the penalised estimate but without the penalty.
    n_edges : int or array
        :math:`|E|`.
    n_samples, n_nodes : int
        n and d.
    gamma : float
        Extra cost of an edge where there are many to choose from; zero gives BIC.
    parameter_cost : float, optional
        What stands in the place of :math:`|E| \log n` where edges differ in their rows or in the
        parameters of their densities.

    References
    ----------
    .. [1] R. Foygel and M. Drton (2010). Extended Bayesian information criteria for Gaussian
       graphical models. NeurIPS 23.

    Examples
    --------
    >>> round(float(extended_bic(-100.0, 3, n_samples=50, n_nodes=10, gamma=0.0)), 3)
    211.736
    """
    cost = n_edges * np.log(n_samples) if parameter_cost is None else parameter_cost
    return -2.0 * log_likelihood + (cost + 4.0 * n_edges * gamma * np.log(n_nodes))


def ranking_costs(
    evidence: PairDensities, order: Ints, *, gamma: float = 1.0, first: int = 0, n_candidates: int
) -> Floats:
    r"""Charge the first k edges of a ranking by the extended BIC, for every k.

    .. math:: c_k = \sum_{e \le k} k_e \log n_e + 2 \gamma \log \binom{N}{k}

    The first part is for the :math:`k_e` parameters of each edge's density, fitted on :math:`n_e`
    rows; its weight is none, for where an edge belongs it has no finite value. The second is for
    the search: it is the prior in which every number of edges is equally likely, and every graph
    with that number [1]_. So the first edge has to beat all N pairs, the next ones less and less;
    with :math:`k \ll N` and N about d²/2 an edge costs the :math:`4 \gamma \log d` of
    :func:`extended_bic`.

    Parameters
    ----------
    evidence : PairDensities
        Parameters and rows of each pair.
    order : array of int
        Pairs, the best first.
    gamma : float
        γ; zero gives BIC.
    first : int
        Edges at the head of the ranking that are always there, and were not searched for.
    n_candidates : int
        N, the pairs among which the others were searched for.

    Returns
    -------
    array of shape (len(order) + 1,)
        Never falling.

    References
    ----------
    .. [1] J. Chen and Z. Chen (2008). Extended Bayesian information criteria for model selection
       with large model spaces. Biometrika 95, 759-771.

    Examples
    --------
    >>> evidence = PairDensities(np.ones((10, 3)), n_parameters=[1, 2, 1])
    >>> ranking_costs(evidence, np.array([1, 0, 2]), n_candidates=300).round(2)
    array([ 0.  , 16.01, 28.33, 39.83])
    """
    parameters = np.append(0.0, np.cumsum(evidence.costs[order]))
    searched = np.clip(np.arange(len(order) + 1) - first, 0, None)
    # From half of all pairs on there are fewer graphs with more edges, but none of them is free.
    searched = np.minimum(searched, n_candidates // 2)
    n_graphs = (
        gammaln(n_candidates + 1) - gammaln(searched + 1) - gammaln(n_candidates - searched + 1)
    )
    return parameters + 2.0 * gamma * n_graphs


GAP = 1e-3
"""Nats of the whole table that the last step of a refit may still promise to gain. Where the
likelihood is nearly flat more than one such step is left; 0.04 nats is the most that was seen."""
NEW_WEIGHT = 1.0
"""Weight that an edge enters with, relative to a root."""
FAINT_WEIGHT = 1e-3
"""Weight that changes next to nothing: a refit that starts so ends no lower than a smaller one."""
LARGEST_WEIGHT = 1e8
"""An edge that is in every forest would grow for ever; relative to a root."""
FEWEST = 8
"""Edges that are added first; then their number is doubled until the criterion rises."""
LISTED_GROWTH = 1.25
"""Factor between numbers of edges that are tried where pairs are listed, until the criterion has
risen twice. Twice as many edges as are kept hang together in one component, which takes longer to
fit than all smaller ones."""
LISTED_RESOLUTION = 1 / 64
"""There the number of edges is found to within this share of it."""
EXACT_WORK = 1e7
"""With n d³ up to this the Hessian is computed; beyond, it is learned from the steps."""


class Refits(NamedTuple):
    """The first k edges of a ranking, fitted without penalty, for as many k as it took.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each k that was fitted, rising: ``n_edges``, which is k; ``log_likelihood``, the
        mean per row relative to independence; ``criterion``, :math:`-2 n` times that plus the cost
        of the first k edges, smaller is better; and ``gap``, what the next step of the refit would
        gain, in nats of the whole table.
    weights : array
        Weights of the edges for the k with the smallest criterion, the fewest among equals; zero
        where an edge turned out to be none.
    converged : bool
        Whether all refits were.
    """

    table: pd.DataFrame
    weights: Floats
    converged: bool


def refit_ranking(
    ensemble: Rooted, evidence: PairDensities, order: Ints, costs: Floats, first: int = 0
) -> Refits:
    r"""Find the k for which the first k edges of a ranking have the smallest criterion.

    .. math:: C_k = -2 \ell_k + c_k, \qquad
              C_k \ge -2 \ell_b + c_{a+1} \quad \text{for } a < k < b

    as :math:`\ell_k`, the largest log-likelihood of the first k edges, cannot fall with k and
    neither can the cost. So most values of k need not be fitted. The number of edges is doubled
    until the criterion rises; then ranges are halved, and parts that cannot hold the best are left
    out. Of listed pairs each component is fitted by itself, and k is found to within a 64th.

    Parameters
    ----------
    ensemble : Rooted
        Rooted forests on all pairs, or on listed ones.
    evidence : PairDensities
        Pair densities of the same pairs, as fitted or cross-fitted.
    order : array of int
        Pairs, the best first.
    costs : array of shape (len(order) + 1,)
        :math:`c_k`, never falling.
    first : int
        Number of edges that are always there.
    """
    n = evidence.n_samples
    fits: dict[int, SolverResult] = {}
    fit = again = partial(fit_edges, ensemble, evidence)
    growth, resolution, patience = 2.0, 0.0, 1
    if ensemble.pairs is not None:
        growth, resolution, patience = LISTED_GROWTH, LISTED_RESOLUTION, 2
        fit = partial(fit_apart, ensemble, evidence, fitted={})
        again = partial(fit, again=True)

    def likelihood(size: int) -> float:
        return -n * fits[size].value if size else 0.0

    def criterion(size: int) -> float:
        return -2.0 * likelihood(size) + float(costs[size])

    def known(size: int) -> Floats:
        # Edges that vanished among others get another chance: a zero weight would stay zero.
        return np.maximum(fits[size].beta, FAINT_WEIGHT)

    def refit(size: int) -> None:
        if size == 0:
            return
        starts = [np.full(size, NEW_WEIGHT)]
        smaller = max((k for k in fits if k < size), default=0)
        if smaller:
            new = np.full(size - smaller, NEW_WEIGHT)
            starts.append(np.append(known(smaller), new))
        larger = min((k for k in fits if k > size), default=0)
        if larger:
            starts.append(known(larger)[:size])
        fits[size] = fit(order[:size], *starts)
        if likelihood(size) < likelihood(smaller) - GAP:
            # Another local optimum. Starting with almost no weight on the new edges can only help.
            start = np.append(known(smaller), np.full(size - smaller, FAINT_WEIGHT))
            fits[size] = again(order[:size], start)

    refit(first)
    tried = {first}
    last, rises = first, 0
    while last < len(order) and rises < patience:
        last = min(max(last + FEWEST, first + int(growth * (last - first))), len(order))
        refit(last)
        tried.add(last)
        rose = criterion(last) > min(criterion(size) for size in tried)
        rises = rises + 1 if rose else 0
    waiting = list(pairwise(sorted(tried)))
    while waiting:
        a, b = waiting.pop()
        best = min(criterion(size) for size in tried)
        close = b - a < max(2, int(resolution * a))
        if close or -2.0 * (likelihood(b) + GAP) + costs[a + 1] >= best:
            continue
        middle = (a + b) // 2
        refit(middle)
        tried.add(middle)
        # The upper half first: what it holds bounds the lower one.
        waiting += [(a, middle), (middle, b)]
    sizes = sorted(tried)
    table = pd.DataFrame(
        {
            "n_edges": sizes,
            "log_likelihood": [likelihood(size) / n for size in sizes],
            "criterion": [criterion(size) for size in sizes],
            "gap": [n * fits[size].violation if size else 0.0 for size in sizes],
        }
    )
    chosen = sizes[int(table["criterion"].argmin())]
    weights = fits[chosen].beta if chosen else np.empty(0)
    return Refits(table, weights, all(found.converged for found in fits.values()))


def fit_apart(
    ensemble: Rooted,
    evidence: PairDensities,
    columns: Ints,
    *starts: Floats,
    fitted: dict[bytes, SolverResult],
    again: bool = False,
) -> SolverResult:
    """Fit the weights of some edges, each connected component of them by itself.

    A forest of the whole is one of each component, so that the likelihood is a product.

    Parameters
    ----------
    ensemble, evidence, columns, starts
        As in :func:`fit_edges`, for listed pairs.
    fitted : dict
        Components that have been fitted, by their edges; new ones are added.
    again : bool
        Whether those are fitted again all the same, and the better fit is kept.
    """
    order = np.argsort(columns, kind="stable")
    beta, results = np.zeros(len(columns)), []
    for part in ensemble.components(np.sort(columns)):
        name = part.tobytes()
        places = order[np.searchsorted(columns, part, sorter=order)]
        if again or name not in fitted:
            own = [start[places] for start in starts]
            share = len(part) / len(columns)
            found = fit_edges(ensemble, evidence, part, *own, gap=share * GAP)
            if name not in fitted or found.value < fitted[name].value:
                fitted[name] = found
        beta[places] = fitted[name].beta
        results.append(fitted[name])
    stopped = [result.stop_reason for result in results if not result.converged]
    value = float(sum(result.value for result in results))
    violation = float(sum(result.violation for result in results))
    # A small component may stop at rounding, far below what the whole allows.
    converged = not stopped or evidence.n_samples * violation <= GAP
    return SolverResult(
        beta,
        value,
        violation,
        "converged" if converged else stopped[0],
        sum(result.n_iterations for result in results),
        sum(result.n_evaluations for result in results),
        np.array([value]),
    )


def fit_edges(
    ensemble: Rooted, evidence: PairDensities, columns: Ints, *starts: Floats, gap: float = GAP
) -> SolverResult:
    """Fit the weights of some edges without penalty, from the best of some starts.

    Weights are exactly zero for edges that turn out to be none.
    """
    restricted, part = ensemble.restrict(columns), evidence.take(columns)
    objective = NegativeLogLikelihood(restricted, part)
    n = evidence.n_samples
    if len(starts) > 1:
        values = [objective.evaluate(start)[0] for start in starts]
        starts = (starts[int(np.argmin(values))],)
    exact = n * restricted.n_solved**3 <= EXACT_WORK and not evidence.log
    return log_newton(
        objective,
        starts[0],
        tol=gap / n,
        largest_weight=LARGEST_WEIGHT,
        curvature=partial(restricted.curvature, W=part.W) if exact else None,
    )
