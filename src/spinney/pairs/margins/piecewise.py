"""A smooth marginal scaled to given masses of intervals."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.margins.levels import Groups
from spinney.pairs.margins.smooth import SmoothMarginal
from spinney.pairs.margins.transformer import SMALLEST_U

__all__ = ["PiecewiseMarginal"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_MASS = 1e-10
"""A smooth marginal with less mass in a level says nothing about it: values are uniform there."""


class PiecewiseMarginal:
    r"""The density of a grouped column.

    With the smooth density f, the levels' intervals g and their masses :math:`m_g`,

    .. math:: p(x) = f(x) \, m_g / \int_g f, \qquad x \in g.

    Parameters
    ----------
    groups : Groups
        Intervals and masses.
    smooth : SmoothMarginal
        Fitted to the same values.
    """

    def __init__(self, groups: Groups, smooth: SmoothMarginal) -> None:
        self.groups = groups
        self.smooth = smooth

    @cached_property
    def _cumulated(self) -> Floats:
        inner = self.smooth.cdf(self.groups.boundaries)
        return np.concatenate([[0.0], np.maximum.accumulate(inner), [1.0]])

    @cached_property
    def _mass(self) -> Floats:
        """What the smooth marginal gives to each level."""
        return np.diff(self._cumulated)

    def logpdf(self, x: Floats) -> Floats:
        """Log-density at every x."""
        code = self.groups.codes(x)
        smooth = self._mass[code] >= LEAST_MASS
        result = np.empty(len(x))
        part = x[smooth]
        result[smooth] = self.smooth.logpdf(part) - np.log(self._mass[code[smooth]])
        low, high = self.groups.edges[code[~smooth]], self.groups.edges[code[~smooth] + 1]
        inside = (low <= x[~smooth]) & (x[~smooth] <= high)
        result[~smooth] = np.where(inside, -np.log(high - low), -np.inf)
        return result + np.log(self.groups.masses)[code]

    def ppf(self, code: Ints, depth: Floats) -> Floats:
        """Quantile of each level's own distribution, at a depth strictly between 0 and 1."""
        low, high = self.groups.edges[code], self.groups.edges[code + 1]
        x = low + depth * (high - low)
        smooth = self._mass[code] >= LEAST_MASS
        part = code[smooth]
        u = self._cumulated[part] + depth[smooth] * self._mass[part]
        x[smooth] = self.smooth.ppf(np.clip(u, SMALLEST_U, 1.0 - SMALLEST_U))
        # Rounding must not carry a value across a boundary, which belongs to the level below.
        boundaries = self.groups.boundaries
        least = np.concatenate([[-np.inf], np.nextafter(boundaries, np.inf)])
        return np.clip(x, least[code], np.concatenate([boundaries, [np.inf]])[code])
