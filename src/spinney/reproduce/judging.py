"""Judging an estimate against the truth, and marking the table it was made from."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from spinney._pairs import to_pairs
from spinney.metrics import (
    average_precision,
    best_cut,
    compare,
    expected_calibration_error,
    true_edges_before_fdr,
)
from spinney.reproduce.store import Record
from spinney.simulate import Simulated

__all__ = ["DEPTH", "fingerprint", "judge", "judge_ranking", "ranking_scores", "true_edges_by_rank"]

DEPTH = 60
"""Ranks that a stored curve reaches down to."""


def judge(fitted: Any, data: Simulated) -> Record:
    """Compare a fitted object with the truth; what is not defined is None."""
    truth = data.adjacency
    judged: Record = dict(compare(fitted.adjacency_, truth))
    scores = ranking_scores(fitted)
    ranked = scores is not None and truth.any()
    probabilities = getattr(fitted, "edge_probabilities_", None)
    return judged | {
        "average_precision": average_precision(scores, truth) if ranked else None,
        "edges_before_fdr_1": true_edges_before_fdr(scores, truth, 0.01) if ranked else None,
        "edges_before_fdr_10": true_edges_before_fdr(scores, truth, 0.1) if ranked else None,
        "best_cut_hamming": best_cut(scores, truth) if scores is not None else None,
        "calibration_error": None
        if probabilities is None
        else expected_calibration_error(probabilities, truth),
    }


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
    # Six digits: more than chance, fewer than the rounding of different machines.
    return f"{graph} {np.abs(data.X).mean():.6g}"


def judge_ranking(fitted: Any, data: Simulated) -> Record:
    """Judge a ranking alone, with the beginning of its curve.

    Where a method also ranks by ``edge_presence_``, the share of the graphs along its path that
    hold a pair, those numbers are there once more, with ``_by_presence`` after their names.
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
    }


def true_edges_by_rank(scores: Any, truth: Any, depth: int) -> list[float]:
    """Count the true edges among the first 1, 2, …, `depth` pairs of a ranking.

    Pairs of equal score come in random order, so inside a block of ties the count is its mean
    over all orders, which rises evenly.

    Examples
    --------
    Ranked: an edge, then a tie of an edge and a pair that is none.

    >>> from spinney._pairs import to_matrix
    >>> true_edges_by_rank(to_matrix([3.0, 2.0, 2.0]), to_matrix([1, 0, 1]), 3)
    [1.0, 1.5, 2.0]
    """
    values, edges = to_pairs(np.asarray(scores, dtype=float)), to_pairs(np.asarray(truth))
    _, block, sizes = np.unique(-values, return_inverse=True, return_counts=True)
    hits = np.bincount(block, weights=edges != 0)
    ranks = np.arange(1, depth + 1)
    found = np.interp(ranks, np.r_[0, np.cumsum(sizes)], np.r_[0.0, np.cumsum(hits)])
    return [round(float(count), 3) for count in found]
