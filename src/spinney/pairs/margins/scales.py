r"""Monotone maps on which a column is easier to describe.

Each scale is a bijection y = g(x) of the support onto the whole line, with its inverse and
:math:`\log g'(x)`, so that a density on y becomes one on x that integrates to 1:
:math:`f(x) = f_Y(g(x))\, g'(x)`.

Columns may be measured in any unit, so a column is first divided by a power of two (exactly) to
bring its largest value near 1; nothing then overflows or underflows in between.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log

import numpy as np
import scipy

from spinney._core.arrays import Floats
from spinney._core.storable import storable

_LARGEST = float(np.finfo(float).max)
_SMALLEST = float(np.finfo(float).tiny)
_LOG2 = log(2.0)
_NORMAL_RANGES = (1.349, 2.563, 3.290)  # between these quantiles of a standard normal
_LEAST_SPREAD = 1e-100  # relative to the largest value: squares on the linear scale stay finite


def robust_spread(x: Floats) -> float:
    """Return min(standard deviation, interquartile range / 1.349), as Silverman advises.

    Where ties leave no interquartile range, wider ranges take its place. A single outlier thus
    does not decide on the spread unless nothing else varies.
    """
    deviation = float(np.std(x))
    quantiles = np.quantile(x, [0.25, 0.75, 0.1, 0.9, 0.05, 0.95])
    for low, high, normal in zip(quantiles[::2], quantiles[1::2], _NORMAL_RANGES, strict=True):
        if high > low:
            return min(deviation, float(high - low) / normal)
    return deviation


class Scale(ABC):
    """A bijection of the support of a column onto the line."""

    name: str
    n_tuned: int
    """Numbers that were chosen to suit the column and that shape the map."""

    @abstractmethod
    def forward(self, x: Floats) -> Floats:
        """Map x to y."""

    @abstractmethod
    def inverse(self, y: Floats) -> Floats:
        """Map y back to x; the result is finite."""

    @abstractmethod
    def log_slope(self, x: Floats) -> Floats:
        """Return log dy/dx."""


@storable("Linear")
@dataclass(frozen=True)
class Linear(Scale):
    """y = (x / 2^exponent - location) / spread."""

    exponent: int
    location: float
    spread: float
    name = "linear"
    n_tuned = 0

    @classmethod
    def fit(cls, x: Floats) -> Linear:
        """Centre on the median and divide by a robust spread."""
        exponent = int(np.frexp(np.abs(x).max())[1])
        unit = np.ldexp(x, -exponent)
        spread = max(robust_spread(unit), _LEAST_SPREAD)
        return cls(exponent, float(np.median(unit)), spread)

    @classmethod
    def unit(cls, x: Floats) -> Linear:
        """Divide by a power of two only, which leaves the sign and the zero where they are."""
        return cls(int(np.frexp(np.abs(x).max())[1]), 0.0, 1.0)

    def forward(self, x: Floats) -> Floats:
        """Map x to y."""
        with np.errstate(over="ignore"):  # far outside: an infinite y is the right answer
            return (np.ldexp(x, -self.exponent) - self.location) / self.spread

    def inverse(self, y: Floats) -> Floats:
        """Map y back to x."""
        with np.errstate(over="ignore"):
            x = np.ldexp(self.location + self.spread * y, self.exponent)
        return np.clip(x, -_LARGEST, _LARGEST)

    def log_slope(self, x: Floats) -> Floats:
        """Return log dy/dx."""
        return np.full(x.shape, -self.exponent * _LOG2 - log(self.spread))


@storable("Asinh")
@dataclass(frozen=True)
class Asinh(Scale):
    """y = asinh(z) of the linear scale z: for heavy tails on both sides."""

    linear: Linear
    name = "asinh"
    n_tuned = 2

    def forward(self, x: Floats) -> Floats:
        """Map x to y."""
        return np.arcsinh(self.linear.forward(x))

    def inverse(self, y: Floats) -> Floats:
        """Map y back to x."""
        with np.errstate(over="ignore"):
            return self.linear.inverse(np.sinh(y))

    def log_slope(self, x: Floats) -> Floats:
        """Return log dy/dx."""
        z = self.linear.forward(x)
        return self.linear.log_slope(x) - np.log(np.hypot(1.0, z))


@storable("YeoJohnson")
@dataclass(frozen=True)
class YeoJohnson(Scale):
    """The power transform of Yeo and Johnson (2000) of the linear scale: for skew of either sign.

    The power is kept in [0, 2]: outside it the image is not the whole line, and a density on it
    would lose mass.
    """

    linear: Linear
    power: float
    name = "Yeo-Johnson"
    n_tuned = 3

    @classmethod
    def fit(cls, linear: Linear, points: Floats, counts: Floats) -> YeoJohnson:
        """Choose the power by the normal likelihood of the transformed points."""
        z = linear.forward(points)
        slope = np.average(np.sign(z) * np.log1p(np.abs(z)), weights=counts)

        def loss(power: float) -> float:
            y = _yeo_johnson(z, power)
            centred = y - np.average(y, weights=counts)
            variance = float(np.average(centred**2, weights=counts))
            return 0.5 * log(max(variance, _SMALLEST)) - (power - 1.0) * float(slope)

        found = scipy.optimize.minimize_scalar(
            loss, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-3}
        )
        return cls(linear, float(found.x))

    def forward(self, x: Floats) -> Floats:
        """Map x to y."""
        return _yeo_johnson(self.linear.forward(x), self.power)

    def inverse(self, y: Floats) -> Floats:
        """Map y back to x."""
        with np.errstate(over="ignore"):
            positive = _inverse_power(np.maximum(y, 0.0), self.power)
            negative = _inverse_power(np.maximum(-y, 0.0), 2.0 - self.power)
            return self.linear.inverse(np.where(y >= 0.0, positive, -negative))

    def log_slope(self, x: Floats) -> Floats:
        """Return log dy/dx."""
        z = self.linear.forward(x)
        log_slope = (self.power - 1.0) * np.sign(z) * np.log1p(np.abs(z))
        return self.linear.log_slope(x) + log_slope


@storable("Log")
@dataclass(frozen=True)
class Log(Scale):
    """y = (log x - location) / spread: for columns of positive numbers."""

    location: float
    spread: float
    name = "log"
    n_tuned = 0

    @classmethod
    def fit(cls, x: Floats) -> Log:
        """Centre the logarithms on their median and divide by their robust spread."""
        logs = np.log(x)
        return cls(float(np.median(logs)), robust_spread(logs))

    def forward(self, x: Floats) -> Floats:
        """Map x to y."""
        with np.errstate(divide="ignore"):
            return (np.log(np.maximum(x, 0.0)) - self.location) / self.spread

    def inverse(self, y: Floats) -> Floats:
        """Map y back to x."""
        with np.errstate(over="ignore", under="ignore"):
            return np.clip(np.exp(self.location + self.spread * y), _SMALLEST, _LARGEST)

    def log_slope(self, x: Floats) -> Floats:
        """Return log dy/dx."""
        with np.errstate(divide="ignore"):
            return -np.log(np.maximum(x, 0.0)) - log(self.spread)


def _yeo_johnson(z: Floats, power: float) -> Floats:
    positive = _power(np.log1p(np.maximum(z, 0.0)), power)
    negative = _power(np.log1p(np.maximum(-z, 0.0)), 2.0 - power)
    return np.where(z >= 0.0, positive, -negative)


def _power(logs: Floats, power: float) -> Floats:
    """(exp(logs)^power - 1) / power, and its limit at power 0."""
    with np.errstate(over="ignore"):  # far outside: an infinite y is the right answer
        return np.expm1(power * logs) / power if power > 1e-15 else logs


def _inverse_power(y: Floats, power: float) -> Floats:
    return np.expm1(np.log1p(power * y) / power if power > 1e-15 else y)
