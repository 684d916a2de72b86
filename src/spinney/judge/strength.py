"""How strong an edge is given the neighbours: a Gaussian model with the graph's zeros."""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from spinney._core.components import component_labels
from spinney.evidence.correlations import Stack, stacked_correlation
from spinney.evidence.scores import read_scores
from spinney.exceptions import InputError
from spinney.pairs.pair_fit import PairFit

__all__ = [
    "Selected",
    "block_precision",
    "covariance_selection",
    "partial_correlations",
    "positive_definite",
    "score_correlations",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SMALLEST_EIGENVALUE = 1e-3
"""Smallest eigenvalue that a correlation matrix is given before it is refitted. A column and its
copy then have a partial correlation of 0.999 at most, and the fit exists however few the rows."""
TOLERANCE = 1e-9
"""Largest change of a covariance in a sweep after which the refit stops."""
BLOCK_TOLERANCE = 1e-6
"""The same for the blocks of wide graphs, which may have thousands of columns."""
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
    correlation: ArrayLike, adjacency: ArrayLike, *, apart: bool = False
) -> Floats:
    r"""Return the partial correlation of each edge given its neighbours, zero off the graph.

    .. math:: \rho_{uv} = -\hat K_{uv} / \sqrt{\hat K_{uu} \hat K_{vv}}

    with :math:`\hat K` from :func:`covariance_selection`. Where S is nearly singular (fewer rows
    than columns, or columns that repeat others) each component of the graph is first drawn towards
    independence as far as it must be; see :func:`positive_definite`. Columns whose correlations
    are NaN (nominal ones) take no part; their edges are NaN.

    Parameters
    ----------
    correlation : array of shape (d, d)
        S.
    adjacency : boolean array of shape (d, d)
        The graph.
    apart : bool
        Whether blocks of a component that hang together by single columns are fitted apart, as
        :func:`block_precision` tells: the same numbers in much less time, except that of a nearly
        singular S each block, not each component, is drawn towards independence.

    Examples
    --------
    >>> S = [[1.0, 0.5, 0.1], [0.5, 1.0, 0.6], [0.1, 0.6, 1.0]]
    >>> partial_correlations(S, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]).round(3)
    array([[0.   , 0.419, 0.   ],
           [0.419, 0.   , 0.545],
           [0.   , 0.545, 0.   ]])
    """
    S = np.asarray(correlation, dtype=float)
    joined = np.asarray(adjacency, dtype=bool) & ~np.eye(len(S), dtype=bool)
    result = np.where(joined, np.nan, 0.0)
    ordered = np.flatnonzero(~np.isnan(np.diag(S)))
    known = joined[np.ix_(ordered, ordered)]
    if apart and not known.any():
        return result
    if apart:
        blocks = block_precision(S[np.ix_(ordered, ordered)], known)
        scale = np.sqrt(blocks.diagonal())
        u, v = np.nonzero(known)
        entries = np.asarray(blocks[u, v], dtype=float).ravel()
        result[ordered[u], ordered[v]] = np.clip(-entries / (scale[u] * scale[v]), -1.0, 1.0)
        return result
    labels = component_labels(known)
    for label in range(int(labels.max(initial=-1)) + 1):
        part = labels == label
        nodes = ordered[part]
        if nodes.size < 2:
            continue
        at = np.ix_(nodes, nodes)
        K = covariance_selection(positive_definite(S[at]), joined[at]).precision
        scale = np.sqrt(np.diag(K))
        found = np.where(joined[at], -K / (scale[:, None] * scale), 0.0)
        result[at] = np.clip(0.5 * (found + found.T), -1.0, 1.0)
    return result


def block_precision(correlation: Floats, joined: Bools) -> csr_array:
    r"""Fit a Gaussian graphical model block by block; its precision, zero off the graph.

    Blocks B of the graph that no single column would cut overlap in single columns v only, and
    then the maximum-likelihood fit on the whole graph is made of those on its blocks [1]_,

    .. math:: \hat K = \sum_B [\hat K^{(B)}] - \sum_v (m_v - 1)\, [1 / S_{vv}]

    where a column lies in :math:`m_v` blocks. Of a forest each edge is a block, so that nothing has
    to be iterated.

    Parameters
    ----------
    correlation : array of shape (d, d)
        S, with ones on the diagonal. Of each block it is made safely positive definite first.
    joined : bool array of shape (d, d)
        The graph.

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
    graph = nx.Graph()
    graph.add_nodes_from(range(d))
    graph.add_edges_from(np.argwhere(np.triu(joined, 1)).tolist())
    # A column alone counts as a block of its own, of which none is too many.
    diagonal = np.ones(d)
    rows, columns, values = [np.arange(d)], [np.arange(d)], [diagonal]
    for block in nx.biconnected_components(graph):
        nodes = np.array(sorted(block))
        at = np.ix_(nodes, nodes)
        S = positive_definite(correlation[at])
        K = covariance_selection(S, joined[at], tol=BLOCK_TOLERANCE).precision
        u, v = np.nonzero(joined[at])
        rows.append(nodes[u])
        columns.append(nodes[v])
        values.append(0.5 * (K[u, v] + K[v, u]))
        diagonal[nodes] += np.diag(K) - 1.0
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return csr_array(entries, shape=(d, d))


def positive_definite(correlation: Floats, smallest: float = SMALLEST_EIGENVALUE) -> Floats:
    r"""Draw a correlation matrix towards the identity until it is safely positive definite.

    .. math:: (1 - \gamma) S + \gamma I, \qquad
              \gamma = \max\left(0, \frac{\epsilon - \lambda_{\min}}{1 - \lambda_{\min}}\right)

    has the smallest eigenvalue :math:`\epsilon` if that of S is less. So a matrix that was put
    together pair by pair, or from fewer rows than columns, has a maximum-likelihood fit on every
    graph; all its correlations are weakened alike, and their signs stay.

    Examples
    --------
    >>> np.linalg.eigvalsh(positive_definite(np.ones((2, 2)), 0.1)).round(3)
    array([0.1, 1.9])
    """
    lowest = float(np.linalg.eigvalsh(correlation)[0])
    if lowest >= smallest:
        return correlation
    share = (smallest - lowest) / (1.0 - lowest)
    return (1.0 - share) * correlation + share * np.eye(len(correlation))


def score_correlations(fit: PairFit) -> Floats:
    r"""Correlations of the normal scores of a table's columns.

    Of two continuous columns it is Pearson's correlation of :math:`\Phi^{-1}(r / (m + 1))`, with r
    the rank among the m values that a column has, over the rows that have both. Where a column has
    levels (or so many ties that it counts as rounded) it is that of the variables behind the
    levels, :math:`\sin(\frac{\pi}{2} \tau)` with the fitted copula's Kendall's tau, which is exact
    for Gaussian copulas [1]_. Pairs with too few common rows are taken as uncorrelated.

    Parameters
    ----------
    fit : PairFit
        The table and its fitted pair densities.

    Returns
    -------
    array of shape (d, d)
        With ones on the diagonal; NaN in rows and columns of nominal columns, their diagonal too.

    References
    ----------
    .. [1] W. H. Kruskal (1958). Ordinal measures of association. JASA 53, 814-861.
    """
    scores = read_scores(fit.table_, fit.levels_)
    every = np.arange(scores.normal.shape[1])
    S = stacked_correlation(Stack((scores.normal,), (every,), scores.present, every))
    if fit.is_plain_:
        return S
    levels = scores.levels & ~scores.nominal
    tau = np.nan_to_num(fit.describe()["tau"].to_numpy(dtype=float))
    behind = fit.index.matrix(np.sin(0.5 * np.pi * tau), 0.0, diagonal=1.0)
    S = np.where(levels[:, None] | levels, behind, S)
    S = np.where(fit.index.matrix(fit.known_, 1.0, diagonal=1.0) > 0.0, S, 0.0)
    S[scores.nominal] = S[:, scores.nominal] = np.nan
    return S
