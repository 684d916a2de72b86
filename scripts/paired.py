"""Differences seed by seed, and what may be said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

FEWEST_SEEDS = 3
SURE = 2.0
"""Standard errors beyond which a difference is called one."""


@dataclass(frozen=True)
class Difference:
    """Mean of differences over common seeds, with its standard error."""

    mean: float
    error: float
    seeds: int

    @property
    def is_sure(self) -> bool:
        """Whether the mean is more than two standard errors from nought."""
        return self.seeds >= FEWEST_SEEDS and abs(self.mean) > SURE * self.error

    def __str__(self) -> str:
        error = f" ± {self.error:.1f}" if self.seeds > 1 else ""
        return f"{self.mean:+.1f}{error} ({self.seeds})"


def difference(ours: pd.Series, theirs: pd.Series) -> Difference:
    """Compare two columns with the same seeds.

    Examples
    --------
    >>> print(difference(pd.Series([1.0, 2.0, 3.0]), pd.Series([2.0, 4.0, 3.0])))
    -1.0 ± 0.6 (3)
    """
    gaps = ours - theirs
    error = float(gaps.sem()) if len(gaps) > 1 else np.nan
    return Difference(float(gaps.mean()), error, len(gaps))


def paired(
    frame: pd.DataFrame, by: str, first: str, second: str, metric: str = "hamming"
) -> pd.DataFrame:
    """Put two methods (or cells) side by side: one row per seed that both have."""
    known = frame[frame[by].isin([first, second])]
    wide = known.pivot(index="seed", columns=by, values=metric)
    return wide.reindex(columns=[first, second]).dropna().astype(float)


def against_all(
    frame: pd.DataFrame, ours: str, rivals: list[str]
) -> tuple[str, Difference, str] | None:
    """Find the rival that comes closest to a method on one cell, or goes furthest beyond.

    Returns
    -------
    rival, difference, word : str, Difference, str
        The word is "won" if the method is surely ahead of all rivals, "lost" if it is surely
        behind one, "open" if it has too few seeds in common with one, and "level" else. None if
        there is nothing to compare.
    """
    found = {}
    for rival in rivals:
        known = paired(frame, "method", ours, rival)
        if len(known):
            found[rival] = difference(known[ours], known[rival])
    if not found:
        return None
    behind = [r for r, gap in found.items() if gap.is_sure and gap.mean > 0]
    closest = max(behind or found, key=lambda rival: found[rival].mean)
    if behind:
        word = "lost"
    elif any(gap.seeds < FEWEST_SEEDS for gap in found.values()):
        word = "open"
    else:
        word = "won" if all(gap.is_sure for gap in found.values()) else "level"
    return closest, found[closest], word


def mean_and_error(values: pd.Series, digits: int) -> str:
    """Write a mean with its standard error, if it has one.

    Examples
    --------
    >>> mean_and_error(pd.Series([1.0, 2.0, 3.0]), 1), mean_and_error(pd.Series([4.0]), 1)
    ('2.0 ± 0.6', '4.0')
    """
    known = pd.to_numeric(values).dropna()
    if known.empty:
        return "–"
    error = f" ± {known.sem():.{digits}f}" if len(known) > 1 else ""
    return f"{known.mean():.{digits}f}{error}"
