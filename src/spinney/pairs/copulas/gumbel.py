"""The Gumbel copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney._core.storable import storable
from spinney.pairs.copulas import rectangles
from spinney.pairs.copulas._math import FAR, exp, expm1, log, log_gap, log_less, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import Batch, log_minus_log_u
from spinney.pairs.copulas.rectangles import LOG_FLOOR, log_expm1, softplus


@kernel
def _density(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    inverse, over = 1.0 / theta, theta - 1.0
    for k in range(out.size):
        distance = abs(x[k] - y[k])
        excess = inverse * log(1.0 + exp(-theta * distance))
        log_a = max(x[k], y[k]) + excess
        a = exp(log_a)
        out[k] = (
            exp(x[k]) + exp(y[k]) - a - over * (distance + 2.0 * excess) + log(a + over) - log_a
        )


@kernel
def _score(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    inverse, over = 1.0 / theta, theta - 1.0
    for k in range(out.size):
        distance = abs(x[k] - y[k])
        ratio = exp(-theta * distance)
        excess = inverse * log(1.0 + ratio)
        a = exp(max(x[k], y[k]) + excess)
        # d log A / dθ
        slope = -inverse * (excess + distance * ratio / (1.0 + ratio))
        out[k] = (
            (a * slope + 1.0) / (a + over)
            - distance
            - 2.0 * excess
            - (a + 2.0 * over + 1.0) * slope
        )


@kernel
def _strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    inverse, over, levels = 1.0 / theta, theta - 1.0, cuts.size + 1
    ends = np.empty(levels + 1)
    ends[0], ends[levels] = FAR, -FAR
    for j in range(levels - 1):
        ends[j + 1] = theta * cuts[j]
    low, high = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, low, high)
    for k in range(out.size):
        # The growth of _log_hfunc; none is near 600 but for v = 0.
        at, scale = theta * x[k], exp(x[k])
        lower = min(inverse * fast_softplus(low[k] - at), 600.0)
        upper = inverse * fast_softplus(high[k] - at)
        below = -scale * expm1(lower) - over * lower
        out[k] = log_gap(below, -scale * expm1(upper) - over * upper)


@kernel
def _powers(x: Floats, theta: float, power: Floats, rise: Floats) -> None:
    """(-log u)^θ at the upper end of each level, and how far it rises to the lower end.

    At 0 it would be infinite; there the rise is set to 0, and `edge` makes the ratio vanish.
    """
    last = x.size
    power[last], rise[0] = 0.0, 0.0
    for i in range(last):
        power[i] = np.exp(max(theta * x[i], -700.0))
        if i > 0:
            rise[i] = -power[i - 1] * np.expm1(theta * (x[i] - x[i - 1]))
    if last > 0:
        rise[last] = power[last - 1]


@kernel
def _cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    # The formula of Gumbel._log_rectangle.
    inverse, rows, columns = 1.0 / theta, x.size + 1, y.size + 1
    power_u, rise_u = np.empty(rows), np.empty(rows)
    power_v, rise_v = np.empty(columns), np.empty(columns)
    _powers(x, theta, power_u, rise_u)
    _powers(y, theta, power_v, rise_v)
    sums, first, other, edge_u, edge_v = np.empty((5, out.size))
    for k in range(out.size):
        i, j = k // columns, k % columns
        sums[k] = power_u[i] + power_v[j]
        first[k], other[k] = rise_u[i], rise_v[j]
        edge_u[k], edge_v[k] = FAR if i == 0 else 0.0, FAR if j == 0 else 0.0
    for k in range(out.size):
        s, p, q = sums[k], first[k], other[k]
        all_of = s + p + q
        with_p, with_q = s + p, s + q
        ratio_q = expm1(inverse * log_less(with_p / all_of, q / all_of))
        ratio_p = expm1(inverse * log_less(with_q / all_of, p / all_of))
        rest = max((s / with_p) * (all_of / with_q), 1e-307)
        bend = log_less(rest, (p / with_p) * (q / with_q)) if s > 0.0 else -FAR
        ratio = expm1(inverse * bend)
        depth = exp(inverse * log(all_of))
        cross = depth * ((1.0 + ratio_q) * (1.0 + ratio_p) * ratio + ratio_q * ratio_p)
        step_u = depth * (1.0 + ratio_q) * (ratio_p + (1.0 + ratio_p) * ratio)
        fall_u = expm1(step_u - edge_u[k])
        fall_v = expm1(depth * ratio_q - edge_v[k])
        share = fall_u * fall_v - (1.0 + fall_v) * expm1(min(cross, 0.0))
        top = depth * (1.0 + ratio_q) * (1.0 + ratio_p) * (1.0 + ratio)
        out[k] = max(log(max(share, 1e-300)) - top, LOG_FLOOR)


@storable("Gumbel")
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
        coordinate=log_minus_log_u, density=_density, score=_score, strip=_strip, cells=_cells
    )

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        theta = self.theta
        distance = np.abs(x - y)
        excess = np.log1p(np.exp(-theta * distance)) / theta
        log_a = np.maximum(x, y) + excess
        a = np.exp(log_a)
        return (
            np.exp(x)
            + np.exp(y)
            - a
            - (theta - 1) * (distance + 2 * excess)
            + np.log(a + (theta - 1))
            - log_a
        )

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

    def _log_rectangle(
        self, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
    ) -> Floats:
        r"""Ratios of corners; logarithms of C are minus powers of s = x^θ + y^θ.

        With p and q the rises of s from the upper ends, where it is s, to the lower ones,
        differences of :math:`A = s^{1/\theta}` follow from its ratios to the corner at both lower
        ends, and :math:`s (s + p + q) / ((s + p)(s + q)) = 1 - pq / ((s + p)(s + q))`.
        """
        theta, edge_u, edge_v = self.theta, u_low <= 0, v_low <= 0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios, log_depth = rectangles.sum_ratios(
                theta * np.log(-np.log(np.where(edge_u, u_high, u_low))),
                theta * np.log(-np.log(u_high)),
                theta * np.log(-np.log(np.where(edge_v, v_high, v_low))),
                theta * np.log(-np.log(v_high)),
                1 / theta,
            )
        first, bent = log_depth + ratios.first, ratios.other + ratios.bend
        return rectangles.from_ratios(
            -np.exp(first + bent),
            np.where(edge_u, np.inf, -np.exp(first) * np.expm1(bent)),
            np.where(edge_v, np.inf, -np.exp(log_depth) * np.expm1(ratios.first)),
            np.exp(log_depth) * ratios.second_difference,
        )

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`1 - 1/\theta`."""
        return 1 - 1 / theta

    @staticmethod
    def tails(theta: Any) -> tuple[Any, Any]:
        r"""Upper tail dependence :math:`2 - 2^{1/\theta}`, and none below."""
        return 0.0, 2 - np.exp2(1 / theta)
