"""Graphs by the judge: one calibrated probability per edge, from the evidence of all pairs.

:func:`learn` is the short way, from a table to a :class:`LearnedGraph` with everything that can be
said of it; :class:`GraphLearner` is the estimator behind it, in scikit-learn's manners.
"""

from spinney.learner.choice import expected_false, expected_missed, keep_above, keep_by_fdr
from spinney.learner.comparisons import METHODS, Comparisons, compare_methods
from spinney.learner.density import density_on_graph
from spinney.learner.front import learn
from spinney.learner.graph_learner import GraphLearner
from spinney.learner.grouped import GroupedGraphs
from spinney.learner.groups import learn_groups
from spinney.learner.judges import JudgeReference
from spinney.learner.learned import LearnedGraph
from spinney.learner.stability import Stability, learn_stability
from spinney.learner.strength import (
    covariance_selection,
    partial_correlations,
    positive_definite,
    score_correlations,
)

__all__ = [
    "METHODS",
    "Comparisons",
    "GraphLearner",
    "GroupedGraphs",
    "JudgeReference",
    "LearnedGraph",
    "Stability",
    "compare_methods",
    "covariance_selection",
    "density_on_graph",
    "expected_false",
    "expected_missed",
    "keep_above",
    "keep_by_fdr",
    "learn",
    "learn_groups",
    "learn_stability",
    "partial_correlations",
    "positive_definite",
    "score_correlations",
]
