r"""How many independent rows say as much as rows that depend on each other.

Two columns that have nothing to do with each other look correlated more often than chance allows if
both are slow: rows in their order of time, or several rows of one patient. Their correlation then
has the variance of

.. math:: m' = m \Big/ \Bigl(1 + 2 \sum_{k \ge 1} (1 - k / n)\, r_u(k)\, r_v(k)\Bigr)

independent rows, with the autocorrelations of both columns at lag k [1]_; for rows that come in
units of sizes :math:`n_i`, of :math:`m / (1 + (\bar n - 1) c_u c_v)`, with the intraclass
correlations c and :math:`\bar n = \sum n_i^2 / n` [2]_. What pairs of columns gain, and how sure
their correlations are, goes by m'.

A table that is sorted by a column looks like a series, though its rows are independent. So columns
that rise, fall, or come in one run per level along the rows are taken as what the rows were sorted
by, and the autocorrelations of all others are those that are left once these are known. Rows that
alternate are an arrangement, too: an autocorrelation counts only if it is positive.

References
----------
.. [1] M. S. Bartlett (1935). Some aspects of the time-correlation problem in regard to tests of
   significance. Journal of the Royal Statistical Society 98, 536-543.
.. [2] L. Kish (1965). Survey Sampling. Wiley.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import to_pairs
from spinney.evidence.scores import Scores, polynomials, read_scores, score_column
from spinney.tables import Table

__all__ = ["autocorrelations", "row_shares", "sorted_columns"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FEWEST_ROWS = 20
"""Rows below which nothing can be said of their dependence."""
SIGNIFICANT = 3.0
"""Standard errors that an autocorrelation must reach to count, and all at smaller lags."""
LEAST_SHARE = 0.02
"""Smallest share of rows that is left of any pair."""
MOST_CLASSES = 30
"""Levels beyond which a sorted column is taken by its ranks alone."""
DEGREES = 5
"""Degree of the polynomial of a sorted column that others are freed of."""


def row_shares(table: Table, units: Ints | None = None, scores: Scores | None = None) -> Floats:
    """Share of each pair's rows that says as much if rows are independent.

    Parameters
    ----------
    table : Table
        Its rows in the order in which they were given.
    units : int array of shape (n,), optional
        What each row belongs to; rows of different units are independent then, whatever their
        order.
    scores : Scores, optional
        Those of the table, if they are known already.

    Returns
    -------
    array of shape (n_pairs,)
        Between 0.02 and 1, in the order of ``np.triu_indices(d, 1)``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.normal(size=(200, 2)), axis=0)
    >>> X = np.column_stack([walk, rng.normal(size=200)])
    >>> row_shares(Table.plain(X, ("a", "b", "c"))).round(2)
    array([0.04, 1.  , 1.  ])
    >>> row_shares(Table.plain(rng.normal(size=(200, 2)), ("a", "b")))
    array([1.])
    """
    n, d = table.values.shape
    if n < FEWEST_ROWS:
        return np.ones(d * (d - 1) // 2)
    known = read_scores(table) if scores is None else scores
    ordered = np.flatnonzero(~known.nominal)
    owners = np.concatenate([ordered, known.owners])
    values = _unit(np.hstack([known.normal[:, ordered], known.classes]))
    if units is not None:
        classes = _intraclass(values, units)
        sizes = np.bincount(np.unique(units, return_inverse=True)[1]).astype(float)
        excess = ((sizes**2).sum() / n - 1.0) * np.multiply.outer(classes, classes)
        inflated = 1.0 + _largest(excess, owners, d)
        return np.clip(1.0 / to_pairs(inflated), LEAST_SHARE, 1.0)
    order = sorted_columns(table)
    r = autocorrelations(_freed(values, owners, order, table))
    weights = 2.0 * (1.0 - np.arange(1, r.shape[0] + 1) / n)
    # A column that rows are sorted by is as slow as can be.
    slow = order[owners]
    reach = np.flatnonzero((r != 0.0).any(axis=1)).max(initial=-1) + 1
    r[:reach, slow] = 1.0
    inflated = 1.0 + _largest((r * weights[:, None]).T @ r, owners, d)
    return np.clip(1.0 / to_pairs(inflated), LEAST_SHARE, 1.0)


def _unit(values: Floats) -> Floats:
    size = np.sqrt((values**2).mean(axis=0))
    return np.asarray(values / np.where(size > 0.0, size, 1.0))


def sorted_columns(table: Table) -> Bools:
    """Which columns the rows may have been sorted by: they rise, fall, or have one run per level.

    Examples
    --------
    >>> X = np.column_stack([np.arange(30.0), np.random.default_rng(0).normal(size=30)])
    >>> sorted_columns(Table.plain(X, ("time", "x")))
    array([ True, False])
    """
    found = np.zeros(len(table.columns), dtype=bool)
    for k in range(found.size):
        values = table.values[:, k]
        values = values[~np.isnan(values)]
        steps = np.diff(values)
        runs = 1 + int((steps != 0.0).sum())
        one_run_each = runs == np.unique(values).size and runs <= len(values) / 3
        found[k] = len(values) >= FEWEST_ROWS and (
            bool((steps >= 0.0).all() or (steps <= 0.0).all()) or one_run_each
        )
    return found


def _freed(scores: Floats, owners: Ints, order: Bools, table: Table) -> Floats:
    """Take out of the scores what the columns that rows are sorted by explain."""
    if not order.any():
        return scores
    known: list[Floats] = [np.ones((len(scores), 1))]
    for k in np.flatnonzero(order):
        values = table.values[:, k]
        there = ~np.isnan(values)
        levels, codes = np.unique(values[there], return_inverse=True)
        if levels.size <= min(MOST_CLASSES, len(values) / 5):
            own = np.zeros((len(values), levels.size))
            own[there, codes] = 1.0
            known.append(own)
        else:
            ranks = score_column(values).ranks[:, None]
            known.append(np.hstack(polynomials(ranks, there[:, None], DEGREES)))
    basis = np.hstack(known)
    coefficients = np.linalg.lstsq(basis, scores, rcond=None)[0]
    rest = scores - basis @ coefficients
    return np.where(order[owners], 0.0, _unit(np.where(scores == 0.0, 0.0, rest)))


def autocorrelations(scores: Floats) -> Floats:
    """Autocorrelations of columns at lags 1, 2, …, up to a quarter of the rows.

    Only those count that are positive, significant, and follow such ones: the noise of the others
    adds up, and a column whose rows alternate (a male, a female, …) was arranged so.

    Parameters
    ----------
    scores : array of shape (n, q)
        Columns of mean 0; 0 where a value is missing.

    Returns
    -------
    array of shape (n_lags, q)

    Examples
    --------
    >>> slow = np.sin(np.arange(100) / 10.0)[:, None]
    >>> autocorrelations(slow)[:2].round(2)
    array([[1.  ],
           [0.99]])
    """
    n = len(scores)
    lags = max(n // 4, 1)
    centred = scores - scores.mean(axis=0)
    products, squares = _lagged(centred, lags), _lagged(centred**2, lags)
    pairs_of_rows = 1.0 - np.arange(1, lags + 1)[:, None] / n
    r = products[1:] / np.where(products[0] > 0.0, products[0], 1.0) / pairs_of_rows
    # Of independent rows the sum of products x y has the variance of the sum of x² y².
    significant = products[1:] > SIGNIFICANT * np.sqrt(np.maximum(squares[1:], 0.0))
    return np.where(np.logical_and.accumulate(significant, axis=0), r, 0.0)


def _lagged(values: Floats, lags: int) -> Floats:
    """Sum the products of rows at lags 0, 1, …, shape (lags + 1, q)."""
    size = 1 << (2 * len(values) - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(values, size, axis=0)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: lags + 1])


def _intraclass(scores: Floats, units: Ints) -> Floats:
    """Intraclass correlation of each column, by the analysis of variance; at least 0."""
    codes = np.unique(units, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(float)
    n, g = float(len(scores)), float(sizes.size)
    if g < 2 or g == n:
        return np.zeros(scores.shape[1])
    sums = np.zeros((sizes.size, scores.shape[1]))
    np.add.at(sums, codes, scores)
    means = sums / sizes[:, None]
    between = (sizes[:, None] * (means - scores.mean(axis=0)) ** 2).sum(axis=0) / (g - 1.0)
    within = ((scores - means[codes]) ** 2).sum(axis=0) / (n - g)
    typical = (n - (sizes**2).sum() / n) / (g - 1.0)
    return np.clip((between - within) / (between + (typical - 1.0) * within + 1e-300), 0.0, 1.0)


def _largest(excess: Floats, owners: Ints, d: int) -> Floats:
    """Largest excess over the scores of two columns, at least 0, shape (d, d)."""
    found = np.zeros((d, d))
    np.maximum.at(found, (owners[:, None], owners[None, :]), excess)
    return found
