"""What the Gaussian and Student's copula share, and the tail of Student's t to all digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Copula


@dataclass(frozen=True)
class Elliptical(Copula):
    """Common methods of the Gaussian and Student's copula; only the latter has `df`."""

    rho: float

    def _standardise(self, x: Floats, y: Floats) -> Floats:
        """Distance of y from its mean given x, in units of its spread given x."""
        raise NotImplementedError

    def _log_cdf(self, z: Floats) -> Floats:
        """Log of the distribution function of what `_standardise` gives."""
        raise NotImplementedError

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return self._log_cdf(self._standardise(x, y))

    @staticmethod
    def kendall(rho: Any, *_: Any) -> Any:
        r"""Kendall's tau, :math:`\tfrac2\pi \arcsin\rho`."""
        return 2 / np.pi * np.arcsin(rho)


_TERMS = 36  # of a series in x <= 0.3: the first left out is below 1e-18
WIDTH = 0.1  # of the pieces of the table, on the scale of arsinh z
PIECES = 250
ORDER = 8  # coefficients of a piece


def log_tail(df: Any, z: Floats) -> Floats:
    r"""Return log P(T > z) of Student's t for :math:`z \ge 0`, however small that is.

    With a = df / 2 and x = df / (df + z²), twice the tail is the incomplete beta function

    .. math:: I_x(a, \tfrac12) = \frac{x^a \sqrt{1-x}}{a B(a, \frac12)}
              \sum_{k \ge 0} x^k \prod_{j < k} \frac{a + \frac12 + j}{a + 1 + j}

    summed directly where x is small, so that nothing underflows.

    Examples
    --------
    >>> log_tail(1.0, np.array([0.0, 1.0, 1e200])).round(6).tolist()
    [-0.693147, -1.386294, -461.661748]
    """
    z, df = np.broadcast_arrays(np.asarray(z, dtype=float), np.asarray(df, dtype=float))
    scaled = z / np.sqrt(df)
    a, ratio = df / 2, np.minimum(scaled, 1e150) ** 2
    near = ratio < 1.0
    inner = np.minimum(ratio, 1.0)
    outer = np.maximum(ratio, 1.0)
    complement = special.betaincc(0.5, a, inner / (1 + inner))
    beyond = special.betainc(a, 0.5, 1 / (1 + outer))
    x = np.minimum(1 / (1 + outer), 0.3)
    # Beyond 1e150 the square would overflow, and 1 is nothing beside it.
    log_x = np.where(scaled < 1e150, -np.log1p(outer), -2 * np.log(np.maximum(scaled, 1e150)))
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(_TERMS):
        term = term * x * (a + 0.5 + k) / (a + 1 + k)
        total += term
    series = a * log_x + 0.5 * np.log1p(-x) - np.log(a) - special.betaln(a, 0.5) + np.log(total)
    direct = np.log(np.maximum(np.where(near, complement, beyond), 1e-300))
    return np.where(1 / (1 + ratio) < 0.3, series, direct) - np.log(2.0)


def tail_table(df: float) -> Floats:
    """Tabulate :func:`log_tail` by polynomials on pieces of even width in arsinh z.

    Each is an interpolation at Chebyshev's points, with coefficients from the constant up. On
    that scale the logarithm of the tail becomes a straight line.
    """
    angles = np.pi * (np.arange(ORDER) + 0.5) / ORDER
    starts = WIDTH * np.arange(PIECES)[:, None]
    values = log_tail(df, np.sinh(starts + WIDTH * (1 + np.cos(angles)) / 2))
    waves = np.cos(np.outer(np.arange(ORDER), angles))
    waves[0] *= 0.5
    series = 2 / ORDER * values @ waves.T
    to_powers = np.zeros((ORDER, ORDER))
    for k in range(ORDER):
        unit = np.eye(ORDER)[k]
        powers = np.polynomial.chebyshev.cheb2poly(unit)
        to_powers[k, : powers.size] = powers
    return np.ascontiguousarray((series @ to_powers).ravel())
