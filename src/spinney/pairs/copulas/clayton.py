"""The Clayton copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney._core.storable import storable
from spinney.pairs.copulas import rectangles
from spinney.pairs.copulas._math import FAR, exp, expm1, log, log1p, log_gap, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import Batch, log_u
from spinney.pairs.copulas.rectangles import LOG_FLOOR, log_expm1, softplus


@kernel
def _density(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    constant, power = np.log1p(theta), 2.0 + 1.0 / theta
    for k in range(out.size):
        large, small = -theta * min(x[k], y[k]), -theta * max(x[k], y[k])
        log_s = large + log(1.0 + exp(small - large) - exp(-large))
        out[k] = constant - (1.0 + theta) * (x[k] + y[k]) - power * log_s


@kernel
def _score(x: Floats, y: Floats, theta: float, out: Floats) -> None:
    constant, power, square = 1.0 / (1.0 + theta), 2.0 + 1.0 / theta, 1.0 / (theta * theta)
    for k in range(out.size):
        low, high = min(x[k], y[k]), max(x[k], y[k])
        ratio = exp(theta * (low - high))
        scaled = 1.0 + ratio - exp(theta * low)  # S / u^-θ, u the smaller
        log_s = log(scaled) - theta * low
        # d log S / dθ = -(u^-θ log u + v^-θ log v) / S
        slope = -(low + ratio * high) / scaled
        out[k] = constant - (low + high) + square * log_s - power * slope


@kernel
def _strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    # log h = -(1 + 1/θ) softplus(θ log u + log(v^-θ - 1)); the ends are those of all levels.
    power, levels = 1.0 + 1.0 / theta, cuts.size + 1
    ends = np.empty(levels + 1)
    ends[0], ends[levels] = FAR, -FAR
    for j in range(levels - 1):
        ends[j + 1] = -theta * cuts[j] + np.log(-np.expm1(theta * cuts[j]))
    low, high = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, low, high)
    for k in range(out.size):
        at = theta * x[k]
        below = -power * fast_softplus(at + low[k])
        out[k] = log_gap(below, -power * fast_softplus(at + high[k]))


@kernel
def _powers(x: Floats, theta: float, over: Floats, rise: Floats) -> None:
    """u^-θ - 1 at the upper end of each level, and how far it rises to the lower end.

    At 0 it would be infinite; there the rise is set to 0, and `edge` makes the ratio vanish.
    """
    last = x.size
    for i in range(last + 1):
        high = x[i] if i < last else 0.0
        over[i] = np.expm1(min(-theta * high, 700.0))
        rise[i] = 0.0
        if i > 0:
            rise[i] = (1.0 + over[i]) * np.expm1(min(theta * (high - x[i - 1]), 700.0))


@kernel
def _cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    # The formula of Clayton._log_rectangle.
    inverse, rows, columns = 1.0 / theta, x.size + 1, y.size + 1
    over_u, rise_u = np.empty(rows), np.empty(rows)
    over_v, rise_v = np.empty(columns), np.empty(columns)
    _powers(x, theta, over_u, rise_u)
    _powers(y, theta, over_v, rise_v)
    sums, first, other, edge_u, edge_v = np.empty((5, out.size))
    for k in range(out.size):
        i, j = k // columns, k % columns
        sums[k] = 1.0 + over_u[i] + over_v[j]
        first[k], other[k] = rise_u[i], rise_v[j]
        edge_u[k], edge_v[k] = FAR if i == 0 else 0.0, FAR if j == 0 else 0.0
    for k in range(out.size):
        s, p, q = sums[k], first[k], other[k]
        fall_u = expm1(-inverse * log1p(p / s) - edge_u[k])
        fall_v = expm1(-inverse * log1p(q / (s + p)) - edge_v[k])
        cross = expm1(-inverse * log1p((p / s) * (q / (s + p + q))))
        share = fall_u * fall_v - (1.0 + fall_v) * cross
        out[k] = max(log(max(share, 1e-300)) - inverse * log(s), LOG_FLOOR)


@storable("Clayton")
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
        coordinate=log_u, density=_density, score=_score, strip=_strip, cells=_cells
    )

    def _log_s(self, x: Floats, y: Floats) -> Floats:
        """Log S, free of overflow and of cancellation."""
        large = -self.theta * np.minimum(x, y)
        small = -self.theta * np.maximum(x, y)
        return large + np.log1p(-np.exp(small - large) * np.expm1(-small))

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        theta = self.theta
        return np.log1p(theta) - (1 + theta) * (x + y) - (2 + 1 / theta) * self._log_s(x, y)

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        # u^{1+θ} S^{1+1/θ} is a power of 1 + u^θ (v^{-θ} - 1).
        theta = self.theta
        return -(1 + 1 / theta) * softplus(theta * x + log_expm1(-theta * y))

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        theta = self.theta
        return -softplus(log_expm1(-theta / (1 + theta) * log_p) - theta * x) / theta

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        return np.exp(-self._log_s(np.log(u), np.log(v)) / self.theta)

    def _log_rectangle(
        self, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
    ) -> Floats:
        r"""Ratios of corners, with S = s at the upper ends, p and q its rises to the lower ones.

        .. math:: \theta \log\frac{C_{22}}{C_{12}} = \log\Bigl(1 + \frac ps\Bigr), \quad
                  \theta \log\frac{C_{12}}{C_{11}} = \log\Bigl(1 + \frac q{s + p}\Bigr), \quad
                  \theta \log\frac{C_{11} C_{22}}{C_{12} C_{21}}
                  = \log\Bigl(1 + \frac{pq}{s (s + p + q)}\Bigr)
        """
        theta, edge_u, edge_v = self.theta, u_low <= 0, v_low <= 0
        x_high, y_high = np.log(u_high), np.log(v_high)
        x_low = np.log(np.where(edge_u, u_high, u_low))
        y_low = np.log(np.where(edge_v, v_high, v_low))
        log_p = log_expm1(theta * (x_high - x_low)) - theta * x_high
        log_q = log_expm1(theta * (y_high - y_low)) - theta * y_high
        log_s = self._log_s(x_high, y_high)
        step_u = softplus(log_p - log_s) / theta
        step_v = softplus(log_q - self._log_s(x_low, y_high)) / theta
        cross = softplus(log_p + log_q - log_s - self._log_s(x_low, y_low)) / theta
        return rectangles.from_ratios(
            -log_s / theta,
            np.where(edge_u, np.inf, step_u),
            np.where(edge_v, np.inf, step_v),
            cross,
        )

    @staticmethod
    def kendall(theta: Any) -> Any:
        r"""Kendall's tau, :math:`\theta / (\theta + 2)`."""
        return theta / (theta + 2)

    @staticmethod
    def tails(theta: Any) -> tuple[Any, Any]:
        r"""Lower tail dependence :math:`2^{-1/\theta}`, and none above."""
        return np.exp2(-1 / theta), 0.0
