r"""Gaussian Markov random fields on a given or random graph.

The precision matrix carries the graph: :math:`\Omega_{uv} \neq 0` just where u and v are joined.
Two ways to fill it are offered (:func:`precision_matrix`); in both the diagonal is one number,
found from the smallest eigenvalue, and at the end rows and columns are scaled so that every
variable has variance one.

Everything after the eigenvalue, which is rounded to ten decimals before it is used, is computed by
element-wise additions, products, quotients and square roots in a fixed order, without any linear
algebra library: those sum in an order that depends on the processor. So the same seed gives the
same table to the last bit.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats
from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, check_range, stream
from spinney.simulate.graphs import random_graph
from spinney.simulate.result import Simulated

Method = Literal["signs", "huge"]


def precision_matrix(
    adjacency: ArrayLike,
    method: Method = "signs",
    random_state: RandomState = None,
    *,
    strength: tuple[float, float] = (0.5, 1.0),
    smallest: float = 0.1,
    v: float = 0.3,
    u: float = 0.1,
) -> Floats:
    r"""Make a precision matrix with a given graph and unit variances.

    ``"signs"``: edge weights :math:`W_e = \pm U(\text{strength})` with random signs, and
    :math:`\Omega = W + (\text{smallest} - \lambda_{\min}(W)) I`, whose smallest eigenvalue is
    `smallest`. ``"huge"``: as the R package huge does it, :math:`\Omega = v A + (|\lambda_{\min}(v
    A)| + 0.1 + u) I`, every weight equal and positive (so partial correlations are negative).
    Then both are scaled to unit variances, :math:`D \Omega D` with :math:`D^2 =
    \mathrm{diag}(\Omega^{-1})`.

    Parameters
    ----------
    adjacency : array-like of shape (d, d)
        Symmetric graph.
    method : {"signs", "huge"}
        How the weights are made.
    random_state : int or Generator, optional
        Seed of the weights.
    strength : (float, float)
        Range of the sizes of the weights, for ``"signs"``.
    smallest : float
        Smallest eigenvalue before scaling, for ``"signs"``: the smaller, the stronger the
        dependence. With the defaults and 25 edges on 25 nodes the table carries 5.4 nats of
        mutual information.
    v, u : float
        Off-diagonal entry and what is added to the diagonal, for ``"huge"``.

    References
    ----------
    .. [1] T. Zhao, H. Liu, K. Roeder, J. Lafferty and L. Wasserman (2012). The huge package for
       high-dimensional undirected graph estimation in R (``huge.generator``).

    Examples
    --------
    >>> P = precision_matrix([[0, 1], [1, 0]], method="huge")
    >>> np.linalg.inv(P).round(3)
    array([[ 1. , -0.6],
           [-0.6,  1. ]])
    """
    graph = _check_graph(adjacency)
    if method == "signs":
        check_range(strength, "strength")
        if smallest <= 0:
            raise InputError(f"smallest must be positive, got {smallest!r}.")
        rng = stream(read_seed(random_state), "weights")
        ends = np.nonzero(np.triu(graph))
        sizes = rng.uniform(*strength, len(ends[0]))
        weights = np.zeros(graph.shape)
        weights[ends] = sizes * (2.0 * rng.integers(2, size=len(sizes)) - 1.0)
        weights += weights.T
        diagonal = smallest - _smallest_eigenvalue(weights)
    elif method == "huge":
        if v == 0 or u <= -0.1:
            raise InputError(f"v must not be 0 and u must exceed -0.1, got v={v!r}, u={u!r}.")
        weights = np.where(graph, float(v), 0.0)
        diagonal = abs(_smallest_eigenvalue(weights)) + 0.1 + u
    else:
        raise InputError(f"method must be 'signs' or 'huge', got {method!r}.")
    np.fill_diagonal(weights, diagonal)
    factor = _cholesky(weights)
    d = len(weights)
    # Ω⁻¹ = B Bᵀ with Bᵀ the solution for unit vectors; fsum is exact, whatever the order.
    inverse = _solve_transposed(factor, np.eye(d))
    scale = np.array([sqrt(fsum(row * row)) for row in inverse])
    # First the products of the scales: a product of three would depend on the side.
    return weights * (scale[:, None] * scale[None, :])


def gaussian(
    n: int, adjacency: ArrayLike, random_state: RandomState = None, **precision: Any
) -> Simulated:
    r"""Draw Gaussian data on a given graph.

    .. math:: x \sim N(0, \Omega^{-1}), \qquad
              \Omega_{uv} \ne 0 \iff u \text{ and } v \text{ are joined}

    with unit variances and the :math:`\Omega` of :func:`precision_matrix`.

    Parameters
    ----------
    n : int
        Number of rows.
    adjacency : array-like of shape (d, d)
        Symmetric graph, such as one of :mod:`spinney.simulate.graphs`.
    random_state : int or Generator, optional
        Seed.
    **precision
        Options of :func:`precision_matrix`.

    Examples
    --------
    >>> from spinney.simulate import grid_graph
    >>> gaussian(100, grid_graph(5, 5), random_state=0, method="huge")
    <Simulated gaussian: 100 rows, 25 nodes, 40 edges, 1 components, seed 0>
    """
    graph = _check_graph(adjacency)
    edges = np.argwhere(np.triu(graph)).tolist()
    parameters = {"n": n, "d": len(graph), "edges": edges, **precision}
    return _draw(n, graph, read_seed(random_state), "gaussian", parameters, precision)


def gaussian_mrf(
    n: int,
    d: int = 25,
    degree: float = 2.0,
    components: int = 1,
    random_state: RandomState = None,
    **precision: Any,
) -> Simulated:
    r"""Draw Gaussian data on a random sparse graph: the founding paper's first two settings [1]_.

    .. math:: x \sim N(0, \Omega^{-1}), \qquad
              \Omega_{uv} \ne 0 \iff u \text{ and } v \text{ are joined}

    with unit variances. :func:`random_graph` draws the graph, :func:`precision_matrix` makes
    :math:`\Omega`.

    Parameters
    ----------
    n : int
        Number of rows.
    d, degree, components
        Nodes, mean number of neighbours and connected components, as in :func:`random_graph`.
        The paper has 25 nodes with 2 neighbours, in one or two components, and 80 with 3.
    random_state : int or Generator, optional
        Seed.
    **precision
        Options of :func:`precision_matrix`.

    References
    ----------
    .. [1] E. Arvaniti and M. Claassen. Markov network structure learning via ensemble-of-forests
       models, section 6.

    Examples
    --------
    >>> data = gaussian_mrf(50, d=80, degree=3, random_state=0)
    >>> data.X.shape, data.n_edges
    ((50, 80), 120)
    """
    seed = read_seed(random_state)
    graph = random_graph(d, degree, components, seed)
    parameters = {"n": n, "d": d, "degree": degree, "components": components, **precision}
    return _draw(n, graph, seed, "gaussian_mrf", parameters, precision)


def independent(n: int, d: int = 25, random_state: RandomState = None) -> Simulated:
    """Draw independent standard normal columns: the true graph has no edge.

    Parameters
    ----------
    n, d : int
        Number of rows and columns.
    random_state : int or Generator, optional
        Seed.

    Examples
    --------
    >>> independent(100, 25, random_state=0).n_edges
    0
    """
    d = check_count(d, "d", 1)
    graph = np.zeros((d, d), dtype=bool)
    return _draw(n, graph, read_seed(random_state), "independent", {"n": n, "d": d}, {})


def _draw(
    n: int,
    graph: Bools,
    seed: int,
    name: str,
    parameters: dict[str, Any],
    precision: dict[str, Any],
) -> Simulated:
    n, P = check_count(n, "n", 1), np.eye(len(graph))
    if graph.any():
        P = precision_matrix(graph, random_state=seed, **precision)
    # Row by row, so that fewer rows are the first of more; then variables first, for long vectors.
    noise = stream(seed, "data").standard_normal((n, len(graph))).T
    X = _solve_transposed(_cholesky(P), noise).T
    return Simulated(np.ascontiguousarray(X), graph, name, parameters, seed, precision=P)


def _check_graph(adjacency: ArrayLike) -> Bools:
    graph = np.asarray(adjacency) != 0
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1] or (graph != graph.T).any():
        raise InputError("The graph must be a symmetric square matrix.")
    if graph.diagonal().any():
        graph = graph & ~np.eye(len(graph), dtype=bool)
    return graph


def _smallest_eigenvalue(weights: Floats) -> float:
    """Smallest eigenvalue, rounded: its last digits depend on the linear algebra library."""
    return round(float(np.linalg.eigvalsh(weights)[0]), 10)


def _cholesky(matrix: Floats) -> Floats:
    """Lower Cholesky factor by element-wise operations on the non-zero entries."""
    work = matrix.copy()
    factor = np.zeros_like(work)
    for k in range(len(work)):
        pivot = sqrt(work[k, k])
        below = k + 1 + np.flatnonzero(work[k + 1 :, k])
        column = work[below, k] / pivot
        factor[k, k] = pivot
        factor[below, k] = column
        work[np.ix_(below, below)] -= column[:, None] * column[None, :]
    return factor


def _solve_transposed(factor: Floats, right: Floats) -> Floats:
    """Solve Lᵀ x = b for many b (columns of `right`), from the last variable to the first."""
    x = np.array(right, dtype=float, order="C")
    for k in reversed(range(len(x))):
        for j in (k + 1 + np.flatnonzero(factor[k + 1 :, k])).tolist():
            x[k] -= factor[j, k] * x[j]
        x[k] /= factor[k, k]
    return x
