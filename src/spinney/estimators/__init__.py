"""The estimators: from a table to a graph that is also a density."""

from spinney.estimators.ensemble_of_trees import EnsembleOfTrees
from spinney.estimators.exact_forests import ExactForests
from spinney.estimators.forests_cuts import ForestsCuts
from spinney.estimators.forests_lambda import ForestsLambda
from spinney.estimators.rooted_forests import RootedForests
from spinney.estimators.shared_forest import SharedForest
from spinney.estimators.stability import StabilitySelection

__all__ = [
    "ESTIMATORS",
    "EnsembleOfTrees",
    "ExactForests",
    "ForestsCuts",
    "ForestsLambda",
    "RootedForests",
    "SharedForest",
    "StabilitySelection",
]

ESTIMATORS = {
    "ensemble-of-trees": EnsembleOfTrees,
    "exact-forests": ExactForests,
    "forests-cuts": ForestsCuts,
    "forests-lambda": ForestsLambda,
    "rooted-forests": RootedForests,
    "shared-forest": SharedForest,
}
"""The estimators by the names that the command line knows them by."""
