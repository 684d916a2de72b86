"""Levels of columns, and rounded or piled-up measurements as levels with a density."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import Floats, Ints
from spinney._core.choices import Ties
from spinney.pairs.margins.ranks import FEW_ROWS, EmpiricalRanks, tied_share
from spinney.pairs.margins.smooth import SmoothMarginal

TIED = 0.02
"""Share of tied pairs of rows above which ``ties="auto"`` takes a column as levels.

Measured on independent columns, six at a time: the share of their pairs for which `PairCopulas`
with average ranks finds a copula. Values that pile up at one end do most harm, for they put a
corner's whole mass where a density with a tail is large:

=================== ========== ======== ======== ========
at the lowest value tied pairs n = 1000 n = 2000 n = 5000
=================== ========== ======== ======== ========
none                      0.00     0.16     0.15     0.22
10 %                      0.01     0.14     0.16     0.25
14 %                      0.02     0.17     0.22     0.31
17 %                      0.03     0.19     0.25     0.43
22 %                      0.05     0.29     0.42     0.56
25 %                      0.06     0.35     0.50     0.61
=================== ========== ======== ======== ========

(standard errors 0.02, for n = 5000 0.04). Taken as levels, columns with up to half of their
values at one end, and rounded ones, give 0.06 to 0.14 at 100, 500 and 2000 rows. Rounding harms
less: k equally frequent values, with a share of 1/k, are safe from about 16 on (0.16, 0.16, 0.24).
Levels cost some of the evidence of true edges: 2 to 5 % of the log-density for normal pairs of 33
or 48 values, 4 to 8 % with 15 or 25 % at one end (correlations 0.3 and 0.7, beside average ranks).
"""

PILE = 0.1
"""Share of one value above which it is a pile rather than a rounded measurement; see above. A
column of more than 15 values, none of which has that share, counts as continuous."""

MOST_LEVELS = 15
"""Most levels that a measurement with ties is grouped into."""

LARGE = 2.0 / MOST_LEVELS
"""Share from which a value is a level of its own: at most 7 values have it, with at most 8 runs of
other values before, between and behind them, so that 15 levels always suffice."""


def counts_need_levels(counts: NDArray[np.integer], ties: Ties) -> bool:
    """Whether a continuous column with such counts of its distinct values is taken as levels."""
    if ties == "levels":
        return bool((counts > 1).any())
    rows = int(counts.sum())
    if ties != "auto" or rows < FEW_ROWS or tied_share(counts) <= TIED:
        return False
    return len(counts) <= MOST_LEVELS or int(counts.max()) > PILE * rows


def level_masses(codes: Ints, n_levels: int) -> Floats:
    """Share of each level among codes; a level that does not occur counts for half a row.

    Examples
    --------
    >>> level_masses(np.array([0, 0, 2]), 3).round(3)
    array([0.571, 0.143, 0.286])
    """
    counts = np.bincount(codes, minlength=n_levels).astype(float)
    counts[counts == 0.0] = 0.5
    return counts / counts.sum()


@dataclass(frozen=True, eq=False)
class Groups:
    r"""A measurement with ties as ordered levels: intervals that cover the line.

    Attributes
    ----------
    boundaries : array of shape (n_levels - 1,)
        Where a level ends and the next begins, half way between the values on either side; a
        boundary itself belongs to the level below.
    masses : array of shape (n_levels,)
        Share of the values in each.
    ends : tuple of float
        The smallest and the largest value.

    Examples
    --------
    >>> groups = Groups.fit(np.array([0.0, 1.0, 4.0]), np.array([6, 3, 1]))
    >>> groups.boundaries, groups.masses
    (array([0.5, 2.5]), array([0.6, 0.3, 0.1]))
    >>> groups.codes(np.array([-3.0, 0.4, 0.6, 99.0]))
    array([0, 0, 1, 2])
    """

    boundaries: Floats
    masses: Floats
    ends: tuple[float, float]

    @classmethod
    def fit(cls, values: Floats, counts: NDArray[np.integer]) -> Groups:
        """Group distinct ascending values that occur `counts` times."""
        group = _group(np.asarray(counts, dtype=float))
        first = np.flatnonzero(np.diff(group)) + 1  # the first value of each group but the lowest
        below, above = values[first - 1], values[first]
        middle = below / 2.0 + above / 2.0  # halves, because a sum may overflow
        # Half way between neighbouring numbers may be rounded to the upper one.
        boundaries = np.where((below < middle) & (middle < above), middle, below)
        masses = np.bincount(group, weights=counts) / counts.sum()
        return cls(boundaries, masses, (float(values[0]), float(values[-1])))

    def codes(self, x: Floats) -> Ints:
        """Level that each value falls into."""
        return np.searchsorted(self.boundaries, x, side="left").astype(np.int64)

    @property
    def edges(self) -> Floats:
        """Finite ends of all levels: the outer two reach as far beyond their value as within."""
        if not self.boundaries.size:
            return np.array(self.ends)
        (low, high), inner = self.ends, self.boundaries
        return np.concatenate([[low + (low - inner[0])], inner, [high + (high - inner[-1])]])

    def observed(self, ranks: EmpiricalRanks, codes: Ints, depth: Floats) -> Floats:
        """Quantile of the values that were grouped into each level, at a depth in (0, 1).

        Examples
        --------
        >>> ranks = EmpiricalRanks.fit(np.array([0.0, 0.0, 1.0, 1.0, 1.0, 2.0]))
        >>> groups = Groups(np.array([0.5]), np.array([2, 4]) / 6, (0.0, 2.0))
        >>> groups.observed(ranks, np.array([0, 1, 1]), np.array([0.9, 0.7, 0.8]))
        array([0., 1., 2.])
        """
        level = self.codes(ranks.values)
        last = np.cumsum(ranks.counts)
        size = np.bincount(level, weights=ranks.counts, minlength=len(self.masses))
        wanted = (np.cumsum(size) - size)[codes] + depth * size[codes]
        place = np.searchsorted(last, wanted, side="left")
        # Rounding must not lead into the next level.
        first = np.searchsorted(level, codes, side="left")
        behind = np.searchsorted(level, codes, side="right")
        return ranks.values[np.clip(place, first, behind - 1)]


def _group(counts: Floats) -> NDArray[np.intp]:
    """Find the group of each distinct value, from 0 and ascending.

    Few values are a group each. Otherwise so is every value with a large share; the runs of others
    between them share the remaining groups by their mass, and each is cut into equal parts.
    """
    if len(counts) <= MOST_LEVELS:
        return np.arange(len(counts))
    large = counts >= LARGE * counts.sum()
    run = np.cumsum(large | np.concatenate([[True], large[:-1]])) - 1  # a large value is a run
    mass = np.bincount(run, weights=counts)
    most = np.bincount(run)  # a run has no more groups than values
    parts = np.ones(len(mass), dtype=np.int64)
    while parts.sum() < MOST_LEVELS:
        parts[np.argmax(np.where(parts < most, mass / parts, 0.0))] += 1
    # A value belongs to the part of its run that holds the middle of its own mass.
    middle = np.cumsum(counts) - 0.5 * counts - (np.cumsum(mass) - mass)[run]
    part = np.minimum((middle / mass[run] * parts[run]).astype(np.int64), parts[run] - 1)
    new = np.concatenate([[False], (np.diff(run) > 0) | (np.diff(part) > 0)])
    return np.cumsum(new)


LEAST_MASS = 1e-10
"""A smooth marginal with less mass in a level says nothing about it: values are uniform there."""


def grouped_log_density(groups: Groups, smooth: SmoothMarginal, x: Floats) -> Floats:
    r"""Log-density of a grouped column.

    With the smooth density f, the levels' intervals g and their masses :math:`m_g`,

    .. math:: p(x) = f(x) \, m_g / \int_g f, \qquad x \in g.
    """
    cumulated = np.maximum.accumulate(smooth.cdf(groups.boundaries))
    mass, code = np.diff(cumulated, prepend=0.0, append=1.0), groups.codes(x)
    low, high = groups.edges[code], groups.edges[code + 1]
    uniform = np.where((low <= x) & (x <= high), -np.log(high - low), -np.inf)
    within = smooth.logpdf(x) - np.log(np.maximum(mass, LEAST_MASS))[code]
    return np.where(mass[code] >= LEAST_MASS, within, uniform) + np.log(groups.masses)[code]
