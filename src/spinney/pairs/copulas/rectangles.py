"""Stable elementary functions and quadrature that the families share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy import exp, expm1, log, log1p, maximum, minimum, where
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats

LOG_FLOOR = -230.25850929940458
"""Log-volumes are never below this, log(1e-100)."""

LARGEST = 700.0
"""Exponents are never above this: e^700 is about 1e304."""

SMALLEST = 1e-15
"""Arguments are moved into [SMALLEST, 1 - SMALLEST]: below, 1 - u rounds to 1."""


def clamp(u: ArrayLike) -> Floats:
    """Move arguments off 0 and 1."""
    return np.clip(np.asarray(u, dtype=float), SMALLEST, 1.0 - SMALLEST)


# What follows is also compiled for kernels, see :func:`spinney.pairs.copulas._math.formula`.


def softplus(x: Floats) -> Floats:
    r"""Return :math:`\log(1 + e^x)`, to full relative accuracy also where it is small."""
    return maximum(x, 0.0) + log1p(exp(-abs(x)))


def log_expm1(x: Floats) -> Floats:
    r"""Return :math:`\log(e^x - 1)` for :math:`x > 0`; at 0 the logarithm of 1e-300."""
    return x + log(maximum(-expm1(-x), 1e-300))


def log1mexp(x: Floats) -> Floats:
    r"""Return :math:`\log(1 - e^x)` for :math:`x < 0`, accurate at both ends; at 0 log(1e-300)."""
    return log_less(x, log(maximum(-expm1(x), 1e-300)))


def log_add(a: Floats, b: Floats) -> Floats:
    """Return log(e^a + e^b)."""
    return maximum(a, b) + log1p(exp(-abs(a - b)))


def log_less(part: Floats, rest: Floats) -> Floats:
    """Return log(1 - e^part), from `part` unless that is near 0, where `rest` is the same."""
    return where(part < -0.6931, log1p(-exp(minimum(part, -0.6931))), rest)


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


# Gauss-Legendre on (0, 1) in s^1.5, which crowds the nodes at 0.
_S, _W = (np.polynomial.legendre.leggauss(40) + np.array([[1.0], [0.0]])) / 2.0
_NODES, _WEIGHTS = _S**1.5, 1.5 * _W * np.sqrt(_S)
_NEAREST = 1e-7  # corners nearer to the diagonal are integrated as if they were as far as this


def corner_integral(x: Floats, y: Floats, rho: Any, df: Any, gaussian: bool) -> Floats:
    r"""Plackett's integral from complete dependence to a positive correlation [1]_.

    .. math:: \min(u, v) - C(u, v) = \frac1{2\pi} \int_0^{t_0} g(q(t))
              \frac{2\,dt}{1 + t^2}, \quad
              q = \tfrac14\Bigl(\frac{(x-y)^2}{t^2} + 2x^2 + 2y^2 + (x+y)^2 t^2\Bigr), \quad
              t_0^2 = \frac{1 - \rho}{1 + \rho}

    with :math:`g = (1 + q/\nu)^{-\nu/2}` for Student's copula, and :math:`e^{-q/2}` for the
    Gaussian one, which has no `df`; t is the tangent of half the angle whose cosine is the
    correlation. The integrand changes where t is about the distance from the diagonal, so the nodes
    are laid out for it: t = scale * sinh(reach * s).

    References
    ----------
    .. [1] R. L. Plackett (1954). A reduction formula for normal multivariate integrals.
       Biometrika 41.
    """
    end = np.sqrt((1 - rho) / (1 + rho))
    apart, size, both = (x - y) * (x - y), 2 * (x * x + y * y), (x + y) * (x + y)
    width = 128.0 if gaussian else 4 * df + size
    scale = maximum(np.sqrt(apart / width), _NEAREST * end)
    reach, total = np.arcsinh(end / scale), 0.0 * scale
    if gaussian:
        for k in range(_NODES.size):
            weight, q = _node(k, scale, reach, apart, size, both)
            total = total + weight * exp(-0.125 * q)
    else:
        over, power = 0.25 / df, -0.5 * df
        for k in range(_NODES.size):
            weight, q = _node(k, scale, reach, apart, size, both)
            total = total + weight * exp(power * log(1 + over * q))
    return total / np.pi


def _node(
    k: int, scale: Floats, reach: Floats, apart: Floats, size: Floats, both: Floats
) -> tuple[Floats, Floats]:
    """Weight of a node of the integral, dt / (1 + t²), and 4 q there."""
    up = exp(reach * _NODES[k])
    down = 1 / up
    t = 0.5 * scale * (up - down)
    square = t * t
    inverse = 1 / (square * (1 + square))
    weight = _WEIGHTS[k] * 0.5 * scale * reach * (up + down) * (inverse * square)
    return weight, apart * (inverse * (1 + square)) + size + both * square
