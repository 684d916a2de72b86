"""Whether a run will be long, said before the work, and what makes it shorter."""

from __future__ import annotations

from collections.abc import Sequence

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._memory import sizes_of
from spinney.cli._settings import Settings

__all__ = ["foretold", "seconds_needed"]

LONG_S = 60.0
"""Seconds from which a run is announced as long."""
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
    from spinney.judge.learner import WIDE

    columns = PER_COLUMN_S * d if d > WIDE else PER_PAIR_S * d * (d - 1) / 2
    return columns, PER_VALUE_S * n * d


def foretold(inputs: Inputs, settings: Settings) -> str:
    """Say that a run will be long, why, and what makes it shorter; empty if it will not be."""
    if settings.estimator != JUDGE:
        return ""
    d, sizes = inputs.shape[1], sizes_of(inputs, settings)
    found = [seconds_needed(n, d) for n in sizes]
    columns, rows = (sum(part) for part in zip(*found, strict=True))
    fits = 1 + 2 * (settings.stability or 0)
    if fits * (columns + rows) < LONG_S:
        return ""
    return f"This takes {_long(fits * (columns + rows))}: {_why(d, sizes, columns, rows, fits)}."


def _long(seconds: float) -> str:
    if seconds < 600.0:
        return "some minutes"
    return "up to an hour" if seconds < 3600.0 else "hours"


def _why(d: int, sizes: Sequence[int], columns: float, rows: float, fits: int) -> str:
    if fits > 1 and columns + rows < LONG_S:
        return f"the graph is learned {fits:,} times. Fewer splits (--stability 10) are quicker"
    if columns >= rows:
        few = f" and only {max(sizes):,} rows" if max(sizes) < d else ""
        return f"there are {d:,} columns{few}. Fewer columns (--columns, --drop) are quicker"
    return f"there are {sum(sizes):,} rows. Fewer rows (--rows 20000) are quicker"
