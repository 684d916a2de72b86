"""What the parts must offer each other, so that any objective goes with any solver."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["FixedPoint", "LogarithmicObjective", "Objective", "Probe", "Step"]

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


class Probe(NamedTuple):
    """What an objective knows at a point, in numbers that do not depend on the unit of weights.

    Attributes
    ----------
    value : float
        The objective.
    prior, posterior : arrays of shape (n_pairs,)
        Probability of each edge before any sample is seen, and its mean over samples once they
        are. Their difference is the derivative of the objective in the logarithm of the weight.
    """

    value: float
    prior: Floats
    posterior: Floats


class LogarithmicObjective(Protocol):
    """A function of edge weights that is minimised in their logarithms."""

    def probe(self, beta: Floats) -> Probe:
        """Evaluate the objective at a point; a value of infinity where it is not defined."""
        ...
