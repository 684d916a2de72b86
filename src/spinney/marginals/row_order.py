"""An order of rows that depends on what they hold, not on where they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["canonical_order"]


def canonical_order(U: NDArray[np.float64]) -> NDArray[np.intp]:
    r"""Order rows by their distances :math:`|u - 1/2|`, the smallest of each row first.

    The distances of a row are sorted before rows are compared, so that permuting columns or
    negating some, which turns u into 1 - u, leaves the order of the rows as it is; and permuting
    rows leads to the same sequence of rows. What is drawn by position, such as the folds of a
    cross-validation, then falls on the same rows whatever the order of the table.

    Examples
    --------
    >>> U = np.array([[0.2, 0.4], [0.8, 0.5], [0.4, 0.6]])
    >>> canonical_order(U)
    array([1, 2, 0])
    >>> canonical_order(1.0 - U[::-1, ::-1])  # the same rows, from the end
    array([1, 0, 2])
    """
    # Rounded, for 1 - u is a few last digits away from the u on the other side.
    distance = np.sort(np.abs(U - 0.5).round(10), axis=1)
    return np.lexsort(distance.T[::-1])
