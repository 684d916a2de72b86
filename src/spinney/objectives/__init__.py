"""The models as functions of their edge weights: value, gradient, edge probabilities."""

from spinney.objectives.cuts import CutTrees, smallest_cut_sides
from spinney.objectives.ensemble import Ensemble, EnsembleValue
from spinney.objectives.few_trees import FewTrees
from spinney.objectives.likelihood import L1, ConvexPart, NegativeLogLikelihood
from spinney.objectives.listed import ListedRooted
from spinney.objectives.rooted import Rooted
from spinney.objectives.trees import InducedTrees, Trees

__all__ = [
    "L1",
    "ConvexPart",
    "CutTrees",
    "Ensemble",
    "EnsembleValue",
    "FewTrees",
    "InducedTrees",
    "ListedRooted",
    "NegativeLogLikelihood",
    "Rooted",
    "Trees",
    "smallest_cut_sides",
]
