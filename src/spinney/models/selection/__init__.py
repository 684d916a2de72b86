"""Paths of penalties, and choosing among graphs."""

from spinney.models.selection.path import PathPoint, follow_path, largest_penalty
from spinney.models.selection.refit import (
    NEW_WEIGHT,
    Refits,
    extended_bic,
    fit_apart,
    fit_edges,
    ranking_costs,
    refit_ranking,
)
from spinney.models.selection.rules import (
    EBIC,
    RULES,
    Choice,
    CrossValidation,
    FixedPenalty,
    RotationInformation,
    SelectionRule,
    StabilityChoice,
    Stars,
    check_rule,
    draw_folds,
)

__all__ = [
    "EBIC",
    "NEW_WEIGHT",
    "RULES",
    "Choice",
    "CrossValidation",
    "FixedPenalty",
    "PathPoint",
    "Refits",
    "RotationInformation",
    "SelectionRule",
    "StabilityChoice",
    "Stars",
    "check_rule",
    "draw_folds",
    "extended_bic",
    "fit_apart",
    "fit_edges",
    "follow_path",
    "largest_penalty",
    "ranking_costs",
    "refit_ranking",
]
