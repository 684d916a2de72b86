"""What a step of training uses: a pure function of the seed and the number of the step.

So training goes the same way however fast tables come, and goes on after a break as if there had
been none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, cos, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError

__all__ = ["SIZES", "Choice", "Schedule", "choose_batch", "padded_size", "tables_at_once"]

SIZES = (8, 12, 16, 20, 25, 32, 40, 48, 64, 80, 100, 128, 150)
"""Tables are padded to the next of these numbers of columns; larger ones to the next hundred."""


@dataclass(frozen=True)
class Schedule:
    r"""Learning rate and number of shards by step.

    The rate rises along a line over `warm_up` steps and falls along half a cosine to zero [1]_.
    The shards in use grow along a line from the share `first` at step 0 to all of them at the
    share `full` of all steps,

    .. math:: \left\lceil N \min\{1, f_0 + (1 - f_0)\, t / (f_1 T)\} \right\rceil

    so that training can begin before all tables are made.

    References
    ----------
    .. [1] I. Loshchilov and F. Hutter (2017). SGDR: stochastic gradient descent with warm restarts.

    Examples
    --------
    >>> schedule = Schedule(steps=1000, n_shards=200)
    >>> [schedule.available(step) for step in (0, 375, 750, 999)]
    [20, 110, 200, 200]
    """

    steps: int
    n_shards: int
    peak: float = 1e-3
    warm_up: int = 200
    first: float = 0.1
    full: float = 0.75

    def __post_init__(self) -> None:
        if self.steps < 1 or self.n_shards < 1:
            raise InputError("Training needs at least one step and one shard.")
        if not (0 <= self.first <= 1 and 0 < self.full <= 1):
            raise InputError(
                f"first and full are shares between 0 and 1, not {self.first} and {self.full}."
            )

    def available(self, step: int) -> int:
        """Count the shards that step `step` draws from."""
        share = min(1.0, self.first + (1 - self.first) * step / (self.full * self.steps))
        return max(1, ceil(round(self.n_shards * share, 9)))

    def rate(self, step: int) -> float:
        """Give the learning rate of step `step`."""
        warm_up = min(self.warm_up, max(1, self.steps // 10))
        if step < warm_up:
            return self.peak * (step + 1) / warm_up
        return self.peak * 0.5 * (1 + cos(pi * (step - warm_up) / (self.steps - warm_up)))


def padded_size(d: int) -> int:
    """Find the number of columns to which a table of `d` columns is padded.

    Examples
    --------
    >>> padded_size(21), padded_size(25), padded_size(230)
    (25, 25, 300)
    """
    return next((size for size in SIZES if size >= d), -(-d // 100) * 100)


def tables_at_once(size: int, batch_pairs: int) -> int:
    """Count the tables of a padded size that have about `batch_pairs` pairs together.

    Examples
    --------
    >>> tables_at_once(25, 80_000), tables_at_once(150, 1_000)
    (266, 2)
    """
    return max(2, batch_pairs * 2 // (size * (size - 1)))


class Choice(NamedTuple):
    """A batch: tables of one padded size, by their places in its list, and the loss's factor."""

    size: int
    places: NDArray[np.int64]
    factor: float


def choose_batch(
    seed: int, step: int, counts: Mapping[int, int], batch_pairs: int, newer: float = 1.0
) -> Choice:
    r"""Choose the tables of one step: all of one padded size, as many as fit.

    A step costs the same for all sizes: it has :math:`B_j = 2b / s_j^2` tables of size
    :math:`s_j`. Sizes are drawn with probability :math:`p_j \propto n_j / \sqrt{B_j} \propto
    n_j s_j`, where :math:`n_j` tables have this size, which at equal noise of their gradients is
    the allocation of least variance (Neyman [1]_). The mean loss of the batch is multiplied by
    :math:`n_j / (p_j \sum_i n_i)`, so that in expectation every table counts the same.

    Where tables are still being made, those that came first would be used most by the end. With
    `newer` = g above 1 the i-th of n tables is drawn in proportion to :math:`(i / n)^{g - 1}`:
    while n grows at an even pace from nothing to N, at u draws a new table, the i-th is used
    :math:`u g / (g - 1) (1 - (i / N)^{g - 1})` times instead of :math:`u \log(N / i)`.

    References
    ----------
    .. [1] J. Neyman (1934). On the two different aspects of the representative method.

    Examples
    --------
    >>> choice = choose_batch(1, 0, {8: 3, 25: 100}, batch_pairs=1200)
    >>> choice.size, len(choice.places), round(choice.factor, 3)
    (25, 4, 0.98)
    """
    rng = np.random.default_rng([seed, step])
    sizes = np.array(sorted(size for size, count in counts.items() if count))
    if not len(sizes):
        raise InputError("There is no table to train on.")
    tables = np.array([counts[int(size)] for size in sizes])
    share = tables * sizes / (tables * sizes).sum()
    j = int(rng.choice(len(sizes), p=share))
    size = tables_at_once(int(sizes[j]), batch_pairs)
    if newer == 1.0:
        places = rng.integers(tables[j], size=size)
    else:
        places = (tables[j] * rng.random(size) ** (1.0 / newer)).astype(np.int64)
    return Choice(int(sizes[j]), places, float(tables[j] / (share[j] * tables.sum())))
