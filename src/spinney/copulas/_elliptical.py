r"""Kernels for rectangles under the Gaussian and Student's copula.

Both have the corner integral of Plackett's identity, see
:func:`spinney.copulas.rectangles.between_dependent`: for a positive correlation,
min(u, v) - C(u, v) is the probability of {U <= u, V > v} if u is the smaller, and an integral of
positive numbers, so it is accurate to all digits however small it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel
from spinney.copulas._math import exp, log
from spinney.copulas.rectangles import LOG_FLOOR

__all__ = ["corner_integrals", "fill_cells", "mirrored"]

Floats = NDArray[np.float64]

_NEAREST = 1e-7  # corners nearer to the diagonal are integrated as if they were as far as this


def _rule(n: int, power: float) -> tuple[Floats, Floats]:
    """Gauss-Legendre on (0, 1) in x = s^power, which crowds the nodes at 0."""
    s, w = np.polynomial.legendre.leggauss(n)
    s = (s + 1) / 2
    return s**power, 0.5 * w * power * s ** (power - 1)


_NODES, _WEIGHTS = _rule(40, 1.5)


@kernel
def mirrored(values: Floats, total: float) -> Floats:
    """Return `total` less each value, in rising order again."""
    n = values.size
    out = np.empty(n)
    for k in range(n):
        out[k] = total - values[n - 1 - k]
    return out


@kernel
def corner_integrals(x: Floats, y: Floats, rho: float, df: float, out: Floats) -> None:
    r"""Plackett's integral from complete dependence to `rho` >= 0 at all corners, row by row.

    .. math:: \frac1{2\pi} \int_0^{t_0} g(q(t)) \frac{2\,dt}{1 + t^2}, \quad
              q = \tfrac14\Bigl(\frac{(x-y)^2}{t^2} + 2x^2 + 2y^2 + (x+y)^2 t^2\Bigr), \quad
              t_0^2 = \frac{1 - \rho}{1 + \rho}

    with :math:`g = e^{-q/2}` for the Gaussian copula (`df` = 0) and
    :math:`(1 + q/\nu)^{-\nu/2}` for Student's. The integrand changes where t is about the
    distance from the diagonal, so the nodes are laid out for it: t = scale * sinh(reach * s).
    """
    end = np.sqrt((1.0 - rho) / (1.0 + rho))
    apart, size, both, scale, reach = np.empty((5, out.size))
    for k in range(out.size):
        p, q = x[k // y.size], y[k % y.size]
        apart[k], size[k], both[k] = (p - q) * (p - q), 2.0 * (p * p + q * q), (p + q) * (p + q)
        wide = np.sqrt(apart[k] / (128.0 if df == 0.0 else 4.0 * df + size[k]))
        scale[k] = max(wide, _NEAREST * end)
        reach[k] = np.arcsinh(end / scale[k])
        out[k] = 0.0
    for node in range(_NODES.size):
        s, w = _NODES[node], _WEIGHTS[node] / np.pi
        if df == 0.0:
            for k in range(out.size):
                up = exp(reach[k] * s)
                down = 1.0 / up
                t = 0.5 * scale[k] * (up - down)
                square = t * t
                g = exp(-0.125 * (apart[k] / square + size[k] + both[k] * square))
                rate = 0.5 * scale[k] * reach[k] * (up + down) / (1.0 + square)
                out[k] += w * rate * g
        else:
            over = 0.25 / df
            for k in range(out.size):
                up = exp(reach[k] * s)
                down = 1.0 / up
                t = 0.5 * scale[k] * (up - down)
                square = t * t
                q = over * (apart[k] / square + size[k] + both[k] * square)
                rate = 0.5 * scale[k] * reach[k] * (up + down) / (1.0 + square)
                out[k] += w * rate * exp(-0.5 * df * log(1.0 + q))


@kernel
def fill_cells(a: Floats, b: Floats, corners: Floats, turned: bool, out: Floats) -> None:
    """Log-volumes of all cells from the corner integrals of a positive correlation.

    C = min(u, v) less the integral, so a volume is the length of the diagonal inside the cell
    less a difference of integrals. Columns are written in reverse if `b` is `turned`.
    """
    rows, columns = a.size + 1, b.size + 1
    for i in range(rows):
        low_u, high_u = (a[i - 1] if i > 0 else 0.0), (a[i] if i < rows - 1 else 1.0)
        for j in range(columns):
            low_v, high_v = (b[j - 1] if j > 0 else 0.0), (b[j] if j < columns - 1 else 1.0)
            volume = max(min(high_u, high_v) - max(low_u, low_v), 0.0)
            k = i * b.size + j  # the corner at the upper ends
            if i < rows - 1 and j < columns - 1:
                volume -= corners[k]
            if i > 0 and j > 0:
                volume -= corners[k - b.size - 1]
            if i > 0 and j < columns - 1:
                volume += corners[k - b.size]
            if i < rows - 1 and j > 0:
                volume += corners[k - 1]
            column = columns - 1 - j if turned else j
            out[i * columns + column] = max(volume, 1e-300)
    for k in range(out.size):
        out[k] = max(log(out[k]), LOG_FLOOR)
