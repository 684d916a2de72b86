"""Sums over trees and forests: exact, stable at any range of weights, and quick.

Called through the module, ``forests.enumerate(...)``: bare, some names would hide builtins.
"""

from spinney.forests.context import Context
from spinney.forests.counts import expected_trees, tree_count_distribution
from spinney.forests.cuts import Cuts, smallest_cuts
from spinney.forests.enumeration import ForestList, enumerate
from spinney.forests.evaluation import Evaluation, Evaluator, evaluate
from spinney.forests.mode import Forest, most_probable
from spinney.forests.partition import edge_marginals, log_partition
from spinney.forests.sampling import SampledForests, sample
from spinney.forests.unrooted import (
    UnrootedEvaluation,
    edge_marginals_unrooted,
    evaluate_unrooted,
    log_partition_unrooted,
)
from spinney.forests.unrooted_sampling import sample_unrooted

__all__ = [
    "Context",
    "Cuts",
    "Evaluation",
    "Evaluator",
    "Forest",
    "ForestList",
    "SampledForests",
    "UnrootedEvaluation",
    "edge_marginals",
    "edge_marginals_unrooted",
    "enumerate",
    "evaluate",
    "evaluate_unrooted",
    "expected_trees",
    "log_partition",
    "log_partition_unrooted",
    "most_probable",
    "sample",
    "sample_unrooted",
    "smallest_cuts",
    "tree_count_distribution",
]
