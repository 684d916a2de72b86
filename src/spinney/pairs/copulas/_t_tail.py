"""The tail of Student's t distribution: to all digits, and fast from a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._core.compile import inlined
from spinney.pairs.copulas._math import log

__all__ = ["log_tail", "replace_by_log_tail", "tail_table"]

Floats = NDArray[np.float64]

_TERMS = 36  # of a series in x <= 0.3: the first left out is below 1e-18
_WIDTH = 0.1  # of the pieces of the table, on the scale of arsinh z
_PIECES = 250
_ORDER = 8  # coefficients of a piece


def log_tail(df: Any, z: Floats) -> Floats:
    r"""Return log P(T > z) of Student's t for :math:`z \ge 0`, however small that is.

    With a = df / 2 and x = df / (df + z²), twice the tail is the incomplete beta function

    .. math:: I_x(a, \tfrac12) = \frac{x^a \sqrt{1-x}}{a B(a, \frac12)}
              \sum_{k \ge 0} x^k \prod_{j < k} \frac{a + \frac12 + j}{a + 1 + j}

    summed as it stands where x is small, so that nothing underflows.

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
    angles = np.pi * (np.arange(_ORDER) + 0.5) / _ORDER
    starts = _WIDTH * np.arange(_PIECES)[:, None]
    values = log_tail(df, np.sinh(starts + _WIDTH * (1 + np.cos(angles)) / 2))
    waves = np.cos(np.outer(np.arange(_ORDER), angles))
    waves[0] *= 0.5
    series = 2 / _ORDER * values @ waves.T
    to_powers = np.zeros((_ORDER, _ORDER))
    for k in range(_ORDER):
        unit = np.eye(_ORDER)[k]
        powers = np.polynomial.chebyshev.cheb2poly(unit)
        to_powers[k, : powers.size] = powers
    return np.ascontiguousarray((series @ to_powers).ravel())


@inlined
def replace_by_log_tail(z: Floats, df: float, table: Floats) -> None:
    """Replace each z >= 0 by its :func:`log_tail`; beyond the table the line is continued.

    In two loops, of which the first becomes vector code.
    """
    for k in range(z.size):
        z[k] = log(z[k] + np.sqrt(z[k] * z[k] + 1.0)) * (1.0 / _WIDTH)
    for k in range(z.size):
        w = z[k]
        inside = min(w, _PIECES - 1e-9)
        piece = int(inside)
        s = 2.0 * (inside - piece) - 1.0
        at = piece * _ORDER
        s2 = s * s
        low = (table[at] + s * table[at + 1]) + s2 * (table[at + 2] + s * table[at + 3])
        high = (table[at + 4] + s * table[at + 5]) + s2 * (table[at + 6] + s * table[at + 7])
        z[k] = low + s2 * s2 * high - df * _WIDTH * (w - inside)
