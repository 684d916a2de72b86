"""How a baseline sees dependence: normal scores of a table, and the correlation matrix it uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from spinney._core.arrays import average_ranks
from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.pairs.copulas.kendall import kendall_tau
from spinney.tables import check_table

__all__ = [
    "DEPENDENCE",
    "ColumnScales",
    "Dependence",
    "DependenceName",
    "nonparanormal_scores",
    "normal_scores",
    "rank_correlation",
]

Floats = NDArray[np.float64]
Scores = Literal["shrinkage", "truncation"]
DependenceName = Literal["pearson", "shrinkage", "truncation", "spearman", "kendall"]

LARGEST_SCORE = 1e100
"""Standardised values beyond it are cut: sums of their squares would overflow."""


def nonparanormal_scores(X: Any, method: Scores = "shrinkage") -> Any:
    r"""Turn every column into normal scores, as the R package huge makes them.

    With :math:`r_{ij}` the rank of a value in its column (ties share their mean rank),

    .. math::
        z_{ij} = \Phi^{-1}\!\left(\frac{r_{ij}}{n + 1}\right) \Big/ s
        \qquad\text{or}\qquad
        z_{ij} = \Phi^{-1}\!\left(\min\{\max(r_{ij}/n, \delta_n), 1 - \delta_n\}\right) \Big/ s,

    the shrunken and the truncated empirical distribution, with
    :math:`\delta_n = 1 / (4 n^{1/4} \sqrt{\pi \log n})`. As in huge, :math:`s` is the standard
    deviation of the *first* column; it matters to no correlation. The truncated scores are not
    quite symmetric: negating a column moves its scores by up to one rank.

    Parameters
    ----------
    X : data frame or array of shape (n, d)
        The table.
    method : {"shrinkage", "truncation"}
        Which empirical distribution.

    Returns
    -------
    data frame or array of shape (n, d)
        A data frame if `X` was one.

    References
    ----------
    .. [1] H. Liu, J. Lafferty and L. Wasserman (2009). The nonparanormal: semiparametric
       estimation of high dimensional undirected graphs. JMLR 10, 2295-2328.

    Examples
    --------
    >>> nonparanormal_scores([[1.0], [10.0], [100.0], [1000.0]]).ravel().round(3)
    array([-1.173, -0.353,  0.353,  1.173])
    """
    if method not in ("shrinkage", "truncation"):
        raise InputError(f"method must be 'shrinkage' or 'truncation', got {method!r}.")
    table = check_table(X)
    scores = _shrunken(table.values) if method == "shrinkage" else _truncated(table.values)
    if isinstance(X, pd.DataFrame):
        return pd.DataFrame(scores, index=X.index, columns=X.columns)
    return scores


def rank_correlation(X: Floats, statistic: Literal["spearman", "kendall"]) -> Floats:
    r"""Correlation of the underlying normal scores, from ranks ("nonparanormal skeptic").

    :math:`2 \sin(\frac{\pi}{6} \hat\rho)` from Spearman's rho,
    :math:`\sin(\frac{\pi}{2} \hat\tau)` from Kendall's tau-b. Either matrix may have negative
    eigenvalues; they are then raised to zero and the diagonal scaled back to one, because the
    graphical lasso has a solution at every penalty only from there on.

    References
    ----------
    .. [1] H. Liu, F. Han, M. Yuan, J. Lafferty and L. Wasserman (2012). High-dimensional
       semiparametric Gaussian copula graphical models. Annals of Statistics 40, 2293-2326.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]])
    >>> round(float(rank_correlation(X, "kendall")[0, 1]), 3)
    0.866
    """
    if statistic == "spearman":
        ranks = average_ranks(X)
        S = 2.0 * np.sin(np.pi / 6.0 * _pearson(ranks))
    else:
        # A column that is constant in a subsample has no untied pairs, and tau-b is 0 / 0.
        with np.errstate(invalid="ignore", divide="ignore"):
            S = to_matrix(np.sin(np.pi / 2.0 * np.nan_to_num(kendall_tau(X))))
    np.fill_diagonal(S, 1.0)
    return _raise_to_semidefinite(S)


@dataclass(frozen=True, eq=False)
class ColumnScales:
    r"""Means and standard deviations of columns in any unit, and with any offset.

    Squares of numbers beyond :math:`10^{\pm 154}` overflow or vanish, and a large offset swallows
    the digits of a sum. So each column is first shifted by the middle of its range and divided by
    a power of two, which loses nothing, and only then are means taken.

    Attributes
    ----------
    offset : array of shape (d,)
        Middle of each column's range.
    exponent : int array of shape (d,)
        Powers of two that bring the shifted columns into [-1, 1].
    centre, deviation : array of shape (d,)
        Mean and standard deviation (divided by n) of what remains; the deviation of a constant
        column is set to 1.

    Examples
    --------
    >>> x = 1e300 * np.array([[1.0], [2.0], [3.0]])
    >>> ColumnScales.fit(x).apply(x).ravel().round(3)
    array([-1.225,  0.   ,  1.225])
    """

    offset: Floats
    exponent: NDArray[np.intc]
    centre: Floats
    deviation: Floats

    @classmethod
    def fit(cls, X: Floats) -> ColumnScales:
        """Measure each column."""
        # Halves throughout, because the difference of two large numbers may overflow.
        offset = 0.5 * X.min(axis=0) + 0.5 * X.max(axis=0)
        exponent = np.frexp(np.abs(0.5 * X - 0.5 * offset).max(axis=0))[1] + 1
        raw = _shift(X, offset, exponent)
        deviation = raw.std(axis=0)
        return cls(offset, exponent, raw.mean(axis=0), np.where(deviation > 0.0, deviation, 1.0))

    def apply(self, X: Floats) -> Floats:
        """Standardise rows; values beyond ±1e100 are cut there, so that squares stay finite."""
        with np.errstate(over="ignore"):
            scores = (_shift(X, self.offset, self.exponent) - self.centre) / self.deviation
        return np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE)

    @property
    def log_deviation(self) -> Floats:
        """Logarithms of the standard deviations, in the units of the table."""
        return np.log(self.deviation) + self.exponent * np.log(2.0)


def _shift(X: Floats, offset: Floats, exponent: NDArray[np.intc]) -> Floats:
    return np.ldexp(0.5 * X - 0.5 * offset, 1 - exponent)


@dataclass(frozen=True)
class Dependence:
    """A way to see dependence: scores that rows are drawn from, and their correlation matrix.

    Attributes
    ----------
    scores : callable
        (n, d) → (n, d), applied once to the whole table.
    correlation : callable
        (m, d) → (d, d), applied to all rows of the scores or to some.
    """

    scores: Callable[[Floats], Floats]
    correlation: Callable[[Floats], Floats]


def _pearson(X: Floats) -> Floats:
    """Sample correlation; a column that is constant (in a subsample) is correlated with none."""
    Z = ColumnScales.fit(X).apply(X)
    S = Z.T @ Z / len(Z)
    np.fill_diagonal(S, 1.0)
    return np.clip(0.5 * (S + S.T), -1.0, 1.0)


def _shrunken(X: Floats) -> Floats:
    scores = ndtri(average_ranks(X) / (len(X) + 1))
    return scores / scores[:, 0].std(ddof=1)


def _truncated(X: Floats) -> Floats:
    delta = _truncation(len(X))
    scores = ndtri(np.clip(average_ranks(X) / len(X), delta, 1.0 - delta))
    return scores / scores[:, 0].std(ddof=1)


def _truncation(n: int) -> float:
    return float(1.0 / (4.0 * n**0.25 * np.sqrt(np.pi * np.log(n))))


def _unchanged(X: Floats) -> Floats:
    return X


def _spearman(X: Floats) -> Floats:
    return rank_correlation(X, "spearman")


def _kendall(X: Floats) -> Floats:
    return rank_correlation(X, "kendall")


def _raise_to_semidefinite(S: Floats) -> Floats:
    values, vectors = np.linalg.eigh(S)
    if values[0] >= 0.0:
        return S
    raised = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    raised /= scale[:, None] * scale
    np.fill_diagonal(raised, 1.0)
    return 0.5 * (raised + raised.T)


DEPENDENCE: dict[str, Dependence] = {
    "pearson": Dependence(_unchanged, _pearson),
    "shrinkage": Dependence(_shrunken, _pearson),
    "truncation": Dependence(_truncated, _pearson),
    "spearman": Dependence(_unchanged, _spearman),
    "kendall": Dependence(_unchanged, _kendall),
}
"""Pearson's correlation; the nonparanormal by shrunken or truncated scores; and by ranks."""


def normal_scores(X: Floats, name: str) -> Floats:
    """Scores of a table, mean 0 and variance 1, on which the model of a dependence is Gaussian.

    The table itself for Pearson's correlation, else truncated or shrunken normal scores; rank
    correlations go with the shrunken ones.
    """
    scores = X if name == "pearson" else (_truncated if name == "truncation" else _shrunken)(X)
    return ColumnScales.fit(scores).apply(scores)
