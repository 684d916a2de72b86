"""The Gaussian copula between levels; formulas as in :mod:`spinney.pairs.copulas.gaussian`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, exp, log, look_up, scaled_tail


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, rho: float, second: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
    inverse, levels = 1.0 / np.sqrt((1.0 - rho) * (1.0 + rho)), cuts.size + 1
    ends = np.empty(levels + 1)
    ends[0], ends[levels] = -FAR, FAR
    for j in range(levels - 1):
        ends[j + 1] = cuts[j] * inverse
    low, high = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, low, high)
    slope = rho * inverse
    for k in range(out.size):
        a, b = low[k] - slope * x[k], high[k] - slope * x[k]
        # The normal curve is symmetric: put the end that is farther out below.
        mirror = a + b > 0.0
        far, near = (b if mirror else -a), (-a if mirror else b)
        tail_far, tail_near = scaled_tail(far), scaled_tail(abs(near))
        # Φ(near) - Φ(-far), without the decay of Φ(near) where that is a tail
        inside = near > 0.0
        shift = 0.0 if inside else -0.5 * near * near
        whole = 1.0 - exp(-0.5 * near * near) * tail_near if inside else tail_near
        gap = whole - exp(-0.5 * far * far - shift) * tail_far
        out[k] = shift + log(max(gap, 1e-300))
