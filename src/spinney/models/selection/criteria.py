"""Information criteria for the number of edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from spinney.pairs.densities import PairDensities

__all__ = ["extended_bic", "ranking_costs"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def extended_bic(
    log_likelihood: float,
    n_edges: int,
    n_samples: int,
    n_nodes: int,
    gamma: float = 0.5,
    n_parameters: int | None = None,
    parameter_cost: float | None = None,
) -> float:
    r"""Compute the extended Bayesian information criterion; smaller is better.

    .. math:: -2 \ell + k \log n + 4 |E| \gamma \log d

    Parameters
    ----------
    log_likelihood : float
        Sum over samples, at the penalised estimate but without the penalty.
    n_edges, n_samples, n_nodes : int
        :math:`|E|`, n and d.
    gamma : float
        Extra cost of an edge where there are many to choose from; zero gives BIC.
    n_parameters : int, optional
        k; by default one per edge, as in the paper.
    parameter_cost : float, optional
        What stands in the place of :math:`k \log n` where edges differ in their rows or in the
        parameters of their densities.

    References
    ----------
    .. [1] R. Foygel and M. Drton (2010). Extended Bayesian information criteria for Gaussian
       graphical models. NeurIPS 23.

    Examples
    --------
    >>> round(extended_bic(-100.0, 3, n_samples=50, n_nodes=10, gamma=0.0), 3)
    211.736
    """
    parameters = n_edges if n_parameters is None else n_parameters
    cost = parameters * np.log(n_samples) if parameter_cost is None else parameter_cost
    return float(-2.0 * log_likelihood + (cost + 4.0 * n_edges * gamma * np.log(n_nodes)))


def ranking_costs(
    evidence: PairDensities,
    order: Integers,
    *,
    gamma: float = 1.0,
    first: int = 0,
    n_candidates: int,
    weight_parameters: int = 0,
) -> Floats:
    r"""Charge the first k edges of a ranking by the extended BIC, for every k.

    .. math:: c_k = \sum_{e \le k} (k_e + v) \log n_e + 2 \gamma \log \binom{N}{k}

    The first part is for the :math:`k_e` parameters of each edge's density, fitted on :math:`n_e`
    rows, and if *v* is one for its weight. The second is for the search: it is the prior in which
    every number of edges is equally likely, and every graph with that number [1]_. So the first
    edge has to beat all N pairs, the next ones less and less; with :math:`k \ll N` and N about
    d²/2 an edge costs the :math:`4 \gamma \log d` of :func:`extended_bic`.

    Parameters
    ----------
    evidence : PairDensities
        Parameters and rows of each pair.
    order : array of int
        Pairs, the best first.
    gamma : float
        γ; zero gives BIC.
    first : int
        Edges at the head of the ranking that are there in any case, and were not searched for.
    n_candidates : int
        N, the pairs among which the others were searched for.
    weight_parameters : {0, 1}
        Whether the weight of an edge counts as a parameter, *v*. Where an edge belongs it has no
        finite value, and so it does not by default.

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
    rows = np.log(np.maximum(evidence.n_rows, 1.0))
    each = evidence.costs + weight_parameters * rows
    parameters = np.append(0.0, np.cumsum(each[order]))
    searched = np.clip(np.arange(len(order) + 1) - first, 0, None)
    # From half of all pairs on there are fewer graphs with more edges, but none of them is free.
    searched = np.minimum(searched, n_candidates // 2)
    n_graphs = (
        gammaln(n_candidates + 1) - gammaln(searched + 1) - gammaln(n_candidates - searched + 1)
    )
    return parameters + 2.0 * gamma * n_graphs
