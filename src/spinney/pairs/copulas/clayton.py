"""The Clayton copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import exp, expm1, log, log1p, maximum, minimum

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import Batch, log_u
from spinney.pairs.copulas.rectangles import log_expm1, softplus


def _log_s(x: Floats, y: Floats, theta: Any) -> Floats:
    """Log S, free of overflow and of cancellation."""
    large, small = -theta * minimum(x, y), -theta * maximum(x, y)
    return large + log1p(-exp(small - large) * expm1(-small))


def log_density(x: Floats, y: Floats, theta: Any) -> Floats:
    """Log-density at coordinates x and y."""
    return log1p(theta) - (1 + theta) * (x + y) - (2 + 1 / theta) * _log_s(x, y, theta)


def score(x: Floats, y: Floats, theta: Any) -> Floats:
    """Differentiate the log-density by theta."""
    low, high = minimum(x, y), maximum(x, y)
    ratio = exp(theta * (low - high))
    scaled = 1 + ratio - exp(theta * low)  # S / u^-θ, u the smaller
    log_s = log(scaled) - theta * low
    slope = -(low + ratio * high) / scaled  # d log S / dθ = -(u^-θ log u + v^-θ log v) / S
    return 1 / (1 + theta) - (low + high) + log_s / (theta * theta) - (2 + 1 / theta) * slope


@dataclass(frozen=True)
class Clayton(Copula):
    r"""Clayton copula: dependence in the lower tail.

    .. math:: C(u, v) = S^{-1/\theta}, \quad S = u^{-\theta} + v^{-\theta} - 1, \qquad
              c = (1 + \theta)(uv)^{-1-\theta} S^{-2-1/\theta}

    Parameters
    ----------
    theta : float
        Strength, in [1e-10, 100]; tau = theta / (theta + 2).
    rotation : {0, 90, 180, 270}
        Counter-clockwise rotation in degrees; 180 puts the tail at the top, 90 and 270 make the
        dependence negative.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.6.

    Examples
    --------
    >>> Clayton(2.0).tau
    0.5
    >>> round(Clayton(2.0, rotation=180).tail_dependence.upper, 4)
    0.7071
    """

    theta: float
    rotation: int = 0

    family: ClassVar[str] = "clayton"
    bounds: ClassVar[Bounds] = {"theta": (1e-10, 100.0)}
    fit_bounds: ClassVar[Bounds] = {"theta": (1e-3, 50.0)}
    rotations: ClassVar[tuple[int, ...]] = (0, 90, 180, 270)
    batch: ClassVar[Batch | None] = Batch(
        coordinate=log_u,
    )

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.theta)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        # u^{1+θ} S^{1+1/θ} is a power of 1 + u^θ (v^{-θ} - 1).
        theta = self.theta
        return -(1 + 1 / theta) * softplus(theta * x + log_expm1(-theta * y))

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        theta = self.theta
        return -softplus(log_expm1(-theta / (1 + theta) * log_p) - theta * x) / theta

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        return np.exp(-_log_s(np.log(u), np.log(v), self.theta) / self.theta)

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`\theta / (\theta + 2)`."""
        return theta / (theta + 2)

    @staticmethod
    def tails(theta: Any) -> tuple[Any, Any]:
        r"""Lower tail dependence :math:`2^{-1/\theta}`, and none above."""
        return np.exp2(-1 / theta), 0.0
