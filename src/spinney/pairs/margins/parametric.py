r"""Parametric families for one column, fitted by maximum likelihood, evaluated by scipy.stats.

Logistic and Student t: both log-densities are convex in the squared residual, so
:math:`w = -2\, d\log f / d r^2` gives a majorise-minimise step that never lowers the likelihood
[1]_. For Student t the spread uses the faster, parameter-expanded step [2]_.

References
----------
.. [1] D. R. Hunter and K. Lange (2004). A tutorial on MM algorithms. American Statistician 58.
.. [2] C. Liu, D. B. Rubin and Y. N. Wu (1998). Parameter expansion to accelerate EM. Biometrika 85.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, lgamma, log, log1p, pi, sqrt, tanh
from typing import Any

import numpy as np
import scipy
from scipy import special

from spinney._core.arrays import Floats
from spinney._core.compile import kernel
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins.scales import Linear, Log, Scale

FAMILIES = ("normal", "logistic", "Student t", "Gumbel right", "Gumbel left", "lognormal", "gamma")
"""Candidates; the last two for columns of positive numbers only."""

_SCIPY_NAMES = ("norm", "logistic", "t", "gumbel_r", "gumbel_l", "gamma")

MIN_ROWS_GUMBEL = 30
"""With fewer rows the direction of skew is uncertain, and a wrong guess is costly: the thin tail
of a Gumbel distribution falls like exp(-exp(z))."""

_SMALLEST = float(np.finfo(float).tiny)


@storable("ScipyDistribution")
@dataclass(frozen=True)
class ScipyDistribution:
    """A distribution of scipy.stats by name: lighter than a frozen one, and comparable."""

    name: str
    shapes: tuple[float, ...]
    location: float
    scale: float

    def __post_init__(self) -> None:
        if self.name not in _SCIPY_NAMES:  # it is looked up in scipy.stats, and may be from a file
            raise InputError(f"{self.name!r} is not a distribution that a column is described by.")

    def _call(self, method: str, argument: Floats) -> Floats:
        function: Any = getattr(getattr(scipy.stats, self.name), method)
        with np.errstate(all="ignore"):  # -inf far outside is meant
            value = function(argument, *self.shapes, loc=self.location, scale=self.scale)
        return np.asarray(value, dtype=float)

    def logpdf(self, y: Floats) -> Floats:
        """Log-density; -inf where its own terms overflow."""
        return np.nan_to_num(self._call("logpdf", y), nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    def cdf(self, y: Floats) -> Floats:
        """Distribution function."""
        return self._call("cdf", y)

    def ppf(self, u: Floats) -> Floats:
        """Quantiles; those of gamma stay positive even where they underflow."""
        quantiles = self._call("ppf", u)
        return np.maximum(quantiles, _SMALLEST) if self.name == "gamma" else quantiles


@dataclass(frozen=True)
class ParametricFit:
    """One fitted family.

    Attributes
    ----------
    family : str
        One of `FAMILIES`.
    scale : Scale
        The scale on which `distribution` describes the column.
    distribution : ScipyDistribution
        The fitted distribution on that scale.
    parameters : dict
        Parameters in the units of the column.
    """

    family: str
    scale: Scale
    distribution: ScipyDistribution
    parameters: dict[str, float]


def condense(x: Floats, max_points: int = 4096) -> tuple[Floats, Floats]:
    """Summarise a long ascending column by weighted points, so that fitting it stays cheap.

    An eighth of the points at either end, where likelihoods are made, are single values; between
    them, equal shares of neighbours are replaced by their mean.
    """
    n = len(x)
    if n <= max_points:
        return x, np.ones(n)
    ends = max_points // 8
    middle = np.linspace(ends, n - ends, max_points - 2 * ends + 1).round().astype(np.intp)
    starts = np.concatenate([np.arange(ends), middle[:-1], np.arange(n - ends, n)])
    counts = np.diff(np.append(starts, n)).astype(float)
    # Halves of the largest floats would overflow when added: scale before the sum.
    points = np.add.reduceat(x / counts.max(), starts) / counts * counts.max()
    return points, counts


def fit_families(x: Floats, linear: Linear) -> Iterator[ParametricFit]:
    """Fit every family that can hold the column.

    Parameters
    ----------
    x : array of shape (n,)
        The column, ascending, not constant.
    linear : Linear
        Its linear scale.
    """
    z = linear.forward(x)
    points, counts = condense(z)
    yield _location_scale("normal", "norm", linear, (), float(z.mean()), float(z.std()))
    location, scale = fit_logistic(points, counts)
    yield _location_scale("logistic", "logistic", linear, (), location, scale)
    if _largest_tie(x) < 0.5:  # else the likelihood of Student t has no maximum
        df, location, scale = fit_student(points, counts)
        yield _location_scale("Student t", "t", linear, (df,), location, scale)
    if len(x) >= MIN_ROWS_GUMBEL:
        location, scale = _fit_gumbel(points, counts)
        yield _location_scale("Gumbel right", "gumbel_r", linear, (), location, scale)
        location, scale = _fit_gumbel(-points[::-1], counts[::-1])
        yield _location_scale("Gumbel left", "gumbel_l", linear, (), -location, scale)
    if x[0] > 0.0:
        yield from _fit_positive(x)


def _location_scale(
    family: str, name: str, linear: Linear, shapes: tuple[float, ...], location: float, scale: float
) -> ParametricFit:
    spread = np.ldexp(linear.spread, linear.exponent)
    parameters = {
        "location": float(linear.inverse(np.array([location]))[0]),
        "scale": float(scale * spread),
    }
    if shapes:
        parameters["df"] = shapes[0]
    return ParametricFit(
        family, linear, ScipyDistribution(name, shapes, location, scale), parameters
    )


def _fit_gumbel(z: Floats, counts: Floats) -> tuple[float, float]:
    """Maximum likelihood of the right-skewed Gumbel distribution (Johnson, Kotz 1995, ch. 22).

    The scale b solves b = mean(z) - sum(z e^{-z/b}) / sum(e^{-z/b}), whose right side falls in b,
    so the root is the only one and lies below mean(z) - min(z).
    """
    mean = float(np.average(z, weights=counts))
    shifted = z - z[0]
    top = mean - float(z[0])

    def excess(b: float) -> float:
        weights = counts * np.exp(-shifted / b)
        return b - top + float(weights @ shifted / weights.sum())

    scale = float(scipy.optimize.brentq(excess, 1e-9 * top, top, xtol=1e-12 * top, rtol=1e-10))
    share = float(counts @ np.exp(-shifted / scale) / counts.sum())
    return float(z[0]) - scale * log(share), scale


def _fit_positive(x: Floats) -> Iterator[ParametricFit]:
    logs = np.log(x)
    mean, deviation = float(logs.mean()), float(logs.std())
    if deviation > 0.0:
        yield ParametricFit(
            "lognormal",
            Log(0.0, 1.0),
            ScipyDistribution("norm", (), mean, deviation),
            {"log location": mean, "log scale": deviation},
        )
    unit = Linear.unit(x)
    y = unit.forward(x)
    average = float(y.mean())
    gap = log(average) - (mean - unit.exponent * log(2.0))
    # Below a gap of 1e-8 gamma is as good as normal; above 100 its mass sits on top of zero.
    if y[0] > _SMALLEST and 1e-8 < gap < 100.0:
        shape = _gamma_shape(gap)
        yield ParametricFit(
            "gamma",
            unit,
            ScipyDistribution("gamma", (shape,), 0.0, average / shape),
            {"shape": shape, "scale": float(np.ldexp(average / shape, unit.exponent))},
        )


def _gamma_shape(gap: float) -> float:
    """Solve log(a) - digamma(a) = gap by Minka's (2002) generalised Newton steps."""
    shape = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(50):
        error = log(shape) - float(special.digamma(shape)) - gap
        slope = 1.0 / shape - float(special.polygamma(1, shape))
        new = 1.0 / (1.0 / shape + error / (shape * shape * slope))
        if abs(new - shape) <= 1e-12 * shape:
            return float(new)
        shape = new
    return float(shape)


def _largest_tie(x: Floats) -> float:
    """Share of the most frequent value of an ascending column."""
    starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    return float(np.diff(np.append(starts, len(x))).max() / len(x))


MIN_DF = 1.0
MAX_DF = 100.0
"""Beyond this a Student t is indistinguishable from a normal distribution in any table."""


@kernel
def _step(
    z: Floats, counts: Floats, df: float, location: float, scale: float
) -> tuple[float, float]:
    """Location and scale after one step: of Student t, or of the logistic distribution if df = 0.

    Values that all but coincide drive the scale to zero; above its floor r^2 stays finite.
    """
    weights = np.empty(len(z))
    weight_sum, weighted, squares = 0.0, 0.0, 0.0
    for k in range(len(z)):
        r = (z[k] - location) / scale
        if df > 0.0:
            weights[k] = counts[k] * (df + 1.0) / (df + r * r)
        else:
            weights[k] = counts[k] * (tanh(0.5 * r) / r if abs(r) > 1e-8 else 0.5)
        weight_sum += weights[k]
        weighted += weights[k] * z[k]
    new_location = weighted / weight_sum
    for k in range(len(z)):
        squares += weights[k] * (z[k] - new_location) ** 2
    new_scale = sqrt(squares / (weight_sum if df > 0.0 else counts.sum()))
    return new_location, max(new_scale, 1e-50)


@kernel
def _converge(
    z: Floats, counts: Floats, df: float, location: float, scale: float, tolerance: float
) -> tuple[float, float]:
    """Repeat the step until location and scale move by no more than `tolerance` scales."""
    for _ in range(500):
        new_location, new_scale = _step(z, counts, df, location, scale)
        moved = abs(new_location - location) + abs(new_scale - scale)
        location, scale = new_location, new_scale
        if moved <= tolerance * scale:
            break
    return location, scale


@kernel
def fit_logistic(z: Floats, counts: Floats) -> tuple[float, float]:
    """Location and scale of a logistic distribution; z is centred with spread about 1."""
    return _converge(z, counts, 0.0, 0.0, 0.55, 1e-9)


@kernel
def _student_profile(
    z: Floats, counts: Floats, df: float, location: float, scale: float, tolerance: float
) -> tuple[float, float, float]:
    """Best log-likelihood for fixed degrees of freedom, with its location and scale."""
    location, scale = _converge(z, counts, df, location, scale, tolerance)
    total = 0.0
    for k in range(len(z)):
        r = (z[k] - location) / scale
        total -= counts[k] * 0.5 * (df + 1.0) * log1p(r * r / df)
    constant = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * log(df * pi) - log(scale)
    return total + counts.sum() * constant, location, scale


@kernel
def fit_student(z: Floats, counts: Floats) -> tuple[float, float, float]:
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
