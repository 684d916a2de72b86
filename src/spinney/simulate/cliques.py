"""Small cliques with a Student copula: the founding paper's non-Gaussian setting."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy import special

from spinney._core.arrays import Floats
from spinney._core.choices import read_seed
from spinney._core.components import component_labels
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, stream
from spinney.simulate.graphs import clique_graph
from spinney.simulate.result import Simulated

SMALLEST_DF = 0.5


def t_cliques(
    n: int,
    d: int = 25,
    df: float = 1.0,
    random_state: RandomState = None,
    *,
    sizes: Sequence[int] = (3, 4),
    correlation: float | None = None,
) -> Simulated:
    r"""Draw data from separate cliques, each with a Student copula, marginally normal.

    A clique of k nodes has a k × (k+1) matrix L with rows of length one and, with k + 1
    independent standard normal numbers G and :math:`S \sim \chi^2_\nu`,

    .. math:: T = L G / \sqrt{S / \nu}, \qquad X_i = \Phi^{-1}(t_\nu(T_i)).

    The correlation matrix is :math:`L L^\top`. The members of a clique share their scale S, so
    every pair is dependent given all others, even where its correlation is zero.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of nodes.
    df : float
        Degrees of freedom, at least 0.5. The founding paper has 1.
    random_state : int or Generator, optional
        Seed.
    sizes : sequence of int
        Possible sizes of the cliques.
    correlation : float, optional
        Correlation of all pairs of a clique, in [0, 1). By default each clique's correlation
        matrix is drawn uniformly from all correlation matrices: the rows of L are normal vectors
        divided by their lengths (a scaled Wishart matrix with k + 1 degrees of freedom [2]_).
        The paper does not say what it took.

    References
    ----------
    .. [1] E. Arvaniti and M. Claassen. Markov network structure learning via ensemble-of-forests
       models, section 6.
    .. [2] J. Barnard, R. McCulloch and X.-L. Meng (2000). Modeling covariance matrices in terms
       of standard deviations and correlations. The density of the correlation matrix is
       proportional to :math:`|R|^{(\nu - k - 1)/2}`, so constant at :math:`\nu = k + 1`.

    Examples
    --------
    >>> t_cliques(100, 25, random_state=0)
    <Simulated t_cliques: 100 rows, 25 nodes, 33 edges, 7 components, seed 0>
    """
    n = check_count(n, "n", 1)
    if correlation is not None and not 0 <= correlation < 1:
        raise InputError(f"correlation must lie in [0, 1), got {correlation!r}.")
    if not SMALLEST_DF <= df < np.inf:
        raise InputError(f"df must be at least {SMALLEST_DF} and finite, got {df!r}.")
    seed = read_seed(random_state)
    graph = clique_graph(d, sizes, seed)
    labels = component_labels(graph)
    n_cliques = int(labels.max()) + 1
    weights = stream(seed, "weights")
    noise = stream(seed, "data").standard_normal((n, d + n_cliques))
    scale = np.sqrt(stream(seed, "mixing").chisquare(df, (n, n_cliques)) / df)

    T, matrix = np.zeros((n, d)), np.zeros((d, d))
    for k in range(n_cliques):
        nodes = np.flatnonzero(labels == k).tolist()
        loadings = _loadings(len(nodes), correlation, weights)
        T[:, nodes] = noise[:, [*nodes, d + k]] @ loadings.T / scale[:, [k]]
        matrix[np.ix_(nodes, nodes)] = loadings @ loadings.T
    parameters = {"n": n, "d": d, "df": df, "sizes": list(sizes), "correlation": correlation}
    # From the lower tail: near 1, probabilities lose digits.
    X = np.asarray(-np.sign(T) * special.ndtri(special.stdtr(df, -np.abs(T))), dtype=float)
    return Simulated(X, graph, "t_cliques", parameters, seed, correlation=matrix)


def _loadings(size: int, correlation: float | None, rng: np.random.Generator) -> Floats:
    """Return rows of length one whose inner products are the correlations of a clique."""
    if correlation is None:
        loadings = rng.standard_normal((size, size + 1))
        return loadings / np.linalg.norm(loadings, axis=1, keepdims=True)
    own = sqrt(1 - correlation) * np.eye(size)
    return np.column_stack([own, np.full(size, sqrt(correlation))])
