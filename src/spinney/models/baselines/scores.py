"""How a baseline sees dependence: normal scores of a table, and the correlation matrix it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy.special import ndtri

from spinney._core.arrays import Floats, average_ranks
from spinney._core.pairs import to_matrix
from spinney.pairs.copulas.kendall import kendall_tau
from spinney.tables import check_table

DependenceName = Literal["pearson", "shrinkage", "spearman", "kendall"]
DEPENDENCE: tuple[DependenceName, ...] = get_args(DependenceName)
"""Pearson's correlation; the nonparanormal by shrunken scores; and by ranks."""


def nonparanormal_scores(X: Any) -> Any:
    r"""Turn every column into normal scores, as the R package huge makes them by default.

    With :math:`r_{ij}` the rank of a value in its column (ties share their mean rank),

    .. math:: z_{ij} = \Phi^{-1}\!\left(\frac{r_{ij}}{n + 1}\right) \Big/ s .

    As in huge, :math:`s` is the standard deviation of the *first* column; it matters to no
    correlation.

    Parameters
    ----------
    X : data frame or array of shape (n, d)
        The table.

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
    scores = _shrunken(check_table(X).values)
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
    """Means and standard deviations of columns, also of columns far from zero.

    A mean far from zero has few digits behind the point, so columns are shifted first.

    Attributes
    ----------
    offset, centre : array of shape (d,)
        Middle of each column's range, and the mean from there.
    deviation : array of shape (d,)
        Standard deviation (divided by n); that of a constant column is set to 1.

    Examples
    --------
    >>> x = 1e11 + np.array([[1.0], [2.0], [3.0]])
    >>> ColumnScales.fit(x).apply(x).ravel().round(3)
    array([-1.225,  0.   ,  1.225])
    """

    offset: Floats
    centre: Floats
    deviation: Floats

    @classmethod
    def fit(cls, X: Floats) -> ColumnScales:
        """Measure each column."""
        offset = 0.5 * (X.min(axis=0) + X.max(axis=0))
        rest = X - offset
        deviation = rest.std(axis=0)
        return cls(offset, rest.mean(axis=0), np.where(deviation > 0.0, deviation, 1.0))

    def apply(self, X: Floats) -> Floats:
        """Standardise rows."""
        return (X - self.offset - self.centre) / self.deviation


def _pearson(X: Floats) -> Floats:
    """Sample correlation; a column that is constant (in a subsample) is correlated with none."""
    Z = ColumnScales.fit(X).apply(X)
    S = Z.T @ Z / len(Z)
    np.fill_diagonal(S, 1.0)
    return np.clip(0.5 * (S + S.T), -1.0, 1.0)


def _shrunken(X: Floats) -> Floats:
    scores = ndtri(average_ranks(X) / (len(X) + 1))
    return scores / scores[:, 0].std(ddof=1)


def _raise_to_semidefinite(S: Floats) -> Floats:
    values, vectors = np.linalg.eigh(S)
    if values[0] >= 0.0:
        return S
    raised = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    raised /= scale[:, None] * scale
    np.fill_diagonal(raised, 1.0)
    return 0.5 * (raised + raised.T)


def scores_of(X: Floats, dependence: DependenceName) -> Floats:
    """Turn a whole table into the scores whose rows may be drawn."""
    return _shrunken(X) if dependence == "shrinkage" else X


def correlation_of(scores: Floats, dependence: DependenceName) -> Floats:
    """Compute the correlation matrix of all rows of the scores, or of some."""
    if dependence == "spearman" or dependence == "kendall":
        return rank_correlation(scores, dependence)
    return _pearson(scores)


def normal_scores(X: Floats, dependence: DependenceName) -> Floats:
    """Scores of a table, mean 0 and variance 1, on which the model of a dependence is Gaussian.

    The table itself for Pearson's correlation, else shrunken normal scores.
    """
    scores = X if dependence == "pearson" else _shrunken(X)
    return ColumnScales.fit(scores).apply(scores)
