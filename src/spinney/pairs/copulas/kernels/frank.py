"""The Frank copula between levels; formulas as in :mod:`spinney.pairs.copulas.frank`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, log, log1p, look_up
from spinney.pairs.copulas._math import softplus as fast_softplus
from spinney.pairs.copulas.rectangles import LOG_FLOOR


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
    # h is logistic: log h / (1 - h) = l(v) - θu. So a difference of two has the logarithm
    # log(1 - e^(l1 - l2)) - softplus(θu - l2) - softplus(l1 - θu), whose first term has no u.
    levels = cuts.size + 1
    ends, gaps = np.empty(levels + 1), np.zeros(levels)
    ends[0], ends[levels] = -FAR, FAR
    for j in range(levels - 1):
        below, above = np.expm1(-theta * cuts[j]), np.expm1(theta * (cuts[j] - 1.0))
        ends[j + 1] = theta * cuts[j] + np.log(below / above)
        if j > 0:
            gaps[j] = np.log(max(-np.expm1(ends[j] - ends[j + 1]), 1e-300))
    low, high = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, low, high)
    for k in range(out.size):
        out[k] = gaps[codes[k]]
    for k in range(out.size):
        at = theta * x[k]
        out[k] -= fast_softplus(at - high[k]) + fast_softplus(low[k] - at)


@kernel
def _ends(u: Floats, theta: float, here: Floats, below: Floats, above: Floats) -> None:
    """e^-θu at the upper end of each level, less e^-θ, and their distances from 1."""
    last, rise = u.size, -np.expm1(-theta)
    here[last], below[last], above[last] = np.exp(-theta), rise, 0.0
    for i in range(last):
        here[i], below[i] = np.exp(-theta * u[i]), -np.expm1(-theta * u[i])
        above[i] = -here[i] * np.expm1(theta * (u[i] - 1.0))


@kernel
def cells(
    a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float, out: Floats
) -> None:
    """Log-volumes of all cells between the thresholds."""
    # V = log(D12 D21 / (D11 D22)) / θ with D(u, v) = (e^-θu - e^-θ) + e^-θv (1 - e^-θu), and
    # D11 D22 / (D12 D21) is 1 less (1 - e^-θ)(e^-θu1 - e^-θu2)(e^-θv1 - e^-θv2) / (D12 D21).
    rows, columns, rise = a.size + 1, b.size + 1, -np.expm1(-theta)
    here_u, below_u, above_u = np.empty((3, rows))
    here_v, below_v, above_v = np.empty((3, columns))
    _ends(a, theta, here_u, below_u, above_u)
    _ends(b, theta, here_v, below_v, above_v)
    steps, across, along = np.empty((3, out.size))
    for k in range(out.size):
        i, j = k // columns, k % columns
        # e^-θu from the lower to the upper end: at the lower end 1, and D the whole rise
        step_u, step_v, d_low, d_up, d_left = below_u[i], below_v[j], rise, rise, rise
        if i > 0:
            step_u = -here_u[i - 1] * np.expm1(theta * (a[i - 1] - (a[i] if i < rows - 1 else 1.0)))
            d_up = above_u[i - 1] + here_v[j] * below_u[i - 1]
        if j > 0:
            step_v = -here_v[j - 1] * np.expm1(
                theta * (b[j - 1] - (b[j] if j < columns - 1 else 1.0))
            )
            d_left = above_u[i] + here_v[j - 1] * below_u[i]
        if i > 0 and j > 0:
            d_low = above_u[i - 1] + here_v[j - 1] * below_u[i - 1]
        steps[k] = step_u * step_v * rise / (d_up * d_left)
        across[k], along[k] = d_up * d_left, d_low * (above_u[i] + here_v[j] * below_u[i])
    for k in range(out.size):
        small, large = -log1p(-min(steps[k], 0.5)), log(across[k] / along[k])
        volume = (small if steps[k] < 0.5 else large) / theta
        out[k] = max(log(max(volume, 1e-300)), LOG_FLOOR)
