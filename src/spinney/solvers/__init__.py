"""Solvers: they know objectives by protocol only."""

from spinney.solvers.fixed_point import accelerated_fixed_point
from spinney.solvers.log_newton import log_newton
from spinney.solvers.projections import onto_orthant, onto_simplices
from spinney.solvers.result import SolverResult
from spinney.solvers.spg import spectral_projected_gradient

__all__ = [
    "SolverResult",
    "accelerated_fixed_point",
    "log_newton",
    "onto_orthant",
    "onto_simplices",
    "spectral_projected_gradient",
]
