"""Differences seed by seed, and what may be said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

FEWEST_SEEDS = 3
SURE = 0.95
"""Level of the interval (Student's t) that must leave out nought."""


@dataclass(frozen=True)
class Difference:
    """Mean of differences over common seeds, with its standard error."""

    mean: float
    error: float
    seeds: int

    @property
    def is_sure(self) -> bool:
        """Whether the interval of 95 % around the mean leaves out nought."""
        if self.seeds < FEWEST_SEEDS:
            return False
        reach = float(stats.t.ppf((1 + SURE) / 2, self.seeds - 1)) * self.error
        return abs(self.mean) > reach

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


@dataclass(frozen=True)
class Verdict:
    """How a method stands among its rivals on one cell.

    Attributes
    ----------
    word : {"won", "ahead", "level", "behind", "lost", "open"}
        Surely ahead of all rivals, ahead of all but not surely, level with the best of them,
        behind one but not surely, surely behind one; or no rival has enough seeds.
    rival : str
        The one that comes closest to the method, or goes furthest beyond it.
    difference : Difference
        To that rival.
    not_judged : list of str
        Rivals that have too few seeds in common with the method.
    """

    word: str
    rival: str
    difference: Difference
    not_judged: list[str]


def against_all(frame: pd.DataFrame, ours: str, rivals: list[str]) -> Verdict | None:
    """Judge a method by the worst of its rivals on one cell; None if there is none."""
    found = {}
    for rival in rivals:
        known = paired(frame, "method", ours, rival)
        if len(known):
            found[rival] = difference(known[ours], known[rival])
    if not found:
        return None
    judged = {r: gap for r, gap in found.items() if gap.seeds >= FEWEST_SEEDS}
    behind = [r for r, gap in judged.items() if gap.is_sure and gap.mean > 0]
    closest = max(behind or judged or found, key=lambda rival: found[rival].mean)
    if behind:
        word = "lost"
    elif not judged:
        word = "open"
    elif all(gap.is_sure for gap in judged.values()):
        word = "won"
    else:
        word = {-1: "ahead", 0: "level", 1: "behind"}[int(np.sign(round(found[closest].mean, 9)))]
    return Verdict(word, closest, found[closest], [r for r in found if r not in judged])


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
