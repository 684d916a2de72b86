"""The Clayton copula between levels; formulas as in :mod:`spinney.pairs.copulas.clayton`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, expm1, log, log1p, log_gap, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.rectangles import LOG_FLOOR


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
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
def cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    """Log-volumes of all cells between the thresholds."""
    # S = u^-θ + v^-θ - 1 is s at the upper ends and rises by p and q to the lower ones, so that
    # the ratios of C = S^(-1/θ) between corners are powers of 1 + p/s, 1 + q/(s + p) and, across,
    # 1 + pq / (s (s + p + q)). In these ratios
    # V = C22 [(1 - C12/C22) (1 - C11/C12) + C11/C12 (1 - C12 C21/(C11 C22))]
    # is a sum of positive terms: nothing cancels.
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
