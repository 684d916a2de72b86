"""Kendall's tau of a sample, ties counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    r"""Kendall's tau-b of two lists of numbers, in O(n log² n) operations [1]_.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(T - T_x)(T - T_y)}}

    with C pairs of rows in the same order in both and D in opposite order, of T pairs, of which
    :math:`T_x` tie in x and :math:`T_y` in y. NaN where one is constant.

    References
    ----------
    .. [1] W. R. Knight (1966). A computer method for calculating Kendall's tau with ungrouped
       data. JASA 61, 436-439.

    Examples
    --------
    >>> round(kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]), 3)
    0.667
    """
    first, second = (np.unique(np.asarray(values), return_inverse=True)[1] for values in (x, y))
    n = len(first)
    joint = first * (second.max(initial=0) + 1) + second
    total, in_x, in_y, in_both = n * (n - 1) // 2, *map(_ties, (first, second, joint))
    if total in (in_x, in_y):
        return float("nan")
    opposite = _inversions(second[np.argsort(joint, kind="stable")])
    excess = total - in_x - in_y + in_both - 2 * opposite
    return float(excess / np.sqrt(total - in_x) / np.sqrt(total - in_y))


def _ties(codes: Ints) -> int:
    counts = np.unique(codes, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _inversions(codes: Ints) -> int:
    """Count the pairs i < j with codes[i] > codes[j], bit by bit from the highest.

    Among codes that agree in all higher bits, which stand together in the order given, each that
    has a 0 in this bit is out of order with those before it that have a 1.
    """
    found = 0
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        ones = (codes >> bit) & 1
        ahead, group = np.cumsum(ones), codes >> (bit + 1)
        begins = np.concatenate([[True], group[1:] != group[:-1]])
        before = ahead - np.maximum.accumulate(np.where(begins, ahead - ones, 0))
        found += int(before[ones == 0].sum())
        codes = codes[np.argsort(codes >> bit, kind="stable")]
    return found


def sample_tau(table: Any, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Kendall's tau of pairs of a table's columns, over the rows that have both values.

    NaN with a nominal column, and where fewer than two rows have both.
    """
    values, found = table.values, []
    for i, j in pairs:
        both = table.present[:, [i, j]].all(axis=1)
        ordered = not table.nominal[[i, j]].any()
        found.append(kendall_tau(values[both, i], values[both, j]) if ordered else np.nan)
    return np.array(found, dtype=float)
