"""The Gumbel copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import exp, expm1, log, log1p, maximum, minimum

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Batch, Bounds, Copula, log_minus_log_u
from spinney.pairs.copulas.rectangles import (
    LARGEST,
    log1mexp,
    log_add,
    log_expm1,
    log_less,
    softplus,
)


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


def threshold(y: Floats, theta: Any) -> Floats:
    """Return what the conditional distribution needs of v alone, log (-log v)^θ."""
    return theta * y


def log_h(x: Floats, at: Floats, theta: Any) -> Floats:
    """Log of P(V <= v | U = u)."""
    # With D = log A - log x: log h = -x (e^D - 1) - (θ - 1) D, both terms of one sign.
    growth = softplus(at - theta * x) / theta
    return -exp(x) * expm1(minimum(growth, LARGEST)) - (theta - 1) * growth


def log_step(x1: Floats, x2: Floats, theta: Any) -> Floats:
    """Log of what (-log u)^θ falls by from one value of u to a larger one."""
    return theta * x1 + log1mexp(theta * (x2 - x1))


def log_volume(
    x1: Floats, x2: Floats, p: Floats, y1: Floats, y2: Floats, q: Floats, theta: Any
) -> Floats:  # fmt: skip
    """Log of the probability of a rectangle; p and q are its steps."""
    # Ratios of corners as for Clayton. C = exp(-A) with A = s^(1/θ), and s, a sum of powers, rises
    # by e^p and e^q to the lower ends. The second difference of A follows from ratios to A at both
    # lower ends, and s (s + e^p + e^q) / ((s + e^p)(s + e^q)) = 1 - e^p e^q / ((s + e^p)(s + e^q)).
    s = log_add(theta * x2, theta * y2)
    over_p, over_q = softplus(p - s), softplus(q - s)
    with_p, with_q = s + over_p, s + over_q
    last = softplus(q - with_p)
    ratio_q, ratio_p = expm1(-last / theta), expm1(-softplus(p - with_q) / theta)
    bend = log_less((p - with_p) + (q - with_q), last - over_q)
    ratio = expm1(bend / theta)
    depth = exp((with_p + last) / theta)
    across = -depth * ((1 + ratio_q) * (1 + ratio_p) * ratio + ratio_q * ratio_p)
    fall_u = expm1(exp(with_p / theta) * expm1(-over_p / theta))
    fall_v = expm1(exp(with_q / theta) * expm1(-over_q / theta))
    share = fall_u * fall_v + (1 + fall_u) * (1 + fall_v) * expm1(maximum(across, 0.0))
    return log(maximum(share, 1e-300)) - exp(s / theta)


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
    batch: ClassVar[Batch | None] = Batch(coordinate=log_minus_log_u)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.theta)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return log_h(x, threshold(y, self.theta), self.theta)

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
