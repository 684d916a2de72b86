r"""The elimination on numbers whose exponent has no bounds: the log-space engine.

A *wide* number is a mantissa in [1, 2), or zero, and an integer exponent kept beside it.
Log-weights of ±10 000 are no trouble, and unlike with ``logaddexp`` on logarithms, whose rounding
grows with their size, every sum and product keeps all its digits. The formulas are those of
:mod:`spinney.forests.reference`, a sample at a time.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney._core.pairs import pair_nodes
from spinney.forests._input import read_ground, read_matrix

LN2 = float(np.log(2.0))
# ln 2 in two parts, the first with 32 trailing zero bits, so that a whole multiple of it is exact.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10

FAR = 1100
"""Numbers this many octaves apart do not see each other."""

SHRINK = np.ldexp(1.0, -np.minimum(np.arange(FAR + 1), 1074))
SHRINK[-1] = 0.0


def from_plain(values: Floats) -> tuple[Floats, Ints]:
    """Split plain numbers, without rounding.

    Examples
    --------
    >>> from_plain(np.array([0.0, 3.0]))
    (array([0. , 1.5]), array([0, 1]))
    """
    fraction, exponent = np.frexp(values)
    return 2 * fraction, np.where(fraction > 0, exponent - 1, 0).astype(np.int64)


def from_log(values: Floats) -> tuple[Floats, Ints]:
    """Split numbers given by their logarithms; -inf is zero.

    Examples
    --------
    >>> mantissa, exponent = from_log(np.array([-np.inf, np.log(3) + 1000 * np.log(2)]))
    >>> mantissa.round(9), exponent
    (array([0. , 1.5]), array([   0, 1001]))
    """
    present = values > -np.inf
    finite = np.where(present, values, 0.0)
    exponent = np.rint(finite / LN2)
    mantissa = np.exp((finite - exponent * LN2_HIGH) - exponent * LN2_LOW)
    low = mantissa < 1
    mantissa = np.where(low, 2 * mantissa, mantissa)
    exponent = exponent - low
    return np.where(present, mantissa, 0.0), np.where(present, exponent, 0).astype(np.int64)


@kernel
def wide_normal(mantissa: float, exponent: int) -> tuple[float, int]:
    """Bring the mantissa of a number that is not negative back to [1, 2), or zero."""
    if mantissa == 0.0:
        return 0.0, 0
    fraction, shift = frexp(mantissa)
    return 2 * fraction, exponent + shift - 1


@kernel
def wide_add(a: float, i: int, b: float, j: int) -> tuple[float, int]:
    """Add: ``a 2^i + b 2^j``, not normalised; either may be negative or zero."""
    if b == 0.0:
        return a, i
    if a == 0.0:
        return b, j
    if i >= j:
        return a + b * SHRINK[min(i - j, FAR)], i
    return b + a * SHRINK[min(j - i, FAR)], j


@kernel
def wide_plain(mantissa: float, exponent: int) -> float:
    """Return an ordinary number; too large becomes infinite, too small zero."""
    return ldexp(mantissa, int(min(max(exponent, -2000), 2000)))


@kernel
def wide_eliminate(w: Floats, x: Ints, totals: Floats, exponents: Ints) -> float:
    """Eliminate in place, weights to shares, all nodes but the last; return log Z."""
    size = w.shape[0]
    log_z = 0.0
    octaves = 0
    for k in range(size - 1):
        s, t = 0.0, 0
        for j in range(k + 1, size):
            w[k, j], x[k, j] = wide_normal(w[k, j], x[k, j])
            s, t = wide_add(s, t, w[k, j], x[k, j])
        s, t = wide_normal(s, t)
        totals[k], exponents[k] = s, t
        if s == 0.0:
            return -np.inf
        log_z += np.log(s)
        octaves += t
        for i in range(k + 1, size):
            if w[k, i] == 0.0:
                continue
            share, scale = w[k, i] / s, x[k, i] - t
            for j in range(i + 1, size):
                if w[k, j] != 0.0:
                    w[i, j], x[i, j] = wide_add(w[i, j], x[i, j], share * w[k, j], scale + x[k, j])
        for j in range(k + 1, size):
            if w[k, j] != 0.0:
                w[k, j], x[k, j] = wide_normal(w[k, j] / s, x[k, j] - t)
    return log_z + octaves * LN2


@kernel
def wide_resist(w: Floats, x: Ints, totals: Floats, exponents: Ints, y: Floats, z: Ints) -> None:
    """Turn shares above the diagonal into resistances, in place (R is written on both sides)."""
    size = w.shape[0]
    for k in range(size - 2, -1, -1):
        q, r = 0.0, 0
        for u in range(k + 1, size):
            a, i = 0.0, 0
            for j in range(k + 1, size):
                if j != u and w[k, j] != 0.0:
                    a, i = wide_add(a, i, w[k, j] * w[j, u], x[k, j] + x[j, u])
            y[u], z[u] = wide_normal(a, i)
            q, r = wide_add(q, r, w[k, u] * y[u], x[k, u] + z[u])
        q, r = wide_normal(q, r)
        inverse, scale = wide_normal(1.0 / totals[k], -exponents[k])
        for u in range(k + 1, size):
            a, i = wide_add(inverse, scale, y[u], z[u])
            a, i = wide_add(a, i, -q, r - 1)
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
def _build(network: WideNetwork) -> tuple[Floats, Ints]:
    d, first, second = network.d, network.first, network.second
    size = d + 1 if len(network.ground) else d
    w = np.zeros((size, size))
    x = np.zeros((size, size), dtype=np.int64)
    for e in range(len(first)):
        w[first[e], second[e]] = network.mantissas[e]
        x[first[e], second[e]] = network.exponents[e]
    for i in range(len(network.ground)):
        w[i, d], x[i, d] = network.ground[i], network.ground_exponents[i]
    return w, x


@kernel
def _eliminated(network: WideNetwork) -> tuple[Floats, Ints, Floats, Ints, float]:
    """Eliminate a network; return shares and totals, each with its exponents, and log Z."""
    w, x = _build(network)
    totals, scales = np.ones(w.shape[0]), np.zeros(w.shape[0], dtype=np.int64)
    log_z = wide_eliminate(w, x, totals, scales)
    return w, x, totals, scales, log_z


@kernel
def _resist(w: Floats, x: Ints, totals: Floats, scales: Ints) -> None:
    """Turn shares into resistances, in place, with memory of its own."""
    wide_resist(w, x, totals, scales, np.empty(len(w)), np.empty(len(w), dtype=np.int64))


@kernel
def run_wide(
    pattern: WideNetwork,
    rows: Ints,
    mantissas: Floats,
    exponents: Ints,
    weights: Floats,
    weight_exponents: Ints,
    log_partition: Floats,
    each: Floats,
) -> None:
    """Evaluate one network per row, of the edges and the ground of a pattern.

    ``mantissas, exponents`` are the network's weights, ``weights`` those by which the resistances
    are multiplied: row i of ``each`` gets ``w R`` as plain numbers. ``log_partition`` is filled
    at ``rows``.
    """
    d, first, second, _, _, ground, ground_exponents = pattern
    for i in range(len(rows)):
        network = WideNetwork(
            d, first, second, mantissas[i], exponents[i], ground, ground_exponents
        )
        w, x, totals, scales, log_z = _eliminated(network)
        log_partition[rows[i]] = log_z
        if log_z == -np.inf or each.shape[0] == 0:
            continue
        _resist(w, x, totals, scales)
        for e in range(len(first)):
            u, v = first[e], second[e]
            each[i, e] = wide_plain(weights[i, e] * w[u, v], weight_exponents[i, e] + x[u, v])


@kernel
def wide_greens_function(network: WideNetwork) -> Floats:
    r"""Return :math:`\sqrt{g_i g_j}\,G_{ij}`, which lies between 0 and 1."""
    d, ground, ground_exponents = network.d, network.ground, network.ground_exponents
    w, x, totals, scales, log_z = _eliminated(network)
    out = np.zeros((d, d))
    if log_z == -np.inf:
        out[:] = np.nan
        return out
    G = np.zeros((d, d))
    X = np.zeros((d, d), dtype=np.int64)
    for k in range(d - 1, -1, -1):
        for u in range(k + 1, d):
            a, i = 0.0, 0
            for j in range(k + 1, d):
                a, i = wide_add(a, i, w[k, j] * G[j, u], x[k, j] + X[j, u])
            G[k, u], X[k, u] = wide_normal(a, i)
            G[u, k], X[u, k] = G[k, u], X[k, u]
        a, i = wide_normal(1.0 / totals[k], -scales[k])
        for j in range(k + 1, d):
            a, i = wide_add(a, i, w[k, j] * G[j, k], x[k, j] + X[j, k])
        G[k, k], X[k, k] = wide_normal(a, i)
    for i in range(d):
        for j in range(d):
            e = ground_exponents[i] + ground_exponents[j] + 2 * X[i, j]
            m = np.sqrt(ground[i] * ground[j]) * G[i, j]
            out[i, j] = wide_plain(m * (np.sqrt(2.0) if e % 2 else 1.0), e // 2)
    return out


@kernel
def wide_log_shares(network: WideNetwork) -> tuple[Floats, Floats]:
    """Eliminate, and return the logarithms of totals and shares (-inf: none)."""
    w, x, totals, scales, _ = _eliminated(network)
    size = w.shape[0]
    log_totals = np.log(totals[: size - 1]) + LN2 * scales[: size - 1]
    log_shares = np.full((size, size), -np.inf)
    for i in range(size):
        for j in range(i + 1, size):
            if w[i, j] > 0.0:
                log_shares[i, j] = np.log(w[i, j]) + LN2 * x[i, j]
    return log_totals, log_shares


@kernel
def wide_walk_length(network: WideNetwork) -> float:
    r"""Return :math:`\sum_u s_u R_{u,\mathrm{ground}}`, the mean length of all Wilson's walks.

    Negative if there is no tree.
    """
    w, x = _build(network)
    size = w.shape[0]
    degree = np.zeros(size)
    degree_scale = np.zeros(size, dtype=np.int64)
    for i in range(size):
        for j in range(i + 1, size):
            degree[i], degree_scale[i] = wide_add(degree[i], degree_scale[i], w[i, j], x[i, j])
            degree[j], degree_scale[j] = wide_add(degree[j], degree_scale[j], w[i, j], x[i, j])
    w, x, totals, scales, log_z = _eliminated(network)
    if log_z == -np.inf:
        return -1.0
    _resist(w, x, totals, scales)
    steps = 0.0
    for u in range(size - 1):
        steps += wide_plain(degree[u] * w[u, size - 1], degree_scale[u] + x[u, size - 1])
    return steps


def read_network(W: ArrayLike, ground: ArrayLike, log: bool) -> tuple[WideNetwork, Floats, Floats]:
    """Read one matrix; return it as wide numbers, its log-weights by pair, and the root weights.

    Examples
    --------
    >>> network, log_weights, _ = read_network([[0, 4], [4, 0]], 1.0, log=False)
    >>> network.exponents, log_weights.round(3)
    (array([2]), array([1.386]))
    """
    pairs, d = read_matrix(W, log=log, as_log=log)
    roots = read_ground(ground, d)
    first, second = (nodes.astype(np.int64) for nodes in pair_nodes(d))
    mantissas, exponents = from_log(pairs[0]) if log else from_plain(pairs[0])
    ground_mantissas, ground_exponents = from_plain(roots if roots.any() else np.empty(0))
    network = WideNetwork(
        d, first, second, mantissas, exponents, ground_mantissas, ground_exponents
    )
    with np.errstate(divide="ignore"):
        log_weights = pairs[0] if log else np.log(pairs[0])
    return network, log_weights, roots
