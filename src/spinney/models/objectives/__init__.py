"""The models as functions of their edge weights: value, gradient, edge probabilities."""

from spinney.models.objectives.cuts import CutTrees, smallest_cut_sides
from spinney.models.objectives.ensemble import Ensemble, EnsembleValue
from spinney.models.objectives.few_trees import FewTrees
from spinney.models.objectives.likelihood import L1, ConvexPart, NegativeLogLikelihood
from spinney.models.objectives.listed import ListedRooted
from spinney.models.objectives.rooted import Rooted
from spinney.models.objectives.trees import InducedTrees, Trees

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
