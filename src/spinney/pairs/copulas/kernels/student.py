"""The Student's t copula between levels; formulas as in :mod:`spinney.pairs.copulas.student`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas._math import FAR, exp, expm1, log, look_up
from spinney.pairs.copulas.kernels.elliptical import replace_by_log_tail


@kernel
def strip(
    x: Floats, cuts: Floats, codes: Ints, rho: float, df: float, table: Floats, out: Floats
) -> None:
    """Log-probabilities of the levels of one variable given the other."""
    levels, scale = cuts.size + 1, np.sqrt((df + 1.0) / ((1.0 - rho) * (1.0 + rho)))
    ends = np.empty(levels + 1)
    ends[0], ends[levels] = -FAR, FAR
    for k in range(cuts.size):  # numba takes seconds to compile what a slice could raise
        ends[k + 1] = cuts[k]
    far, near = np.empty(out.size), np.empty(out.size)
    look_up(ends, codes, far, near)
    for k in range(out.size):
        steep = scale / np.sqrt(df + x[k] * x[k])
        a, b = (far[k] - rho * x[k]) * steep, (near[k] - rho * x[k]) * steep
        # The curve is symmetric: put the end that is farther out below.
        mirror = a + b > 0.0
        far[k], out[k] = (b if mirror else -a), (-a if mirror else b)
        near[k] = abs(out[k])
    replace_by_log_tail(far, df + 1.0, table)
    replace_by_log_tail(near, df + 1.0, table)
    for k in range(out.size):
        # T(near) - T(-far), over T(near) where that is a tail
        inside = out[k] > 0.0
        part = expm1(min(far[k] - near[k], 0.0))
        gap = (1.0 - exp(near[k])) - exp(far[k]) if inside else -part
        out[k] = (0.0 if inside else near[k]) + log(max(gap, 1e-300))
