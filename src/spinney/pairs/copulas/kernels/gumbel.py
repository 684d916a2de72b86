"""The Gumbel copula between levels; formulas as in :mod:`spinney.pairs.copulas.gumbel`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, exp, expm1, log, log_gap, log_less, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.rectangles import LOG_FLOOR


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
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
def cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    """Log-volumes of all cells between the thresholds."""
    # Ratios of corners as for Clayton. C = exp(-A) with A = s^(1/θ), and s, a sum of powers, rises
    # by p and q to the lower ends: differences of A follow from ratios to A at both lower ends, and
    # s (s + p + q) / ((s + p)(s + q)) = 1 - pq / ((s + p)(s + q)).
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
