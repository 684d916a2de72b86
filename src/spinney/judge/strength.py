"""How strong an edge is given the neighbours: a Gaussian model with the graph's zeros."""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from spinney._core.components import component_labels
from spinney.evidence import Evidence
from spinney.evidence.latent import latent_correlations
from spinney.evidence.matrices import positive_definite
from spinney.evidence.measured import Measured
from spinney.exceptions import InputError
from spinney.scores import read_scores

__all__ = [
    "Selected",
    "block_precision",
    "covariance_selection",
    "partial_correlations",
    "regularised",
    "score_correlations",
    "strength_intervals",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

UNEXPLAINED = 1e-3
"""Least share of a column's variance that all others leave unexplained. A column and its copy then
have a partial correlation of 0.999 at most, and the fit exists however few the rows."""
PRIOR_ROWS = 1.0, 4.0
"""Rows of independence that each pair's own rows are joined with: where values are seen whole, and
where next to nothing is seen of them."""
LEAST_ROWS = 10.0
"""Rows by which columns that show little of themselves keep variance of their own. With fewer,
independent columns with 5 % ones among 500 rows get strengths of 0.9; with ten, 97 % of their
intervals hold 0."""
MOST_ROWS = 1e12
NORMAL_95 = 1.959963984540054
TOLERANCE = 1e-9
"""Largest change of a covariance in a sweep after which the refit stops."""
LARGE_TOLERANCE = 1e-6
"""The same for blocks of more than `SMALL` columns."""
MOST_SWEEPS = 2000
SMALL = 300
"""Columns of a component up to which products are summed in the order that they always were."""


class Selected(NamedTuple):
    """A correlation matrix refitted on a graph.

    Attributes
    ----------
    covariance : array of shape (d, d)
        Agrees with the data on the diagonal and on the edges.
    precision : array of shape (d, d)
        Its inverse: zero off the graph, up to `change`.
    n_sweeps : int
        How often all columns were visited, in the part that needed most.
    change : float
        Largest change of a covariance in the last sweep.
    """

    covariance: Floats
    precision: Floats
    n_sweeps: int
    change: float


def covariance_selection(
    correlation: ArrayLike,
    adjacency: ArrayLike,
    *,
    tol: float = TOLERANCE,
    max_sweeps: int = MOST_SWEEPS,
) -> Selected:
    r"""Fit a Gaussian graphical model by maximum likelihood.

    .. math:: \hat K = \arg\max_{K \succ 0,\; K_{uv} = 0 \text{ off the graph}}
              \log\det K - \operatorname{tr}(S K)

    The fitted :math:`W = \hat K^{-1}` agrees with S on the diagonal and on the edges, and its
    inverse vanishes elsewhere [1]_. Each column in turn is regressed on its neighbours, with W for
    their covariances, and predicts its covariances with all others [2]_. Components of the graph
    do not feel each other and are fitted apart.

    Parameters
    ----------
    correlation : array of shape (d, d)
        S, positive definite; see :func:`positive_definite`.
    adjacency : boolean array of shape (d, d)
        The graph.
    tol : float
        A component is done when no covariance changes by more in a sweep.
    max_sweeps : int
        Most sweeps.

    Returns
    -------
    Selected

    References
    ----------
    .. [1] A. P. Dempster (1972). Covariance selection. Biometrics 28, 157-175.
    .. [2] T. Hastie, R. Tibshirani and J. Friedman (2009). The Elements of Statistical Learning.
       Second edition, algorithm 17.1.

    Examples
    --------
    A chain: the correlation of its ends is the product of those between.

    >>> S = [[1.0, 0.5, 0.1], [0.5, 1.0, 0.6], [0.1, 0.6, 1.0]]
    >>> chain = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> covariance_selection(S, chain).covariance.round(3)
    array([[1. , 0.5, 0.3],
           [0.5, 1. , 0.6],
           [0.3, 0.6, 1. ]])
    """
    S = np.asarray(correlation, dtype=float)
    joined = np.asarray(adjacency, dtype=bool)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or joined.shape != S.shape:
        raise InputError(
            f"A correlation matrix of shape {S.shape} and a graph of shape {joined.shape} do not "
            "fit together: both need a row and a column for each variable."
        )
    covariance, precision = np.diag(np.diag(S)), np.diag(1.0 / np.diag(S))
    labels, most, largest = component_labels(joined), 0, 0.0
    for label in range(int(labels.max(initial=-1)) + 1):
        nodes = np.flatnonzero(labels == label)
        if nodes.size < 2:
            continue
        at = np.ix_(nodes, nodes)
        covariance[at], sweeps, change = _select_connected(S[at], joined[at], tol, max_sweeps)
        precision[at] = np.linalg.inv(covariance[at])
        most, largest = max(most, sweeps), max(largest, change)
    return Selected(covariance, precision, most, largest)


def _select_connected(
    S: Floats, joined: Bools, tol: float, max_sweeps: int
) -> tuple[Floats, int, float]:
    W = S.copy()
    neighbours = [np.flatnonzero(row) for row in joined & ~np.eye(len(S), dtype=bool)]
    sweeps, change = 0, np.inf
    while change > tol and sweeps < max_sweeps:
        sweeps, change = sweeps + 1, 0.0
        for j, near in enumerate(neighbours):
            slopes = np.linalg.solve(W[np.ix_(near, near)], S[near, j])
            # Of large matrices whole rows are read much faster than columns, and are equal to them.
            predicted = W[:, near] @ slopes if len(S) <= SMALL else slopes @ W[near]
            predicted[near], predicted[j] = S[near, j], S[j, j]
            change = max(change, float(np.abs(predicted - W[:, j]).max()))
            W[:, j] = W[j] = predicted
    return W, sweeps, change


def partial_correlations(
    correlation: ArrayLike, adjacency: ArrayLike, rows: ArrayLike = np.inf
) -> Floats:
    r"""Return the partial correlation of each edge given its neighbours, zero off the graph.

    .. math:: \rho_{uv} = -\hat K_{uv} / \sqrt{\hat K_{uu} \hat K_{vv}}

    with :math:`\hat K` from :func:`block_precision`, so that only what lies on a loop together must
    fit together. Columns whose correlations are NaN (nominal ones) take no part; their
    edges are NaN.

    Parameters
    ----------
    correlation : array of shape (d, d)
        S.
    adjacency : boolean array of shape (d, d)
        The graph.
    rows : array of shape (d, d), or float
        Rows that each pair, or every pair, is known from.

    Examples
    --------
    >>> S = [[1.0, 0.5, 0.1], [0.5, 1.0, 0.6], [0.1, 0.6, 1.0]]
    >>> partial_correlations(S, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]).round(3)
    array([[0.   , 0.419, 0.   ],
           [0.419, 0.   , 0.545],
           [0.   , 0.545, 0.   ]])
    """
    S = np.asarray(correlation, dtype=float)
    m = np.broadcast_to(np.asarray(rows, dtype=float), S.shape)
    joined = np.asarray(adjacency, dtype=bool) & ~np.eye(len(S), dtype=bool)
    result = np.where(joined, np.nan, 0.0)
    ordered = np.flatnonzero(~np.isnan(np.diag(S)))
    known = joined[np.ix_(ordered, ordered)]
    if not known.any():
        return result
    at = np.ix_(ordered, ordered)
    K = block_precision(S[at], known, m[at])
    scale = np.sqrt(K.diagonal())
    u, v = np.nonzero(known)
    entries = np.asarray(K[u, v], dtype=float).ravel()
    result[ordered[u], ordered[v]] = np.clip(-entries / (scale[u] * scale[v]), -1.0, 1.0)
    return result


def block_precision(correlation: Floats, joined: Bools, rows: ArrayLike = np.inf) -> csr_array:
    r"""Fit a Gaussian graphical model block by block; its precision, zero off the graph.

    Blocks B of the graph that no single column would cut overlap in single columns v only, and
    then the maximum-likelihood fit on the whole graph is made of those on its blocks [1]_,

    .. math:: \hat K = \sum_B [\hat K^{(B)}] - \sum_v (m_v - 1)\, [1 / S_{vv}]

    where a column lies in :math:`m_v` blocks. Of a forest each edge is a block, so that nothing has
    to be iterated.

    Parameters
    ----------
    correlation : array of shape (d, d)
        S, with ones on the diagonal. Each block is :func:`regularised` first.
    joined : bool array of shape (d, d)
        The graph.
    rows : array of shape (d, d), or float
        Rows that each pair, or every pair, is known from.

    References
    ----------
    .. [1] S. L. Lauritzen (1996). Graphical Models. Oxford University Press, proposition 5.6.

    Examples
    --------
    >>> S = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.6], [0.1, 0.6, 1.0]])
    >>> chain = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> block_precision(S, chain).toarray().round(2)
    array([[ 1.33, -0.67,  0.  ],
           [-0.67,  1.9 , -0.94],
           [ 0.  , -0.94,  1.56]])
    """
    d = len(correlation)
    m = np.broadcast_to(np.asarray(rows, dtype=float), (d, d))
    graph = nx.Graph()
    graph.add_nodes_from(range(d))
    graph.add_edges_from(np.argwhere(np.triu(joined, 1)).tolist())
    # A column alone counts as a block of its own, of which none is too many.
    diagonal = np.ones(d)
    rows, columns, values = [np.arange(d)], [np.arange(d)], [diagonal]
    for block in nx.biconnected_components(graph):
        nodes = np.array(sorted(block))
        at = np.ix_(nodes, nodes)
        S = regularised(correlation[at], m[at])
        tol = TOLERANCE if len(nodes) <= SMALL else LARGE_TOLERANCE
        K = covariance_selection(S, joined[at], tol=tol).precision
        u, v = np.nonzero(joined[at])
        rows.append(nodes[u])
        columns.append(nodes[v])
        values.append(0.5 * (K[u, v] + K[v, u]))
        diagonal[nodes] += np.diag(K) - 1.0
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return csr_array(entries, shape=(d, d))


def regularised(correlation: Floats, rows: Floats) -> Floats:
    r"""Draw correlations towards 0 by how little is known of them, to a positive definite matrix.

    .. math:: \tilde R_{uv} = \tanh\Bigl(\frac{m_{uv}}{m_{uv} + w_{uv}}
              \operatorname{artanh} R_{uv}\Bigr), \qquad w_{uv} = 1 + 3 h_{uv}

    with the share :math:`h_{uv} = 1 - m_{uv} / \min(n_u, n_v)` of the rows that levels, gaps and
    dependent rows hide. Where h > 0 the pairs may still not fit together. Then
    :func:`spinney.evidence.matrices.positive_definite` adds to the diagonal until every column
    keeps a share of variance :math:`\epsilon_u` that the others do not explain,

    .. math:: \epsilon_u = \max\Bigl(0.001,\; h_u \frac{10}{m_u + 10}\Bigr), \qquad
              m_u = \max_v m_{uv}, \quad h_u = 1 - m_u / n_u

    and adds most to the columns of which least is known. In the end the diagonal is scaled to 1.

    Parameters
    ----------
    correlation : array of shape (d, d)
        R.
    rows : array of shape (d, d)
        Independent rows m that would tell as much of each pair; on the diagonal, the rows n of
        each column.

    Examples
    --------
    Correlations that contradict each other, those of the last column known from five rows:

    >>> R = np.array([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]])
    >>> rows = np.array([[200.0, 200.0, 5.0], [200.0, 200.0, 5.0], [5.0, 5.0, 200.0]])
    >>> regularised(R, rows).round(2)
    array([[ 1.  ,  0.9 ,  0.22],
           [ 0.9 ,  1.  , -0.22],
           [ 0.22, -0.22,  1.  ]])
    """
    m, own = np.minimum(rows, MOST_ROWS), np.minimum(np.diag(rows), MOST_ROWS)
    hidden = np.clip(1.0 - m / np.maximum(np.minimum.outer(own, own), 1.0), 0.0, 1.0)
    worth = PRIOR_ROWS[0] + (PRIOR_ROWS[1] - PRIOR_ROWS[0]) * hidden
    S = np.tanh(m / (m + worth) * _fisher_z(correlation))
    np.fill_diagonal(S, 1.0)
    most = np.where(np.eye(len(S), dtype=bool), 0.0, m).max(axis=0)
    share = np.clip(1.0 - most / np.maximum(own, 1.0), 0.0, 1.0)
    least = np.maximum(UNEXPLAINED, share * LEAST_ROWS / (most + LEAST_ROWS))
    repaired = positive_definite(S, least)
    scale = np.sqrt(np.diag(repaired))
    return np.asarray(repaired / np.outer(scale, scale))


def _fisher_z(r: Floats) -> Floats:
    return np.arctanh(np.clip(r, UNEXPLAINED - 1.0, 1.0 - UNEXPLAINED))


def score_correlations(evidence: Evidence) -> tuple[Floats, Floats]:
    r"""Correlations of the normal scores of a table's columns, and the rows each is worth.

    Of two continuous columns it is that of their scores over the rows that have both values, which
    count as the independent rows that they are worth
    (:mod:`spinney.scores.dependent_rows`). Where a column has levels (or so many ties that it
    counts as rounded) it is that of the variables behind the levels, with the fewer rows that would
    tell as much had these been seen (:func:`spinney.evidence.latent.latent_correlations`).
    Pairs with too few common rows are taken as uncorrelated.

    Returns
    -------
    correlation : array of shape (d, d)
        Ones on the diagonal; NaN in rows and columns of nominal columns, their diagonal too.
    rows : array of shape (d, d)
        Independent rows, seen whole, that would tell as much of each pair; on the diagonal, the
        rows that have a value.
    """
    measured = Measured(read_scores(evidence.table, degree=1))
    S, m = latent_correlations(measured)
    nominal = measured.scores.nominal
    S[nominal] = S[:, nominal] = np.nan
    np.fill_diagonal(m, measured.scores.present.sum(axis=0))
    return S, m


def strength_intervals(strengths: ArrayLike, rows: ArrayLike, adjacency: ArrayLike) -> Floats:
    r"""Return 95 % intervals of the edges' strengths, by Fisher's transformation.

    .. math:: \tanh\Bigl(\operatorname{artanh} \rho \pm \frac{1.96}{\sqrt{m' - k - 3}}\Bigr)

    with the rows m' that the pair is worth and the k neighbours of either end [1]_. The graph is
    taken as given.

    Parameters
    ----------
    strengths, rows : arrays of shape (d, d)
        :math:`\rho`, and m'.
    adjacency : boolean array of shape (d, d)
        The graph.

    Returns
    -------
    array of shape (n_edges, 2)
        Lower and upper ends, edges in the order of ``np.nonzero(np.triu(adjacency))``; NaN where a
        strength is.

    References
    ----------
    .. [1] R. A. Fisher (1924). The distribution of the partial correlation coefficient. Metron 3,
       329-332.

    Examples
    --------
    >>> pair = np.array([[0, 1], [1, 0]])
    >>> strength_intervals(0.5 * pair, 103.0 * pair, pair).round(3)
    array([[0.339, 0.632]])
    """
    joined = np.asarray(adjacency, dtype=bool)
    u, v = np.nonzero(np.triu(joined, 1))
    sparse = csr_array(joined.astype(np.int64))
    degree = joined.sum(axis=1)
    both: Floats = np.asarray((sparse[u] * sparse[v]).sum(axis=1), dtype=float).ravel()
    given = degree[u] + degree[v] - 2 - both
    free = np.maximum(np.asarray(rows, dtype=float)[u, v] - given - 3.0, 1.0)
    centre = _fisher_z(np.asarray(strengths, dtype=float)[u, v])
    return np.tanh(centre[:, None] + np.multiply.outer(NORMAL_95 / np.sqrt(free), [-1.0, 1.0]))
