"""Kendall's tau for all pairs of a table.

With few rows, each column becomes a string of bits, one per pair of rows (is the first the
larger?); the number of row pairs in which two columns disagree is the number of ones in their
exclusive-or, counted 64 or more at a time. With many rows, each pair is sorted by itself.
"""

from __future__ import annotations

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel, reduction
from spinney._core.kendall import kendall_tau as tau_by_sorting
from spinney._core.pairs import pair_nodes
from spinney.pairs.copulas._math import count_ones

Codes = NDArray[np.int32]
Words = NDArray[np.uint64]

BITS_UP_TO = 5000
"""Rows up to which bits are counted: 80 times faster than sorting at 500 rows, twice at 5000."""
BITS_MEMORY = 1 << 29
"""Bytes that the bits of a whole table may take."""


@kernel
def pack_comparisons(codes: Codes, larger: Words, differs: Words, present: Words) -> None:
    """Fill one bit per pair of rows: is the first the larger, do they differ, are both there.

    Rows with codes below zero are missing: pairs with one of them count as neither.
    """
    d, n = codes.shape
    for variable in range(d):
        code = codes[variable]
        word, place = 0, 0
        greater, unequal, both = uint64(0), uint64(0), uint64(0)
        for b in range(1, n):
            for a in range(b):
                there = uint64(code[a] >= 0 and code[b] >= 0)
                both |= there << uint64(place)
                greater |= (uint64(code[a] > code[b]) & there) << uint64(place)
                unequal |= (uint64(code[a] != code[b]) & there) << uint64(place)
                place += 1
                if place == 64 or (b == n - 1 and a == n - 2):
                    larger[variable, word] = greater
                    differs[variable, word] = unequal
                    present[variable, word] = both
                    word, place = word + 1, 0
                    greater, unequal, both = uint64(0), uint64(0), uint64(0)


@reduction
def _score(a: Words, b: Words, differs_a: Words, differs_b: Words) -> int:
    """Concordant minus discordant pairs of rows; a tie in either column counts as neither."""
    total = 0
    for k in range(a.size):
        both = differs_a[k] & differs_b[k]
        total += int(count_ones(both)) - 2 * int(count_ones((a[k] ^ b[k]) & both))
    return total


@reduction
def _count_common(differs: Words, present: Words) -> int:
    total = uint64(0)
    for k in range(differs.size):
        total += count_ones(differs[k] & present[k])
    return int(total)


@kernel
def _tau_by_bits(
    larger: Words, differs: Words, present: Words, whole: Bools, first: Ints, second: Ints,
    out: Floats,
) -> None:  # fmt: skip
    untied = np.empty(len(larger))
    for i in range(len(larger)):
        untied[i] = _count_common(differs[i], differs[i])
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        score = _score(larger[i], larger[j], differs[i], differs[j])
        untied_i = untied[i] if whole[j] else float(_count_common(differs[i], present[j]))
        untied_j = untied[j] if whole[i] else float(_count_common(differs[j], present[i]))
        out[pair] = score / np.sqrt(untied_i * untied_j)


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
    missing, n = np.isnan(values), len(values)
    result = np.full(len(first), np.nan)
    columns, position = np.unique(np.stack([first, second]), return_inverse=True)
    words = -(-(n * (n - 1) // 2) // 64)
    if n <= BITS_UP_TO and 24 * words * columns.size <= BITS_MEMORY:
        # Missing values sort last; their codes are replaced by -1.
        ranks = [np.unique(values[:, k], return_inverse=True)[1] for k in columns]
        codes = np.where(missing[:, columns].T, -1, np.array(ranks).reshape(columns.size, n))
        larger, differs, present = np.zeros((3, columns.size, words), dtype=np.uint64)
        pack_comparisons(codes.astype(np.int32), larger, differs, present)
        i, j = np.ascontiguousarray(position.reshape(2, -1))
        whole = np.asarray(~missing[:, columns].any(axis=0))
        _tau_by_bits(larger, differs, present, whole, i, j, result)
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
