"""The Gumbel copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import exp, log, log1p, maximum

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import Batch, log_minus_log_u
from spinney.pairs.copulas.rectangles import log_expm1, softplus


def log_density(x: Floats, y: Floats, theta: Any) -> Floats:
    """Log-density at x = log(-log u) and y = log(-log v)."""
    over, distance = theta - 1, abs(x - y)
    excess = log1p(exp(-theta * distance)) / theta
    log_a = maximum(x, y) + excess
    a = exp(log_a)
    return exp(x) + exp(y) - a - over * (distance + 2 * excess) + log(a + over) - log_a


def score(x: Floats, y: Floats, theta: Any) -> Floats:
    """Differentiate the log-density by theta."""
    over, distance = theta - 1, abs(x - y)
    ratio = exp(-theta * distance)
    excess = log1p(ratio) / theta
    a = exp(maximum(x, y) + excess)
    slope = -(excess + distance * ratio / (1 + ratio)) / theta  # d log A / dθ
    change = distance + 2 * excess + (a + 2 * over + 1) * slope
    return (a * slope + 1) / (a + over) - change


@dataclass(frozen=True)
class Gumbel(Copula):
    r"""Gumbel copula: dependence in the upper tail.

    .. math:: C(u, v) = e^{-A}, \quad A = (x^\theta + y^\theta)^{1/\theta},
              \quad x = -\log u,\ y = -\log v
    .. math:: \log c = x + y - A + (\theta - 1)(\log x + \log y - 2 \log A)
              + \log(A + \theta - 1) - \log A

    Parameters
    ----------
    theta : float
        Strength, in [1, 100]; tau = 1 - 1 / theta. One is independence.
    rotation : {0, 90, 180, 270}
        Counter-clockwise rotation in degrees; 180 puts the tail at the bottom, 90 and 270 make
        the dependence negative.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.8.

    Examples
    --------
    >>> Gumbel(2.0).tau
    0.5
    >>> round(Gumbel(2.0).tail_dependence.upper, 4)
    0.5858
    """

    theta: float
    rotation: int = 0

    family: ClassVar[str] = "gumbel"
    bounds: ClassVar[Bounds] = {"theta": (1.0, 100.0)}
    fit_bounds: ClassVar[Bounds] = {"theta": (1.001, 50.0)}
    rotations: ClassVar[tuple[int, ...]] = (0, 90, 180, 270)
    batch: ClassVar[Batch | None] = Batch(
        coordinate=log_minus_log_u,
    )

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.theta)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        # With D = log A - log x: log h = -x (e^D - 1) - (θ - 1) D, both terms of one sign.
        growth = softplus(self.theta * (y - x)) / self.theta
        return -np.exp(x) * np.expm1(growth) - (self.theta - 1) * growth

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        """Newton's method in D, from the right: the equation is convex, so it cannot overshoot."""
        theta, scale, target = self.theta, np.exp(x), -log_p
        with np.errstate(divide="ignore"):  # at theta = 1 the second bound is infinite
            growth = np.minimum(np.log1p(target / scale), target / np.asarray(theta - 1))
        for _ in range(60):
            excess = scale * np.expm1(growth) + (theta - 1) * growth - target
            step = excess / (scale * np.exp(growth) + (theta - 1))
            growth = np.maximum(growth - step, 0.0)
            if np.all(np.abs(step) <= 1e-15 * growth):
                break
        return x + log_expm1(theta * growth) / theta

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        x, y = self._coordinate(u, False), self._coordinate(v, False)
        excess = np.log1p(np.exp(-self.theta * np.abs(x - y))) / self.theta
        return np.exp(-np.exp(np.maximum(x, y) + excess))

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`1 - 1/\theta`."""
        return 1 - 1 / theta

    @staticmethod
    def tails(theta: Any) -> tuple[Any, Any]:
        r"""Upper tail dependence :math:`2 - 2^{1/\theta}`, and none below."""
        return 0.0, 2 - np.exp2(1 / theta)
