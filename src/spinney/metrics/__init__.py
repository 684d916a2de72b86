"""An estimated graph against the true one: wrong edges, rankings, and calibrated probabilities."""

from spinney.metrics.comparison import Comparison, compare
from spinney.metrics.ranking import (
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    best_cut,
    expected_calibration_error,
    mean_gap,
    precision_recall_curve,
    reliability,
    reliability_of_pairs,
    roc_curve,
    true_edges_before_fdr,
)

__all__ = [
    "Comparison",
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "best_cut",
    "compare",
    "expected_calibration_error",
    "mean_gap",
    "precision_recall_curve",
    "reliability",
    "reliability_of_pairs",
    "roc_curve",
    "true_edges_before_fdr",
]
