"""The Joe copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney._core.storable import storable
from spinney.pairs.copulas import rectangles
from spinney.pairs.copulas._math import FAR, exp, expm1, log, log_gap, log_less, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import Batch, log_one_minus_u
from spinney.pairs.copulas.rectangles import LOG_FLOOR, log1mexp, softplus


@kernel
def _density(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    power, over = 1.0 / theta - 2.0, theta - 1.0
    for k in range(out.size):
        low, high = min(x[k], y[k]), max(x[k], y[k])
        scaled = 1.0 + exp(theta * (low - high)) - exp(theta * low)
        log_s = theta * high + log(scaled)
        out[k] = power * log_s + over * (low + high) + log(over + exp(log_s))


@kernel
def _score(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    power, over, square = 1.0 / theta - 2.0, theta - 1.0, 1.0 / (theta * theta)
    for k in range(out.size):
        low, high = min(x[k], y[k]), max(x[k], y[k])
        ratio, small = exp(theta * (low - high)), exp(theta * low)
        scaled = 1.0 + ratio - small  # S / x, x the larger
        # d log S / dθ
        slope = (high + low * ratio - (low + high) * small) / scaled
        s = exp(theta * high) * scaled
        log_s = theta * high + log(scaled)
        out[k] = (1.0 + s * slope) / (over + s) + low + high - square * log_s + power * slope


@kernel
def _strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    # log h = log(1 - y) - (1 - 1/θ) softplus(log y - log x + log(1 - x)), x and y as in the class
    share, levels = 1.0 - 1.0 / theta, cuts.size + 1
    ends, tops = np.empty(levels + 1), np.empty(levels + 1)
    ends[0], tops[0], ends[levels], tops[levels] = 0.0, -FAR, -FAR, 0.0
    for j in range(levels - 1):
        ends[j + 1] = theta * cuts[j]
        small = ends[j + 1] < -0.6931
        tops[j + 1] = np.log1p(-np.exp(ends[j + 1])) if small else np.log(-np.expm1(ends[j + 1]))
    low, high = np.empty(out.size), np.empty(out.size)
    low_top, high_top = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, low, high)
    look_up(tops, codes, low_top, high_top)
    for k in range(out.size):
        at = theta * x[k]
        at -= log(max(-expm1(at), 1e-300))
        below = low_top[k] - share * fast_softplus(low[k] - at)
        out[k] = log_gap(below, high_top[k] - share * fast_softplus(high[k] - at))


@kernel
def _powers(x: Floats, theta: float, power: Floats, rest: Floats, step: Floats) -> None:
    """(1 - u)^θ and 1 less that at the ends of all levels from 0 on, and the steps between."""
    last = x.size + 1
    power[0], rest[0], power[last], rest[last] = 1.0, 0.0, 0.0, 1.0
    step[0] = 1.0
    for i in range(last - 1):
        power[i + 1], rest[i + 1] = np.exp(max(theta * x[i], -700.0)), -np.expm1(theta * x[i])
        step[i] = -power[i] * np.expm1(theta * (x[i] - (x[i - 1] if i > 0 else 0.0)))
    step[last - 1] = power[last - 1]


@kernel
def _cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    # The formula of Joe._log_rectangle.
    inverse, rows, columns = 1.0 / theta, x.size + 1, y.size + 1
    power_u, rest_u, step_u = np.empty(rows + 1), np.empty(rows + 1), np.empty(rows)
    power_v, rest_v, step_v = np.empty(columns + 1), np.empty(columns + 1), np.empty(columns)
    _powers(x, theta, power_u, rest_u, step_u)
    _powers(y, theta, power_v, rest_v, step_v)
    # S at the four corners; and what it falls by, over S, from the lower corner to either side and
    # from there to the upper corner
    sums, first, other, tops = np.empty((4, out.size))
    fall_u, fall_v, bend = np.empty((3, out.size))
    for k in range(out.size):
        i, j = k // columns, k % columns
        sums[k] = power_u[i] + power_v[j] * rest_u[i]
        first[k] = power_u[i + 1] + power_v[j] * rest_u[i + 1]
        other[k] = power_u[i] + power_v[j + 1] * rest_u[i]
        tops[k] = power_u[i + 1] + power_v[j + 1] * rest_u[i + 1]
        fall_u[k], fall_v[k] = step_u[i] * rest_v[j] / sums[k], step_v[j] * rest_u[i] / sums[k]
        bend[k] = (step_u[i] / first[k]) * (step_v[j] / other[k])
    for k in range(out.size):
        s, p, q, top = sums[k], first[k], other[k], tops[k]
        ratio_u = expm1(inverse * log_less(p / s, fall_u[k]))
        ratio_v = expm1(inverse * log_less(q / s, fall_v[k]))
        rest = max((s / p) * (top / q), 1e-307)
        ratio = expm1(inverse * log_less(rest, bend[k]) if top > 0.0 else -FAR)
        share = -(1.0 + ratio_u) * (1.0 + ratio_v) * ratio - ratio_u * ratio_v
        out[k] = max(log(max(share, 1e-300)) + inverse * log(s), LOG_FLOOR)


@storable("Joe")
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
    batch: ClassVar[Batch | None] = Batch(
        coordinate=log_one_minus_u, density=_density, score=_score, strip=_strip, cells=_cells
    )

    def _log_s(self, x: Floats, y: Floats) -> Floats:
        large = self.theta * np.maximum(x, y)
        small = self.theta * np.minimum(x, y)
        return large + np.log1p(-np.exp(small - large) * np.expm1(large))

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        theta, log_s = self.theta, self._log_s(x, y)
        log_sum = np.log(theta - 1 + np.exp(log_s)) if theta > 1 else log_s
        return (1 / theta - 2) * log_s + (theta - 1) * (x + y) + log_sum

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return _log_hfunc(x, y, self.theta)

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        """Solve for log(-y), in which the conditional distribution is smooth and monotone."""
        from scipy.optimize.elementwise import find_root

        theta = np.asarray(self.theta)
        if np.all(theta == 1):
            return log1mexp(log_p) + np.zeros_like(x)
        x, log_p, theta = np.broadcast_arrays(x, log_p, theta)

        def excess(t: Floats, x: Floats, log_p: Floats, theta: Floats) -> Floats:
            return _log_hfunc(x, -np.exp(t), theta) - log_p

        # At t = -90 log h is below -60, at t = 6 it is zero to rounding.
        low, high = np.full(x.shape, -90.0), np.full(x.shape, 6.0)
        return -np.exp(find_root(excess, (low, high), args=(x, log_p, theta)).x)

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        return -np.expm1(self._log_s(np.log1p(-u), np.log1p(-v)) / self.theta)

    def _log_rectangle(
        self, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
    ) -> Floats:
        r"""Second difference of a power of S, from its ratios to the corner at both lower ends.

        .. math:: \frac{S_{11} S_{22}}{S_{12} S_{21}}
                  = 1 - \frac{(x_1 - x_2)(y_1 - y_2)}{S_{12} S_{21}}, \qquad
                  S_{11} - S_{21} = (x_1 - x_2)(1 - y_1)
        """
        theta = self.theta
        with np.errstate(divide="ignore", invalid="ignore"):
            x_low, x_high = np.log1p(-u_low), np.log1p(-u_high)
            y_low, y_high = np.log1p(-v_low), np.log1p(-v_high)
            last = np.where((u_high < 1) | (v_high < 1), self._log_s(x_high, y_high), -np.inf)
            lowest, first = self._log_s(x_low, y_low), self._log_s(x_low, y_high)
            other = self._log_s(x_high, y_low)
            log_p = theta * x_low + log1mexp(theta * (x_high - x_low))
            log_q = theta * y_low + log1mexp(theta * (y_high - y_low))
            less_v = rectangles.log_less(first - lowest, log_q + log1mexp(theta * x_low) - lowest)
            less_u = rectangles.log_less(other - lowest, log_p + log1mexp(theta * y_low) - lowest)
            bend = rectangles.log_less(
                (last - first) + (lowest - other), (log_p - first) + (log_q - other)
            )
            ratios = rectangles.Ratios(less_v / theta, less_u / theta, bend / theta)
            return lowest / theta + np.log(ratios.second_difference)

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


def _log_hfunc(x: Floats, y: Floats, theta: Any) -> Floats:
    growth = softplus(theta * (y - x) + log1mexp(theta * x))  # log(S / x)
    return log1mexp(theta * y) - (1 - 1 / theta) * growth
