"""Columns of a graph: how well their neighbours predict them, and what they reach.

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

from collections.abc import Mapping
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from spinney._core.arrays import average_ranks
from spinney.scores import read_scores
from spinney.tables import CONTINUOUS

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph
    from spinney.scores import Scores
    from spinney.tables import Table

__all__ = [
    *("bridges", "influence", "near_duplicates", "normal_scores", "predictability"),
    *("rank_correlations", "signed_strengths"),
]

Floats = NDArray[np.float64]

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


def signed_strengths(graph: LearnedGraph) -> Floats:
    """Strengths with their signs, 0 off the graph and where a column without order has none."""
    strengths = np.nan_to_num(graph.known_strengths)
    if graph.table is not None:
        strengths[graph.table.nominal] = strengths[:, graph.table.nominal] = 0.0
    return strengths


def influence(strengths: Floats) -> tuple[Floats, Floats]:
    """Sum the signed strengths of each column's edges, within one step and within two.

    See Robinaugh et al. (2016).

    Examples
    --------
    >>> one, two = influence(np.array([[0, 0.5, 0], [0.5, 0, -0.2], [0, -0.2, 0]]))
    >>> one, two
    (array([ 0.5,  0.3, -0.2]), array([ 0.65,  0.59, -0.26]))
    """
    one = strengths.sum(axis=1)
    return one, one + strengths @ one


def bridges(graph: LearnedGraph, groups: Mapping[str, str]) -> dict[str, Floats]:
    """Measure how each column connects its group of columns with others (Jones et al. 2021).

    Returns
    -------
    dict of arrays of shape (d,)
        ``bridge_strength``: sum of the sizes of strengths to columns of other groups;
        ``bridge_influence``: the same with signs; ``bridge_betweenness``: shortest paths between
        columns of different groups that pass through. NaN for columns without a group.
    """
    names = list(graph.names)
    own = np.array([groups.get(name, "") for name in names], dtype=object)
    grouped = own != ""
    apart = (own[:, None] != own) & grouped[:, None] & grouped
    sizes = np.where(apart, np.abs(np.nan_to_num(graph.known_strengths)), 0.0).sum(axis=1)
    signed = np.where(apart, signed_strengths(graph), 0.0).sum(axis=1)
    drawn = nx.from_numpy_array(graph.joined.astype(int))
    between = np.zeros(len(names))
    for group in dict.fromkeys(own[grouped]):
        inside = np.flatnonzero(own == group).tolist()
        others = np.flatnonzero(grouped & (own != group)).tolist()
        passed = nx.betweenness_centrality_subset(drawn, inside, others)
        between += np.array([passed[k] for k in range(len(names))])
    found = {"strength": sizes, "influence": signed, "betweenness": between}
    return {f"bridge_{name}": np.where(grouped, value, np.nan) for name, value in found.items()}


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
