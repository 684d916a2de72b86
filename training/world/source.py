"""Where the random numbers of a table come from, and what a law of values gives back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from spinney.tables import Kind

__all__ = [
    "Bools",
    "Floats",
    "Ints",
    "Source",
    "Values",
    "between",
    "log_between",
    "pick",
    "spread",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
T = TypeVar("T")
NO_WALK = 0.3
"""Among uneven random walks, the share of inputs that are none but have independent rows."""


class Source:
    r"""Independent standard normal inputs, whose rows may follow each other in time.

    Every law of values is a function of independent inputs of the same row. If each input is a
    stationary series, :math:`e_t = \varrho e_{t-1} + \sqrt{1 - \varrho^2}\, w_t`, then the rows
    depend on each other but every single row has the law, hence the graph, that it had. The same
    holds if the rows of a unit share a part of each input.

    Parameters
    ----------
    rng : Generator
        Where numbers come from.
    n : int
        Number of rows.
    memory : float
        Correlation :math:`\varrho` of an input with itself one row earlier; 1 gives random walks,
        scaled to variance one.
    units : int array of shape (n,), optional
        What each row belongs to.
    alike : float
        Correlation of an input in two rows of one unit.
    uneven : bool
        Whether memory, or `alike`, of each input is multiplied by a uniform number of its own.

    Examples
    --------
    >>> source = Source(np.random.default_rng(0), n=2000, memory=0.8)
    >>> e = source.normals(1)[:, 0]
    >>> round(float(np.corrcoef(e[1:], e[:-1])[0, 1]), 1)
    0.8
    """

    def __init__(
        self,
        rng: np.random.Generator,
        n: int,
        memory: float = 0.0,
        *,
        units: Ints | None = None,
        alike: float = 0.0,
        uneven: bool = False,
    ) -> None:
        self.rng, self.n, self.memory = rng, n, memory
        self.units, self.alike, self.uneven = units, alike, uneven

    @property
    def independent(self) -> bool:
        """Whether rows are independent of each other."""
        return self.memory == 0.0 and self.units is None

    def normals(self, k: int) -> Floats:
        """Return k standard normal columns of n rows."""
        if self.uneven and k > 1:
            return np.column_stack([self._part(1, self.rng.uniform()) for _ in range(k)])
        return self._part(k, 1.0)

    def _part(self, k: int, factor: float) -> Floats:
        """Draw columns that depend on themselves `factor` times as much as they could."""
        noise = self.rng.standard_normal((self.n, k))
        if self.units is not None:
            share = self.alike * factor
            of_units = self.rng.standard_normal((int(self.units.max()) + 1, k))
            return np.sqrt(share) * of_units[self.units] + np.sqrt(1 - share) * noise
        memory = self.memory * factor
        if memory == 0.0 or (self.memory == 1.0 and factor < NO_WALK):
            return noise
        if self.memory == 1.0:
            walk = np.cumsum(noise, axis=0)
            return (walk - walk.mean(axis=0)) / walk.std(axis=0)
        fresh = np.sqrt(1 - memory**2)
        # The first row keeps variance one, so that the series is stationary from the start.
        start = noise[:1] * (1 - fresh)
        series, _ = signal.lfilter([fresh], [1.0, -memory], noise, axis=0, zi=start)
        return np.asarray(series, dtype=float)

    def seed(self) -> int:
        """Draw a seed for a simulator of the package."""
        return int(self.rng.integers(2**62))


class Values(NamedTuple):
    """What a law of values gives: the table before it is spoiled, and its truth."""

    X: Floats
    adjacency: Bools
    law: str
    gaussian: bool
    kinds: tuple[Kind, ...] | None = None  # None: continuous
    precision: Floats | None = None
    details: Mapping[str, object] = {}
    units: Ints | None = None  # which rows depend on each other, if the table says so


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw uniformly."""
    return float(rng.uniform(low, high))


def log_between(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw with a uniform logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def pick(rng: np.random.Generator, shares: Mapping[T, float]) -> T:
    """Draw a key in proportion to its share.

    Examples
    --------
    >>> pick(np.random.default_rng(0), {"a": 0.0, "b": 2.0})
    'b'
    """
    keys = list(shares)
    bounds = list(accumulate(shares.values()))
    return keys[min(bisect_right(bounds, rng.uniform() * bounds[-1]), len(keys) - 1)]


def spread(X: Floats) -> Floats:
    """Scale of each column that gross values do not move: half the distance of the 16 and 84 %.

    Where more than two thirds of the values are one, the standard deviation steps in.
    """
    ends = (round(0.16 * (len(X) - 1)), round(0.84 * (len(X) - 1)))
    ordered = np.partition(X, ends, axis=0)
    half = (ordered[ends[1]] - ordered[ends[0]]) / 2
    if (half > 0).all():
        return half
    return np.asarray(np.where(half > 0, half, np.maximum(X.std(axis=0), 1e-12)), dtype=float)
