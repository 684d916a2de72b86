"""Paths of penalties, and choosing among graphs."""

from spinney.selection.criteria import edge_costs, extended_bic
from spinney.selection.path import PathPoint, follow_path, largest_penalty
from spinney.selection.refit import NEW_WEIGHT, Refits, fit_edges, refit_ranking

__all__ = [
    "NEW_WEIGHT",
    "PathPoint",
    "Refits",
    "edge_costs",
    "extended_bic",
    "fit_edges",
    "follow_path",
    "largest_penalty",
    "refit_ranking",
]
