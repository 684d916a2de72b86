"""The BB1 copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.rectangles import log_expm1, softplus


@dataclass(frozen=True)
class BB1(Copula):
    r"""BB1 copula: both tails, each of its own strength; Clayton and Gumbel are its edges.

    .. math:: C(u, v) = (1 + A)^{-1/\theta}, \quad A = (x^\delta + y^\delta)^{1/\delta}, \quad
              x = u^{-\theta} - 1,\ y = v^{-\theta} - 1
    .. math:: c = (1+A)^{-1/\theta-2} A^{1-2\delta} \bigl(\theta(\delta-1) + (\theta\delta+1) A
              \bigr) (xy)^{\delta-1} (uv)^{-\theta-1}

    Parameters
    ----------
    theta : float
        Lower-tail parameter, in [1e-6, 10].
    delta : float
        Upper-tail parameter, in [1, 10]. One is the Clayton copula.
    rotation : {0, 90, 180, 270}
        Counter-clockwise rotation in degrees.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.17.

    Examples
    --------
    >>> BB1(2.0, 1.0).tau
    0.5
    """

    theta: float
    delta: float
    rotation: int = 0

    family: ClassVar[str] = "bb1"
    bounds: ClassVar[Bounds] = {"theta": (1e-6, 10.0), "delta": (1.0, 10.0)}
    fit_bounds: ClassVar[Bounds] = {"theta": (1e-3, 7.0), "delta": (1.001, 7.0)}
    rotations: ClassVar[tuple[int, ...]] = (0, 90, 180, 270)

    def _coordinate(self, u: Floats, flip: bool) -> Floats:
        # log x; -theta log u is softplus of it.
        return log_expm1(-self.theta * (np.log1p(-u) if flip else np.log(u)))

    def _from_coordinate(self, x: Floats, flip: bool) -> Floats:
        log_u = -softplus(x) / self.theta
        return -np.expm1(log_u) if flip else np.exp(log_u)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        theta, delta = self.theta, self.delta
        distance = np.abs(x - y)
        excess = np.log1p(np.exp(-delta * distance)) / delta
        log_a = np.maximum(x, y) + excess
        with np.errstate(divide="ignore"):  # log 0 at delta = 1 is meant
            log_sum = np.logaddexp(np.log(theta * (delta - 1)), np.log(theta * delta + 1) + log_a)
        return (
            log_sum
            - log_a
            - (1 / theta + 2) * softplus(log_a)
            - (delta - 1) * (distance + 2 * excess)
            + (1 + 1 / theta) * (softplus(x) + softplus(y))
        )

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return -self._minus_log_h(x, softplus(self.delta * (y - x)) / self.delta)

    def _minus_log_h(self, x: Floats, growth: Floats) -> Floats:
        """-log h as a function of growth = log(A / x): two rising terms, as for Gumbel."""
        ratio = np.log1p(special.expit(x) * np.expm1(growth))  # log((1 + A) / (1 + x))
        return (1 + 1 / self.theta) * ratio + (self.delta - 1) * growth

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        from scipy.optimize.elementwise import find_root

        theta, delta = self.theta, self.delta
        x, log_p = np.broadcast_arrays(x, log_p)
        # Each term alone bounds the growth from above; without the second (delta = 1) the bound
        # is the answer.
        bound = np.log1p(np.expm1(-log_p * theta / (1 + theta)) / special.expit(x))
        if delta > 1:

            def excess(t: Floats, x: Floats, log_p: Floats) -> Floats:
                return np.log(self._minus_log_h(x, np.exp(t))) - np.log(-log_p)

            high = np.log(np.minimum(bound, -log_p / (delta - 1)))
            # Each term is at least half of the sum at one of these two, hence the lower end.
            low = high - 60.0
            bound = np.exp(find_root(excess, (low, high + 1e-9), args=(x, log_p)).x)
        return x + log_expm1(delta * bound) / delta

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        x, y = self._coordinate(u, False), self._coordinate(v, False)
        log_a = np.maximum(x, y) + np.log1p(np.exp(-self.delta * np.abs(x - y))) / self.delta
        return np.exp(-softplus(log_a) / self.theta)

    @staticmethod
    def kendall(theta: Any, delta: Any) -> Any:
        r"""Kendall's tau, :math:`1 - 2 / (\delta(\theta + 2))`."""
        return 1 - 2 / (delta * (theta + 2))

    @staticmethod
    def tails(theta: Any, delta: Any) -> tuple[Any, Any]:
        r"""Tail dependence :math:`2^{-1/(\delta\theta)}` below, :math:`2 - 2^{1/\delta}` above."""
        return np.exp2(-1 / (delta * theta)), 2 - np.exp2(1 / delta)
