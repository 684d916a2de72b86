"""How long a graph takes, and so how often it is learned again by default."""

from __future__ import annotations

import numpy as np

from spinney.judge.learner import WIDE

__all__ = ["FIXED_S", "default_samples", "seconds_needed"]

MOST, FEWEST = 1_000, 100
"""Samples by default, and how few they may become where the table is large."""
LONG_S = 600.0
"""Seconds of two cores beyond which there are fewer samples by default."""
FIXED_S = 0.01
"""Seconds of a fit, whatever the size."""
PER_PAIR_S = 1e-4
"""Seconds for each pair that is judged, on two cores: 300 columns take 4 s, 800 take 33 s."""
PER_COLUMN_S = 0.022
"""Seconds for each column of a wide table: 1,000 columns take 18 s, 5,000 take 109 s."""
PER_VALUE_S = 5e-6
"""Seconds for each value: 40 columns and 20,000 rows take 4 s."""


def seconds_needed(n: int, d: int) -> tuple[float, float]:
    """Estimate the seconds that columns and rows take; they may be off by a factor of a few.

    Examples
    --------
    >>> [round(seconds) for seconds in seconds_needed(200, 300)]
    [4, 0]
    """
    columns = PER_COLUMN_S * d if d > WIDE else PER_PAIR_S * d * (d - 1) / 2
    return columns, PER_VALUE_S * n * d


def default_samples(n: int, d: int) -> int:
    """Count the samples that a table of this size gets by default: by its size alone.

    Examples
    --------
    >>> default_samples(853, 11), default_samples(20_000, 40), default_samples(500, 500)
    (1000, 100, 100)
    """
    most = LONG_S / (FIXED_S + sum(seconds_needed(n, d)))
    return int(np.clip(most // 100 * 100, FEWEST, MOST))
