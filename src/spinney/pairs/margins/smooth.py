"""A smooth marginal for one column: a monotone spline from its values to normal scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from spinney._core.arrays import Floats

Smooth = Literal["auto", "kernel", "parametric"]

SMOOTHING: dict[str, tuple[str, ...]] = {
    "transform_by": ("ranks", "smooth"),
    "smooth": ("auto", "kernel", "parametric"),
}
"""Choices for the smoothing of marginals."""

OUTERMOST = 2.0
"""Rows beyond the first and the last knot; the spline is straight there."""
RATIO = 3.0
"""Ratio of the quartiles from which on a column of positive numbers is taken by its logarithm.

Other columns may be negative in the next row, even if none has been so far."""
HEAVY = 7.5
"""Range of a column over that of its middle half from which on its tails count as heavy; a million
normal values have 7.3."""
_GRID = 400  # knots of a kernel estimate
_LARGEST = float(np.finfo(float).max)
_SMALLEST = float(np.finfo(float).tiny)
_LOG_ROOT_2PI = 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True, eq=False)
class SmoothMarginal:
    r"""A continuous distribution of one column.

    Normal scores are a monotone spline S of the values on some scale, straight beyond the
    outermost knots:

    .. math:: F(x) = \Phi(S(g(x))), \qquad f(x) = \varphi(S(g(x)))\, S'(g(x))\, g'(x)

    Attributes
    ----------
    name : {"spline", "kernel", "normal"}
        How it was fitted.
    parameters : dict
        The numbers behind it: mean and standard deviation, or the bandwidth of a kernel.
    log_likelihood : float
        Log-likelihood of the fitted rows.
    scale : {"linear", "asinh", "log"}
        The map g, after dividing by :math:`2^{\text{exponent}}`, subtracting `location` and
        dividing by `spread` (the logarithm is taken of the values themselves).
    values, scores : arrays
        Knots: places on the scale and normal scores, both rising.
    """

    name: Literal["spline", "kernel", "normal"]
    parameters: dict[str, float]
    log_likelihood: float
    scale: Literal["linear", "asinh", "log"] = field(repr=False)
    exponent: int = field(repr=False)
    location: float = field(repr=False)
    spread: float = field(repr=False)
    values: Floats = field(repr=False)
    scores: Floats = field(repr=False)

    @cached_property
    def _slopes(self) -> Floats:
        """Slopes at the knots; harmonic means keep the spline monotone [1]_.

        References
        ----------
        .. [1] F. N. Fritsch and J. Butland (1984). A method for constructing local monotone
           piecewise cubic interpolants. SIAM J. Sci. Stat. Comput. 5, 300-304.
        """
        secants = np.diff(self.scores) / np.diff(self.values)
        inner = 2.0 / (1.0 / secants[1:] + 1.0 / secants[:-1])
        return np.concatenate([secants[:1], inner, secants[-1:]])

    @cached_property
    def _spline(self) -> Any:
        return CubicHermiteSpline(self.values, self.scores, self._slopes)

    def _score(self, y: Floats) -> tuple[Floats, Floats]:
        """Find the normal scores at places on the scale, and the spline's slopes there."""
        inside = np.clip(y, self.values[0], self.values[-1])
        slope = np.asarray(self._spline(inside, 1))
        with np.errstate(invalid="ignore", over="ignore"):
            beyond = np.where(y == inside, 0.0, (y - inside) * slope)
        return np.asarray(self._spline(inside)) + beyond, slope

    def _forward(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            if self.scale == "log":
                return np.log(np.maximum(x, 0.0))
            z = (np.ldexp(x, -self.exponent) - self.location) / self.spread
            return np.arcsinh(z) if self.scale == "asinh" else z

    def _backward(self, y: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            if self.scale == "log":
                return np.clip(np.exp(y), _SMALLEST, _LARGEST)
            z = np.sinh(y) if self.scale == "asinh" else y
            x = np.ldexp(self.location + self.spread * z, self.exponent)
        return np.clip(x, -_LARGEST, _LARGEST)

    def cdf(self, x: ArrayLike) -> Floats:
        """Distribution function at x, any shape."""
        return np.asarray(special.ndtr(self._score(self._forward(np.asarray(x, dtype=float)))[0]))

    def ppf(self, u: ArrayLike) -> Floats:
        """Quantile at u strictly inside (0, 1), any shape; always finite."""
        z = np.asarray(special.ndtri(np.asarray(u, dtype=float)))
        ends = self.values[[0, -1]], self.scores[[0, -1]], self._slopes[[0, -1]]
        y = np.interp(z, self.scores, self.values)
        inside = (z > ends[1][0]) & (z < ends[1][1])
        y[inside] = self._invert(z[inside])
        for value, score, slope, outside in zip(
            *ends, (z <= ends[1][0], z >= ends[1][1]), strict=True
        ):
            y[outside] = value + (z[outside] - score) / slope
        return self._backward(y)

    def _invert(self, z: Floats) -> Floats:
        """Find where the spline has some values, between its knots."""
        from scipy.optimize.elementwise import find_root

        if not z.size:
            return z
        above = np.clip(np.searchsorted(self.scores, z), 1, len(self.scores) - 1)
        bracket = self.values[above - 1], self.values[above]

        def excess(y: Floats, z: Floats) -> Floats:
            return np.asarray(self._spline(y)) - z

        return np.asarray(find_root(excess, bracket, args=(z,)).x)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Log-density at x, any shape; -inf outside the support."""
        x = np.asarray(x, dtype=float)
        y = self._forward(x)
        score, slope = self._score(y)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            if self.scale == "log":
                log_slope = -np.log(np.maximum(x, 0.0))
            else:
                log_slope = np.full(x.shape, -self.exponent * np.log(2.0) - np.log(self.spread))
                if self.scale == "asinh":
                    log_slope -= np.log(np.cosh(y))
            log_density = np.log(slope) + log_slope - 0.5 * score**2 - _LOG_ROOT_2PI
        return np.where(np.isfinite(log_density), log_density, -np.inf)


def fit_smooth(x: Floats, smooth: Smooth) -> SmoothMarginal:
    r"""Fit a smooth marginal to one column.

    Parameters
    ----------
    x : array of shape (n,)
        The column: finite, n at least 4, not constant.
    smooth : {"auto", "kernel", "parametric"}
        ``"auto"``: a spline through :math:`1.2\, n^{1/3}` quantiles whose normal scores are evenly
        spaced, on a logarithmic scale for positive numbers that range over ratios, and on that of
        the inverse hyperbolic sine if tails are heavy. ``"kernel"``: scipy's Gaussian kernel
        estimate. ``"parametric"``: the normal distribution.
    """
    x = np.sort(x)
    exponent = int(np.frexp(np.abs(x).max())[1])
    low, _, high = np.quantile(np.ldexp(x, -exponent), [0.25, 0.5, 0.75])
    # Powers of two, so that no square overflows; an outlier must not make the others vanish.
    if smooth == "auto":
        exponent += max(int(np.frexp(max(abs(low), abs(high)))[1]), -900)
    unit = np.ldexp(x, -exponent)
    low, location, high = (float(q) for q in np.quantile(unit, [0.25, 0.5, 0.75]))
    scale: Literal["linear", "asinh", "log"] = "linear"
    if unit[-1] - unit[0] > HEAVY * (high - low):
        scale = "asinh"
    if x[0] > 0.0 and high > RATIO * low:
        scale = "log"
    spread = max((high - low) / 1.349 or float(np.std(unit)), 1e-100)
    parameters: dict[str, float] = {}
    name: Literal["spline", "kernel", "normal"] = "spline"
    if smooth == "parametric":
        scale, name = "linear", "normal"
        location, spread = float(np.mean(unit)), max(float(np.std(unit)), 1e-100)
        values = scores = np.array([-1.0, 1.0])
        parameters = dict(zip(("mean", "sd"), np.ldexp([location, spread], exponent), strict=True))
    elif smooth == "kernel":
        scale, name = "linear", "kernel"
        values, scores, width = _kernel_knots((unit - location) / spread)
        parameters = {"bandwidth": float(np.ldexp(width * spread, exponent))}
    else:
        empty = np.array([0.0, 1.0])
        plain = SmoothMarginal(name, {}, 0.0, scale, exponent, location, spread, empty, empty)
        values, scores = _quantile_knots(plain._forward(x))
    where = (scale, exponent, location, spread, values, scores)
    fitted = SmoothMarginal(name, parameters, 0.0, *where)
    return replace(fitted, log_likelihood=float(fitted.logpdf(x).sum()))


def _quantile_knots(y: Floats) -> tuple[Floats, Floats]:
    """Quantiles of rising numbers at evenly spaced normal scores; equal ones are one knot."""
    n = len(y)
    reach = -special.ndtri(min(OUTERMOST / n, 0.1))
    scores = np.linspace(-reach, reach, int(np.clip(1.2 * n ** (1 / 3), 4, 60)))
    found = np.quantile(y, special.ndtr(scores), method="hazen")
    values, run = np.unique(found, return_inverse=True)
    if len(values) > 1:
        return values, np.bincount(run, weights=scores) / np.bincount(run)
    # Nearly all values are equal: the ends alone are apart.
    ends = -special.ndtri(0.5 / n)
    return y[[0, -1]], np.array([-ends, ends])


def _kernel_knots(y: Floats) -> tuple[Floats, Floats, float]:
    """Compute normal scores of scipy's kernel estimate on an even grid, and its bandwidth."""
    from scipy.stats import gaussian_kde

    width = float(np.sqrt(gaussian_kde(y).covariance[0, 0]))
    places = np.linspace(y[0] - 5.0 * width, y[-1] + 5.0 * width, _GRID)
    below = np.array([special.ndtr((place - y) / width).mean() for place in places])
    above = np.array([special.ndtr((y - place) / width).mean() for place in places])
    scores = np.where(below < 0.5, special.ndtri(below), -special.ndtri(above))
    rising = np.concatenate([[True], np.diff(np.maximum.accumulate(scores)) > 0.0])
    return places[rising], scores[rising], width
