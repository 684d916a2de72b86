"""Compiled log-densities and scores, for one pair and a range of samples at a time.

The formulas are those of the family classes, which are the reference; here they are arranged for
vector code: no branch inside a loop, `exp` and `log` that inline, one result per sample written
to a work array. Ranges are cut out before a loop, not counted through: an index that might be
negative costs numba a test per sample, and the loop its vector code. A score is the derivative
of the log-density by the parameter. Coordinates come from :mod:`spinney.copulas.coordinates`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel, reduction
from spinney.copulas._math import exp, log
from spinney.copulas.coordinates import Coordinates

__all__ = [
    "CLAYTON",
    "FRANK",
    "GAUSSIAN",
    "GUMBEL",
    "INDEPENDENCE",
    "JOE",
    "STUDENT",
    "gaussian_density",
    "scalar_density",
    "scalar_score",
    "student_density",
    "student_score",
    "total",
    "total_squares",
]

Floats = NDArray[np.float64]

# Codes of the families inside kernels.
INDEPENDENCE, GAUSSIAN, STUDENT, CLAYTON, GUMBEL, FRANK, JOE = range(7)


@reduction
def total(values: Floats, start: int, stop: int) -> float:
    """Sum of a range."""
    part = values[start:stop]
    result = 0.0
    for k in range(part.size):
        result += part[k]
    return result


@reduction
def total_squares(values: Floats, start: int, stop: int) -> float:
    """Sum of squares of a range."""
    part = values[start:stop]
    result = 0.0
    for k in range(part.size):
        result += part[k] * part[k]
    return result


@kernel
def scalar_score(
    family: int, x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats
) -> None:
    """Scores of a family with one parameter, for the samples `start` to `stop`."""
    if family == CLAYTON:
        _clayton_score(x, y, theta, start, stop, out)
    elif family == GUMBEL:
        _gumbel_score(x, y, theta, start, stop, out)
    elif family == FRANK:
        _frank_score(x, y, theta, start, stop, out)
    else:
        _joe_score(x, y, theta, start, stop, out)


@kernel
def scalar_density(
    family: int, x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats
) -> None:
    """Log-densities of a family with one parameter, for the samples `start` to `stop`."""
    if family == CLAYTON:
        _clayton_density(x, y, theta, start, stop, out)
    elif family == GUMBEL:
        _gumbel_density(x, y, theta, start, stop, out)
    elif family == FRANK:
        _frank_density(x, y, theta, start, stop, out)
    else:
        _joe_density(x, y, theta, start, stop, out)


@kernel
def _clayton_density(
    x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats
) -> None:
    constant, power = np.log1p(theta), 2.0 + 1.0 / theta
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        large, small = -theta * min(x[k], y[k]), -theta * max(x[k], y[k])
        log_s = large + log(1.0 + exp(small - large) - exp(-large))
        out[k] = constant - (1.0 + theta) * (x[k] + y[k]) - power * log_s


@kernel
def _clayton_score(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    constant, power, square = 1.0 / (1.0 + theta), 2.0 + 1.0 / theta, 1.0 / (theta * theta)
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        low, high = min(x[k], y[k]), max(x[k], y[k])
        ratio = exp(theta * (low - high))
        scaled = 1.0 + ratio - exp(theta * low)  # S / u^-θ, u the smaller
        log_s = log(scaled) - theta * low
        # d log S / dθ = -(u^-θ log u + v^-θ log v) / S
        slope = -(low + ratio * high) / scaled
        out[k] = constant - (low + high) + square * log_s - power * slope


@kernel
def _gumbel_density(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    inverse, over = 1.0 / theta, theta - 1.0
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        distance = abs(x[k] - y[k])
        excess = inverse * log(1.0 + exp(-theta * distance))
        log_a = max(x[k], y[k]) + excess
        a = exp(log_a)
        out[k] = (
            exp(x[k]) + exp(y[k]) - a - over * (distance + 2.0 * excess) + log(a + over) - log_a
        )


@kernel
def _gumbel_score(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    inverse, over = 1.0 / theta, theta - 1.0
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
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
def _frank_density(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    decay = np.exp(-theta)
    constant = np.log(-theta * np.expm1(-theta))
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        low = min(x[k], y[k])
        distance = abs(x[k] - y[k])
        at_low, ratio = exp(-theta * low), exp(-theta * distance)
        e = 1.0 - decay / at_low + ratio - ratio * at_low
        out[k] = constant - theta * distance - 2.0 * log(e)


@kernel
def _frank_score(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    decay = np.exp(-theta)
    constant = 1.0 / theta + 1.0 / np.expm1(theta)
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        low = min(x[k], y[k])
        distance = abs(x[k] - y[k])
        at_low, ratio = exp(-theta * low), exp(-theta * distance)
        top, both = decay / at_low, ratio * at_low
        e = 1.0 - top + ratio - both
        slope = (1.0 - low) * top - distance * ratio + (low + distance) * both
        out[k] = constant - distance - 2.0 * slope / e


@kernel
def _joe_density(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    power, over = 1.0 / theta - 2.0, theta - 1.0
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        low, high = min(x[k], y[k]), max(x[k], y[k])
        scaled = 1.0 + exp(theta * (low - high)) - exp(theta * low)
        log_s = theta * high + log(scaled)
        out[k] = power * log_s + over * (low + high) + log(over + exp(log_s))


@kernel
def _joe_score(x: Floats, y: Floats, theta: float, start: int, stop: int, out: Floats) -> None:
    power, over, square = 1.0 / theta - 2.0, theta - 1.0, 1.0 / (theta * theta)
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
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
def gaussian_density(x: Floats, y: Floats, rho: float, start: int, stop: int, out: Floats) -> None:
    """Log-densities of the Gaussian copula; x and y are normal scores."""
    free = (1.0 - rho) * (1.0 + rho)
    constant = -0.5 * np.log(free)
    squares, products = -0.5 * rho * rho / free, rho / free
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        out[k] = constant + squares * (x[k] * x[k] + y[k] * y[k]) + products * x[k] * y[k]


@kernel
def student_density(
    where: Coordinates,
    position: int,
    i: int,
    j: int,
    rho: float,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Log-densities of the t copula with the degrees of freedom at `position` of the grid."""
    x, y = where.student[position, i, start:stop], where.student[position, j, start:stop]
    log_x = where.student_log[position, i, start:stop]
    log_y = where.student_log[position, j, start:stop]
    out = out[start:stop]
    df = where.df[position]
    free = (1.0 - rho) * (1.0 + rho)
    base = where.df_constant[position] - 0.5 * np.log(free)
    scale = 1.0 / (df * free)
    joint, single = 0.5 * (df + 2.0), 0.5 * (df + 1.0)
    for k in range(out.size):
        q = (x[k] - y[k]) * (x[k] - y[k]) + 2.0 * (1.0 - rho) * x[k] * y[k]
        out[k] = base - joint * log(1.0 + q * scale) + single * (log_x[k] + log_y[k])


@kernel
def student_score(
    x: Floats, y: Floats, rho: float, df: float, start: int, stop: int, out: Floats
) -> None:
    """Scores of the t copula in rho, at fixed degrees of freedom."""
    free = (1.0 - rho) * (1.0 + rho)
    inverse = 1.0 / free
    x, y, out = x[start:stop], y[start:stop], out[start:stop]
    for k in range(out.size):
        product = x[k] * y[k]
        q = (x[k] - y[k]) * (x[k] - y[k]) + 2.0 * (1.0 - rho) * product
        pull = (rho * q - free * product) / (df * free + q)
        out[k] = (rho - (df + 2.0) * pull) * inverse
