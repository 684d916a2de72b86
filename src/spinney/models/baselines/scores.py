"""What baselines share: how they see dependence, a learned graph, a density where there is one."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats, Ints, average_ranks
from spinney._core.graph import GraphMixin
from spinney._core.pairs import to_matrix
from spinney._core.protocols import DensityMixin
from spinney.pairs.copulas.kendall import kendall_tau
from spinney.pairs.margins import Margins
from spinney.tables import Table, check_features, check_table

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


_HALF_LOG = np.log(np.sqrt(2.0 * np.pi))


class GraphBaseline(GraphMixin, BaseEstimator):
    """Base of the baselines: reads tables, keeps the graph."""

    edge_signs_: Ints

    def _read(self, X: Any) -> Table:
        """Check the table that is to be learned from, and keep its columns."""
        table = check_table(X, min_columns=2)
        # Not fitted until the new graph exists: an old graph does not belong to new columns.
        self._forget("edge_weights_")
        check_features(self, X, reset=True)
        self.node_names_ = table.names
        return table

    def _read_rows(self, X: Any) -> Floats:
        """Check rows that are to be scored."""
        check_is_fitted(self)
        table = check_table(X, min_rows=1, allow_constant=True)
        check_features(self, X, reset=False)
        return table.values

    def _keep_graph(
        self, adjacency: Bools, weights: Floats, signs: Floats, ranking: Floats
    ) -> None:
        """Keep the graph, the weights and signs of its edges, and the ranking of all pairs."""
        self.adjacency_ = adjacency
        self.edge_signs_ = np.where(adjacency, np.sign(signs), 0.0).astype(np.int64)
        self.edge_ranking_ = ranking
        self.edge_weights_ = np.where(adjacency, weights, 0.0)

    def _forget(self, *names: str) -> None:
        """Drop attributes that an earlier fit with other parameters may have left."""
        for name in names:
            self.__dict__.pop(name, None)


class DensityBaseline(DensityMixin, GraphBaseline):
    """Base of the baselines that are densities: a copula, and margins to go with it."""

    _values: Floats
    _normal: ColumnScales | None

    def log_likelihood_ratio(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns with the same margins.

        .. math:: \log p(x) - \sum_i \log f_i(x_i)

        It has no units. The margins :math:`f_i` are normal with ``dependence="pearson"``, which
        makes :math:`p` a multivariate normal density, and smooth
        (:class:`spinney.pairs.margins.Margins`) else.
        """
        return self._log_copula(self._read_rows(X))

    @abstractmethod
    def _log_copula(self, rows: Floats) -> Floats:
        """Log-density of the copula at each row, shape (m,)."""

    def _log_margins(self, X: Any) -> Floats:
        rows = self._read_rows(X)
        if self._normal is None:
            return np.asarray(self._smooth.log_density(rows).sum(axis=1))
        z, scale = self._normal.apply(rows), np.log(self._normal.deviation)
        return np.asarray((-(z**2) / 2.0 - _HALF_LOG - scale).sum(axis=1))

    def _keep_margins(self, table: Table, *, normal: bool) -> None:
        self._forget("_smooth")
        self._values = table.values
        self._normal = ColumnScales.fit(table.values) if normal else None

    @cached_property
    def _smooth(self) -> Margins:
        """Smooth margins, fitted when first needed: learning needs ranks only, which cost less."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of ties: they do not matter to a smooth marginal
            return Margins().fit(self._values)

    def _scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        if self._normal is not None:
            return self._normal.apply(rows)
        return np.asarray(ndtri(self._smooth.cdf(rows)))
