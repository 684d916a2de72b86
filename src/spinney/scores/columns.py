"""Scores of one column: normal scores, polynomials of ranks, classes, and what levels show."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy import special

from spinney._core.arrays import Bools, Floats, Ints

N_HERMITE = 20
"""Terms of the Hermite series of a score function."""
SMALLEST_REST = 1e-6
"""Share of a polynomial's variance that those of lower degree must leave: a column with L values
has polynomials up to degree L - 1."""
WHOLE = 0.98
"""Share of a normal variable from which on a column counts as showing it whole."""


class ColumnScores(NamedTuple):
    """The scores of one column.

    Attributes
    ----------
    normal, ranks : arrays of shape (n,)
        Normal scores, and middles of the ranks' intervals in (0, 1); 0 where a value is missing.
    shown : float
        Share of the normal variable behind the column that its values show.
    tied : float
        Share of pairs of rows that tie.
    hermite : array of shape (20,)
        Hermite coefficients of the score as a function of that variable.
    codes : int array of shape (n,)
        Position of each value among the distinct ones, -1 where it is missing.
    n_values : int
        Number of distinct values.
    """

    normal: Floats
    ranks: Floats
    shown: float
    tied: float
    hermite: Floats
    codes: Ints
    n_values: int


def score_column(values: Floats) -> ColumnScores:
    r"""Score the values of a column in their order, ties included.

    A value that a share p of the rows has stands for an interval (a, b) of a standard normal
    variable with that mass, and its score is the mean there,
    :math:`(\varphi(a) - \varphi(b)) / p`. The variance of the scores is the share of that variable
    that is shown [1]_, relative to what as many values without ties would show. So scores and
    shares are continuous in the ties, from values all different to yes and no.

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
    _, own, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    m = len(own)
    codes = np.full(len(values), -1)
    codes[there] = own
    # Most columns have no ties, and all of these of one length have the same scores.
    level = _levels(counts) if len(counts) < m or not m else _untied(m)
    # A missing value has the position -1, where there is a 0.
    normal, ranks = (np.append(x, 0.0)[codes] for x in (level.normal, level.ranks))
    tied = float((counts * (counts - 1.0)).sum()) / max(m * (m - 1.0), 1.0)
    return ColumnScores(normal, ranks, level.shown, tied, level.hermite, codes, len(counts))


class _Levels(NamedTuple):
    """Scores of the distinct values of a column."""

    normal: Floats
    ranks: Floats
    shown: float
    hermite: Floats


def _levels(counts: Ints) -> _Levels:
    """Score a column by how often it has each of its values."""
    m = max(int(counts.sum()), 1)
    shares, ends = counts / m, np.append(0.0, np.cumsum(counts) / m)
    at = special.ndtri(ends)
    bell = np.exp(-0.5 * at**2) / np.sqrt(2.0 * np.pi)  # 0 at both ends
    steps = -np.diff(bell)
    scores = steps / shares
    untied = _shown_without_ties(m)
    shown = float((steps * scores).sum()) / untied if untied > 0.0 else 1.0
    series = np.eye(1, N_HERMITE)[0] if shown >= WHOLE else _hermite(at, bell, scores, shares)
    return _Levels(scores, ends[:-1] + shares / 2.0, shown, series)


@lru_cache(maxsize=64)
def _untied(m: int) -> _Levels:
    return _levels(np.ones(m, dtype=np.int64))


@lru_cache(maxsize=64)
def _shown_without_ties(m: int) -> float:
    """Compute the variance of the scores of m different values."""
    bell = np.exp(-0.5 * special.ndtri(np.arange(m + 1) / m) ** 2) / np.sqrt(2.0 * np.pi)
    return m * float((np.diff(bell) ** 2).sum())


def _hermite(at: Floats, bell: Floats, scores: Floats, shares: Floats) -> Floats:
    r"""Hermite coefficients of standardised scores, :math:`E[f(Z) He_k(Z)] / \sqrt{k!}`.

    The integral of :math:`He_k \varphi` over an interval is :math:`-He_{k-1} \varphi` at its ends,
    `at`, where `bell` is :math:`\varphi`. Shape (20,).
    """
    spread = sqrt(float((scores**2 * shares).sum()))
    if spread == 0.0:
        return np.eye(1, N_HERMITE)[0]
    inner = np.where(np.isfinite(at), at, 0.0)
    bells = [np.zeros_like(bell), bell]  # orthonormal He_{k-1} φ from k = 1; at ±∞ 0
    for k in range(1, N_HERMITE):
        bells.append((inner * bells[k] - sqrt(k - 1.0) * bells[k - 1]) / sqrt(k))
    found = -np.diff(bells[1:], axis=1) @ scores
    return np.asarray(found / spread / np.sqrt(np.arange(1, N_HERMITE + 1)))


def class_scores(mass: Floats) -> Floats:
    """Scores of L classes, shape (L, L - 1), of mean 0, unit variance and no correlation.

    Examples
    --------
    >>> scores = class_scores(np.array([0.5, 0.25, 0.25]))
    >>> (np.array([0.5, 0.25, 0.25]) @ scores).round(12) + 0.0
    array([0., 0.])
    >>> ((scores.T * [0.5, 0.25, 0.25]) @ scores).round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    share = np.sqrt(mass)
    basis = np.linalg.qr(share[:, None], mode="complete")[0][:, 1:]
    return np.asarray(basis / share[:, None])


def polynomials(normal: Floats, ranks: Floats, present: Bools, degree: int) -> Floats:
    """Orthonormal scores of each column: the normal score, then bends of higher degree.

    Those of degree 2, 3, … are Legendre polynomials of the ranks, less what the constant, the
    normal score and lower degrees explain. Ranks are bounded, so no few rows decide.

    Parameters
    ----------
    normal, ranks : arrays of shape (n, d)
        Normal scores, and ranks in (0, 1).
    present : bool array of shape (n, d)
        Which values are there; the others are 0 in the result.
    degree : int
        The highest.

    Returns
    -------
    array of shape (degree, n, d)
        Of mean 0 and unit variance; 0 for a column with too few values.

    Examples
    --------
    >>> ranks = np.array([[1 / 6], [0.5], [5 / 6]])
    >>> polynomials(ranks - 0.5, ranks, np.ones((3, 1), bool), 3)[:, :, 0].round(3) + 0.0
    array([[-1.225,  0.   ,  1.225],
           [ 0.707, -1.414,  0.707],
           [ 0.   ,  0.   ,  0.   ]])
    """
    here = present.astype(float)
    m = np.maximum(here.sum(axis=0), 1.0)
    x = np.where(present, 2.0 * ranks - 1.0, 0.0)
    raised = [here, x]
    for k in range(1, degree):
        raised.append(((2 * k + 1) * x * raised[k] - k * raised[k - 1]) / (k + 1))
    raised[1] = np.where(present, normal, 0.0)
    found: list[Floats] = []
    for one in raised[1:]:
        whole = np.einsum("ij,ij->j", one, one)
        rest = one - one.sum(axis=0) / m * here
        for _ in range(2):  # twice is enough for full accuracy
            for other in found:
                rest = rest - np.einsum("ij,ij->j", rest, other) / m * other
        left = np.einsum("ij,ij->j", rest, rest)
        size = np.where(left > SMALLEST_REST * whole, np.sqrt(left / m), np.inf)
        found.append(rest / size)
    return np.stack(found)
