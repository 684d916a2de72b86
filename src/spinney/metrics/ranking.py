"""Rankings and probabilities of pairs against the truth: precision, FDR, calibration.

In a ranking, pairs are taken in falling order of their score. Pairs of equal score are
indistinguishable, so they enter together: a *prefix* of the ranking ends only between two different
scores. Nothing here depends on the order of the nodes. Calibration: of the pairs with probability
0.7, seven in ten should be edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from spinney._core.arrays import Bools, Floats, Ints
from spinney.exceptions import InputError
from spinney.metrics.comparison import score_pairs


def average_precision(scores: Any, truth: Any) -> float:
    r"""Average precision of a ranking of pairs, the area under its precision-recall curve.

    .. math:: \text{AP} = \sum_k (R_k - R_{k-1})\, P_k

    with the recall :math:`R_k` and the precision :math:`P_k` of the k-th prefix of the ranking. As
    in scikit-learn, the curve is not interpolated [1]_.

    Parameters
    ----------
    scores : array, sparse matrix, data frame or networkx graph with weights
        The larger, the likelier an edge; take absolute values of signed weights first. Pairs
        without an entry or an edge score 0.
    truth : array, sparse matrix, data frame or networkx graph
        The true graph; nodes are matched as in :func:`compare`.

    Raises
    ------
    InputError
        If the truth has no edge.

    References
    ----------
    .. [1] K. Boyd, K. H. Eng and C. D. Page (2013). Area under the precision-recall curve: point
       estimates and confidence intervals. ECML PKDD.

    Examples
    --------
    >>> average_precision([[0, 3, 2], [3, 0, 1], [2, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    0.833...
    """
    values, edges = score_pairs(scores, truth)
    if not edges.any():
        raise InputError("The truth has no edge, so no ranking of its edges is defined.")
    hits, sizes = _prefixes(values, edges)
    return float(np.sum(np.diff(hits / edges.sum(), prepend=0.0) * (hits / sizes)))


def true_edges_before_fdr(scores: Any, truth: Any, fdr: float = 0.01) -> int:
    r"""Count the true edges found before the share of false ones exceeds `fdr`.

    .. math:: \max \{ TP_k : FP_j \le \text{fdr} \cdot (TP_j + FP_j) \text{ for all } j \le k \}

    with the numbers of true and of false edges in the k-th prefix of the ranking; 0 if the first
    prefix exceeds the bound. Pairs of equal score enter together (see the module), so a block of
    ties that exceeds the bound adds nothing, however many edges it contains.

    Parameters
    ----------
    scores, truth
        As in :func:`average_precision`.
    fdr : float
        Tolerated share of false edges among those found, in [0, 1). The founding paper's is 0.01.

    Examples
    --------
    Ranked: edge, edge, no edge, edge, edge, no edge.

    >>> from spinney._core.pairs import to_matrix
    >>> scores = to_matrix([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    >>> truth = to_matrix([1, 1, 0, 1, 1, 0])
    >>> true_edges_before_fdr(scores, truth, 0.01), true_edges_before_fdr(scores, truth, 0.3)
    (2, 2)
    """
    if not 0.0 <= fdr < 1.0:
        raise InputError(f"fdr must lie in [0, 1), got {fdr!r}.")
    values, edges = score_pairs(scores, truth)
    if not len(values):
        return 0
    hits, sizes = _prefixes(values, edges)
    # A hair of slack: 0.29 * 100 is a little less than 29 in floating point.
    holds = np.logical_and.accumulate(sizes - hits <= fdr * sizes * (1 + 1e-12))
    return int(hits[holds].max(initial=0))


def _prefixes(values: Floats, edges: Bools) -> tuple[Ints, Ints]:
    """Return the number of true edges in each prefix, and the size of each prefix."""
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    ends = np.r_[np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1]
    return np.cumsum(edges[order], dtype=np.int64)[ends], ends + 1


def reliability(probabilities: Any, truth: Any, n_bins: int = 10) -> pd.DataFrame:
    r"""Reliability diagram: mean probability and share of edges in each bin of probabilities.

    Of calibrated probabilities both agree but for chance [1]_.

    Parameters
    ----------
    probabilities : array, sparse matrix, data frame or networkx graph with weights
        Probability of every pair. To pool several tables, use :func:`reliability_of_pairs`.
    truth : array, sparse matrix, data frame or networkx graph
        The true graph; nodes are matched as in :func:`compare`.
    n_bins : int
        Number of bins, of equal width. A probability on the edge of two bins belongs to the upper
        one (the last bin is closed).

    Returns
    -------
    pandas.DataFrame
        One row per bin: ``low, high, count, mean_probability, edge_share``; the last two are NaN
        where a bin is empty.

    References
    ----------
    .. [1] A. Niculescu-Mizil and R. Caruana (2005). Predicting good probabilities with supervised
       learning.

    Examples
    --------
    >>> P = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]]
    >>> A = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> reliability(P, A, n_bins=2)
       low  high  count  mean_probability  edge_share
    0  0.0   0.5      2              0.15         0.0
    1  0.5   1.0      1              0.90         1.0
    """
    values, edges = score_pairs(probabilities, truth)
    if not len(values):
        raise InputError("There are no pairs to judge: the graphs have fewer than two nodes.")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise InputError(f"Probabilities lie between 0 and 1, but one is {values[outside][0]:.6g}.")
    return reliability_of_pairs(values, edges, n_bins)


def reliability_of_pairs(values: Floats, edges: Bools, n_bins: int = 10) -> pd.DataFrame:
    """Reliability diagram of a list of pairs, such as those of several tables.

    Parameters
    ----------
    values, edges : arrays of shape (n_pairs,)
        Probability of each pair, and whether it is an edge.
    n_bins : int
        As in :func:`reliability`.

    Examples
    --------
    >>> reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]), n_bins=2)
       low  high  count  mean_probability  edge_share
    0  0.0   0.5      2              0.15         0.0
    1  0.5   1.0      1              0.90         1.0
    """
    if n_bins < 1:
        raise InputError(f"n_bins must be at least 1, got {n_bins!r}.")
    limits = np.linspace(0.0, 1.0, n_bins + 1)
    row = np.clip(np.searchsorted(limits, values, side="right") - 1, 0, n_bins - 1)
    count = np.bincount(row, minlength=n_bins)
    whole = np.where(count, count, np.nan)
    return pd.DataFrame(
        {
            "low": limits[:-1],
            "high": limits[1:],
            "count": count,
            "mean_probability": np.bincount(row, values, minlength=n_bins) / whole,
            "edge_share": np.bincount(row, edges, minlength=n_bins) / whole,
        }
    )


def expected_calibration_error(probabilities: Any, truth: Any, n_bins: int = 10) -> float:
    r"""Compute the expected calibration error: how far probabilities are from shares of edges [1]_.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{N} \lvert \bar p_b - \bar a_b \rvert

    with the mean probability :math:`\bar p_b` and the share of edges :math:`\bar a_b` of the
    :math:`n_b` pairs in bin b. Parameters are those of :func:`reliability`. Most pairs are clearly
    not edges, so the error is small even where probable edges are not calibrated: look at the
    diagram too.

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper and M. Hauskrecht (2015). Obtaining well calibrated
       probabilities using Bayesian binning.

    Examples
    --------
    >>> P = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]]
    >>> round(expected_calibration_error(P, [[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 3)
    0.133
    """
    return mean_gap(reliability(probabilities, truth, n_bins))


def mean_gap(table: pd.DataFrame) -> float:
    """Compute the expected calibration error of a reliability diagram.

    Parameters
    ----------
    table : data frame
        From :func:`reliability` or :func:`reliability_of_pairs`.

    Examples
    --------
    >>> table = reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]))
    >>> round(mean_gap(table), 3)
    0.133
    """
    gap = (table.mean_probability - table.edge_share).abs().fillna(0.0)
    return float((gap * table["count"]).sum() / table["count"].sum())
