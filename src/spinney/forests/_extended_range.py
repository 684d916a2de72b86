r"""The elimination on numbers whose exponent has no bounds: the log-space engine.

A *wide* number is a mantissa and an integer exponent kept beside it. Log-weights of ±10 000 are no
trouble, and unlike with ``logaddexp`` on logarithms, whose rounding grows with their size, every
sum and product keeps all its digits. Mantissas are brought back to [1, 2) only when they leave the
middle of the range of doubles, so ordinary numbers have the exponent zero and cost little more than
doubles. The formulas are those of :mod:`spinney.forests.reference`, a sample at a time.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel

LN2 = float(np.log(2.0))
# ln 2 in two parts, the first with 32 trailing zero bits, so that a whole multiple of it is exact.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10

ORDINARY = 1e30
"""Mantissas between its inverse and this stay as they are: products of five are doubles still."""

FAR = 1100
"""Numbers this many octaves apart do not see each other."""

SHRINK = np.ldexp(1.0, -np.minimum(np.arange(FAR + 1), 1074))
SHRINK[-1] = 0.0


def from_plain(values: Floats) -> tuple[Floats, Ints]:
    """Split plain numbers, without rounding.

    Examples
    --------
    >>> from_plain(np.array([0.0, 3.0, 3 * 2.0**500]))
    (array([0. , 3. , 1.5]), array([  0,   0, 501]))
    """
    fraction, exponent = np.frexp(values)
    ordinary = (values == 0) | ((values > 1 / ORDINARY) & (values < ORDINARY))
    mantissa = np.where(ordinary, values, 2 * fraction)
    return mantissa, np.where(ordinary, 0, exponent - 1).astype(np.int64)


def from_log(values: Floats) -> tuple[Floats, Ints]:
    """Split numbers given by their logarithms; -inf is zero.

    Examples
    --------
    >>> mantissa, exponent = from_log(np.array([-np.inf, np.log(3), np.log(3) + 1000 * np.log(2)]))
    >>> mantissa.round(9), exponent
    (array([0.  , 3.  , 0.75]), array([   0,    0, 1002]))
    """
    finite = np.where(values > -np.inf, values, 0.0)
    exponent = np.where(np.abs(finite) < np.log(ORDINARY), 0.0, np.rint(finite / LN2))
    mantissa = np.exp((finite - exponent * LN2_HIGH) - exponent * LN2_LOW)
    return np.where(values > -np.inf, mantissa, 0.0), exponent.astype(np.int64)


@kernel
def wide_normal(mantissa: float, exponent: int) -> tuple[float, int]:
    """Bring a mantissa that is not negative back to [1, 2), or zero, if it has gone far."""
    if mantissa == 0.0:
        return 0.0, 0
    if 1.0 / ORDINARY < mantissa < ORDINARY:
        return mantissa, exponent
    fraction, shift = frexp(mantissa)
    return 2 * fraction, exponent + shift - 1


@kernel
def wide_add(a: float, i: int, b: float, j: int) -> tuple[float, int]:
    """Add: ``a 2^i + b 2^j``, not normalised; either may be negative or zero."""
    if i == j:
        return a + b, i
    if b == 0.0:
        return a, i
    if a == 0.0:
        return b, j
    if i > j:
        return a + b * SHRINK[min(i - j, FAR)], i
    return b + a * SHRINK[min(j - i, FAR)], j


@kernel
def wide_plain(mantissa: float, exponent: int) -> float:
    """Return an ordinary number; too large becomes infinite, too small zero."""
    if exponent == 0:
        return mantissa
    return ldexp(mantissa, int(min(max(exponent, -2000), 2000)))


@kernel
def wide_log(mantissa: float, exponent: int) -> float:
    """Return the logarithm; -inf of zero."""
    return np.log(mantissa) + LN2 * exponent if mantissa > 0.0 else -np.inf


@kernel
def wide_eliminate(
    w: Floats, x: Ints, size: int, totals: Floats, exponents: Ints
) -> tuple[float, int]:
    """Eliminate in place, weights to shares, all of `size` nodes but the last; return Z."""
    z, octaves = 1.0, 0
    for k in range(size - 1):
        s, t = 0.0, 0
        for j in range(k + 1, size):
            w[k, j], x[k, j] = wide_normal(w[k, j], x[k, j])
            s, t = wide_add(s, t, w[k, j], x[k, j])
        s, t = wide_normal(s, t)
        totals[k], exponents[k] = s, t
        if s == 0.0:
            return 0.0, 0
        z, octaves = wide_normal(z * s, octaves + t)
        for i in range(k + 1, size):
            if w[k, i] == 0.0:
                continue
            share, scale = w[k, i] / s, x[k, i] - t
            for j in range(i + 1, size):
                w[i, j], x[i, j] = wide_add(w[i, j], x[i, j], share * w[k, j], scale + x[k, j])
        for j in range(k + 1, size):
            w[k, j], x[k, j] = wide_normal(w[k, j] / s, x[k, j] - t)
    return z, octaves


@kernel
def wide_resist(w: Floats, x: Ints, totals: Floats, exponents: Ints) -> None:
    """Turn shares above the diagonal into resistances, in place (R is written on both sides)."""
    size = len(totals)
    y, z = np.empty(size), np.empty(size, dtype=np.int64)
    for k in range(size - 2, -1, -1):
        q, r = 0.0, 0
        for u in range(k + 1, size):
            a, i = 0.0, 0
            for j in range(k + 1, size):
                if j != u and w[k, j] != 0.0:
                    a, i = wide_add(a, i, w[k, j] * w[u, j], x[k, j] + x[u, j])
            y[u], z[u] = wide_normal(a, i)
            q, r = wide_add(q, r, w[k, u] * y[u], x[k, u] + z[u])
        q, r = wide_normal(q, r)
        inverse, scale = wide_normal(1.0 / totals[k], -exponents[k])
        for u in range(k + 1, size):
            a, i = wide_add(inverse, scale, y[u], z[u])
            a, i = wide_add(a, i, -0.5 * q, r)
            a, i = wide_normal(a, i)
            w[k, u], x[k, u] = a, i
            w[u, k], x[u, k] = a, i


class WideNetwork(NamedTuple):
    """One network in wide numbers; ``first[e] < second[e]`` join the nodes of edge e.

    `ground` is empty for spanning trees.
    """

    d: int
    first: Ints
    second: Ints
    mantissas: Floats
    exponents: Ints
    ground: Floats
    ground_exponents: Ints


@kernel
def wide_shares(
    network: WideNetwork, weights: Floats, exponents: Ints
) -> tuple[Floats, Ints, Floats, Ints, float, int]:
    """Eliminate a network whose weights are multiplied by others; see :func:`wide_eliminate`.

    Returns shares above the diagonal, totals, and Z.
    """
    first, second, d = network.first, network.second, network.d
    size = d + 1 if len(network.ground) else d
    w, x = np.zeros((size, size)), np.zeros((size, size), dtype=np.int64)
    totals, scales = np.zeros(size), np.zeros(size, dtype=np.int64)
    for e in range(len(first)):
        product = network.mantissas[e] * weights[e]
        if product != 0.0:
            w[first[e], second[e]] = product
            x[first[e], second[e]] = network.exponents[e] + exponents[e]
    for i in range(len(network.ground)):
        w[i, d], x[i, d] = network.ground[i], network.ground_exponents[i]
    mantissa, octaves = wide_eliminate(w, x, size, totals, scales)
    return w, x, totals, scales, mantissa, octaves


@kernel
def run_wide(
    network: WideNetwork,
    rows: Ints,
    weights: Floats,
    exponents: Ints,
    log_partition: Floats,
    each: Floats,
) -> None:
    """Evaluate a network whose weights are multiplied by those of each sample.

    Row i of ``each``, if it has any, gets ``w R`` as plain numbers, where w are the weights of the
    sample. ``log_partition`` is filled at ``rows``.
    """
    for i in range(len(rows)):
        w, x, totals, scales, mantissa, octaves = wide_shares(network, weights[i], exponents[i])
        log_partition[rows[i]] = wide_log(mantissa, octaves)
        if mantissa == 0.0 or each.shape[0] == 0:
            continue
        wide_resist(w, x, totals, scales)
        for e in range(len(network.first)):
            u, v = network.first[e], network.second[e]
            each[i, e] = wide_plain(weights[i, e] * w[u, v], exponents[i, e] + x[u, v])
