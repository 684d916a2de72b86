"""What a user would otherwise pick: graphical lasso, Chow–Liu, partial correlation and others."""

from spinney.models.baselines.chow_liu import ChowLiu
from spinney.models.baselines.partial_correlation import PartialCorrelation
from spinney.models.baselines.paths import glasso_path, neighbourhood_path, penalty_path
from spinney.models.baselines.penalised import GraphicalLasso, NeighbourhoodSelection
from spinney.models.baselines.rules import (
    EBIC,
    CrossValidation,
    FixedPenalty,
    RotationInformation,
    Stars,
)
from spinney.models.baselines.scores import nonparanormal_scores, rank_correlation

__all__ = [
    "EBIC",
    "ChowLiu",
    "CrossValidation",
    "FixedPenalty",
    "GraphicalLasso",
    "NeighbourhoodSelection",
    "PartialCorrelation",
    "RotationInformation",
    "Stars",
    "glasso_path",
    "neighbourhood_path",
    "nonparanormal_scores",
    "penalty_path",
    "rank_correlation",
]
