"""Rankings and probabilities of pairs against the truth: curves, precision, FDR, calibration.

In a ranking, pairs are taken in falling order of their score. Pairs of equal score cannot be told
apart, so they enter together: a *prefix* of the ranking ends only between two different scores.
Nothing here depends on the order of the nodes. Calibration: of the pairs with probability 0.7,
seven in ten should be edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.integrate import trapezoid

from spinney.exceptions import InputError
from spinney.metrics.comparison import Flags, Floats, score_pairs

__all__ = [
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "best_cut",
    "expected_calibration_error",
    "mean_gap",
    "precision_recall_curve",
    "reliability",
    "reliability_of_pairs",
    "roc_curve",
    "true_edges_before_fdr",
]


@dataclass(frozen=True)
class RocCurve:
    """True against false positive rate, one point per prefix, from (0, 0) to (1, 1).

    Attributes
    ----------
    false_positive_rate, true_positive_rate : array of shape (m,)
        Share of the non-edges and of the edges with a score of at least the threshold.
    thresholds : array of shape (m,)
        Falling; the first is infinite.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats

    @property
    def area(self) -> float:
        """Area under the curve: chance that an edge beats a non-edge, ties counted half."""
        return float(trapezoid(self.true_positive_rate, self.false_positive_rate))


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Precision and recall of every prefix, the smallest first.

    Attributes
    ----------
    precision, recall : array of shape (m,)
        Of the pairs with a score of at least the threshold.
    thresholds : array of shape (m,)
        The distinct scores, falling.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def roc_curve(scores: Any, truth: Any) -> RocCurve:
    """Receiver operating characteristic of a ranking of all pairs.

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
        If the truth has no edge, or nothing but edges.

    Examples
    --------
    >>> truth = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> scores = [[0, 0.9, 0.9], [0.9, 0, 0.1], [0.9, 0.1, 0]]
    >>> curve = roc_curve(scores, truth)
    >>> curve.true_positive_rate, curve.area
    (array([0., 1., 1.]), 0.75)
    """
    values, edges = score_pairs(scores, truth)
    _need_edges(edges)
    if edges.all():
        raise InputError("The truth joins every pair, so no false positive rate is defined.")
    hits, sizes, thresholds = _prefixes(values, edges)
    return RocCurve(
        np.r_[0.0, (sizes - hits) / (len(edges) - edges.sum())],
        np.r_[0.0, hits / edges.sum()],
        np.r_[np.inf, thresholds],
    )


def precision_recall_curve(scores: Any, truth: Any) -> PrecisionRecallCurve:
    """Precision and recall of every prefix of a ranking; parameters as in :func:`roc_curve`.

    Examples
    --------
    >>> truth = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> scores = [[0, 0.9, 0.9], [0.9, 0, 0.1], [0.9, 0.1, 0]]
    >>> precision_recall_curve(scores, truth).precision.round(2)
    array([0.5 , 0.33])
    """
    values, edges = score_pairs(scores, truth)
    _need_edges(edges)
    hits, sizes, thresholds = _prefixes(values, edges)
    return PrecisionRecallCurve(hits / sizes, hits / edges.sum(), thresholds)


def average_precision(scores: Any, truth: Any) -> float:
    r"""Mean precision at the true edges, :math:`\sum_k (R_k - R_{k-1}) P_k` over all prefixes.

    The step sum of scikit-learn, without interpolation; parameters as in :func:`roc_curve`.

    Examples
    --------
    >>> average_precision([[0, 3, 2], [3, 0, 1], [2, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    0.833...
    """
    curve = precision_recall_curve(scores, truth)
    return float(np.sum(np.diff(curve.recall, prepend=0.0) * curve.precision))


def true_edges_before_fdr(
    scores: Any,
    truth: Any,
    fdr: float = 0.01,
    crossing: Literal["first", "last"] = "first",
) -> int:
    r"""Count the true edges found before the share of false ones passes `fdr`.

    A prefix of the ranking *holds* if its false pairs are at most `fdr` of it. With
    ``crossing="first"`` the ranking is read from the top and left at the first prefix that does
    not hold; the true edges of the prefix before it are counted. With ``"last"`` the longest
    prefix that holds is taken, even if shorter ones do not. Pairs of equal score enter together
    (see the module): a tied block that breaks the bound counts nothing, however many edges it
    contains. If the first block breaks it, the answer is 0.

    Parameters
    ----------
    scores, truth
        As in :func:`roc_curve`.
    fdr : float
        Tolerated share of false edges among those found, in [0, 1). The founding paper's is 0.01.
    crossing : {"first", "last"}
        Where the ranking is cut.

    Examples
    --------
    Ranked: edge, edge, no edge, edge, edge, no edge.

    >>> from spinney._core.pairs import to_matrix
    >>> scores = to_matrix([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    >>> truth = to_matrix([1, 1, 0, 1, 1, 0])
    >>> true_edges_before_fdr(scores, truth, 0.01), true_edges_before_fdr(scores, truth, 0.3)
    (2, 2)
    >>> true_edges_before_fdr(scores, truth, 0.3, crossing="last")
    4
    """
    if not 0.0 <= fdr < 1.0:
        raise InputError(f"fdr must lie in [0, 1), got {fdr!r}.")
    if crossing not in ("first", "last"):
        raise InputError(f"crossing must be 'first' or 'last', got {crossing!r}.")
    values, edges = score_pairs(scores, truth)
    if not len(values):
        return 0
    hits, sizes, _ = _prefixes(values, edges)
    # A hair of slack: 0.29 * 100 is a little less than 29 in floating point.
    holds = sizes - hits <= fdr * sizes * (1 + 1e-12)
    if crossing == "first":
        holds = np.logical_and.accumulate(holds)
    return int(hits[holds].max(initial=0))


def best_cut(scores: Any, truth: Any) -> int:
    """Find the smallest Hamming distance of any cut of the ranking (keeping nothing is one).

    What a ranking would give if the right threshold were known; parameters as in
    :func:`roc_curve`.

    Examples
    --------
    >>> best_cut([[0, 3, 2], [3, 0, 1], [2, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    1
    """
    values, edges = score_pairs(scores, truth)
    if not len(values):
        return 0
    hits, sizes, _ = _prefixes(values, edges)
    total = int(edges.sum())
    return int(min(total, (sizes - hits + total - hits).min()))


def _need_edges(edges: Flags) -> None:
    if not edges.any():
        raise InputError("The truth has no edge, so no ranking of its edges is defined.")


def _prefixes(values: Floats, edges: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Count the true edges of each prefix; return also its size and its lowest score."""
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    ends = np.r_[np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1]
    return np.cumsum(edges[order], dtype=np.int64)[ends], ends + 1, ranked[ends]


def reliability(
    probabilities: Any,
    truth: Any,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> pd.DataFrame:
    r"""Numbers of the reliability diagram: claimed against realised shares of edges, bin by bin.

    Parameters
    ----------
    probabilities : matrix, data frame, networkx graph, or list or stack of them
        Probability of every pair. Several tables are pooled, pair by pair.
    truth : the same kinds
        The true graphs, one for each entry of `probabilities`.
    n_bins : int
        Number of bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of about equally many pairs. A probability on the edge of two
        uniform bins belongs to the upper one (the last bin is closed). Equal probabilities always
        share a bin, so quantile bins may be fewer than asked for.

    Returns
    -------
    pandas.DataFrame
        One row per bin: ``low, high, count, mean_probability, edge_share``; the last two are NaN
        where a bin is empty. :func:`spinney.graph.plots.plot_reliability` draws it.

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
    return reliability_of_pairs(*_pooled(probabilities, truth), n_bins, strategy)


def reliability_of_pairs(
    values: Floats,
    edges: Flags,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> pd.DataFrame:
    """Compute :func:`reliability` of pairs that are listed, not laid out in matrices.

    Parameters
    ----------
    values, edges : arrays of shape (n_pairs,)
        Probability of each pair, and whether it is an edge.
    n_bins, strategy
        As in :func:`reliability`.

    Examples
    --------
    >>> reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]), n_bins=2)
       low  high  count  mean_probability  edge_share
    0  0.0   0.5      2              0.15         0.0
    1  0.5   1.0      1              0.90         1.0
    """
    if strategy not in ("uniform", "quantile"):
        raise InputError(f"strategy must be 'uniform' or 'quantile', got {strategy!r}.")
    if n_bins < 1:
        raise InputError(f"n_bins must be at least 1, got {n_bins!r}.")
    if strategy == "uniform":
        limits = np.linspace(0.0, 1.0, n_bins + 1)
    else:
        # Limits that are themselves probabilities, so that ties stay together.
        limits = np.unique(np.quantile(values, np.linspace(0, 1, n_bins + 1), method="lower"))
        limits = limits if len(limits) > 1 else np.repeat(limits, 2)
    n_rows = len(limits) - 1
    row = np.clip(np.searchsorted(limits, values, side="right") - 1, 0, n_rows - 1)
    count = np.bincount(row, minlength=n_rows)
    whole = np.where(count, count, np.nan)
    return pd.DataFrame(
        {
            "low": limits[:-1],
            "high": limits[1:],
            "count": count,
            "mean_probability": np.bincount(row, values, minlength=n_rows) / whole,
            "edge_share": np.bincount(row, edges, minlength=n_rows) / whole,
        }
    )


def expected_calibration_error(
    probabilities: Any,
    truth: Any,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> float:
    r"""Mean distance between claimed and realised shares, weighted by the size of the bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{N} \lvert \bar p_b - \bar a_b \rvert

    Parameters as in :func:`reliability`. Pairs without an edge are many and easy, so small values
    come cheap: look at the diagram too.

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
    return mean_gap(reliability(probabilities, truth, n_bins, strategy))


def mean_gap(table: pd.DataFrame) -> float:
    """Compute the :func:`expected_calibration_error` of the numbers of a diagram.

    Examples
    --------
    >>> table = reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]))
    >>> round(mean_gap(table), 3)
    0.133
    """
    gap = (table.mean_probability - table.edge_share).abs().fillna(0.0)
    return float((gap * table["count"]).sum() / table["count"].sum())


def _pooled(probabilities: Any, truth: Any) -> tuple[Floats, Flags]:
    many, truths = _as_list(probabilities), _as_list(truth)
    if len(many) != len(truths):
        raise InputError(
            f"There are {len(many)} matrices of probabilities for {len(truths)} truths."
        )
    if not many:
        raise InputError("There are no probabilities to judge.")
    pairs = [score_pairs(p, a) for p, a in zip(many, truths, strict=True)]
    values = np.concatenate([value for value, _ in pairs])
    edges = np.concatenate([edge for _, edge in pairs])
    if not len(values):
        raise InputError("There are no pairs to judge: the graphs have fewer than two nodes.")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise InputError(f"Probabilities lie between 0 and 1, but one is {values[outside][0]:.6g}.")
    return values, edges


def _as_list(graphs: Any) -> list[Any]:
    """Tell a list of graphs from one graph, which may itself be a list of rows."""
    if isinstance(graphs, nx.Graph | pd.DataFrame) or sparse.issparse(graphs):
        return [graphs]
    if isinstance(graphs, np.ndarray):
        return list(graphs) if graphs.ndim == 3 else [graphs]
    graphs = list(graphs)
    if graphs and isinstance(graphs[0], list | tuple) and np.ndim(graphs[0][0]) == 0:
        return [graphs]
    return graphs
