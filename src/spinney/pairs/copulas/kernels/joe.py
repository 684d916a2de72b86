"""The Joe copula between levels; formulas as in :mod:`spinney.pairs.copulas.joe`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, expm1, log, log_gap, log_less, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.rectangles import LOG_FLOOR


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
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
def cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    """Log-volumes of all cells between the thresholds."""
    # The second difference of a power of S = x + y - xy, x = (1 - u)^θ, from its ratios to the
    # corner at both lower ends: S11 - S21 = (x1 - x2)(1 - y1), and
    # S11 S22 / (S12 S21) = 1 - (x1 - x2)(y1 - y2) / (S12 S21).
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
