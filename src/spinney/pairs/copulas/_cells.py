"""What the kernels for strips and rectangles share.

A variable with L levels has L - 1 interior thresholds. Kernels work on its L upper ends, the last
of which is 1. A quantity that a lower end of 0 makes infinite is handled by adding `FAR` to an
exponent, beyond which `exp` returns nothing, so that loops stay free of branches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import inlined
from spinney.pairs.copulas._math import expm1, log

__all__ = ["FAR", "log_gap", "log_less", "look_up"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 1e30
"""Stands for an infinite coordinate: exp(-FAR) is 0, and its square does not overflow."""


@inlined
def log_gap(low: float, high: float) -> float:
    r"""Return :math:`\log(e^b - e^a)` for a = `low` < b = `high`, logs of probabilities."""
    return high + log(max(-expm1(low - high), 1e-300))


@inlined
def log_less(rest: float, part: float) -> float:
    """Return log(1 - part), where `rest` is 1 - part, computed without cancellation.

    From `part` if that is small, with the digits put back that 1 - part rounds away.
    """
    direct = 1.0 - part if part < 0.5 else rest
    return log(direct) + (((1.0 - direct) - part) / direct if part < 0.5 else 0.0)


@inlined
def look_up(ends: Floats, codes: Ints, low: Floats, high: Floats) -> None:
    """Find both ends of each row's level, by themselves: arithmetic beside it stays vector code."""
    for k in range(codes.size):
        low[k], high[k] = ends[codes[k]], ends[codes[k] + 1]
