"""Columns of a graph: how central they are, how well their neighbours predict them, and twins.

References
----------
- J. M. B. Haslbeck and L. J. Waldorp (2018). How well do network models predict observations?
  On the importance of predictability in network models. Behavior Research Methods 50, 853-861.
- D. J. Robinaugh, A. J. Millner and R. J. McNally (2016). Identifying highly influential nodes
  in the complicated grief network. Journal of Abnormal Psychology 125, 747-757.
- P. J. Jones, R. Ma and R. J. McNally (2021). Bridge centrality: a network approach to
  understanding comorbidity. Multivariate Behavioral Research 56, 353-367.
- B. Zhang and S. Horvath (2005). A general framework for weighted gene co-expression network
  analysis. Statistical Applications in Genetics and Molecular Biology 4, 17.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra
from scipy.special import ndtri

from spinney._core.arrays import average_ranks
from spinney.scores import read_scores
from spinney.tables import CONTINUOUS

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph
    from spinney.scores import Scores
    from spinney.tables import Table

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FOLDS, SEED = 5, 20261118
FEWEST = 20
"""Rows, and rows beyond the most common level, below which nothing is predicted."""
MOST_PREDICTED = 300
"""Columns beyond which predictability is not computed: it would take longer than the graph."""
MOST_ROWS = 2000
"""Rows by which near-duplicates are looked for."""
NEAR, OVERLAP = 0.9, 0.8
"""Correlation and topological overlap from which on two columns are nearly the same."""


def predictability(graph: LearnedGraph) -> Floats:
    """Say how much of each column its neighbours explain, in rows that were not fitted.

    Of a continuous column it is the share of the variance of its normal scores (R²) that a linear
    regression on the neighbours' scores explains; of one with levels, the share of correct levels
    beyond that of always guessing the most common one, by linear discriminant analysis (Haslbeck
    and Waldorp 2018). Both are cross-validated (five folds), and may be below 0. A missing value of
    a neighbour counts as its mean. 0 without neighbours; NaN where there are too few rows.
    """
    table, d = graph.table, len(graph.names)
    found = np.full(d, np.nan)
    if table is None or d > MOST_PREDICTED:
        return found
    scores = read_scores(table)
    for k in range(d):
        near = np.flatnonzero(graph.joined[k])
        found[k] = _predicted(table, scores, k, near) if near.size else 0.0
    return found


def _predicted(table: Table, scores: Scores, k: int, near: NDArray[np.intp]) -> float:
    rows = scores.present[:, k]
    X = scores.values[rows][:, np.isin(scores.owners, near)]
    if len(X) < FEWEST:
        return float("nan")
    fold = folds_of(len(X))
    if table.columns[k].kind == CONTINUOUS:
        y = scores.first[rows, k]
        left = np.empty(len(y))
        for own in (fold == k for k in range(FOLDS)):
            A = np.column_stack([np.ones(len(X)), X])
            left[own] = y[own] - A[own] @ np.linalg.lstsq(A[~own], y[~own], rcond=None)[0]
        return float(1.0 - left @ left / ((y - y.mean()) @ (y - y.mean())))
    codes = scores.codes[rows, k]
    most = int(np.bincount(codes).max())
    if len(codes) - most < FEWEST:
        return float("nan")
    told = np.empty_like(codes)
    for own in (fold == k for k in range(FOLDS)):
        told[own] = _discriminate(X[~own], codes[~own], X[own])
    right, guess = float((told == codes).mean()), most / len(codes)
    return float((right - guess) / (1.0 - guess))


def folds_of(n: int) -> NDArray[np.int64]:
    """Deal rows out to folds at random."""
    return np.random.default_rng(SEED).permutation(n) % FOLDS


def _discriminate(X: Floats, codes: NDArray[np.int64], new: Floats) -> NDArray[np.int64]:
    """Predict the class of new rows by linear discriminant analysis.

    Written out because scikit-learn would double the time of a run.
    """
    known, y, counts = np.unique(codes, return_inverse=True, return_counts=True)
    means = np.array([X[y == k].mean(axis=0) for k in range(len(known))])
    left = X - means[y]
    slopes = np.linalg.lstsq(left.T @ left / len(X), means.T, rcond=None)[0]
    levels = np.log(counts / len(X)) - 0.5 * (means * slopes.T).sum(axis=1)
    return np.asarray(known[np.argmax(new @ slopes + levels, axis=1)])


CENTRALITIES = ("strength", "expected_influence", "betweenness", "closeness")
"""Those that have a CS coefficient, by their columns in the table of nodes."""
MOST_EXACT = 1_000_000
"""Nodes times edges beyond which betweenness is estimated; up to this it takes seconds."""
AT_ONCE = 500
"""Nodes whose distances to all others are held at once."""


def centralities(joined: Bools, strengths: Floats, nominal: Bools) -> dict[str, Floats]:
    """Measure how central each column is.

    Parameters
    ----------
    joined : bool array of shape (d, d)
        The edges.
    strengths : array of shape (d, d)
        Their strengths or weights; NaN where none is known, and off the graph.
    nominal : bool array of shape (d,)
        Columns without an order: strengths of their edges have no sign.

    Returns
    -------
    dict of arrays of shape (d,)
        ``betweenness`` and ``closeness``; ``strength``, the sum of the sizes of strengths (NaN if a
        column has edges but none with a known strength); ``expected_influence`` and
        ``expected_influence_2``, the sum of signed strengths within one step and within two
        (Robinaugh et al. 2016).

    Examples
    --------
    >>> strengths = np.array([[0, 0.5, 0], [0.5, 0, -0.2], [0, -0.2, 0]])
    >>> found = centralities(strengths != 0, strengths, np.zeros(3, dtype=bool))
    >>> found["strength"], found["expected_influence"], found["expected_influence_2"]
    (array([0.5, 0.7, 0.2]), array([ 0.5,  0.3, -0.2]), array([ 0.65,  0.59, -0.26]))
    >>> found["betweenness"], found["closeness"]
    (array([0., 1., 0.]), array([0.66666667, 1.        , 0.66666667]))
    """
    graph = _as_graph(joined)
    sizes = np.nansum(np.abs(strengths), axis=1)
    unknown = joined.any(axis=1) & ~(joined & np.isfinite(strengths)).any(axis=1)
    signed = _signed(strengths, nominal)
    one = signed.sum(axis=1)
    return {
        "betweenness": _betweenness(graph),
        "closeness": _closeness(graph),
        "strength": np.where(unknown, np.nan, sizes),
        "expected_influence": one,
        "expected_influence_2": one + signed @ one,
    }


def _as_graph(joined: Bools) -> nx.Graph:
    graph = nx.empty_graph(len(joined))
    graph.add_edges_from(np.argwhere(np.triu(joined)).tolist())
    return graph


def _signed(strengths: Floats, nominal: Bools) -> Floats:
    """Strengths with their signs, 0 off the graph and where a column without order has none."""
    return np.where(nominal[:, None] | nominal, 0.0, np.nan_to_num(strengths))


def _betweenness(graph: nx.Graph) -> Floats:
    """Share of the shortest paths between other nodes that pass through each node.

    In large graphs it is estimated from the paths that start at a sample of nodes.
    """
    d, most = graph.number_of_nodes(), MOST_EXACT // max(graph.number_of_edges(), 1)
    found = nx.betweenness_centrality(graph, k=None if d <= most else max(most, 10), seed=SEED)
    return np.array([found[node] for node in graph], dtype=float)


def _closeness(graph: nx.Graph) -> Floats:
    """Inverse mean distance to the reachable nodes, times their share of all nodes."""
    d = graph.number_of_nodes()
    found = np.zeros(d)
    if not graph.number_of_edges():
        return found
    joined = nx.to_scipy_sparse_array(graph, weight=None, format="csr")
    for start in range(0, d, AT_ONCE):
        # The definition of networkx, whose own function takes minutes for thousands of nodes.
        rows = np.arange(start, min(start + AT_ONCE, d))
        distances = dijkstra(joined, directed=False, indices=rows, unweighted=True)
        reached = np.isfinite(distances)
        others = reached.sum(axis=1) - 1
        total = np.where(reached, distances, 0.0).sum(axis=1)
        found[rows] = others**2 / np.maximum(total, 1.0) / (d - 1)
    return found


def bridges(
    joined: Bools, strengths: Floats, nominal: Bools, groups: Sequence[str]
) -> dict[str, Floats]:
    """Measure how each column connects its group of columns with others (Jones et al. 2021).

    Parameters
    ----------
    joined, strengths, nominal
        As in :func:`centralities`.
    groups : sequence of str
        The group of each column; an empty name for a column without one.

    Returns
    -------
    dict of arrays of shape (d,)
        ``bridge_strength``: sum of the sizes of strengths to columns of other groups;
        ``bridge_influence``: the same with signs; ``bridge_betweenness``: shortest paths between
        columns of different groups that pass through. NaN for columns without a group.
    """
    own = np.array(groups, dtype=object)
    grouped = own != ""
    apart = (own[:, None] != own) & grouped[:, None] & grouped
    graph, between = _as_graph(joined), np.zeros(len(own))
    for group in dict.fromkeys(own[grouped]):
        inside = np.flatnonzero(own == group).tolist()
        others = np.flatnonzero(grouped & (own != group)).tolist()
        passed = nx.betweenness_centrality_subset(graph, inside, others)
        between += np.array([passed[k] for k in range(len(own))])
    found = {
        "bridge_strength": np.where(apart, np.abs(np.nan_to_num(strengths)), 0.0).sum(axis=1),
        "bridge_influence": np.where(apart, _signed(strengths, nominal), 0.0).sum(axis=1),
        "bridge_betweenness": between,
    }
    return {name: np.where(grouped, values, np.nan) for name, values in found.items()}


def near_duplicates(table: Table) -> pd.DataFrame:
    """List pairs of columns that correlate strongly and have nearly the same neighbours.

    Of ordered columns, by the correlations r of normal scores: pairs with ``|r| ≥ 0.9`` whose
    topological overlap (Zhang and Horvath 2005) with weights ``|r|`` is at least 0.8, the closest
    first.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``target``, ``correlation``, ``overlap``.
    """
    rows = []
    if len(table.columns) <= MOST_PREDICTED:
        scores = normal_scores(table.values[:: max(len(table) // MOST_ROWS, 1)])
        r = rank_correlations(np.where(table.nominal, np.nan, scores))
        np.fill_diagonal(r, 0.0)
        overlap = topological_overlap(np.abs(r))
        for i, j in np.argwhere(np.triu((np.abs(r) >= NEAR) & (overlap >= OVERLAP), 1)).tolist():
            rows.append((table.names[i], table.names[j], r[i, j], overlap[i, j]))
    found = pd.DataFrame(rows, columns=["source", "target", "correlation", "overlap"])
    return found.sort_values("overlap", ascending=False, kind="stable", ignore_index=True)


def normal_scores(values: Floats) -> Floats:
    r"""Return normal scores, :math:`\Phi^{-1}(r / (m + 1))` with r the rank among m; NaN stays.

    Examples
    --------
    >>> normal_scores(np.array([5.0, np.nan, 1.0, 3.0])).round(2)
    array([ 0.67,   nan, -0.67,  0.  ])
    """
    return np.asarray(ndtri(average_ranks(values) / ((~np.isnan(values)).sum(axis=0) + 1)))


def rank_correlations(scores: Floats, some: slice = slice(None)) -> Floats:
    """Correlations of some columns of scores with all, over the rows that have both values.

    Examples
    --------
    >>> rank_correlations(normal_scores(np.array([[1.0, 8.0], [2.0, 9.0], [3.0, 7.0]]))).round(2)
    array([[ 1. , -0.5],
           [-0.5,  1. ]])
    """
    Z, M = np.nan_to_num(scores), (~np.isnan(scores)).astype(float)
    squares = ((Z**2)[:, some].T @ M) * (M[:, some].T @ Z**2)
    return np.asarray(Z[:, some].T @ Z / np.sqrt(np.maximum(squares, 1e-300)))


def topological_overlap(weights: Floats) -> Floats:
    """Share of neighbours that two nodes have in common, with weights from 0 to 1.

    Examples
    --------
    >>> topological_overlap(np.array([[0, 1.0, 1], [1, 0, 1], [1, 1, 0]])).round(3)
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """
    degree = weights.sum(axis=1)
    found = weights @ weights + weights
    found /= np.minimum.outer(degree, degree) + 1.0 - weights
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)
