"""Kernel estimate of one column on the scale that suits it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins._mixture import (
    leave_one_out,
    merge_cells,
    mixture_cdf,
    mixture_log_density,
    mixture_quantile,
)
from spinney.pairs.margins.scales import Scale, robust_spread

__all__ = ["BANDWIDTH_FACTORS", "EXACT_ROWS", "GaussianMixture", "KernelFit", "fit_kernel"]

Array = NDArray[np.float64]

BANDWIDTH_FACTORS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
"""Multiples of Silverman's bandwidth that are tried."""

EXACT_ROWS = 1000
"""Up to this many rows each value has a kernel of its own; beyond, neighbours share one."""


@storable("GaussianMixture")
@dataclass(frozen=True, eq=False)
class GaussianMixture:
    """Gaussian kernels of one width around the (merged) values of a column."""

    centres: Array
    counts: Array
    width: float

    def __post_init__(self) -> None:
        if self.centres.ndim != 1 or self.centres.shape != self.counts.shape:  # kernels trust it
            raise InputError("A mixture needs one count for each of its centres.")

    @cached_property
    def _cumulated(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.counts)])

    def logpdf(self, y: Array) -> Array:
        """Log-density."""
        return mixture_log_density(self.centres, self.counts, self.width, y)

    def cdf(self, y: Array) -> Array:
        """Distribution function."""
        return mixture_cdf(self.centres, self._cumulated, self.width, y)

    def ppf(self, u: Array) -> Array:
        """Quantiles; the upper half is the lower half of the mirrored mixture, to keep digits."""
        y = np.empty(len(u))
        lower = u <= 0.5
        y[lower] = mixture_quantile(
            self.centres, self.counts, self._cumulated, self.width, u[lower]
        )
        mirrored = GaussianMixture(-self.centres[::-1], self.counts[::-1].copy(), self.width)
        y[~lower] = -mixture_quantile(
            mirrored.centres.copy(),
            mirrored.counts,
            mirrored._cumulated,
            self.width,
            1.0 - u[~lower],
        )
        return y


@dataclass(frozen=True, eq=False)
class KernelFit:
    """A fitted mixture, its scale, and its leave-one-out log-likelihood on the raw column."""

    scale: Scale
    mixture: GaussianMixture
    factor: float
    leave_one_out: float


def fit_kernel(x: Array, scales: Iterable[Scale]) -> KernelFit:
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
    best: tuple[float, Scale, Array, float, float] | None = None
    for scale in scales:
        y = scale.forward(x)
        # No narrower than what floating point can tell apart over the range of the column.
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


def _merged(y: Array, cell: float) -> tuple[Array, Array]:
    """Distinct values and their counts; in long columns, cells of a quarter of the width."""
    return merge_cells(y, cell if len(y) > EXACT_ROWS else 0.0)
