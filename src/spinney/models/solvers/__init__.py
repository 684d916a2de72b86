"""Solvers: they know objectives by protocol only."""

from spinney.models.solvers.fixed_point import accelerated_fixed_point
from spinney.models.solvers.log_newton import log_newton
from spinney.models.solvers.result import SolverResult
from spinney.models.solvers.spg import onto_orthant, onto_simplices, spectral_projected_gradient

__all__ = [
    "SolverResult",
    "accelerated_fixed_point",
    "log_newton",
    "onto_orthant",
    "onto_simplices",
    "spectral_projected_gradient",
]
