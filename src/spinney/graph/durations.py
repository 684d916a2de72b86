"""How long a graph takes, and so how often it is learned again by default."""

from __future__ import annotations

from spinney.judge.learner import WIDE

__all__ = ["default_samples", "seconds_needed"]

LONG_S = 600.0
"""Seconds of two cores beyond which there are fewer samples than 1,000 by default."""
FIXED_S, PER_PAIR_S, PER_VALUE_S = 0.01, 1e-4, 5e-6
"""Seconds of a fit on two cores, for each pair that is judged and for each value: 300 columns take
4 s, 800 take 33 s; 40 columns and 20,000 rows take 4 s."""
PER_COLUMN_S = 0.022
"""Seconds for each column of a wide table: 1,000 columns take 18 s, 5,000 take 109 s."""


def seconds_needed(n: int, d: int) -> float:
    """Estimate the seconds of a fit; they may be off by a factor of a few.

    Examples
    --------
    >>> round(seconds_needed(200, 300)), round(seconds_needed(20_000, 40))
    (5, 4)
    """
    columns = PER_COLUMN_S * d if d > WIDE else PER_PAIR_S * d * (d - 1) / 2
    return FIXED_S + columns + PER_VALUE_S * n * d


def default_samples(n: int, d: int) -> int:
    """Count the samples that a table of this size gets by default: by its size alone.

    Examples
    --------
    >>> default_samples(853, 11), default_samples(20_000, 40), default_samples(500, 500)
    (1000, 100, 100)
    """
    return min(max(int(LONG_S / seconds_needed(n, d)) // 100, 1), 10) * 100
