"""Information criteria for the number of edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney.evidence import Evidence

__all__ = ["edge_costs", "extended_bic"]

Floats = NDArray[np.float64]


def extended_bic(
    log_likelihood: float,
    n_edges: int,
    n_samples: int,
    n_nodes: int,
    gamma: float = 0.5,
    n_parameters: int | None = None,
) -> float:
    r"""Compute the extended Bayesian information criterion; smaller is better.

    .. math:: -2 \ell + k \log n + 4 |E| \gamma \log d

    Parameters
    ----------
    log_likelihood : float
        Sum over samples, at the penalised estimate but without the penalty.
    n_edges, n_samples, n_nodes : int
        |E|, n and d.
    gamma : float
        Extra price of an edge where there are many to choose from; zero gives BIC.
    n_parameters : int, optional
        k; by default one per edge, as in the paper.

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
    price = parameters * np.log(n_samples) + 4.0 * n_edges * gamma * np.log(n_nodes)
    return float(-2.0 * log_likelihood + price)


def edge_costs(evidence: Evidence, gamma: float = 0.5) -> Floats:
    r"""Charge each pair for being an edge, by the extended BIC of a forest model.

    .. math:: c_e = (1 + k_e) \log n_e + 4 \gamma \log d

    for its weight and the :math:`k_e` parameters of its density, fitted on :math:`n_e` rows, and
    for having been chosen among about :math:`d^2/2` pairs.

    Examples
    --------
    >>> evidence = Evidence(np.ones((10, 3)), n_parameters=[1, 2, 0])
    >>> edge_costs(evidence, gamma=0.0).round(2)
    array([4.61, 6.91, 2.3 ])
    """
    weight = np.log(np.maximum(evidence.n_rows, 1.0))
    return weight + evidence.costs + 4.0 * gamma * np.log(evidence.n_nodes)
