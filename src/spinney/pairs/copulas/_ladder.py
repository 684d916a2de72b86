"""Five evenly spaced parameters, and the quartic through a log-likelihood at them, compiled.

Around its maximum a log-likelihood is nearly a parabola, on the scale of a standard error: the
quartic through five rungs that are most of one apart is exact for all practical purposes. Sums
over each fold at the rungs then serve the fit on all rows, the fits without each fold, and the
held-out log-likelihoods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel

__all__ = ["N_RUNGS", "highest_point", "quartic", "quartic_at"]

Floats = NDArray[np.float64]

N_RUNGS = 5


@kernel
def quartic(values: Floats) -> tuple[float, float, float, float, float]:
    """Coefficients, constant first, of the quartic with these values at -2, -1, 0, 1, 2."""
    a, b, c, d, e = values[0], values[1], values[2], values[3], values[4]
    return (
        c,
        (a - 8.0 * b + 8.0 * d - e) / 12.0,
        (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / 24.0,
        (-a + 2.0 * b - 2.0 * d + e) / 12.0,
        (a - 4.0 * b + 6.0 * c - 4.0 * d + e) / 24.0,
    )


@kernel
def quartic_at(values: Floats, t: float) -> float:
    """Value at t of the quartic through five values."""
    c0, c1, c2, c3, c4 = quartic(values)
    return c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))


@kernel
def highest_point(values: Floats, low: float, high: float) -> float:
    """Where in [low, high] the quartic through five values is highest, near the best of them.

    It begins at the highest rung, and stays within one rung of it: beyond, a quartic may turn up
    again where the function does not.
    """
    best = 0
    for k in range(1, values.size):
        if values[k] > values[best]:
            best = k
    _, c1, c2, c3, c4 = quartic(values)
    low, high = max(low, best - 3.0), min(high, best - 1.0)
    t = min(max(best - 2.0, low), high)
    for _ in range(30):
        slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
        bend = 2.0 * c2 + t * (6.0 * c3 + t * 12.0 * c4)
        if slope > 0.0:
            low = t
        else:
            high = t
        target = t - slope / bend if bend < 0.0 else (high if slope > 0.0 else low)
        target = min(max(target, low), high)
        if abs(target - t) < 1e-10:
            return target
        t = target
    return t
