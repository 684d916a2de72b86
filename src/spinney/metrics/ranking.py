"""Rankings of pairs against the truth: curves, average precision, edges before a given FDR.

Pairs are taken in falling order of their score. Pairs of equal score cannot be told apart, so they
enter together: a *prefix* of the ranking ends only between two different scores. Nothing here
depends on the order of the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid

from spinney.exceptions import InputError
from spinney.metrics._graphs import Flags, Floats, score_pairs

__all__ = [
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "best_cut",
    "precision_recall_curve",
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
