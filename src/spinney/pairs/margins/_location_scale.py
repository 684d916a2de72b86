r"""Maximum likelihood for location-scale families that reweighted means solve.

Both the logistic and the Student t log-density are convex in the squared residual, so
:math:`w = -2\, d\log f / d r^2` gives a majorise-minimise step that never lowers the likelihood
[1]_. For Student t the spread uses the faster, parameter-expanded step [2]_.

References
----------
.. [1] D. R. Hunter and K. Lange (2004). A tutorial on MM algorithms. American Statistician 58.
.. [2] C. Liu, D. B. Rubin and Y. N. Wu (1998). Parameter expansion to accelerate EM. Biometrika 85.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, pi, sqrt, tanh

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel

__all__ = ["MAX_DF", "MIN_DF", "fit_logistic", "fit_student"]

Array = NDArray[np.float64]

MIN_DF = 1.0
MAX_DF = 100.0
"""Beyond it a Student t cannot be told from a normal distribution in any table."""


@kernel
def fit_logistic(z: Array, counts: Array) -> tuple[float, float]:
    """Location and scale of a logistic distribution; z is centred with spread about 1."""
    n = counts.sum()
    location = 0.0
    scale = 0.55
    for _ in range(500):
        weight_sum = 0.0
        weighted = 0.0
        for k in range(len(z)):
            r = (z[k] - location) / scale
            w = counts[k] * (tanh(0.5 * r) / r if abs(r) > 1e-8 else 0.5)
            weight_sum += w
            weighted += w * z[k]
        new_location = weighted / weight_sum
        squares = 0.0
        for k in range(len(z)):
            r = (z[k] - location) / scale
            w = counts[k] * (tanh(0.5 * r) / r if abs(r) > 1e-8 else 0.5)
            squares += w * (z[k] - new_location) ** 2
        new_scale = sqrt(squares / n)
        moved = abs(new_location - location) + abs(new_scale - scale)
        location = new_location
        scale = new_scale
        if moved <= 1e-9 * scale:
            break
    return location, scale


@kernel
def _student_step(
    z: Array, counts: Array, df: float, location: float, scale: float
) -> tuple[float, float]:
    weight_sum = 0.0
    weighted = 0.0
    for k in range(len(z)):
        r = (z[k] - location) / scale
        w = counts[k] * (df + 1.0) / (df + r * r)
        weight_sum += w
        weighted += w * z[k]
    new_location = weighted / weight_sum
    squares = 0.0
    for k in range(len(z)):
        r = (z[k] - location) / scale
        w = counts[k] * (df + 1.0) / (df + r * r)
        squares += w * (z[k] - new_location) ** 2
    # Values that all but coincide drive the scale to zero; above this floor r^2 stays finite.
    return new_location, max(sqrt(squares / weight_sum), 1e-50)


@kernel
def _student_profile(
    z: Array, counts: Array, df: float, location: float, scale: float, tolerance: float
) -> tuple[float, float, float]:
    """Best log-likelihood for fixed degrees of freedom, with its location and scale."""
    for _ in range(500):
        new_location, new_scale = _student_step(z, counts, df, location, scale)
        moved = abs(new_location - location) + abs(new_scale - scale)
        location = new_location
        scale = new_scale
        if moved <= tolerance * scale:
            break
    total = 0.0
    for k in range(len(z)):
        r = (z[k] - location) / scale
        total -= counts[k] * 0.5 * (df + 1.0) * log1p(r * r / df)
    constant = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log(df * pi) - log(scale)
    return total + counts.sum() * constant, location, scale


@kernel
def fit_student(z: Array, counts: Array) -> tuple[float, float, float]:
    """Degrees of freedom, location and scale; z is centred with spread about 1.

    Golden-section search over log df in [log 1, log 100] of the profile likelihood.
    """
    golden = 0.5 * (sqrt(5.0) - 1.0)
    low = log(MIN_DF)
    high = log(MAX_DF)
    location = 0.0
    scale = 1.0
    left = high - golden * (high - low)
    right = low + golden * (high - low)
    f_left, location, scale = _student_profile(z, counts, exp(left), location, scale, 1e-6)
    f_right, location, scale = _student_profile(z, counts, exp(right), location, scale, 1e-6)
    while high - low > 1e-3:
        if f_left >= f_right:
            high, right, f_right = right, left, f_left
            left = high - golden * (high - low)
            f_left, location, scale = _student_profile(z, counts, exp(left), location, scale, 1e-6)
        else:
            low, left, f_left = left, right, f_right
            right = low + golden * (high - low)
            f_right, location, scale = _student_profile(
                z, counts, exp(right), location, scale, 1e-6
            )
    df = exp(0.5 * (low + high))
    _, location, scale = _student_profile(z, counts, df, location, scale, 1e-9)
    return df, location, scale
