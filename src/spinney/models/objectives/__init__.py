"""The models as functions of their edge weights: value, gradient, edge probabilities."""

from spinney.models.objectives.ensemble import Ensemble, EnsembleValue
from spinney.models.objectives.likelihood import L1, ConvexPart, NegativeLogLikelihood
from spinney.models.objectives.rooted import Rooted
from spinney.models.objectives.unrooted import (
    CutTrees,
    FewTrees,
    InducedTrees,
    Trees,
    smallest_cut_sides,
)

__all__ = [
    "L1",
    "ConvexPart",
    "CutTrees",
    "Ensemble",
    "EnsembleValue",
    "FewTrees",
    "InducedTrees",
    "NegativeLogLikelihood",
    "Rooted",
    "Trees",
    "smallest_cut_sides",
]
