"""Kendall's tau for all pairs of a table: with few rows from all pairs of rows, else by sorting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import Floats, Ints, average_ranks
from spinney._core.compile import kernel, reduction
from spinney._core.kendall import kendall_tau as tau_by_sorting
from spinney._core.pairs import pair_nodes

Ranks = NDArray[np.float32]
_NONE = np.float32(0.0)

FEW_ROWS = 5000
"""Rows up to which all pairs of rows are compared, which is faster than sorting."""


@reduction
def _compare(a: Ranks, b: Ranks, row: int) -> tuple[float, float, float]:
    """Compare a row with those before it: by both columns, and how many differ in each."""
    score = first = second = _NONE
    for k in range(row):
        sign_a = np.float32(a[row] > a[k]) - np.float32(a[row] < a[k])
        sign_b = np.float32(b[row] > b[k]) - np.float32(b[row] < b[k])
        score += sign_a * sign_b
        first += sign_a * sign_a * np.float32(b[k] == b[k])
        second += sign_b * sign_b * np.float32(a[k] == a[k])
    return float(score), float(first), float(second)


@kernel
def _tau_of_ranks(ranks: Ranks, first: Ints, second: Ints, out: Floats) -> None:
    for pair in range(first.size):
        a, b = ranks[first[pair]], ranks[second[pair]]
        score, untied_a, untied_b = 0.0, 0.0, 0.0
        for row in range(a.size):
            if a[row] == a[row] and b[row] == b[row]:
                more = _compare(a, b, row)
                score, untied_a, untied_b = score + more[0], untied_a + more[1], untied_b + more[2]
        out[pair] = score / np.sqrt(untied_a * untied_b)


def kendall_tau_of_pairs(values: Floats, first: Ints, second: Ints) -> Floats:
    """Kendall's tau-b of some pairs of columns, each on the rows that have both values.

    Parameters
    ----------
    values : array of shape (n, d)
        The table; NaN where a value is missing.
    first, second : arrays of int
        The pairs.

    Returns
    -------
    array
        NaN where a column has a single value among the common rows.

    Examples
    --------
    >>> table = np.array([[1.0, 1.0], [2.0, np.nan], [3.0, 2.0], [4.0, 0.0]])
    >>> kendall_tau_of_pairs(table, np.array([0]), np.array([1])).round(6)
    array([-0.333333])
    """
    missing, result = np.isnan(values), np.full(len(first), np.nan)
    if len(values) <= FEW_ROWS:
        ranks = average_ranks(values).astype(np.float32).T
        _tau_of_ranks(np.ascontiguousarray(ranks), first, second, result)
        return result
    for k, (u, v) in enumerate(zip(first, second, strict=True)):
        both = ~(missing[:, u] | missing[:, v])
        result[k] = tau_by_sorting(values[both, u], values[both, v])
    return result


def kendall_tau(values: Floats) -> Floats:
    """Kendall's tau-b of every pair of columns, in the order of :mod:`spinney._core.pairs`.

    Examples
    --------
    >>> kendall_tau(np.array([[1.0, 1.0, 4.0], [2.0, 3.0, 3.0], [3.0, 2.0, 2.0]]))
    array([ 0.33333333, -1.        , -0.33333333])
    """
    return kendall_tau_of_pairs(values, *pair_nodes(values.shape[1]))
