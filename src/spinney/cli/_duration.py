"""How long stability takes, said before the work."""

from __future__ import annotations

from spinney.cli._inputs import Inputs
from spinney.cli._memory import sizes_of
from spinney.cli._settings import Settings

__all__ = ["foretold"]


def foretold(inputs: Inputs, settings: Settings) -> str:
    """Say how long stability takes; empty if it was not asked for."""
    if settings.stability is None:
        return ""
    from spinney.graph.learning import default_samples, seconds_needed

    d, sizes = inputs.shape[1], sizes_of(inputs, settings)
    counts = [settings.stability or default_samples(n, d) for n in sizes]
    seconds = sum(k * seconds_needed(n, d) for k, n in zip(counts, sizes, strict=True))
    each = f"{max(counts):,} bootstrap samples and {max(counts):,} subsets"
    return f"Stability by {each} takes about {_minutes(seconds)} on two cores."


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
