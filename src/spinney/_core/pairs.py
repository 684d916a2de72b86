"""The order of variable pairs, fixed here once for the whole package.

Pairs are numbered as ``np.triu_indices(d, 1)`` lists them: (0, 1), (0, 2), …, (d-2, d-1).
"""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney.exceptions import InputError

__all__ = [
    "n_nodes",
    "n_pairs",
    "pair_ends",
    "pair_index",
    "pair_nodes",
    "pair_numbers",
    "pair_positions",
    "to_matrix",
    "to_pairs",
]


def n_pairs(d: int) -> int:
    """Count the pairs of `d` variables.

    Examples
    --------
    >>> n_pairs(25)
    300
    """
    return d * (d - 1) // 2


def n_nodes(pairs: int) -> int:
    """Count the variables that give `pairs` pairs; the inverse of :func:`n_pairs`.

    Examples
    --------
    >>> n_nodes(300)
    25
    """
    d = (1 + isqrt(1 + 8 * max(pairs, 0))) // 2
    if n_pairs(d) != pairs:
        raise InputError(f"{pairs} is not d(d-1)/2, the number of pairs, for any d variables.")
    return d


def pair_nodes(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List both members of every pair, in order.

    Examples
    --------
    >>> pair_nodes(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    return np.triu_indices(d, 1)


def pair_ends(numbers: ArrayLike, d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Find both members of some pairs by their numbers, without listing all pairs.

    The pairs of variable u begin at :math:`s_u = u (2d - u - 1) / 2`, so that u is the integer part
    of :math:`\bigl(2d - 1 - \sqrt{(2d - 1)^2 - 8k}\bigr) / 2` for the pair number k. Whole numbers
    settle what the root may have rounded.

    Examples
    --------
    >>> pair_ends([0, 2, 1], d=3)
    (array([0, 1, 0]), array([1, 2, 2]))
    >>> pair_ends([4_999_949_999], d=100_000)
    (array([99998]), array([99999]))
    """
    wanted = np.asarray(numbers, dtype=np.int64)
    if wanted.size and (wanted.min() < 0 or wanted.max() >= n_pairs(d)):
        wrong = wanted.min() if wanted.min() < 0 else wanted.max()
        raise InputError(
            f"There is no pair {wrong}: the pairs of {d} variables are numbered from 0 to "
            f"{n_pairs(d) - 1}."
        )
    wide = 2 * d - 1
    first = ((wide - np.sqrt(wide**2 - 8.0 * wanted)) / 2.0).astype(np.int64)
    first -= first * (wide - first) // 2 > wanted
    first += (first + 1) * (wide - first - 1) // 2 <= wanted
    return first, wanted - first * (wide - first) // 2 + first + 1


def pair_numbers(first: ArrayLike, second: ArrayLike, d: int) -> NDArray[np.int64]:
    """Find the numbers of some pairs; the inverse of :func:`pair_ends`. The order of ends is free.

    Examples
    --------
    >>> pair_numbers([0, 2, 0], [1, 1, 2], d=3)
    array([0, 2, 1])
    """
    u, v = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    u, v = np.minimum(u, v), np.maximum(u, v)
    wrong = (u == v) | (u < 0) | (v >= d)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f"({u.flat[k]}, {v.flat[k]}) is not a pair of distinct variables among 0 … {d - 1}."
        )
    return u * (2 * d - u - 1) // 2 + v - u - 1


def pair_index(u: int, v: int, d: int) -> int:
    """Find the position of the pair {u, v}; the order of `u` and `v` does not matter.

    Examples
    --------
    >>> pair_index(2, 1, d=3)
    2
    """
    if u == v or not (0 <= u < d and 0 <= v < d):
        raise InputError(f"({u}, {v}) is not a pair of distinct variables among 0 … {d - 1}.")
    u, v = min(u, v), max(u, v)
    return u * (2 * d - u - 1) // 2 + v - u - 1


def pair_positions(pairs: ArrayLike | None, count: int) -> NDArray[np.int64]:
    """Check a choice among `count` pairs, given by position; None stands for all.

    Examples
    --------
    >>> pair_positions([2, 0], 3)
    array([2, 0])
    """
    if pairs is None:
        return np.arange(count)
    wanted = np.atleast_1d(np.asarray(pairs))
    if wanted.size == 0:
        return np.empty(0, dtype=np.int64)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu":
        raise InputError(
            "pairs must be a list of positions, which are whole numbers; got an array of "
            f"type {wanted.dtype} and shape {wanted.shape}."
        )
    outside = (wanted < 0) | (wanted >= count)
    if outside.any():
        raise InputError(
            f"There is no pair {wanted[outside][0]}: "
            f"the pairs of the table are numbered from 0 to {count - 1}."
        )
    return wanted.astype(np.int64)


def to_matrix(values: ArrayLike, diagonal: float = 0.0) -> NDArray[np.float64]:
    """Spread pair values, shape (..., n_pairs), over symmetric matrices (..., d, d).

    Examples
    --------
    >>> to_matrix([1.0, 2.0, 3.0])
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    array = np.asarray(values, dtype=float)
    if array.ndim == 0:
        raise InputError("Pair values need at least one dimension, of length d(d-1)/2.")
    d = n_nodes(array.shape[-1])
    first, second = pair_nodes(d)
    matrix = np.full((*array.shape[:-1], d, d), diagonal)
    matrix[..., first, second] = array
    matrix[..., second, first] = array
    return matrix


def to_pairs(matrix: ArrayLike) -> NDArray[np.float64]:
    """Read the upper triangles of matrices (..., d, d) as pair values (..., n_pairs).

    Examples
    --------
    >>> to_pairs([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    array([1., 2., 3.])
    """
    array = np.asarray(matrix, dtype=float)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise InputError(
            f"Pair values are read from square matrices, not from shape {array.shape}."
        )
    first, second = pair_nodes(array.shape[-1])
    return array[..., first, second]
