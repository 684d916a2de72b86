r"""Kernels for rectangles under the Gaussian and Student's copula.

Both have the corner integral of Plackett's identity, see
:func:`spinney.pairs.copulas.rectangles.corner_integral`: for a positive correlation,
min(u, v) - C(u, v) is the probability of {U <= u, V > v} if u is the smaller, and an integral of
positive numbers, so it is accurate to all digits however small it is.
"""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.compile import inlined, kernel, reduction
from spinney.pairs.copulas._elliptical import ORDER, PIECES, WIDTH
from spinney.pairs.copulas._math import exp, log
from spinney.pairs.copulas.rectangles import LOG_FLOOR, crowded_rule

_NEAREST = 1e-7  # corners nearer to the diagonal are integrated as if they were as far as this
_NODES, _WEIGHTS = crowded_rule(40, 1.5)


@kernel
def _mirrored(values: Floats, total: float) -> Floats:
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
    for i in range(x.size):
        for j in range(y.size):
            apart, both = (x[i] - y[j]) * (x[i] - y[j]), (x[i] + y[j]) * (x[i] + y[j])
            size = 2.0 * (x[i] * x[i] + y[j] * y[j])
            width = 128.0 if df == 0.0 else 4.0 * df + size
            scale = max(np.sqrt(apart / width), _NEAREST * end)
            reach = np.arcsinh(end / scale)
            if df == 0.0:
                total = _gaussian_corner(apart, size, both, scale, reach)
            else:
                total = _student_corner(apart, size, both, scale, reach, df)
            out[i * y.size + j] = total


@reduction
def _gaussian_corner(apart: float, size: float, both: float, scale: float, reach: float) -> float:
    total = 0.0
    for k in range(_NODES.size):
        square, rate = _node(scale, reach, _NODES[k])
        q = apart / square + size + both * square
        total += _WEIGHTS[k] * rate * exp(-0.125 * q)
    return total / np.pi


@reduction
def _student_corner(
    apart: float, size: float, both: float, scale: float, reach: float, df: float
) -> float:
    total, over, power = 0.0, 0.25 / df, -0.5 * df
    for k in range(_NODES.size):
        square, rate = _node(scale, reach, _NODES[k])
        q = apart / square + size + both * square
        total += _WEIGHTS[k] * rate * exp(power * log(1.0 + over * q))
    return total / np.pi


@inlined
def _node(scale: float, reach: float, s: float) -> tuple[float, float]:
    """t² at a node, and dt / (1 + t²)."""
    up = exp(reach * s)
    down = 1.0 / up
    t = 0.5 * scale * (up - down)
    square = t * t
    return square, 0.5 * scale * reach * (up + down) / (1.0 + square)


@kernel
def fill_volumes(a: Floats, b: Floats, corners: Floats, turned: bool, out: Floats) -> None:
    """Log-volumes of all cells from integrals at the corners, floored.

    C is min(u, v) less the integral, so a volume is the length of the diagonal inside the cell
    less a difference of integrals. Columns are written in reverse if `b` is `turned`.
    """
    rows, columns = a.size + 1, b.size + 1
    for i in range(rows):
        low_u, high_u = (a[i - 1] if i > 0 else 0.0), (a[i] if i < rows - 1 else 1.0)
        for j in range(columns):
            low_v, high_v = (b[j - 1] if j > 0 else 0.0), (b[j] if j < columns - 1 else 1.0)
            k, change = i * b.size + j, 0.0  # the corner at the upper ends
            if i < rows - 1:
                change += corners[k] if j < columns - 1 else 0.0
                change -= corners[k - 1] if j > 0 else 0.0
            if i > 0:
                change -= corners[k - b.size] if j < columns - 1 else 0.0
                change += corners[k - b.size - 1] if j > 0 else 0.0
            volume = max(min(high_u, high_v) - max(low_u, low_v), 0.0) - change
            column = columns - 1 - j if turned else j
            out[i * columns + column] = max(np.log(max(volume, 1e-300)), LOG_FLOOR)


@kernel
def cells(a: Floats, b: Floats, x: Floats, y: Floats, rho: float, df: float, out: Floats) -> None:
    """Log-volumes of all cells between the thresholds; Gaussian if `df` is 0."""
    corners = np.empty(x.size * y.size)
    if rho < 0.0:
        corner_integrals(x, _mirrored(y, 0.0), -rho, df, corners)
        fill_volumes(a, _mirrored(b, 1.0), corners, True, out)
    else:
        corner_integrals(x, y, rho, df, corners)
        fill_volumes(a, b, corners, False, out)


@inlined
def replace_by_log_tail(z: Floats, df: float, table: Floats) -> None:
    """Replace each z >= 0 by the logarithm of the tail beyond it, from its table.

    Beyond the table the line is continued. In two loops, of which the first becomes vector code.
    """
    for k in range(z.size):
        z[k] = log(z[k] + np.sqrt(z[k] * z[k] + 1.0)) * (1.0 / WIDTH)
    for k in range(z.size):
        w = z[k]
        inside = min(w, PIECES - 1e-9)
        piece = int(inside)
        s = 2.0 * (inside - piece) - 1.0
        at = piece * ORDER
        s2 = s * s
        low = (table[at] + s * table[at + 1]) + s2 * (table[at + 2] + s * table[at + 3])
        high = (table[at + 4] + s * table[at + 5]) + s2 * (table[at + 6] + s * table[at + 7])
        z[k] = low + s2 * s2 * high - df * WIDTH * (w - inside)
