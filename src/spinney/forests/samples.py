"""Tables of sample weights, and the patterns of edges that they are weights of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import as_writeable
from spinney.exceptions import InputError
from spinney.forests._input import check_weights, read_float_array

Want = Literal["partition", "sum", "each"]

SMALLEST = 1e-140
LARGEST = 1e140
"""Weights within these bounds are *in range*: nothing overflows, and what underflows is negligible.

A fill edge :math:`p_{ki} w_{kj} = p_{kj} w_{ki}` below 1e-158 is fainter than both
:math:`w_{ki}` and :math:`w_{kj}` by 1e-18. Beside it runs the path through the main neighbour of k,
which conducts nearly as well as the fainter of the two: the sum would round the fill away. The
share of an edge that does matter, 1e-158 over a total of 1e142 at most, is a normal number; were it
to underflow, a fill as strong as the edge itself would be lost.
"""

LEAST_LOG = -700.0
"""Smaller log-weights are raised to this: still out of range, but not zero."""


class Samples:
    r"""Weights of every pair in every sample, ready to be evaluated many times.

    :func:`evaluate`, :func:`evaluate_unrooted` and :meth:`Evaluator.evaluate` take it in place of
    an array. It is read and checked here, once; logarithms are turned into weights once, at the
    first evaluation, and both tables are kept.

    Parameters
    ----------
    W : array of shape (n, n_pairs)
        Weights, at least zero. An array of doubles in C order is not copied and must not change.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge in that sample).

    Raises
    ------
    InputError
        If a weight is negative (unless it is a logarithm), infinite or NaN.

    Examples
    --------
    >>> from spinney import forests
    >>> samples = Samples([[2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> np.exp(forests.evaluate([1.0, 1.0, 0.0], samples).log_partition).round(9)
    array([13.,  8.])
    """

    log: bool
    table: Floats
    """Weights or log-weights, as they were given."""

    def __init__(self, W: ArrayLike, *, log: bool = False) -> None:
        table = as_writeable(read_float_array(W, "W"))
        if table.ndim != 2:
            raise InputError(
                f"W must have a row per sample and a column per pair; its shape is {table.shape}."
            )
        self.table, self.log, self._checked = table, log, False
        self.check()

    @classmethod
    def unchecked(cls, table: Floats, log: bool) -> Samples:
        """Wrap a table of doubles in C order, to be checked only if a sample is out of range."""
        samples = cls.__new__(cls)
        samples.table, samples.log, samples._checked = table, log, False
        return samples

    def check(self) -> None:
        """Refuse wrong weights; those out of range are not wrong."""
        if not self._checked:
            check_weights(self.table, "W", log=self.log)
            self._checked = True

    def __len__(self) -> int:
        """Count the samples."""
        return len(self.table)

    @cached_property
    def plain(self) -> Floats:
        """The table without logarithms; infinite or raised weights are out of range."""
        if not self.log:
            return self.table
        with np.errstate(over="ignore"):
            weights: Floats = np.exp(np.maximum(self.table, LEAST_LOG))
        weights[np.isneginf(self.table)] = 0.0
        return weights


def read_samples(W: ArrayLike | Samples, log: bool, n_columns: int) -> Samples:
    """Read an array, checking its type and shape only; Samples may be given, too."""
    samples = W
    if not isinstance(samples, Samples):
        samples = Samples.unchecked(as_writeable(read_float_array(W, "W")), log)
    elif log and not samples.log:
        raise InputError(
            "log=True, but the Samples hold plain weights. Say log where they are made."
        )
    if samples.table.ndim != 2 or samples.table.shape[1] != n_columns:
        raise InputError(
            f"W must have a row per sample and {n_columns} columns, one per pair; its shape is "
            f"{samples.table.shape}."
        )
    return samples


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
        self.floor = float(1e-300 / max(1e-300, min(1.0, _least_positive(beta))))

    @cached_property
    def support(self) -> Pattern:
        """The edges of positive weight alone."""
        present = np.flatnonzero(self.beta)
        return Pattern(
            self.d,
            self.first[present],
            self.second[present],
            self.columns[present],
            self.beta[present],
            self.ground,
        )


def _least_positive(values: Floats) -> float:
    """Find the smallest positive number; infinity if there is none."""
    least = float(np.minimum.reduce(values, initial=np.inf))
    return least if least > 0 else float(values[values > 0].min(initial=np.inf))


def split_nodes(
    label: Ints, first: Ints, second: Ints
) -> Iterator[tuple[Ints, Ints, tuple[Ints, Ints]]]:
    """Yield the nodes of each label, the pairs within, and what those join, counted within.

    Examples
    --------
    >>> label, first, second = np.array([1, 0, 1]), np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> [(nodes.tolist(), pairs.tolist()) for nodes, pairs, _ in split_nodes(label, first, second)]
    [([1], []), ([0, 2], [1])]
    """
    if not label.any():  # as most often
        yield np.arange(len(label)), np.arange(len(first)), (first, second)
        return
    place = np.empty(len(label), dtype=np.int64)
    inside = np.flatnonzero(label[first] == label[second])
    pairs = _by_label(label[first[inside]], int(label.max(initial=-1)) + 1)
    for nodes, own in zip(_by_label(label), pairs, strict=True):
        place[nodes] = np.arange(len(nodes))
        columns = inside[own]
        yield nodes, columns, (place[first[columns]], place[second[columns]])


def _by_label(label: Ints, n_labels: int = 0) -> list[Ints]:
    """List the places of each label."""
    ends = np.cumsum(np.bincount(label, minlength=n_labels))
    return np.split(np.argsort(label, kind="stable"), ends)[:-1]


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
