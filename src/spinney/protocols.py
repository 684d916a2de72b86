"""What the parts must offer each other, so that any objective goes with any solver."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["FixedPoint", "Objective", "Step"]

Floats = NDArray[np.float64]


class Objective(Protocol):
    """A function to be minimised over edge weights that are at least zero."""

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient; a value of infinity where it is not defined."""
        ...


class Step(NamedTuple):
    """What a fixed-point map knows at a point.

    Attributes
    ----------
    value : float
        The objective there; the map never raises it.
    image : array
        Where the map leads.
    violation : float
        How far the point is from stationarity, at least zero; solvers stop when it is small.
    """

    value: float
    image: Floats
    violation: float


class FixedPoint(Protocol):
    """A map on positive edge weights whose fixed points are stationary points."""

    def step(self, beta: Floats) -> Step:
        """Evaluate the map and the objective at a point."""
        ...
