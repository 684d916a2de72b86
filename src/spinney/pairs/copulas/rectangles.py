r"""Probabilities of rectangles under a copula, when differences of its cdf would cancel.

The volume of a rectangle, C22 - C12 - C21 + C11 (first u, then v; 1 is the lower end), is often a
tiny part of its terms: off the diagonal under strong dependence, or between close thresholds.
Three ways around it, all for unrotated copulas, for arguments that broadcast, in logarithms:

- Archimedean families: :func:`from_ratios` writes the volume as a sum of positive terms, in
  ratios of neighbouring corners that the families know without subtraction.
- Gaussian and Student: :func:`between_dependent` integrates from complete dependence.
- Any copula: :func:`by_differences`, with :func:`by_strips` where too many digits are lost.

The stable elementary functions and the quadrature that the families need come first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats

if TYPE_CHECKING:
    from spinney.pairs.copulas.base import Copula


LOG_FLOOR = -230.25850929940458
"""Log-volumes are never below this, log(1e-100)."""

_LOST = 1e-4
"""Volumes that are a smaller part of their terms are found by strips."""


SMALLEST = 1e-15
"""Arguments are moved into [SMALLEST, 1 - SMALLEST]: below, 1 - u rounds to 1."""


def clamp(u: ArrayLike) -> Floats:
    """Move arguments off 0 and 1."""
    return np.clip(np.asarray(u, dtype=float), SMALLEST, 1.0 - SMALLEST)


def softplus(x: Floats) -> Floats:
    r"""Return :math:`\log(1 + e^x)`."""
    return np.logaddexp(0.0, x)


def log_expm1(x: Floats) -> Floats:
    r"""Return :math:`\log(e^x - 1)` for :math:`x > 0`; minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return x + np.log(-np.expm1(-x))


def log1mexp(x: Floats) -> Floats:
    r"""Return :math:`\log(1 - e^x)` for :math:`x < 0`, accurate at both ends."""
    with np.errstate(divide="ignore"):
        return np.where(x > -0.6931, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


@cache
def tanh_sinh(n: int = 81, reach: float = 3.3) -> tuple[Floats, Floats]:
    r"""Nodes and weights on (0, 1) that crowd exponentially at both ends.

    The double-exponential rule: :math:`x = \tfrac12(1 + \tanh(\tfrac\pi2 \sinh t))` with equal
    steps in t. It tolerates the singular derivatives that copulas have at the ends.

    References
    ----------
    .. [1] H. Takahasi and M. Mori (1974). Double exponential formulas for numerical integration.

    Examples
    --------
    >>> x, w = tanh_sinh()
    >>> round(float(w @ np.sqrt(x)), 12)
    0.666666666667
    """
    t = np.linspace(-reach, reach, n)
    half = 0.5 * np.pi * np.sinh(t)
    x = 1.0 / (1.0 + np.exp(-2.0 * half))
    w = (t[1] - t[0]) * 0.25 * np.pi * np.cosh(t) / np.cosh(half) ** 2
    return x, w


def spearman(cdf: Callable[[Floats, Floats], Floats]) -> float:
    r"""Spearman's rho of an exchangeable copula, :math:`12 \int\!\!\int C\,du\,dv - 3`.

    The square is cut along its diagonal, where strong dependence makes C bend sharply, and each
    half is mapped to a square by v = u t.
    """
    x, w = tanh_sinh()
    x = np.clip(x, 1e-15, 1 - 1e-15)  # the outermost nodes round to 0 and 1
    u, t = x[:, None], x[None, :]
    half = w @ (u * cdf(np.broadcast_to(u, (x.size, x.size)), u * t)) @ w
    return float(24.0 * half - 3.0)


def from_ratios(log_top: Floats, step_u: Floats, step_v: Floats, cross: Floats) -> Floats:
    r"""Log-volume from logarithms of ratios between the corners.

    .. math:: V = C_{22} \Bigl[\Bigl(1 - \frac{C_{12}}{C_{22}}\Bigr)
              \Bigl(1 - \frac{C_{11}}{C_{12}}\Bigr) + \frac{C_{11}}{C_{12}}
              \Bigl(1 - \frac{C_{12} C_{21}}{C_{11} C_{22}}\Bigr)\Bigr]

    All terms are positive where C11 C22 >= C12 C21, which holds for every Archimedean copula
    whose generator is completely monotone: all of ours before rotation.

    Parameters
    ----------
    log_top : array
        log C22.
    step_u, step_v : array
        log(C22 / C12) and log(C12 / C11), not negative; infinite where the lower end is 0. There
        the next argument is not needed and may be 0, if `step_v` is that of the upper end of u.
    cross : array
        log(C11 C22 / (C12 C21)), not negative.

    Examples
    --------
    >>> half = np.log(2.0)  # independence, from 1/2 to 1 in both variables
    >>> round(float(np.exp(from_ratios(0.0, half, half, 0.0))), 12)
    0.25
    """
    with np.errstate(divide="ignore"):
        share = np.expm1(-step_u) * np.expm1(-step_v) - np.exp(-step_v) * np.expm1(-cross)
        return np.asarray(log_top + np.log(share))


def log_less(log_rest: Floats, log_part: Floats) -> Floats:
    """Return log(1 - part), given the logarithms of 1 - part and of part: from the smaller one."""
    part = np.exp(log_part)
    return np.where(part < 0.5, np.log1p(-np.minimum(part, 0.5)), log_rest)


class Ratios(NamedTuple):
    """Logarithms of the ratios between a quantity at four corners.

    `first` and `other` are the two corners in the middle over the corner where it is largest,
    `bend` is what the last corner over the largest has beyond the product of the two.
    """

    first: Floats
    other: Floats
    bend: Floats

    @property
    def second_difference(self) -> Floats:
        """What the two corners in the middle are above the largest and the last, over the largest.

        Not below 0, where rounding might take it.
        """
        bent = np.exp(self.first + self.other) * np.expm1(self.bend)
        return np.maximum(-bent - np.expm1(self.first) * np.expm1(self.other), 0.0)


def sum_ratios(
    x_low: Floats, x_high: Floats, y_low: Floats, y_high: Floats, power: Any
) -> tuple[Ratios, Floats]:
    """Compare powers of sums e^x + e^y at the corners; also the log of that at both lower ends.

    The sums fall from the lower ends of u and v to the upper ones; "first" is that at the lower
    end of u and the upper end of v.
    """
    lowest, first = np.logaddexp(x_low, y_low), np.logaddexp(x_low, y_high)
    other, last = np.logaddexp(x_high, y_low), np.logaddexp(x_high, y_high)
    log_p = np.where(x_low > x_high, x_low + log1mexp(x_high - x_low), -np.inf)
    log_q = np.where(y_low > y_high, y_low + log1mexp(y_high - y_low), -np.inf)
    ratios = Ratios(
        power * log_less(first - lowest, log_q - lowest),
        power * log_less(other - lowest, log_p - lowest),
        power * log_less((last - first) + (lowest - other), (log_p - first) + (log_q - other)),
    )
    return ratios, power * lowest


def by_strips(
    copula: Copula, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
) -> Floats:
    r"""Integrate the conditional probability of one side over the other, the narrower one.

    .. math:: V = \int_{u_1}^{u_2} P(v_1 < V \le v_2 \mid U = u)\,du

    by the double-exponential rule. Nothing cancels, but a strip must not change abruptly, so this
    serves narrow rectangles and those in the corners.
    """
    turn = u_high - u_low > v_high - v_low  # all copulas are exchangeable before rotation
    start, width = np.where(turn, v_low, u_low), np.where(turn, v_high - v_low, u_high - u_low)
    low, high = np.where(turn, u_low, v_low), np.where(turn, u_high, v_high)
    total = np.full(start.shape, -np.inf)
    for node, weight in zip(*tanh_sinh(), strict=True):
        strip = copula._strip(start + width * node, low, high, False, False)
        total = np.logaddexp(total, np.log(weight) + strip)
    with np.errstate(divide="ignore"):
        return np.log(width) + total


def by_differences(
    copula: Copula, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
) -> Floats:
    """Log-volume as the difference of four values of the cdf, or by strips where that cancels."""

    def corner(u: Floats, v: Floats) -> Floats:
        inner = copula._cdf(clamp(u), clamp(v))
        value = np.where(u >= 1, v, np.where(v >= 1, u, inner))
        return np.where((u <= 0) | (v <= 0), 0.0, value)

    top = corner(u_high, v_high)
    volume = (top - corner(u_low, v_high)) - (corner(u_high, v_low) - corner(u_low, v_low))
    return _or_strips(copula, volume, top, u_low, u_high, v_low, v_high)


def between_dependent(
    copula: Copula,
    coordinates: tuple[Floats, Floats, Floats, Floats],
    rho: Any,
    df: Any,
    u_low: Floats,
    u_high: Floats,
    v_low: Floats,
    v_high: Floats,
) -> Floats:
    r"""Log-volume under a Gaussian (`df` = 0) or Student copula, from complete dependence.

    Plackett's identity for the derivative of C by the correlation, integrated from there to 1:
    for a positive correlation

    .. math:: \min(u, v) - C(u, v) = \frac1{2\pi} \int_0^{t_0} g(q(t)) \frac{2\,dt}{1 + t^2},
              \quad q = \tfrac14\Bigl(\frac{(x-y)^2}{t^2} + 2x^2 + 2y^2 + (x+y)^2 t^2\Bigr), \quad
              t_0^2 = \frac{1 - \rho}{1 + \rho}

    with :math:`g = e^{-q/2}` or :math:`(1 + q/\nu)^{-\nu/2}`; t is the tangent of half the angle
    whose cosine is the correlation. That is the probability of {U <= u, V > v} if u < v, so the
    volume of a rectangle off the diagonal is a difference of small probabilities, of which the
    one nearest to the diagonal is usually the largest by far. A negative correlation is the
    positive one with v mirrored.

    References
    ----------
    .. [1] R. L. Plackett (1954). A reduction formula for normal multivariate integrals.
       Biometrika 41.
    .. [2] A. Genz (2004). Numerical computation of rectangular bivariate and trivariate normal
       and t probabilities. Statistics and Computing 14.
    """
    x_low, x_high, y_low, y_high = coordinates
    turn = np.asarray(rho) < 0
    y_low, y_high = np.where(turn, -y_high, y_low), np.where(turn, -y_low, y_high)
    low, high = np.where(turn, 1 - v_high, v_low), np.where(turn, 1 - v_low, v_high)
    corners = [
        corner_integral(x, y, np.abs(rho), df)
        for x, y in ((x_high, y_high), (x_low, y_high), (x_high, y_low), (x_low, y_low))
    ]
    diagonal = np.maximum(np.minimum(u_high, high) - np.maximum(u_low, low), 0.0)
    volume = diagonal - ((corners[0] - corners[1]) - (corners[2] - corners[3]))
    largest = np.maximum(diagonal, np.max(corners, axis=0))
    return _or_strips(copula, volume, largest, u_low, u_high, v_low, v_high)


def _or_strips(
    copula: Copula,
    volume: Floats,
    largest: Floats,
    u_low: Floats,
    u_high: Floats,
    v_low: Floats,
    v_high: Floats,
) -> Floats:
    """Take the logarithm of a volume, by strips where it is too small a part of its terms."""
    lost = volume <= _LOST * largest
    log_volume = np.log(np.where(lost, 1.0, volume))
    if not lost.any():
        return log_volume
    ends = np.broadcast_arrays(u_low, u_high, v_low, v_high)
    return np.where(lost, by_strips(copula, *ends), log_volume)


@cache
def crowded_rule(n: int = 160, power: float = 2.0) -> tuple[Floats, Floats]:
    """Gauss-Legendre on (0, 1) in s^power, which crowds the nodes at 0."""
    s, w = np.polynomial.legendre.leggauss(n)
    s = (s + 1) / 2
    return s**power, 0.5 * w * power * s ** (power - 1)


def corner_integral(x: Floats, y: Floats, rho: Any, df: Any) -> Floats:
    """Integrate as :func:`between_dependent` says; zero on the edge of the square."""
    edge = ~(np.isfinite(x) & np.isfinite(y))
    x, y = np.where(np.isfinite(x), x, 0.0), np.where(np.isfinite(y), y, 0.0)
    end = np.sqrt((1 - rho) / (1 + rho))
    apart, size, both = (x - y) ** 2, 2 * (x * x + y * y), (x + y) ** 2
    gaussian = np.all(np.asarray(df) == 0)
    # The integrand changes where t is about the distance from the diagonal: lay nodes out for it.
    scale = np.maximum(np.sqrt(apart / (128.0 if gaussian else 4 * df + size)), 1e-12 * end)
    reach = np.arcsinh(end / scale)
    total = np.zeros(np.broadcast_shapes(scale.shape, reach.shape))
    for node, weight in zip(*crowded_rule(), strict=True):
        t = scale * np.sinh(reach * node)
        q = (apart / t**2 + size + both * t * t) / 4
        g = np.exp(-q / 2) if gaussian else np.exp(-0.5 * df * np.log1p(q / df))
        total += weight * reach * scale * np.cosh(reach * node) / (1 + t * t) * g
    return np.where(edge, 0.0, total / np.pi)


def log_difference(low: Floats, high: Floats) -> Floats:
    r"""Return :math:`\log(e^b - e^a)` of logs of probabilities a = `low` < b = `high`."""
    with np.errstate(invalid="ignore"):  # both may be minus infinity: no probability at all
        gap = np.where(high == -np.inf, -1.0, np.minimum(low - high, -1e-300))
    return high + log1mexp(gap)


def symmetric_strip(low: Floats, high: Floats, log_cdf: Callable[[Floats], Floats]) -> Floats:
    """Log-probability between two points of a distribution that is symmetric around 0.

    The farther of the two is put below: in the lower tail the logarithm of the distribution
    function has all its digits, and does not run out of numbers.
    """
    mirror = high > -low
    return log_difference(
        log_cdf(np.where(mirror, -high, low)), log_cdf(np.where(mirror, -low, high))
    )
