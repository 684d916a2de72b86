"""An estimated graph against the true one: wrong edges, rankings, and calibrated probabilities."""

from spinney.metrics.comparison import Comparison, compare
from spinney.metrics.ranking import (
    average_precision,
    expected_calibration_error,
    mean_gap,
    reliability,
    reliability_of_pairs,
    true_edges_before_fdr,
)

__all__ = [
    "Comparison",
    "average_precision",
    "compare",
    "expected_calibration_error",
    "mean_gap",
    "reliability",
    "reliability_of_pairs",
    "true_edges_before_fdr",
]
