"""An order of rows that depends on what they hold, not on where they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["canonical_order", "order_rows"]


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
    place = U - 0.5
    return order_rows(place, place)


def order_rows(place: NDArray[np.float64], raw: NDArray[np.float64]) -> NDArray[np.intp]:
    r"""Order rows by what they hold, whatever the order and the signs of the columns.

    First by the sizes of a row's numbers, the smallest first. Rows that are equal in that are told
    apart by how they lie among the others: by sums of :math:`G_{ij}^2`, and of :math:`G_{ij}`
    times functions of these, where :math:`G_{ij} = \sum_k z_{ik} z_{jk}` has neither order nor
    sign of columns. Rows that are equal even so are ordered by `raw`, column by column.

    Parameters
    ----------
    place : array of shape (n, d)
        Numbers z of each row, between -1 and 1: a column's sign is its direction. NaN where a
        value is missing, which counts as farther out than any value.
    raw : array of shape (n, d)
        What the rows hold: rows that are equal here are the same row.

    Examples
    --------
    >>> z = np.array([[0.1, 0.2], [-0.2, 0.1], [0.3, 0.3]])  # the first two are equally far
    >>> z[order_rows(z, z)]
    array([[-0.2,  0.1],
           [ 0.1,  0.2],
           [ 0.3,  0.3]])
    >>> z = z[::-1, ::-1] * [-1.0, 1.0]  # the same rows, columns exchanged, one of them negated
    >>> (z[order_rows(z, z)] * [-1.0, 1.0])[:, ::-1]
    array([[-0.2,  0.1],
           [ 0.1,  0.2],
           [ 0.3,  0.3]])
    """
    # Rounded, for 1 - u is a few last digits away from the u on the other side.
    # Step by step in one array, for long tables.
    distance = np.abs(place)
    np.copyto(distance, 2.0, where=np.isnan(distance))
    np.round(distance, 10, out=distance)
    distance.sort(axis=1)
    order = np.lexsort(distance.T[::-1])
    ordered = distance[order]
    if not (ordered[1:] == ordered[:-1]).all(axis=1).any():
        return order
    z = np.nan_to_num(place)
    among = ((z @ (z.T @ z)) * z).sum(axis=1)
    keys = [among, z @ (z.T @ among), z @ (z.T @ among**2)]
    rounded = [(key / max(np.abs(key).max(), 1e-300)).round(9) for key in keys]
    return np.lexsort((*raw.T[::-1], *rounded[::-1], *distance.T[::-1]))
