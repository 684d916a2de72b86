r"""Kernel estimate of one column on the scale that suits it.

It is a mixture of Gaussians of one width, :math:`\sum_i k_i N(c_i, h^2) / n`. `centres` ascend and
are distinct; `counts` are positive. Only centres near a point matter: the compiled loops run
outwards and stop when the rest cannot change the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, log, pi, sqrt

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.compile import kernel
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins.scales import Scale, robust_spread

BANDWIDTH_FACTORS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Multiples of Silverman's bandwidth that are tried."""

EXACT_ROWS = 1000
"""Up to this many rows each value has its own kernel; beyond, neighbours share one."""


@storable("GaussianMixture")
@dataclass(frozen=True, eq=False)
class GaussianMixture:
    """Gaussian kernels of one width around the (merged) values of a column."""

    centres: Floats
    counts: Floats
    width: float

    def __post_init__(self) -> None:
        if self.centres.ndim != 1 or self.centres.shape != self.counts.shape:  # kernels trust it
            raise InputError("A mixture needs one count for each of its centres.")

    @cached_property
    def _cumulated(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.counts)])

    def logpdf(self, y: Floats) -> Floats:
        """Log-density."""
        return mixture_log_density(self.centres, self.counts, self.width, y)

    def cdf(self, y: Floats) -> Floats:
        """Distribution function."""
        return mixture_cdf(self.centres, self._cumulated, self.width, y)

    def ppf(self, u: Floats) -> Floats:
        """Quantiles; the upper half is the lower half of the mirrored mixture, to keep digits."""
        y, lower = np.empty(len(u)), u <= 0.5
        y[lower] = self._lower_half(u[lower])
        mirrored = GaussianMixture(-self.centres[::-1], self.counts[::-1].copy(), self.width)
        y[~lower] = -mirrored._lower_half(1.0 - u[~lower])
        return y

    def _lower_half(self, u: Floats) -> Floats:
        return mixture_quantile(self.centres, self.counts, self._cumulated, self.width, u)


@dataclass(frozen=True, eq=False)
class KernelFit:
    """A fitted mixture, its scale, and its leave-one-out log-likelihood on the raw column."""

    scale: Scale
    mixture: GaussianMixture
    factor: float
    leave_one_out: float


def fit_kernel(x: Floats, scales: Iterable[Scale]) -> KernelFit:
    r"""Choose scale and bandwidth by leave-one-out likelihood.

    The scale is chosen at Silverman's bandwidth :math:`0.9 \min(s, \mathrm{IQR}/1.349)\,n^{-1/5}`
    on that scale, then the bandwidth among `BANDWIDTH_FACTORS` times it. The factors are bounded
    below because with ties the leave-one-out likelihood grows without bound as the width shrinks.

    Parameters
    ----------
    x : array of shape (n,)
        The column, ascending.
    scales : iterable of Scale
        Candidates.
    """
    n = len(x)
    best: tuple[float, Scale, Floats, float, float] | None = None
    for scale in scales:
        y = scale.forward(x)
        # No narrower than floating-point resolution over the range of the column.
        width = max(0.9 * robust_spread(y) * n**-0.2, 1e-9 * (y[-1] - y[0]))
        if not width > 0.0:
            continue
        slope = float(scale.log_slope(x).sum())
        score = leave_one_out(*_merged(y, width / 4.0), width) + slope
        if best is None or score - scale.n_tuned > best[0] - best[1].n_tuned:
            best = (score, scale, y, width, slope)
    assert best is not None  # the linear scale always has some spread
    _, scale, y, width, slope = best
    centres, counts = _merged(y, BANDWIDTH_FACTORS[0] * width / 4.0)
    scores = [
        leave_one_out(centres, counts, factor * width) + slope for factor in BANDWIDTH_FACTORS
    ]
    chosen = int(np.argmax(scores))
    factor = BANDWIDTH_FACTORS[chosen]
    mixture = GaussianMixture(*_merged(y, factor * width / 4.0), factor * width)
    return KernelFit(scale, mixture, factor, scores[chosen])


def _merged(y: Floats, cell: float) -> tuple[Floats, Floats]:
    """Distinct values and their counts; in long columns, cells of a quarter of the width."""
    return merge_cells(y, cell if len(y) > EXACT_ROWS else 0.0)


# The mixture, compiled

_NEGLIGIBLE = 45.0  # exp(-45) = 3e-20: no digit left even after 1e4 such terms
_BEYOND = 1e150  # this many widths away the square overflows, and the density is zero
_ROOT2 = sqrt(2.0)
_LOG_ROOT_2PI = 0.5 * log(2.0 * pi)


@kernel
def merge_cells(y: Floats, cell: float) -> tuple[Floats, Floats]:
    """Merge ascending values that share a cell of the given width into their mean.

    With ``cell=0`` only equal values are merged. Means keep the centre of mass, and counts stay
    whole, so that leaving one value out still makes sense.
    """
    centres = np.empty(len(y))
    counts = np.zeros(len(y))
    m = -1
    current = 0.0
    for k in range(len(y)):
        number = np.floor((y[k] - y[0]) / cell) if cell > 0.0 else 0.0
        new = k == 0 or (number != current if cell > 0.0 else y[k] != y[k - 1])
        if new:
            m += 1
            centres[m] = y[k]
            counts[m] = 1.0
            current = number
        else:
            counts[m] += 1.0
            centres[m] += (y[k] - centres[m]) / counts[m]
    return centres[: m + 1].copy(), counts[: m + 1].copy()


@kernel
def _add_kernels(
    mass: float, centres: Floats, counts: Floats, width: float, y: float, base: float, below: int,
    above: int,
) -> float:  # fmt: skip
    """Add the kernels of centres before `below` and from `above` on at y, times exp(base)."""
    for j in range(below - 1, -1, -1):
        q = 0.5 * ((y - centres[j]) / width) ** 2 - base
        if q > _NEGLIGIBLE:
            break
        mass += counts[j] * exp(-q)
    for j in range(above, len(centres)):
        q = 0.5 * ((centres[j] - y) / width) ** 2 - base
        if q > _NEGLIGIBLE:
            break
        mass += counts[j] * exp(-q)
    return mass


@kernel
def leave_one_out(centres: Floats, counts: Floats, width: float) -> float:
    """Sum the log-densities of all values, each under the mixture of the others."""
    m = len(centres)
    n = float(counts.sum())
    total = 0.0
    for i in range(m):
        # Everything is relative to the nearest other value, so an outlier cannot underflow.
        nearest = 0.0
        if counts[i] < 1.5:
            nearest = np.inf
            if i > 0:
                nearest = centres[i] - centres[i - 1]
            if i < m - 1:
                nearest = min(nearest, centres[i + 1] - centres[i])
        if not nearest < _BEYOND * width:
            return -np.inf
        base = 0.5 * (nearest / width) ** 2
        mass = counts[i] - 1.0
        mass = _add_kernels(mass, centres, counts, width, centres[i], base, i, i + 1)
        total += counts[i] * (log(mass) - base)
    return total - n * (log(n - 1.0) + log(width) + _LOG_ROOT_2PI)


@kernel
def _log_density(centres: Floats, counts: Floats, n: float, width: float, y: float) -> float:
    m = len(centres)
    above = int(np.searchsorted(centres, y))
    nearest = np.inf
    if above > 0:
        nearest = y - centres[above - 1]
    if above < m:
        nearest = min(nearest, centres[above] - y)
    if not nearest < _BEYOND * width:
        return -np.inf
    base = 0.5 * (nearest / width) ** 2
    mass = _add_kernels(0.0, centres, counts, width, y, base, above, above)
    return log(mass) - base - log(n) - log(width) - _LOG_ROOT_2PI


@kernel
def _cdf(centres: Floats, cumulated: Floats, width: float, y: float) -> float:
    """Distribution function, accurate to the last digit in the lower tail too."""
    m = len(centres)
    n = float(cumulated[m])
    first = np.searchsorted(centres, y - 8.5 * width)  # those below it count in full
    mass = float(cumulated[first])
    for j in range(first, m):
        z = (centres[j] - y) / width
        if z > 39.0:
            break
        tail = 0.5 * erfc(z / _ROOT2)
        mass += (cumulated[j + 1] - cumulated[j]) * tail
        if z > 0.0 and (n - cumulated[j + 1]) * tail < 1e-17 * mass:
            break
    return mass / n


@kernel
def mixture_log_density(centres: Floats, counts: Floats, width: float, y: Floats) -> Floats:
    """Log-density at every y."""
    n = counts.sum()
    out = np.empty(len(y))
    for k in range(len(y)):
        out[k] = _log_density(centres, counts, n, width, y[k])
    return out


@kernel
def mixture_cdf(centres: Floats, cumulated: Floats, width: float, y: Floats) -> Floats:
    """Distribution function at every y; `cumulated` are the sums of counts, from 0 to n."""
    out = np.empty(len(y))
    for k in range(len(y)):
        out[k] = _cdf(centres, cumulated, width, y[k])
    return out


@kernel
def mixture_quantile(
    centres: Floats, counts: Floats, cumulated: Floats, width: float, u: Floats
) -> Floats:
    """Quantile at every u in (0, 1/2], by Newton steps on log F inside a shrinking bracket."""
    n = cumulated[-1]
    m = len(centres)
    # F at the centres brackets every u at once; the first bracket reaches 39 widths further down.
    table = mixture_cdf(centres, cumulated, width, centres)
    out = np.empty(len(u))
    for k in range(len(u)):
        above = np.searchsorted(table, u[k])
        low = centres[above - 1] if above > 0 else centres[0] - 39.0 * width
        high = centres[above] if above < m else centres[m - 1] + 39.0 * width
        if 0 < above < m:
            share = (u[k] - table[above - 1]) / (table[above] - table[above - 1])
            y = low + share * (high - low)
        else:
            y = centres[0] if above == 0 else centres[m - 1]
        for _ in range(200):
            mass = _cdf(centres, cumulated, width, y)
            if mass < u[k]:
                low = y
            else:
                high = y
            step = np.inf
            if mass > 0.0:
                slope = _log_density(centres, counts, n, width, y) - log(mass)
                step = log(mass / u[k]) * exp(-slope) if slope > -700.0 else np.inf
            if low <= y - step <= high:
                y -= step
                if abs(step) <= 1e-8 * width:  # the next step, its square, would change nothing
                    break
            else:
                y = 0.5 * (low + high)
                if high - low <= 1e-15 * (abs(y) + width):
                    break
        out[k] = y
    return out
