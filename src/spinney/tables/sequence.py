"""Rows that follow each other: a time series, repeats side by side, or a sorted table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import average_ranks
from spinney.notices import Notice
from spinney.tables.table import Table

__all__ = ["Sequence", "read_sequence", "rows_in_sequence"]

Floats = NDArray[np.float64]

LEVEL = 0.01
"""Largest chance that a table of independent rows is called a sequence."""
SHUFFLES = 199
FEWEST_ROWS = 10
MOST_ROWS = 2000
"""Rows that are looked at, one after another from the middle of the table."""
MOST_COLUMNS = 400
HARMLESS = 0.05
"""Product of the correlations of two columns with their next rows, below which a pair of them
loses less than a tenth of its rows' worth."""


@dataclass(frozen=True, eq=False)
class Sequence:
    """How rows depend on the rows before them.

    Attributes
    ----------
    p : float
        Chance that rows in random order are as much alike to their neighbours.
    correlations : array
        Rank correlation of each ordered column with its own next row.
    beyond : int
        Columns whose correlation lies beyond what 95 in 100 random orders give.
    worth : float
        Rows that the table is worth for the pair of columns that suffers most, as a share of all:
        :math:`(1 - ab) / (1 + ab)` for columns with correlations a and b [1]_.

    References
    ----------
    .. [1] M. S. Bartlett (1935). Some aspects of the time-correlation problem in regard to tests
       of significance. Journal of the Royal Statistical Society 98, 536-543.
    """

    p: float
    correlations: Floats
    beyond: int
    worth: float


def read_sequence(table: Table, seed: int = 0) -> Sequence | None:
    r"""Test whether neighbouring rows are more alike than rows in random order.

    The statistic is :math:`\sum_k r_k^2`, with :math:`r_k` the correlation of the ranks in column
    k with those of the next row. Rows are shuffled whole, so the test is exact whatever columns
    have to do with each other, and whatever ties and gaps there are (a gap counts as the mean).

    Parameters
    ----------
    table : Table
        Its rows in their own order.
    seed : int
        Of the shuffles.

    Returns
    -------
    Sequence or None
        None for fewer than ten rows, or without a column that has an order.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> steps = np.random.default_rng(0).normal(size=(100, 3))
    >>> read_sequence(read_table(steps.cumsum(axis=0))).p
    0.005
    >>> read_sequence(read_table(steps)).p > 0.05
    True
    """
    ordered = np.flatnonzero(~table.nominal)[:MOST_COLUMNS]
    n = min(len(table), MOST_ROWS)
    if n < FEWEST_ROWS or not ordered.size:
        return None
    start = (len(table) - n) // 2
    scores = _scores(table.values[start : start + n, ordered])
    scores = scores[:, (scores != 0.0).any(axis=0)]
    if not scores.shape[1]:
        return None
    found = _next_row(scores)
    rng = np.random.default_rng(seed)
    shuffled = np.array([_next_row(scores[rng.permutation(n)]) for _ in range(SHUFFLES)])
    as_large = int(((shuffled**2).sum(axis=1) >= (found**2).sum()).sum())
    bounds = np.quantile(np.abs(shuffled), 0.95, axis=0)
    # Columns whose rows are unlike their neighbours, as where groups alternate, take nothing away
    # from a pair with one whose rows are alike: the product of the two is below nothing.
    order = np.sort(found)
    pairs = (order[0] * order[1], order[-1] * order[-2]) if len(order) > 1 else ()
    product = float(max((0.0, *pairs)))
    return Sequence(
        p=(1 + as_large) / (1 + SHUFFLES),
        correlations=found,
        beyond=int((np.abs(found) > bounds).sum()),
        worth=(1.0 - product) / (1.0 + product),
    )


def rows_in_sequence(table: Table, counted: int | None = None) -> Notice | None:
    """Say that rows may depend on each other; None if they do not seem to, or it does no harm.

    `counted` says as how many independent rows they were counted, if that was asked at all.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> steps = np.random.default_rng(0).normal(size=(100, 3))
    >>> print(rows_in_sequence(read_table(steps.cumsum(axis=0))))
    Rows may be a time series, repeats or sorted: in 3 of 3 columns neighbouring rows are more alike
    than independent rows would be (correlation with the next row up to 0.96). A series and repeats
    tell less than they seem to, and edges are less sure than they look; a table that was merely
    sorted is none the worse for it.
    """
    found = read_sequence(table)
    if found is None or found.p > LEVEL or 1.0 - found.worth <= 2 * HARMLESS / (1 + HARMLESS):
        return None
    largest = float(found.correlations[np.argmax(np.abs(found.correlations))])
    facts: dict[str, Any] = {
        "beyond": found.beyond,
        "d": len(found.correlations),
        "largest": largest,
        "counted": counted,
        "n": len(table),
    }
    return Notice.of("rows-in-sequence", level="warning", **facts)


def _scores(values: Floats) -> Floats:
    """Ranks with mean 0 and length 1 in each column; 0 where there is no value."""
    ranks = average_ranks(values)
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=0), 1)
    centred = np.where(present, ranks - np.where(present, ranks, 0.0).sum(axis=0) / count, 0.0)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(np.divide(centred, length, where=length > 0, out=np.zeros_like(centred)))


def _next_row(scores: Floats) -> Floats:
    found: Floats = np.einsum("ij,ij->j", scores[:-1], scores[1:])
    return found
