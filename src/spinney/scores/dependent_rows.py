r"""Effective sample size of rows that depend on each other.

Two independent columns look correlated more often than chance allows if both are autocorrelated,
such as rows in their order of time, or several rows of one patient. Their correlation then has the
variance of

.. math:: m' = m \Big/ \Bigl(1 + 2 \sum_{k \ge 1} (1 - k / n)\, r_u(k)\, r_v(k)\Bigr)

independent rows, with the autocorrelations of both columns at lag k [1]_; for rows that come in
units of sizes :math:`n_i`, of :math:`m / (1 + (\bar n - 1) c_u c_v)`, with the intraclass
correlations c and :math:`\bar n = \sum n_i^2 / n` [2]_. The evidence of pairs and its errors use
m'.

A table that is sorted by a column looks like a series, though its rows are independent. So if a
column rises, falls, or has one run per level along the rows, spinney assumes that the rows were
sorted by it, and computes the autocorrelations of all other columns given this one. Rows that
alternate were arranged, too, so only positive autocorrelations count.

References
----------
.. [1] M. S. Bartlett (1935). Some aspects of the time-correlation problem in regard to tests of
   significance. Journal of the Royal Statistical Society 98, 536-543.
.. [2] L. Kish (1965). Survey Sampling. Wiley.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

from spinney._core.arrays import Bools, Floats, Ints

FEWEST_ROWS = 20
"""Rows below which nothing can be said of their dependence."""
SIGNIFICANT = 3.0
"""Standard errors that an autocorrelation must reach to count, and all at smaller lags."""
UNIT_ROOT = 14.0
"""A column with first autocorrelation r counts as a random walk if n (1 - r) is smaller: the 5 %
point of the test of Dickey and Fuller (1979), Journal of the American Statistical Association 74,
427-431."""
MOST_CLASSES = 30
"""Levels beyond which a sorted column is taken by its ranks alone."""
DEGREES = 5
"""Degree of the polynomial of a sorted column that others are freed of."""


def row_shares(
    scores: Floats, owners: Ints, codes: Ints, ranks: Floats, units: Ints | None = None
) -> Floats:
    """Effective sample size of each pair over its number of rows.

    Parameters
    ----------
    scores : array of shape (n, q)
        Scores of the columns, rows in the order in which they were given; 0 where a value is
        missing.
    owners : int array of shape (q,)
        The column that each score belongs to.
    codes : int array of shape (n, d)
        Position of each value among the distinct ones of its column, -1 where it is missing.
    ranks : array of shape (n, d)
        Ranks of the values, in (0, 1).
    units : int array of shape (n,), optional
        The unit of each row; rows of different units are then independent, whatever their order.

    Returns
    -------
    array of shape (d, d)
        Between 1 / n and 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.normal(size=(200, 2)), axis=0)
    >>> X = np.column_stack([walk, rng.normal(size=200)])
    >>> codes = X.argsort(axis=0).argsort(axis=0)
    >>> row_shares(X - X.mean(axis=0), np.arange(3), codes, (codes + 0.5) / 200).round(2)[0]
    array([0.01, 0.01, 1.  ])
    """
    n, d = codes.shape
    if n < FEWEST_ROWS:
        return np.ones((d, d))
    values = _unit(scores)
    if units is not None:
        codes = np.unique(units, return_inverse=True)[1]
        sizes = np.bincount(codes).astype(float)
        within = _intraclass(values, codes, sizes)
        excess = ((sizes**2).sum() / n - 1.0) * np.multiply.outer(within, within)
    else:
        order = sorted_columns(codes)
        r = autocorrelations(free_of_order(values, owners, order, codes, ranks))
        weights = 2.0 * (1.0 - np.arange(1, r.shape[0] + 1) / n)
        reach = np.flatnonzero((r != 0.0).any(axis=1)).max(initial=-1) + 1
        if not reach:
            return np.ones((d, d))
        r[:reach, order[owners]] = 1.0  # a column that rows are sorted by is as slow as can be
        excess = (r[:reach] * weights[:reach, None]).T @ r[:reach]
    largest = np.zeros((d, d))  # over the scores of two columns
    np.maximum.at(largest, (owners[:, None], owners[None, :]), excess)
    return np.clip(1.0 / (1.0 + largest), 1.0 / n, 1.0)


def _unit(values: Floats) -> Floats:
    size = np.sqrt((values**2).mean(axis=0))
    return np.asarray(values / np.where(size > 0.0, size, 1.0))


def sorted_columns(codes: Ints) -> Bools:
    """Which columns the rows may have been sorted by: they rise, fall, or have one run per level.

    Examples
    --------
    >>> X = np.column_stack([np.arange(30), np.random.default_rng(0).permutation(30)])
    >>> sorted_columns(X)
    array([ True, False])
    """
    found = np.zeros(codes.shape[1], dtype=bool)
    for k in range(found.size):
        values = codes[:, k]
        values = values[values >= 0]
        steps = np.diff(values)
        runs = 1 + np.count_nonzero(steps)
        one_run_each = runs == values.max(initial=-1) + 1 and runs <= len(values) / 3
        found[k] = len(values) >= FEWEST_ROWS and (
            one_run_each or bool((steps >= 0).all() or (steps <= 0).all())
        )
    return found


def free_of_order(scores: Floats, owners: Ints, order: Bools, codes: Ints, ranks: Floats) -> Floats:
    """Residuals of the scores, given the columns that the rows are sorted by.

    Parameters are as in :func:`row_shares`; `order` is what :func:`sorted_columns` gives. Scores of
    these columns themselves are 0.
    """
    if not order.any():
        return scores
    known: list[Floats] = [np.ones((len(scores), 1))]
    for k in np.flatnonzero(order):
        own = codes[:, k, None]
        n_levels = int(own.max(initial=-1)) + 1
        if n_levels <= min(MOST_CLASSES, len(scores) / 5):
            known.append((own == np.arange(n_levels)).astype(float))
        else:
            terms = legendre.legvander(2.0 * ranks[:, k] - 1.0, DEGREES)[:, 1:]
            known.append(np.where(own >= 0, terms, 0.0))
    basis = np.hstack(known)
    rest = scores - basis @ np.linalg.lstsq(basis, scores, rcond=None)[0]
    return np.where(order[owners], 0.0, _unit(np.where(scores == 0.0, 0.0, rest)))


def autocorrelations(scores: Floats) -> Floats:
    """Autocorrelations of columns at lags 1, 2, …, up to a quarter of the rows.

    An autocorrelation counts if it and all at smaller lags are positive and significant; others are
    0. The noise of the others would add up, and a column whose rows alternate (a male, a female, …)
    was arranged so.

    Parameters
    ----------
    scores : array of shape (n, q)
        Columns of mean 0; 0 where a value is missing.

    Returns
    -------
    array of shape (n_lags, q)

    Examples
    --------
    >>> slow = np.sin(np.arange(400) / 2.0)[:, None]
    >>> autocorrelations(slow)[:3].round(2)
    array([[0.88],
           [0.54],
           [0.  ]])
    """
    n = len(scores)
    lags = max(n // 4, 1)
    centred = scores - scores.mean(axis=0)
    squares = centred**2
    whole = np.maximum(squares.sum(axis=0), 1e-300)
    # Of independent rows the sum of products x y has the variance of the sum of x² y².
    first = np.einsum("ij,ij->j", centred[1:], centred[:-1])
    noise = np.sqrt(np.einsum("ij,ij->j", squares[1:], squares[:-1]))
    slow = np.flatnonzero(first > SIGNIFICANT * noise)
    found = np.zeros((lags, scores.shape[1]))
    if slow.size:  # only these have any that count
        products, spread = _lagged(centred[:, slow], lags), _lagged(squares[:, slow], lags)
        significant = products[1:] > SIGNIFICANT * np.sqrt(np.maximum(spread[1:], 0.0))
        pairs_of_rows = 1.0 - np.arange(1, lags + 1)[:, None] / n
        r = products[1:] / whole[slow] / pairs_of_rows
        r = np.where(np.logical_and.accumulate(significant, axis=0), r, 0.0)
        # Those of a walk are estimated too small, and its rows tell hardly more than one does.
        found[:, slow] = np.where(n * (1.0 - r[0]) < UNIT_ROOT, 1.0, r)
    return found


def _lagged(values: Floats, lags: int) -> Floats:
    """Sum the products of rows at lags 0, 1, …, shape (lags + 1, q)."""
    size = 1 << (2 * len(values) - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(values, size, axis=0)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: lags + 1])


def _intraclass(scores: Floats, codes: Ints, sizes: Floats) -> Floats:
    """Intraclass correlation of each column, by the analysis of variance; at least 0.

    `codes` number the unit of each row, and `sizes` are the rows of each unit.
    """
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
