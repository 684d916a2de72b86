"""Whether a run will be long, said before the work, and what makes it shorter."""

from __future__ import annotations

from collections.abc import Sequence

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._memory import sizes_of
from spinney.cli._settings import Settings

__all__ = ["foretold"]

LONG_S = 60.0
"""Seconds from which a run is announced as long."""


def foretold(inputs: Inputs, settings: Settings) -> str:
    """Say that a run will be long, why, and what makes it shorter; empty if it will not be."""
    if settings.estimator != JUDGE:
        return ""
    from spinney.graph.durations import FIXED_S, default_samples, seconds_needed

    d, sizes = inputs.shape[1], sizes_of(inputs, settings)
    found = [seconds_needed(n, d) for n in sizes]
    columns, rows = (sum(part) for part in zip(*found, strict=True))
    permutations = settings.permutations or (1_000 if settings.paired else 0)
    fits = 1 + 2 * (settings.halves or 0) + 2 * permutations
    seconds = fits * (columns + rows)
    told = []
    if settings.stability is not None:
        counts = [settings.stability or default_samples(n, d) for n in sizes]
        more = sum(n * (FIXED_S + sum(own)) for n, own in zip(counts, found, strict=True))
        each = f"{max(counts):,} bootstrap samples and {max(counts):,} subsets"
        told.append(f"Stability by {each} takes about {_minutes(more)} on two cores.")
    if seconds >= LONG_S:
        told.append(f"This takes {_long(seconds)}: {_why(d, sizes, columns, rows, fits)}.")
    return " ".join(told)


def _minutes(seconds: float) -> str:
    """Say a time as people do.

    Examples
    --------
    >>> [_minutes(seconds) for seconds in (8, 50, 170, 9000)]
    ['10 seconds', '50 seconds', '3 minutes', '2.5 hours']
    """
    if seconds < 95.0:
        return f"{max(round(seconds, -1), 10.0):.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400.0 else f"{seconds / 3600:.1f} hours"


def _long(seconds: float) -> str:
    if seconds < 600.0:
        return "some minutes"
    return "up to an hour" if seconds < 3600.0 else "hours"


def _why(d: int, sizes: Sequence[int], columns: float, rows: float, fits: int) -> str:
    if fits > 1 and columns + rows < LONG_S:
        return f"the graph is learned {fits:,} times. Fewer halves or permutations are quicker"
    if columns >= rows:
        few = f" and only {max(sizes):,} rows" if max(sizes) < d else ""
        return f"there are {d:,} columns{few}. Fewer columns (--columns, --drop) are quicker"
    return f"there are {sum(sizes):,} rows. Fewer rows (--rows 20000) are quicker"
