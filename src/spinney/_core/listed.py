"""Pairs of which only some are listed, by their numbers in the order of :mod:`spinney._core.pairs`.

A wide table has more pairs than anyone wants to hold: 12,497,500 of 5,000 columns. What is known of
a few of them is kept with their numbers, rising; nothing here takes memory for the others, but
where a whole matrix is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, pair_ends
from spinney.exceptions import InputError

__all__ = [
    "check_listed",
    "is_listed",
    "listed_matrix",
    "listed_pairs",
    "places_of",
    "spread_listed",
    "values_of_pairs",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def check_listed(pairs: ArrayLike, d: int) -> Integers:
    """Read the numbers of listed pairs, which rise and belong to a table of `d` columns.

    Examples
    --------
    >>> check_listed([0, 3], 3)
    Traceback (most recent call last):
    spinney.exceptions.InputError: There is no pair 3: 3 columns have pairs 0 to 2.
    """
    numbers = np.asarray(pairs)
    if not numbers.size:
        return np.empty(0, dtype=np.int64)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise InputError(
            f"pairs must be a list of pair numbers; got type {numbers.dtype} and shape "
            f"{numbers.shape}."
        )
    listed = numbers.astype(np.int64)
    falling = np.flatnonzero(np.diff(listed) <= 0)
    if falling.size:
        k = int(falling[0])
        raise InputError(
            f"pairs must rise, each number once; {listed[k + 1]} stands behind {listed[k]}."
        )
    count = n_pairs(d)
    if listed[0] < 0 or listed[-1] >= count:
        wrong = listed[0] if listed[0] < 0 else listed[-1]
        raise InputError(f"There is no pair {wrong}: {d} columns have pairs 0 to {count - 1}.")
    return listed


def spread_listed(values: ArrayLike, pairs: Integers, d: int, absent: float = 0.0) -> Floats:
    """Put one number per listed pair in its place among all pairs.

    Examples
    --------
    >>> spread_listed([7.0], np.array([1]), 3)
    array([0., 7., 0.])
    """
    given = np.asarray(values, dtype=float)
    result = np.full((*given.shape[:-1], n_pairs(d)), absent)
    result[..., pairs] = given
    return result


def listed_matrix(
    values: ArrayLike,
    pairs: Integers,
    d: int,
    absent: float = 0.0,
    diagonal: float = 0.0,
) -> Floats:
    """Spread one number per listed pair over a symmetric matrix.

    Examples
    --------
    >>> listed_matrix([7.0], np.array([1]), 3)
    array([[0., 0., 7.],
           [0., 0., 0.],
           [7., 0., 0.]])
    """
    first, second = pair_ends(pairs, d)
    matrix = np.full((d, d), absent)
    np.fill_diagonal(matrix, diagonal)
    matrix[first, second] = matrix[second, first] = np.asarray(values, dtype=float)
    return matrix


def listed_pairs(model: Any) -> Integers | None:
    """Return the numbers of the pairs that a model looked at, rising; None if that is all.

    Parameters
    ----------
    model : estimator
        Fitted. Its ``potentials_`` have ``pairs_`` if some were left out; else what its screening
        let pass is asked, ``screened_.pairs``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> listed_pairs(SimpleNamespace()) is None
    True
    >>> listed_pairs(SimpleNamespace(potentials_=SimpleNamespace(pairs_=np.array([0, 4]))))
    array([0, 4])
    """
    for name, attribute in (("potentials_", "pairs_"), ("screened_", "pairs")):
        found = getattr(getattr(model, name, None), attribute, None)
        if isinstance(found, np.ndarray):
            return found.astype(np.int64, copy=False)
    return None


def places_of(wanted: ArrayLike, listed: Integers) -> Integers:
    """Find numbers in a rising list; -1 stands for those that are not there.

    Examples
    --------
    >>> places_of([7, 8, 2], np.array([2, 7, 9]))
    array([ 1, -1,  0])
    """
    wanted = np.asarray(wanted, dtype=np.int64)
    if not listed.size:
        return np.full(wanted.shape, -1)
    at = np.minimum(np.searchsorted(listed, wanted), listed.size - 1)
    there = listed[at] == wanted
    return np.where(there, at, -1)


def is_listed(number: int, listed: Integers | None) -> bool:
    """Say whether a pair is among the listed ones, which rise; all are if there is no list.

    Examples
    --------
    >>> is_listed(4, np.array([1, 4])), is_listed(5, np.array([1, 4])), is_listed(5, None)
    (True, False, True)
    """
    return listed is None or bool(places_of(number, listed) >= 0)


def values_of_pairs(
    values: ArrayLike, numbers: ArrayLike, listed: Integers | None, d: int, missing: float = np.nan
) -> NDArray[Any]:
    """Look up numbers of pairs that are kept for all pairs, or for the listed ones only.

    Parameters
    ----------
    values : array of shape (n_pairs,) or (n_listed,)
        What is known of pairs.
    numbers : int array
        The pairs that are asked for, by number in the whole table.
    listed : int array or None
        The listed pairs, rising; see :func:`listed_pairs`.
    d : int
        Variables.
    missing : float
        What stands for pairs that are not listed.

    Examples
    --------
    >>> values_of_pairs([0.5, 0.7], [4, 3], np.array([1, 4]), d=4)
    array([0.7, nan])
    >>> values_of_pairs([1, 2, 3], [2, 0], None, d=3)
    array([3, 1])
    """
    known, wanted = np.asarray(values), np.asarray(numbers, dtype=np.int64)
    if listed is None or len(known) == n_pairs(d):
        return known[wanted]
    at = places_of(wanted, listed)
    if not listed.size:
        return np.full(wanted.shape, missing)
    return known[at] if (at >= 0).all() else np.where(at >= 0, known[at], missing)
