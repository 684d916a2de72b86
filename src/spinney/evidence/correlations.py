"""Correlations of columns with gaps, and partial ones, by scores of one number or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LONG",
    "RIDGES",
    "Stack",
    "block_sizes",
    "inverse_of",
    "pairwise_correlation",
    "partial_correlation",
    "ridge",
    "stacked_correlation",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

RIDGES = (0.1, 1.0, 4.0)
"""Rows that the three ridges are worth, for each column. The best rankings of edges, on tuning
tables of trees, loops, grids, hubs and cliques with 50 and 100 rows, have 1 to 8."""
SMALLEST_VARIANCE = 1e-12
LONG = 100_000
"""Rows from which on products are summed over parts of the rows, to save memory."""
PART = 1 << 15
"""Rows of such a part."""


class Stack(NamedTuple):
    """Columns of several arrays side by side, of which some rows are looked at at a time.

    Attributes
    ----------
    arrays : tuple of arrays of shape (n, …)
        Where the columns are; 0 where a value is missing.
    columns : tuple of int arrays
        Which columns of each.
    present : bool array of shape (n, d)
        Which values of the table are there.
    owners : int array
        Whose column of the table each of the columns is.
    """

    arrays: tuple[Floats, ...]
    columns: tuple[Ints, ...]
    present: Bools
    owners: Ints

    def rows(self, part: slice) -> tuple[Floats, Bools]:
        """Put some rows of the columns side by side, and say which values are there."""
        pieces = (array[part][:, own] for array, own in zip(self.arrays, self.columns, strict=True))
        return np.hstack(list(pieces)), self.present[part][:, self.owners]


def stacked_correlation(stack: Stack) -> Floats:
    """Correlations of columns, as :func:`pairwise_correlation` computes them.

    Tables of 100,000 rows and more are summed over parts of their rows, which agrees with the whole
    to twelve digits.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 4.0], [4.0, 9.0]])
    >>> present = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> both = np.arange(2)
    >>> stacked_correlation(Stack((values,), (both,), present, both)).round(3)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    """
    n = len(stack.present)
    if n < LONG:
        return pairwise_correlation(*stack.rows(slice(n)))
    parts = [slice(begin, begin + PART) for begin in range(0, n, PART)]
    q = len(stack.owners)
    m, total = np.zeros(q), np.zeros(q)
    for part in parts:
        values, there = stack.rows(part)
        m += there.sum(axis=0)
        total += (values * there).sum(axis=0)
    mean = total / np.maximum(m, 1.0)
    products, common, sums, squares = np.zeros((4, q, q))
    whole = bool((m == n).all())
    for part in parts:
        values, there = stack.rows(part)
        here = there.astype(float)
        centred = (values - mean) * here
        products += centred.T @ centred
        if not whole:
            common += here.T @ here
            sums += centred.T @ here
            squares += (centred**2).T @ here
    scale = np.sqrt(np.diagonal(products) / np.maximum(m, 1.0))
    scale = np.where(scale > SMALLEST_VARIANCE, scale, 1.0)
    products /= np.multiply.outer(scale, scale)
    if whole:
        variance = np.broadcast_to(np.diagonal(products)[:, None], products.shape)
    else:
        common = np.maximum(common, 1.0)
        sums /= scale[:, None]
        products -= sums * sums.T / common
        variance = squares / scale[:, None] ** 2 - sums**2 / common
    return _scaled(products, variance)


def pairwise_correlation(values: Floats, present: Bools) -> Floats:
    """Correlations of columns, each pair over the rows that have both values.

    Parameters
    ----------
    values : array of shape (n, d)
        The columns; 0 where a value is missing.
    present : bool array of shape (n, d)
        Which values are there.

    Returns
    -------
    array of shape (d, d)
        Ones on the diagonal; 0 where a column is constant over the common rows.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 4.0], [4.0, 9.0]])
    >>> present = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> pairwise_correlation(values, present).round(3)  # of (1, 2), (3, 4), (4, 9)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    """
    here = present.astype(float)
    m = np.maximum(here.sum(axis=0), 1.0)
    centred = (values - (values * here).sum(axis=0) / m) * here
    scale = np.sqrt((centred**2).sum(axis=0) / m)
    centred /= np.where(scale > SMALLEST_VARIANCE, scale, 1.0)
    products = centred.T @ centred
    if present.all():
        variance = np.broadcast_to(np.diagonal(products)[:, None], products.shape)
    else:
        common = np.maximum(here.T @ here, 1.0)
        sums = centred.T @ here  # of u over the rows that have v
        products = products - sums * sums.T / common
        variance = (centred**2).T @ here - sums**2 / common
    return _scaled(products, variance)


def _scaled(products: Floats, variance: Floats) -> Floats:
    """Divide products by standard deviations, those of each pair over the rows that it has."""
    sound = (variance > SMALLEST_VARIANCE) & (variance.T > SMALLEST_VARIANCE)
    scale = np.sqrt(np.where(sound, variance * variance.T, 1.0))
    correlation = np.where(sound, np.clip(products / scale, -1.0, 1.0), 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def ridge(n: int, d: int, strength: float) -> float:
    r"""How far a correlation matrix is drawn to the identity, :math:`\lambda = c d / (n + c d)`.

    As if c rows for each column had been seen in which nothing is correlated: next to nothing
    where rows abound, nearly the whole way where columns do.

    Examples
    --------
    >>> ridge(300, 100, 1.0)
    0.25
    """
    return strength * d / (n + strength * d)


def inverse_of(correlation: Floats, ridges: list[float]) -> list[Floats]:
    r"""Inverses of :math:`(1 - \lambda) R_+ + \lambda I` for several :math:`\lambda`.

    :math:`R_+` is R without its negative eigenvalues, which it has where pairs differ in their
    rows.

    Examples
    --------
    >>> inverse_of(np.array([[1.0, 0.5], [0.5, 1.0]]), [0.2])[0].round(4)
    array([[ 1.1905, -0.4762],
           [-0.4762,  1.1905]])
    """
    eigenvalues, vectors = np.linalg.eigh(correlation)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    return [(vectors / ((1.0 - x) * eigenvalues + x)) @ vectors.T for x in ridges]


def partial_correlation(inverse: Floats) -> Floats:
    r"""Partial correlations :math:`-\Omega_{uv} / \sqrt{\Omega_{uu} \Omega_{vv}}`, zero diagonal.

    Examples
    --------
    >>> partial_correlation(np.linalg.inv([[1.0, 0.5], [0.5, 1.0]])).round(3)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    scale = np.sqrt(np.diagonal(inverse))
    partial = -inverse / np.multiply.outer(scale, scale)
    np.fill_diagonal(partial, 0.0)
    return np.clip(partial, -1.0, 1.0)


def block_sizes(inverse: Floats, owners: Ints, d: int) -> tuple[Floats, Ints]:
    r"""Size of the part of an inverse that belongs to two columns with several scores each.

    .. math:: \bigl\| \Omega_{uu}^{-1/2} \Omega_{uv} \Omega_{vv}^{-1/2} \bigr\|_F

    is the root of the sum of squared partial canonical correlations; of columns with one score
    each, it is the partial correlation without its sign.

    Parameters
    ----------
    inverse : array of shape (q, q)
        Inverse of the correlation matrix of all scores.
    owners : int array of shape (q,)
        The column that each score belongs to; each of d columns has one at least.
    d : int
        Number of columns.

    Returns
    -------
    sizes : array of shape (d, d)
        Zero on the diagonal.
    counts : int array of shape (d,)
        Scores of each column.

    Examples
    --------
    >>> inverse = np.linalg.inv(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> block_sizes(inverse, np.array([0, 1]), 2)[0].round(3)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    order = np.argsort(owners, kind="stable")
    inverse = inverse[np.ix_(order, order)]
    counts = np.bincount(owners, minlength=d)
    starts = np.cumsum(counts) - counts
    whiten = np.zeros_like(inverse)
    for count in np.unique(counts):
        places = starts[counts == count][:, None] + np.arange(count)
        block = places[:, :, None], places[:, None, :]
        values, vectors = np.linalg.eigh(inverse[block])
        whiten[block] = (vectors / np.sqrt(values)[:, None, :]) @ vectors.swapaxes(1, 2)
    squares = (whiten @ inverse @ whiten) ** 2
    sums = np.add.reduceat(np.add.reduceat(squares, starts, axis=0), starts, axis=1)
    np.fill_diagonal(sums, 0.0)
    return np.sqrt(sums), counts
