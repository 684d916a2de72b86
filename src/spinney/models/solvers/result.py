"""One answer for all solvers: where they stopped, how they got there, and why they stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from spinney._core.arrays import Floats
from spinney.exceptions import InputError

StopReason = Literal["converged", "small_change", "line_search", "max_iter"]


@dataclass(frozen=True)
class SolverResult:
    """What a solver returns.

    Attributes
    ----------
    beta : array of shape (n_pairs,)
        The edge weights at the end.
    value : float
        The objective there.
    violation : float
        Distance from stationarity there, in the solver's own measure.
    stop_reason : {"converged", "small_change", "line_search", "max_iter"}
        ``"converged"``: the violation is within the tolerance. ``"small_change"``: it is not, but
        the objective hardly falls any more. ``"line_search"``: no step along the search direction
        lowers the objective by more than rounding, or a fixed-point map raised it.
        ``"max_iter"``: out of iterations.
    n_iterations, n_evaluations : int
        Steps taken, and how often the objective was evaluated.
    trace : array of shape (n_iterations + 1,)
        The objective at the start and after each step.
    """

    beta: Floats
    value: float
    violation: float
    stop_reason: StopReason
    n_iterations: int
    n_evaluations: int
    trace: Floats = field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stop_reason == "converged"


def check_start(value: float) -> None:
    """Refuse a start at which the objective is not finite."""
    if not np.isfinite(value):
        raise InputError(
            f"The objective is {value} at the start. Start from weights that leave a forest."
        )
