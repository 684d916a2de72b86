"""Sums over trees and forests: exact, stable at any range of weights, and quick.

Called through the module, ``forests.enumerate(...)``: bare, some names would hide builtins.
"""

from spinney.forests.context import Context
from spinney.forests.cuts import Cuts, smallest_cuts
from spinney.forests.enumeration import ForestList, enumerate
from spinney.forests.evaluation import Evaluation, Evaluator, edge_covariance, evaluate
from spinney.forests.log_weights import (
    BATCH_SIZE,
    ForestPosterior,
    Network,
    forest_log_partition,
    forest_posterior,
    solve_batch,
)
from spinney.forests.partition import (
    edge_marginals,
    expected_trees,
    log_partition,
    tree_count_distribution,
)
from spinney.forests.samples import Samples
from spinney.forests.sampling import SampledForests, sample
from spinney.forests.unrooted import (
    UnrootedEvaluation,
    edge_marginals_unrooted,
    evaluate_unrooted,
    log_partition_unrooted,
    sample_unrooted,
)

__all__ = [
    "BATCH_SIZE",
    "Context",
    "Cuts",
    "Evaluation",
    "Evaluator",
    "ForestList",
    "ForestPosterior",
    "Network",
    "SampledForests",
    "Samples",
    "UnrootedEvaluation",
    "edge_covariance",
    "edge_marginals",
    "edge_marginals_unrooted",
    "enumerate",
    "evaluate",
    "evaluate_unrooted",
    "expected_trees",
    "forest_log_partition",
    "forest_posterior",
    "log_partition",
    "log_partition_unrooted",
    "sample",
    "sample_unrooted",
    "smallest_cuts",
    "solve_batch",
    "tree_count_distribution",
]
