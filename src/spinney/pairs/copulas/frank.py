"""The Frank copula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy import exp, expm1, log, maximum, minimum
from scipy import special

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Batch, Bounds, Copula, plain_u
from spinney.pairs.copulas.rectangles import log1mexp, log_less, softplus

# Kendall's tau is a sum of 4 B_2k theta^(2k-1) / ((2k + 1) (2k)!), with Bernoulli's numbers; ten
# terms give it to double precision for theta < 1.
_EVEN = np.arange(2, 21, 2)
_SERIES = 4 * special.bernoulli(20)[2::2] / ((_EVEN + 1) * special.factorial(_EVEN))


def _log_e(x: Floats, y: Floats, theta: Any) -> Floats:
    low, distance = minimum(x, y), abs(x - y)
    return log(-expm1(-theta * (1 - low)) - exp(-theta * distance) * expm1(-theta * low))


def log_density(x: Floats, y: Floats, theta: Any) -> Floats:
    """Log-density at u = x and v = y, for positive theta."""
    return log(-theta * expm1(-theta)) - theta * abs(x - y) - 2 * _log_e(x, y, theta)


def score(x: Floats, y: Floats, theta: Any) -> Floats:
    """Differentiate the log-density by theta."""
    low, distance = minimum(x, y), abs(x - y)
    top, ratio, both = (
        exp(-theta * (1 - low)),
        exp(-theta * distance),
        exp(-theta * (low + distance)),
    )
    e = 1 - top + ratio - both
    slope = (1 - low) * top - distance * ratio + (low + distance) * both
    return 1 / theta + 1 / expm1(theta) - distance - 2 * slope / e


def threshold(y: Floats, theta: Any) -> Floats:
    """Return what the conditional distribution needs of v alone."""
    return theta * y + log1mexp(-theta * y) - log1mexp(-theta * (1 - y))


def log_h(x: Floats, at: Floats, theta: Any) -> Floats:
    """Log of P(V <= v | U = u): h / (1 - h) = e^{θ(v-u)} (1 - e^{-θv}) / (1 - e^{-θ(1-v)})."""
    return -softplus(theta * x - at)


def log_step(u1: Floats, u2: Floats, theta: Any) -> Floats:
    """Log of what e^-θu falls by from one value of u to a larger one."""
    return log1mexp(-theta * (u2 - u1)) - theta * u1


def log_volume(
    u1: Floats, u2: Floats, p: Floats, v1: Floats, v2: Floats, q: Floats, theta: Any
) -> Floats:  # fmt: skip
    """Log of the probability of a rectangle; p and q are its steps."""
    # V = log(D12 D21 / (D11 D22)) / θ with D = e^{-θ min(u, v)} E, and D11 D22 / (D12 D21) is less
    # than 1 by (1 - e^-θ) e^p e^q / (D12 D21).
    across = _log_e(u1, v2, theta) + _log_e(u2, v1, theta)
    across = across - theta * (minimum(u1, v2) + minimum(u2, v1))
    along = _log_e(u1, v1, theta) + _log_e(u2, v2, theta)
    along = along - theta * (minimum(u1, v1) + minimum(u2, v2))
    ratio = log_less(log1mexp(-theta) + p + q - across, along - across)
    return log(maximum(-ratio / theta, 1e-300))


@dataclass(frozen=True)
class Frank(Copula):
    r"""Frank copula: symmetric, without tail dependence, of either sign.

    .. math:: C(u, v) = -\frac1\theta \log\Bigl(1 +
              \frac{(e^{-\theta u} - 1)(e^{-\theta v} - 1)}{e^{-\theta} - 1}\Bigr)

    With a = min(u, v), for positive theta,

    .. math:: \log c = \log\theta(1 - e^{-\theta}) - \theta |u - v| - 2 \log E, \quad
              E = (1 - e^{-\theta(1-a)}) + e^{-\theta|u-v|} (1 - e^{-\theta a})

    in which nothing cancels. A negative theta is the positive one with u replaced by 1 - u.

    Parameters
    ----------
    theta : float
        Strength and sign, in [-100, 100]. Zero is independence.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.5.

    Examples
    --------
    >>> round(Frank(5.736283).tau, 6)
    0.5
    """

    theta: float

    family: ClassVar[str] = "frank"
    bounds: ClassVar[Bounds] = {"theta": (-100.0, 100.0)}
    fit_bounds: ClassVar[Bounds] = {"theta": (-100.0, 100.0)}
    batch: ClassVar[Batch | None] = Batch(coordinate=plain_u, sign="mirror", weakest=1e-3)

    @cached_property
    def _flips(self) -> tuple[bool, bool]:
        return self.theta < 0, False

    @property
    def _strength(self) -> Any:
        """|theta|, kept off zero, where every formula is 0/0 with the right limit."""
        return np.maximum(np.abs(self.theta), 1e-12)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self._strength)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return log_h(x, threshold(y, self._strength), self._strength)

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        # 1 - e^{-θv} = (1 - e^{-θ}) / (1 + e^{-θu} (1 - p)/p): the first form keeps the digits of
        # small v, the second is the same with the logarithm taken apart, for all other v.
        theta = self._strength
        log_odds = log_p - log1mexp(log_p)
        rise = -np.expm1(-theta) * special.expit(log_odds + theta * x)
        near_zero = -np.log1p(-np.minimum(rise, 0.5)) / theta
        general = np.logaddexp(log_odds, -theta * x) - np.logaddexp(-theta * x, log_odds - theta)
        return np.where(rise < 0.5, near_zero, general / theta)

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        theta = self._strength
        rise = -np.expm1(-theta)
        product = np.expm1(-theta * u) * np.expm1(-theta * v) / rise
        with np.errstate(divide="ignore"):  # the other branch serves where this one is log 0
            near_zero = -np.log1p(-np.minimum(product, 1.0)) / theta
        general = np.minimum(u, v) - (_log_e(u, v, theta) - np.log(rise)) / theta
        return np.where(product < 0.5, near_zero, general)

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`1 - \tfrac4\theta(1 - D_1(\theta))`, of ``|theta|``."""
        theta = np.abs(theta)
        series = np.minimum(theta, 1.0)[..., None] ** (_EVEN - 1) @ _SERIES
        large = np.maximum(theta, 0.5)
        return np.where(theta < 1, series, 1 - 4 / large * (1 - _debye_1(large)))


def _debye_1(theta: Any) -> Any:
    r"""Debye's :math:`D_1(\theta) = \tfrac1\theta \int_0^\theta t / (e^t - 1)\,dt`."""
    decay = np.exp(-theta)
    # The integral by parts; Spence's function at 1 - z is the dilogarithm of z.
    integral = np.pi**2 / 6 + theta * np.log1p(-decay) - special.spence(1 - decay)
    return integral / theta
