"""Input and output of engines: networks of one pattern, and their sums."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney.forests._lanes import LARGEST, SMALLEST
from spinney.forests.samples import Samples

Want = Literal["partition", "sum", "each"]


class Pattern:
    """What networks share: their edges, the weights that samples are multiplied by, and roots.

    Edge e joins ``first[e] < second[e]`` of `d` nodes; its weight in sample j is
    ``beta[e] * w[j, columns[e]]``, where columns are pair numbers. Properties of these
    are computed once.

    Attributes
    ----------
    grounded : bool
        Whether any node has a root weight.
    in_range : bool
        Whether plain doubles can hold the root weights and what becomes of them.
    least, largest : float
        The smallest positive beta (infinite if there is none), and the largest.
    floor : float
        The smallest sample weight that no beta can make vanish.
    """

    def __init__(
        self, d: int, first: Ints, second: Ints, columns: Ints, beta: Floats, ground: Floats
    ) -> None:
        self.d = d
        self.first = first
        self.second = second
        self.columns = columns
        self.beta = beta
        self.ground = ground
        highest = float(np.maximum.reduce(ground, initial=0.0))
        self.grounded = highest > 0
        self.in_range = not self.grounded or (
            highest <= LARGEST and _least_positive(ground) >= SMALLEST
        )
        self.least = _least_positive(beta)
        self.largest = float(np.maximum.reduce(beta, initial=0.0))
        self.floor = float(1e-300 / max(1e-300, min(1.0, self.least)))

    @cached_property
    def support(self) -> Pattern:
        """The edges of positive weight alone; columns are counted within this pattern."""
        present = np.flatnonzero(self.beta)
        return Pattern(
            self.d,
            self.first[present],
            self.second[present],
            present,
            self.beta[present],
            self.ground,
        )


def _least_positive(values: Floats) -> float:
    """Find the smallest positive number; infinity if there is none."""
    least = float(np.minimum.reduce(values, initial=np.inf))
    return least if least > 0 else float(values[values > 0].min(initial=np.inf))


class Networks(NamedTuple):
    """Networks of one pattern: a sample each."""

    pattern: Pattern
    samples: Samples

    @property
    def are_all_columns(self) -> bool:
        """Whether the pattern's edges are all columns of the samples' table, in order."""
        return len(self.pattern.columns) == self.samples.table.shape[1]


class Solution(NamedTuple):
    """What an engine returns.

    Attributes
    ----------
    log_partition : array of shape (n,)
    resistance : array of shape (n_edges,), (n, n_edges) or (0,)
        ``w R`` of the pattern's edges: summed over the samples, of each, or not wanted. Samples in
        `left` are not in the sum.
    engine : str
        The name of what did the work.
    left : array of sample numbers
        Samples that were out of its range, in increasing order; their numbers are void.
    """

    log_partition: Floats
    resistance: Floats
    engine: str
    left: Ints


class Engine(Protocol):
    """Something that evaluates networks: a function, and a line in the registry."""

    def __call__(self, networks: Networks, want: Want, threads: int | None) -> Solution:
        """Evaluate all samples; leave those that are out of range.

        Weights of samples that have not been checked may be wrong; such a sample is to be left.
        """


def no_tree(ground: Floats, which: str) -> str:
    """Explain a log-partition of -inf."""
    if ground.any():
        return (
            f"In {which} some component holds no node with a positive root weight, so there is no "
            "rooted forest and the log-partition is -inf. Give every node a root weight."
        )
    return (
        f"In {which} the edges of positive weight do not connect all nodes, so there is no "
        "spanning tree and the log-partition is -inf. Use ground > 0, or a partition."
    )
