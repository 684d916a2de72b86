"""Judging an estimate against the truth, and marking the table it was made from."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from spinney.metrics import (
    average_precision,
    best_cut,
    compare,
    expected_calibration_error,
    true_edges_before_fdr,
)
from spinney.reproduce.curves import (
    DEPTH,
    FALSE_EDGES,
    true_edges_before_false,
    true_edges_by_rank,
)
from spinney.reproduce.store import Record
from spinney.simulate import Simulated

__all__ = ["fingerprint", "judge", "judge_ranking", "ranking_scores"]


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
    sizes, missing = np.abs(data.X), np.isnan(data.X)
    # Six digits: more than chance, fewer than the rounding of different machines.
    if missing.any():
        return f"{graph} {sizes[~missing].mean():.6g} {missing.sum()} missing"
    return f"{graph} {sizes.mean():.6g}"


def judge_ranking(fitted: Any, data: Simulated) -> Record:
    """Judge a ranking alone, with the beginning of its curves.

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
        "true_edges_before_false": true_edges_before_false(scores, truth, FALSE_EDGES),
    }
