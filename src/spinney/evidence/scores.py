"""Scores of a table's columns: numbers whose correlations can be taken, whatever the kinds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._core.pairs import pair_nodes
from spinney.evidence.channels import Measured, even
from spinney.scale.score_tests import class_scores
from spinney.tables import Table

__all__ = ["CHANNELS", "Column", "Scores", "channels", "read_scores", "score_column"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SMALLEST_REST = 1e-6
"""Share of a polynomial's variance that must be left beside those of lower degree: a column with L
values has polynomials up to degree L - 1."""
HEAVY_SQUARES, HEAVY_SHAPES = 6.0, 1.0
"""Kurtosis that the correlation of two polynomials of independent columns may have, of normal
scores and of ranks: with more, a few rows decide. A polynomial beyond the first is left out if the
mean of its fourth powers is larger than the root of so many times m."""
DEGREES = 4
"""Highest degree of the polynomials of ranks."""


CHANNELS = even(
    "table",
    rows="log(1 + m), m the rows with both values",
    all_rows="log n",
    columns="log d",
    gaps="1 - m / n, the share of rows without both values",
    shown_least="share of the normal variable behind a column that its values show: the lesser",
    shown_most="the greater of the two columns' shares",
    nominal="how many of the two columns are nominal",
    tied="share of pairs of rows that tie in a column: the greater",
    tied_least="the lesser of the two columns' shares of tied rows",
    dependent_rows="-log(m' / m), m' the rows that say as much if they are independent; 0 if all "
    "are",
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of all columns, and facts of each.

    Attributes
    ----------
    normal : array of shape (n, d)
        Normal scores of ordered columns, 0 where a value is missing and in nominal columns.
    squares : array of shape (n, d)
        Their squares, less what is linear in the score; 0 likewise, and where nothing is left.
    shapes : arrays of shape (n, d)
        Polynomials of the ranks of ordered columns, of degree 1 to 4, uncorrelated and of unit
        variance; 0 where a column has too few values to have one.
    classes : array of shape (n, n_classes)
        Orthonormal scores of nominal columns, one fewer than a column has levels.
    owners : int array of shape (n_classes,)
        The nominal column that each of these belongs to.
    present : bool array of shape (n, d)
        Which values are there.
    nominal : bool array of shape (d,)
        Whether a column is nominal.
    shown : array of shape (d,)
        Share of the normal variable behind a column that its values show; see
        :func:`score_column`.
    levels : bool array of shape (d,)
        Whether pairs were fitted to levels of the column.
    tied : array of shape (d,)
        Share of pairs of rows that tie.
    row_shares : array of shape (n_pairs,)
        Share of a pair's rows that say as much if rows are independent; see
        :mod:`spinney.evidence.dependent_rows`.
    thresholds : tuple of arrays
        Of each column with ordered levels, where these part the normal variable behind it; empty
        for the others.
    """

    normal: Floats
    squares: Floats
    shapes: tuple[Floats, ...]
    classes: Floats
    owners: Ints
    present: Bools
    nominal: Bools
    shown: Floats
    levels: Bools
    tied: Floats
    row_shares: Floats
    thresholds: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Column:
    """The scores of one column.

    Attributes
    ----------
    normal, ranks : arrays of shape (n,)
        Normal scores, and middles of the ranks' intervals in (0, 1); 0 where a value is missing.
    shown, tied : float
        As in :class:`Scores`.
    ends : array
        Shares of the rows up to each value, from 0 to 1.
    """

    normal: Floats
    ranks: Floats
    shown: float
    tied: float
    ends: Floats


def score_column(values: Floats) -> Column:
    r"""Score the values of an ordered column, ties included.

    A value that is held by a share p of the rows stands for an interval (a, b) of a standard normal
    variable with that mass, and its score is the mean there,
    :math:`(\varphi(a) - \varphi(b)) / p`. The variance of the scores is the share of that variable
    that is shown [1]_; it is taken relative to what as many values without ties would show. So
    scores and shares are continuous in the ties, from values all different to yes and no.

    Parameters
    ----------
    values : array of shape (n,)
        Numbers, or positions of levels; NaN where one is missing.

    References
    ----------
    .. [1] U. Olsson, F. Drasgow and N. J. Dorans (1982). The polyserial correlation coefficient.
       Psychometrika 47, 337-347.

    Examples
    --------
    >>> column = score_column(np.array([3.0, 1.0, np.nan, 1.0]))
    >>> column.normal.round(3), round(column.shown, 3), round(column.tied, 3)
    (array([ 1.091, -0.545,  0.   , -0.545]), 0.75, 0.333)
    """
    there = ~np.isnan(values)
    _, codes, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    m = max(int(counts.sum()), 1)
    shares = counts / m
    ends = np.concatenate([[0.0], np.cumsum(counts) / m])
    steps = _bell(ends[:-1]) - _bell(ends[1:])
    scores = steps / shares
    untied = _shown_without_ties(m)
    normal, ranks = np.zeros((2, len(values)))
    normal[there] = scores[codes]
    ranks[there] = (ends[:-1] + shares / 2.0)[codes]
    tied = float((counts * (counts - 1.0)).sum()) / max(m * (m - 1.0), 1.0)
    shown = float((steps * scores).sum()) / untied if untied > 0.0 else 1.0
    return Column(normal, ranks, shown, tied, ends)


@lru_cache(maxsize=64)
def _shown_without_ties(m: int) -> float:
    """Compute the variance of the scores of m different values."""
    return m * float((np.diff(_bell(np.arange(m + 1) / m)) ** 2).sum())


def _bell(share: Floats) -> Floats:
    """Compute the normal density at the quantiles of some shares, 0 at both ends."""
    inner = np.clip(share, 0.0, 1.0)
    return np.asarray(np.exp(-0.5 * special.ndtri(inner) ** 2) / np.sqrt(2.0 * np.pi))


def read_scores(table: Table, levels: Bools | None = None) -> Scores:
    """Compute the scores of all columns; rows are taken as independent.

    The classes of a nominal column with shares p have indicators over root p, rotated so that the
    constant direction is left out: uncorrelated, of unit variance.

    Parameters
    ----------
    table : Table
        The table.
    levels : bool array of shape (d,), optional
        As in :class:`Scores`; by default those of columns that are not continuous.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> table = read_table(np.array([[1.0, 4.0], [2.0, 1.0], [3.0, 2.0], [9.0, 3.0]]))
    >>> read_scores(table).normal[:, 0].round(3)
    array([-1.271, -0.325,  0.325,  1.271])
    """
    n, d = table.values.shape
    present, nominal = table.present, table.nominal
    normal, ranks = np.zeros((2, n, d))
    shown, tied = np.ones(d), np.zeros(d)
    levels = table.n_levels > 0 if levels is None else levels
    thresholds = [np.empty(0)] * d
    classes: list[Floats] = []
    owners: list[int] = []
    for k in range(d):
        column = score_column(table.values[:, k])
        tied[k] = column.tied
        if nominal[k]:
            there = present[:, k]
            codes = np.unique(table.values[there, k], return_inverse=True)[1]
            by_level = class_scores(np.bincount(codes) / max(len(codes), 1))
            own = np.zeros((n, by_level.shape[1]))
            own[there] = by_level[codes]
            classes.append(own)
            owners += [k] * by_level.shape[1]
        else:
            normal[:, k], ranks[:, k], shown[k] = column.normal, column.ranks, column.shown
            if levels[k]:
                thresholds[k] = special.ndtri(column.ends[1:-1])
    return Scores(
        normal=normal,
        squares=polynomials(normal, present, 2, HEAVY_SQUARES)[1],
        shapes=polynomials(ranks, present & ~nominal, DEGREES),
        classes=np.hstack(classes) if classes else np.empty((n, 0)),
        owners=np.array(owners, dtype=np.int64),
        present=present,
        nominal=nominal,
        shown=shown,
        levels=levels,
        tied=tied,
        row_shares=np.ones(d * (d - 1) // 2),
        thresholds=tuple(thresholds),
    )


def polynomials(
    values: Floats, present: Bools, degree: int, heaviest: float = HEAVY_SHAPES
) -> tuple[Floats, ...]:
    """Orthonormal polynomials of each column, of degree 1 to `degree`, by Gram and Schmidt.

    Parameters
    ----------
    values : array of shape (n, d)
    present : bool array of shape (n, d)
        Which values are there; the others are 0 in the result.
    degree : int
        The highest.
    heaviest : float
        See :data:`HEAVY_SHAPES`.

    Returns
    -------
    arrays of shape (n, d)
        One per degree; 0 for a column that has too few values, or where a few rows would decide.

    Examples
    --------
    >>> first, second = polynomials(np.array([[-1.0], [0.0], [1.0]]), np.ones((3, 1), bool), 2)
    >>> second.ravel().round(3)
    array([ 0.707, -1.414,  0.707])
    """
    m = np.maximum(present.sum(axis=0), 1)
    x, _ = _unit(np.where(present, values - np.where(present, values, 0.0).sum(axis=0) / m, 0.0), m)
    found = [x]
    for _ in range(degree - 1):
        raised = x * found[-1]
        whole = (raised**2).sum(axis=0)
        for other in (present.astype(float), *found):
            raised = raised - (raised * other).sum(axis=0) / m * other
        unit, left = _unit(raised, m)
        heavy = (unit**4).sum(axis=0) / m > np.sqrt(heaviest * m)
        unit[:, heavy | ~(m * left**2 > SMALLEST_REST * whole)] = 0.0
        found.append(unit)
    return tuple(found)


def _unit(values: Floats, m: Ints) -> tuple[Floats, Floats]:
    """Scale columns to unit mean square; those that are 0 stay. Also returns their sizes."""
    size = np.sqrt((values**2).sum(axis=0) / m)
    return values / np.where(size > 0.0, size, 1.0), size


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "table"."""
    scores, gains = measured.scores, measured.gains
    n, d = scores.normal.shape
    first, second = pair_nodes(d)
    shown, tied = scores.shown, scores.tied
    whole = np.ones(len(first))
    return {
        "rows": np.log1p(gains.n_rows),
        "all_rows": np.log(n) * whole,
        "columns": np.log(d) * whole,
        "gaps": 1.0 - gains.n_rows / n,
        "shown_least": np.minimum(shown[first], shown[second]),
        "shown_most": np.maximum(shown[first], shown[second]),
        "nominal": scores.nominal[first].astype(float) + scores.nominal[second],
        "tied": np.maximum(tied[first], tied[second]),
        "tied_least": np.minimum(tied[first], tied[second]),
        "dependent_rows": -np.log(scores.row_shares),
    }
