"""The Clayton copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import exp, expm1, log, log1p, maximum, minimum

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Batch, Bounds, Copula, log_u
from spinney.pairs.copulas.rectangles import LARGEST, log_add, log_expm1, softplus


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


def threshold(y: Floats, theta: Any) -> Floats:
    """Return what the conditional distribution needs of v alone, log(v^-θ - 1)."""
    return log_expm1(-theta * y)


def log_h(x: Floats, at: Floats, theta: Any) -> Floats:
    """Log of P(V <= v | U = u): u^{1+θ} S^{1+1/θ} is a power of 1 + u^θ (v^{-θ} - 1)."""
    return -(1 + 1 / theta) * softplus(theta * x + at)


def log_step(x1: Floats, x2: Floats, theta: Any) -> Floats:
    """Log of what u^-θ falls by from one value of u to a larger one."""
    return log_expm1(theta * (x2 - x1)) - theta * x2


def log_volume(
    x1: Floats, x2: Floats, p: Floats, y1: Floats, y2: Floats, q: Floats, theta: Any
) -> Floats:  # fmt: skip
    """Log of the probability of a rectangle; p and q are its steps."""
    # S is s at the upper ends and rises by e^p and e^q to the lower ones, so that the ratios of C
    # between corners are powers of 1 + e^p / s and the like. In these,
    # V / C22 = (1 - C12/C22) (1 - C21/C22) + C12/C22 C21/C22 (C11 C22/(C12 C21) - 1)
    # is a sum of positive terms: nothing cancels. All powers are logarithms: none overflows.
    s = _log_s(x2, y2, theta)
    over_p, over_q = softplus(p - s), softplus(q - s)
    whole = log_add(s + over_p, q)
    fall_u, fall_v = expm1(-over_p / theta), expm1(-over_q / theta)
    across = expm1(minimum(softplus((p - whole) + (q - s)) / theta, LARGEST))
    share = fall_u * fall_v + (1 + fall_u) * (1 + fall_v) * across
    return log(maximum(share, 1e-300)) - s / theta


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
    batch: ClassVar[Batch | None] = Batch(coordinate=log_u)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.theta)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return log_h(x, threshold(y, self.theta), self.theta)

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
