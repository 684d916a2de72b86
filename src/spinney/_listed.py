"""Pairs that a model looked at, where it did not look at all of them.

With thousands of columns a screening leaves most pairs out, and what is kept of pairs may have an
entry for each of those that passed only. Whatever reads such numbers asks here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._pairs import n_pairs

__all__ = ["is_listed", "listed_pairs", "pair_ends", "pair_numbers", "values_of_pairs"]

Ints = NDArray[np.int64]


def pair_numbers(u: ArrayLike, v: ArrayLike, d: int) -> Ints:
    """Number pairs of `d` variables, u < v, as :mod:`spinney._pairs` does.

    Examples
    --------
    >>> pair_numbers([0, 1], [2, 2], 3)
    array([1, 2])
    """
    first, second = np.asarray(u, dtype=np.int64), np.asarray(v, dtype=np.int64)
    return first * (2 * d - first - 1) // 2 + second - first - 1


def pair_ends(numbers: ArrayLike, d: int) -> tuple[Ints, Ints]:
    """Find both members of pairs by number; the inverse of :func:`pair_numbers`.

    Examples
    --------
    >>> pair_ends([1, 2], 3)
    (array([0, 1]), array([2, 2]))
    """
    wanted = np.asarray(numbers, dtype=np.int64)
    rows = np.arange(d, dtype=np.int64)
    # Where the pairs of each first member begin: whole numbers, however many the variables.
    starts = rows * (2 * d - rows - 1) // 2
    first = np.searchsorted(starts[: max(d - 1, 1)], wanted, side="right") - 1
    return first, wanted - starts[first] + first + 1


def listed_pairs(model: Any) -> Ints | None:
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


def is_listed(number: int, listed: Ints | None) -> bool:
    """Say whether a pair is among the listed ones, which rise; all are if there is no list.

    Examples
    --------
    >>> is_listed(4, np.array([1, 4])), is_listed(5, np.array([1, 4])), is_listed(5, None)
    (True, False, True)
    """
    if listed is None:
        return True
    at = int(np.searchsorted(listed, number))
    return at < listed.size and int(listed[at]) == number


def values_of_pairs(
    values: ArrayLike, numbers: ArrayLike, listed: Ints | None, d: int, missing: float = np.nan
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
    if not listed.size:
        return np.full(wanted.shape, missing)
    at = np.minimum(np.searchsorted(listed, wanted), listed.size - 1)
    there = listed[at] == wanted
    if there.all():
        return known[at]
    return np.where(there, known[at], missing)
