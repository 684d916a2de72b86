"""Judging an estimate against the truth: its graph, its ranking of pairs, and its curves."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import to_pairs
from spinney.metrics import (
    average_precision,
    compare,
    expected_calibration_error,
    true_edges_before_fdr,
)
from spinney.simulate import Simulated

__all__ = [
    "FALSE_EDGES",
    "FDR",
    "Record",
    "best_cut",
    "edges_at_fdr",
    "fingerprint",
    "judge",
    "judge_ranking",
    "mean_curve",
    "ranking_scores",
    "true_edges_before_false",
    "true_edges_by_rank",
]

Record = dict[str, Any]
Floats = NDArray[np.float64]

FDR = 0.01
"""Share of false edges that the paper tolerates."""
DEPTH = 60
"""Ranks that a stored curve reaches down to."""
FALSE_EDGES = 30
"""One in a hundred of the pairs of 80 nodes that are not edges."""


def judge(fitted: Any, data: Simulated) -> Record:
    """Compare a fitted object with the truth; what is not defined is None."""
    truth = data.adjacency
    judged: Record = dict(compare(fitted.adjacency_, truth))
    scores = ranking_scores(fitted)
    ranked = scores is not None and truth.any()
    probabilities = getattr(fitted, "edge_probabilities_", None)
    if (reference := getattr(fitted, "judge_", None)) is not None:
        judged["judge"] = reference.fingerprint
    return judged | {
        "average_precision": average_precision(scores, truth) if ranked else None,
        "edges_before_fdr_1": true_edges_before_fdr(scores, truth, 0.01) if ranked else None,
        "edges_before_fdr_10": true_edges_before_fdr(scores, truth, 0.1) if ranked else None,
        "best_cut_hamming": best_cut(scores, truth) if scores is not None else None,
        "calibration_error": None
        if probabilities is None
        else expected_calibration_error(probabilities, truth),
    }


def best_cut(scores: ArrayLike, truth: ArrayLike) -> int:
    """Find the smallest Hamming distance of any cut of the ranking; keeping nothing is one.

    Examples
    --------
    >>> best_cut([[0, 3, 2], [3, 0, 1], [2, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    1
    """
    values, edges = to_pairs(np.asarray(scores)), to_pairs(np.asarray(truth)) != 0
    cuts = np.append(np.unique(values), np.inf)
    return min(int(((values >= cut) != edges).sum()) for cut in cuts)


def ranking_scores(fitted: Any) -> Any:
    """Return what a method ranks its pairs by, or None."""
    for name in ("edge_ranking_", "edge_probabilities_", "edge_weights_"):
        values = getattr(fitted, name, None)
        if values is not None:
            return np.abs(values)
    return None


def fingerprint(data: Simulated) -> str:
    """Mark a table, so that results on tables that have changed since are not mixed."""
    graph = hashlib.sha256(np.packbits(data.adjacency).tobytes()).hexdigest()[:8]
    sizes, missing = np.abs(data.X), np.isnan(data.X)
    # Six digits: more than chance, fewer than the rounding of different machines.
    if missing.any():
        return f"{graph} {sizes[~missing].mean():.6g} {missing.sum()} missing"
    return f"{graph} {sizes.mean():.6g}"


def judge_ranking(fitted: Any, data: Simulated) -> Record:
    """Judge a ranking alone, with the beginning of its curves.

    Where a method also ranks by ``edge_presence_``, the share of the graphs along its path that
    hold a pair, those numbers are repeated with ``_by_presence`` after their names.
    """
    judged = {"n_true_edges": data.n_edges} | _judge_scores(ranking_scores(fitted), data)
    presence = getattr(fitted, "edge_presence_", None)
    if presence is None:
        return judged
    other = _judge_scores(presence, data)
    return judged | {f"{name}_by_presence": value for name, value in other.items()}


def _judge_scores(scores: Any, data: Simulated) -> Record:
    truth = data.adjacency
    return {
        "average_precision": average_precision(scores, truth),
        "edges_before_fdr_1": true_edges_before_fdr(scores, truth, 0.01),
        "edges_before_fdr_10": true_edges_before_fdr(scores, truth, 0.1),
        "true_edges_by_rank": true_edges_by_rank(scores, truth, DEPTH),
        "true_edges_before_false": true_edges_before_false(scores, truth, FALSE_EDGES),
    }


def _blocks(scores: Any, truth: Any) -> tuple[Floats, Floats]:
    """Count true and false edges in each block of equal scores, from the highest score down."""
    values, edges = to_pairs(np.asarray(scores, dtype=float)), to_pairs(np.asarray(truth)) != 0
    _, block, sizes = np.unique(-values, return_inverse=True, return_counts=True)
    hits = np.bincount(block, weights=edges).astype(float)
    return hits, sizes.astype(float) - hits


def true_edges_by_rank(scores: Any, truth: Any, depth: int) -> list[float]:
    """Count the true edges among the first 1, 2, …, `depth` pairs of a ranking.

    Pairs of equal score come in random order, so inside a block of ties the count is its mean
    over all orders, which rises evenly.

    Examples
    --------
    Ranked: an edge, then a tie of an edge and a pair without one.

    >>> from spinney._core.pairs import to_matrix
    >>> true_edges_by_rank(to_matrix([3.0, 2.0, 2.0]), to_matrix([1, 0, 1]), 3)
    [1.0, 1.5, 2.0]
    """
    hits, misses = _blocks(scores, truth)
    ends = np.cumsum(hits + misses)
    found = np.interp(np.arange(1, depth + 1), np.r_[0, ends], np.r_[0.0, np.cumsum(hits)])
    return [round(float(count), 3) for count in found]


def true_edges_before_false(scores: Any, truth: Any, most: int) -> list[float]:
    r"""Count the true edges ahead of the first, second, … false one: a curve of `most` + 1 points.

    The number at k is the height of the ROC curve where k edges are false. Of a tie of a edges
    and b other pairs, :math:`j a / (b + 1)` edges come before the j-th other pair in the mean over
    all orders; where false pairs run out, all edges are found.

    Examples
    --------
    Ranked: an edge, then a tie of an edge and a pair without one.

    >>> from spinney._core.pairs import to_matrix
    >>> true_edges_before_false(to_matrix([3.0, 2.0, 2.0]), to_matrix([1, 0, 1]), 1)
    [1.5, 2.0]
    """
    hits, misses = _blocks(scores, truth)
    true, false = np.r_[0.0, np.cumsum(hits)], np.r_[0.0, np.cumsum(misses)]
    numbers = np.arange(1.0, most + 2)
    block = np.searchsorted(false[1:], numbers)
    inside = block < len(hits)
    block = np.minimum(block, len(hits) - 1)
    ahead = true[block] + (numbers - false[block]) * hits[block] / (misses[block] + 1)
    return [round(float(count), 3) for count in np.where(inside, ahead, true[-1])]


def mean_curve(curves: ArrayLike, fdr: float = FDR) -> tuple[Floats, Floats]:
    """Average curves rank by rank, and leave the average where its false share passes `fdr`.

    Parameters
    ----------
    curves : array-like of shape (n_repetitions, n_ranks)
        True edges among the first 1, 2, … pairs.

    Returns
    -------
    false, true : arrays
        From (0, 0) to the point where the share of false edges is `fdr`, found between two ranks
        by a straight line; or to the last rank if it stays below.

    Examples
    --------
    One of two rankings has a false edge in the second place.

    >>> mean_curve([[1, 2, 3], [1, 1, 2]], fdr=0.1)
    (array([0.   , 0.   , 0.125]), array([0.   , 1.   , 1.125]))
    """
    true = np.r_[0.0, np.mean(np.asarray(curves, dtype=float), axis=0)]
    ranks = np.arange(len(true))
    false = ranks - true
    excess = false - fdr * ranks
    over = np.flatnonzero(excess > 1e-12)
    if not over.size:
        return false, true
    k = int(over[0])
    share = -excess[k - 1] / (excess[k] - excess[k - 1])
    last = [x[k - 1] + share * (x[k] - x[k - 1]) for x in (false, true)]
    return np.r_[false[:k], last[0]], np.r_[true[:k], last[1]]


def edges_at_fdr(curves: ArrayLike, fdr: float = FDR) -> float:
    """Return the true edges at the end of the mean curve.

    Examples
    --------
    >>> edges_at_fdr([[1, 2, 3], [1, 1, 2]], fdr=0.1)
    1.125
    """
    return float(mean_curve(curves, fdr)[1][-1])
