"""Small cliques with a Student copula: the founding paper's non-Gaussian setting."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._components import component_labels
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, read_seed, stream
from spinney.simulate.graphs import clique_graph
from spinney.simulate.result import Simulated

__all__ = ["t_cliques"]

SMALLEST_DF = 0.5


def t_cliques(
    n: int,
    d: int = 25,
    df: float = 1.0,
    random_state: RandomState = None,
    *,
    sizes: Sequence[int] = (3, 4),
    correlation: float | tuple[float, float] = (0.5, 0.7),
) -> Simulated:
    r"""Draw data from separate cliques, each with a Student copula, marginally normal.

    In a clique C with correlation r, :math:`T_i = (\sqrt{r}\, F_C + \sqrt{1 - r}\, E_i) /
    \sqrt{S_C / \nu}` with independent standard normal F and E and :math:`S_C \sim \chi^2_\nu`;
    then :math:`X_i = \Phi^{-1}(t_\nu(T_i))`. The members of a clique share their scale, so that
    every pair is dependent given all others, whatever r is.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of nodes.
    df : float
        Degrees of freedom, at least 0.5. The paper has 1.
    random_state : int or Generator, optional
        Seed.
    sizes : sequence of int
        Possible sizes of the cliques.
    correlation : float or (float, float)
        Correlation r of all pairs of a clique, in [0, 1), or the range from which each clique's
        is drawn. The paper does not say what it took.

    References
    ----------
    .. [1] E. Arvaniti and M. Claassen. Markov network structure learning via ensemble-of-forests
       models, section 6.

    Examples
    --------
    >>> t_cliques(100, 25, random_state=0)
    <Simulated t_cliques: 100 rows, 25 nodes, 33 edges, 7 components, seed 0>
    """
    n = check_count(n, "n", 1)
    low, high = correlation if isinstance(correlation, Sequence) else (correlation, correlation)
    if not 0 <= low <= high < 1:
        raise InputError(f"correlation must lie in [0, 1), got {correlation!r}.")
    if not SMALLEST_DF <= df < np.inf:
        raise InputError(f"df must be at least {SMALLEST_DF} and finite, got {df!r}.")
    seed = read_seed(random_state)
    graph = clique_graph(d, sizes, seed)
    clique = component_labels(graph)
    n_cliques = int(clique.max()) + 1
    r = stream(seed, "weights").uniform(low, high, n_cliques)

    noise = stream(seed, "data").standard_normal((n, d + n_cliques))
    own, shared = noise[:, :d], noise[:, d:]
    scale = np.sqrt(stream(seed, "mixing").chisquare(df, (n, n_cliques)) / df)
    root, rest = np.sqrt(r), np.array([sqrt(1 - value) for value in r])
    T = (root[clique] * shared[:, clique] + rest[clique] * own) / scale[:, clique]

    matrix = np.where(graph, r[clique][:, None], 0.0)
    np.fill_diagonal(matrix, 1.0)
    parameters = {
        "n": n,
        "d": d,
        "df": df,
        "sizes": list(sizes),
        "correlation": list(correlation) if isinstance(correlation, Sequence) else correlation,
    }
    return Simulated(
        _normal_scores(T, df), graph, "t_cliques", parameters, seed, correlation=matrix
    )


def _normal_scores(T: NDArray[np.float64], df: float) -> NDArray[np.float64]:
    """Map t quantiles to normal ones from the lower tail: near 1, probabilities lose digits."""
    tail = special.stdtr(df, -np.abs(T))
    return -np.sign(T) * special.ndtri(tail)
