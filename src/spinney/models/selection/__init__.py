"""Paths of penalties, and choosing among graphs."""

from spinney.models.selection.criteria import extended_bic, ranking_costs
from spinney.models.selection.cross_validation import CrossValidation, draw_folds
from spinney.models.selection.path import PathPoint, follow_path, largest_penalty
from spinney.models.selection.problem import Choice, Problem, SelectionRule
from spinney.models.selection.refit import NEW_WEIGHT, Refits, fit_apart, fit_edges, refit_ranking
from spinney.models.selection.rotation import RotationInformation
from spinney.models.selection.rules import EBIC, RULES, FixedPenalty, check_rule
from spinney.models.selection.stars import StabilityChoice, Stars

__all__ = [
    "EBIC",
    "NEW_WEIGHT",
    "RULES",
    "Choice",
    "CrossValidation",
    "FixedPenalty",
    "PathPoint",
    "Problem",
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
