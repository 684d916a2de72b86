"""Rows in folds, for cross-validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_folds", "sort_by_fold"]

Ints = NDArray[np.int64]


def draw_folds(n: int, n_folds: int, random_state: int | np.random.Generator | None) -> Ints:
    """Assign rows to folds at random, sizes as even as can be.

    Examples
    --------
    >>> draw_folds(5, 2, random_state=0).tolist()
    [0, 0, 1, 0, 1]
    """
    return np.random.default_rng(random_state).permutation(np.arange(n) % n_folds)


def sort_by_fold(fold_of_row: Ints) -> tuple[Ints, Ints]:
    """Row order that makes each fold a range, and where the ranges begin (and the last ends).

    Examples
    --------
    >>> order, folds = sort_by_fold(np.array([1, 0, 1]))
    >>> order.tolist(), folds.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    order = np.argsort(fold_of_row, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(fold_of_row))])
