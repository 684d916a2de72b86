"""The Joe copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import exp, expm1, log, log1p, maximum, minimum
from scipy import special

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Batch, Bounds, Copula, log_one_minus_u
from spinney.pairs.copulas.rectangles import log1mexp, log_less, softplus


def _log_s(x: Floats, y: Floats, theta: Any) -> Floats:
    large, small = theta * maximum(x, y), theta * minimum(x, y)
    return large + log1p(-exp(small - large) * expm1(large))


def log_density(x: Floats, y: Floats, theta: Any) -> Floats:
    """Log-density at x = log(1 - u) and y = log(1 - v)."""
    over, log_s = theta - 1, _log_s(x, y, theta)
    return (1 / theta - 2) * log_s + over * (x + y) + log(over + exp(log_s))


def score(x: Floats, y: Floats, theta: Any) -> Floats:
    """Differentiate the log-density by theta."""
    low, high = minimum(x, y), maximum(x, y)
    ratio, small = exp(theta * (low - high)), exp(theta * low)
    scaled = 1 + ratio - small  # S / x, x the larger
    slope = (high + low * ratio - (low + high) * small) / scaled  # d log S / dθ
    log_s = theta * high + log(scaled)
    s = exp(log_s)
    change = log_s / (theta * theta) - (1 / theta - 2) * slope
    return (1 + s * slope) / (theta - 1 + s) + low + high - change


def threshold(y: Floats, theta: Any) -> Floats:
    """Return what the conditional distribution needs of v alone, log (1 - v)^θ."""
    return theta * y


def log_h(x: Floats, at: Floats, theta: Any) -> Floats:
    """Log of P(V <= v | U = u)."""
    growth = softplus(at - theta * x + log1mexp(theta * x))  # log(S / x)
    return log1mexp(at) - (1 - 1 / theta) * growth


def log_step(x1: Floats, x2: Floats, theta: Any) -> Floats:
    """Log of what (1 - u)^θ falls by from one value of u to a larger one."""
    return theta * x1 + log1mexp(theta * (x2 - x1))


def log_volume(
    x1: Floats, x2: Floats, p: Floats, y1: Floats, y2: Floats, q: Floats, theta: Any
) -> Floats:  # fmt: skip
    """Log of the probability of a rectangle; p and q are its steps."""
    # The second difference of a power of S = x + y - xy, x = (1 - u)^θ, from its ratios to the
    # corner at both lower ends: S11 - S21 = e^p (1 - y1), and
    # S11 S22 / (S12 S21) = 1 - e^p e^q / (S12 S21).
    s11, s12 = _log_s(x1, y1, theta), _log_s(x1, y2, theta)
    s21, s22 = _log_s(x2, y1, theta), _log_s(x2, y2, theta)
    ratio_u = expm1(log_less(p + log1mexp(theta * y1) - s11, s21 - s11) / theta)
    ratio_v = expm1(log_less(q + log1mexp(theta * x1) - s11, s12 - s11) / theta)
    ratio = expm1(log_less(p + q - s12 - s21, (s22 - s21) + (s11 - s12)) / theta)
    share = -(1 + ratio_u) * (1 + ratio_v) * ratio - ratio_u * ratio_v
    return log(maximum(share, 1e-300)) + s11 / theta


@dataclass(frozen=True)
class Joe(Copula):
    r"""Joe copula: strong dependence in the upper tail.

    .. math:: C(u, v) = 1 - S^{1/\theta}, \quad S = x + y - xy, \quad
              x = (1-u)^\theta,\ y = (1-v)^\theta
    .. math:: c = S^{1/\theta - 2} \bigl((1-u)(1-v)\bigr)^{\theta-1} (\theta - 1 + S)

    Parameters
    ----------
    theta : float
        Strength, in [1, 100]. One is independence.
    rotation : {0, 90, 180, 270}
        Counter-clockwise rotation in degrees.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.7.

    Examples
    --------
    >>> round(Joe(2.0).tau, 4)
    0.3551
    """

    theta: float
    rotation: int = 0

    family: ClassVar[str] = "joe"
    bounds: ClassVar[Bounds] = {"theta": (1.0, 100.0)}
    fit_bounds: ClassVar[Bounds] = {"theta": (1.001, 50.0)}
    rotations: ClassVar[tuple[int, ...]] = (0, 90, 180, 270)
    batch: ClassVar[Batch | None] = Batch(coordinate=log_one_minus_u)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.theta)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return log_h(x, threshold(y, self.theta), self.theta)

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        """Solve for log(-y), in which the conditional distribution is smooth and monotone."""
        from scipy.optimize.elementwise import find_root

        theta = np.asarray(self.theta)
        if np.all(theta == 1):
            return log1mexp(log_p) + np.zeros_like(x)
        x, log_p, theta = np.broadcast_arrays(x, log_p, theta)

        def excess(t: Floats, x: Floats, log_p: Floats, theta: Floats) -> Floats:
            return log_h(x, threshold(-np.exp(t), theta), theta) - log_p

        # At t = -90 log h is below -60, at t = 6 it is zero to rounding.
        low, high = np.full(x.shape, -90.0), np.full(x.shape, 6.0)
        return -np.exp(find_root(excess, (low, high), args=(x, log_p, theta)).x)

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        return -np.expm1(_log_s(np.log1p(-u), np.log1p(-v), self.theta) / self.theta)

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`1 + \tfrac2{2-\theta}(\psi(2) - \psi(\tfrac2\theta + 1))`."""
        near_two = np.abs(theta - 2) < 1e-6  # the limit of 0/0; the next term is of order theta - 2
        safe = np.where(near_two, 3.0, theta)
        general = 1 + 2 / (2 - safe) * (special.digamma(2.0) - special.digamma(2 / safe + 1))
        return np.where(near_two, 1 - special.polygamma(1, 2.0), general)

    @staticmethod
    def tails(theta: Any) -> tuple[Any, Any]:
        r"""Upper tail dependence :math:`2 - 2^{1/\theta}`, and none below."""
        return 0.0, 2 - np.exp2(1 / theta)
