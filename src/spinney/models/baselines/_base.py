"""What all baselines share: a learned graph, and a density where there is one."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.graph import GraphMixin
from spinney._core.protocols import DensityMixin
from spinney.models.baselines.scores import ColumnScales
from spinney.pairs.margins import Margins
from spinney.tables import Table, check_features, check_table

__all__ = ["DensityBaseline", "GraphBaseline", "NormalMargins", "SmoothMargins"]

Floats = NDArray[np.float64]
_HALF_LOG = np.log(np.sqrt(2.0 * np.pi))


@dataclass(frozen=True)
class NormalMargins:
    """Normal columns with the table's means and standard deviations.

    Examples
    --------
    >>> from scipy import stats
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> margins = NormalMargins(ColumnScales.fit(X))
    >>> np.allclose(margins.log_density(X), stats.norm(2.0, X.std()).logpdf(X).ravel())
    True
    """

    scales: ColumnScales

    def scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        return self.scales.apply(rows)

    def log_density(self, rows: Floats) -> Floats:
        """Sum of the columns' log-densities, shape (m,)."""
        log_density = -(self.scales.apply(rows) ** 2) / 2.0 - _HALF_LOG - self.scales.log_deviation
        return np.asarray(log_density.sum(axis=1))


@dataclass
class SmoothMargins:
    """Smooth marginals (:class:`spinney.pairs.margins.Margins`), fitted when they are first needed.

    Learning a graph needs ranks only, and smooth marginals cost far more than ranks.
    """

    values: Floats
    fitted: Margins | None = None

    def scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        return np.asarray(ndtri(self._marginals.cdf(rows)))

    def log_density(self, rows: Floats) -> Floats:
        """Sum of the columns' log-densities, shape (m,)."""
        return np.asarray(self._marginals.log_density(rows).sum(axis=1))

    @property
    def _marginals(self) -> Margins:
        if self.fitted is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ties: they do not matter to a smooth marginal
                self.fitted = Margins().fit(self.values)
        return self.fitted


class GraphBaseline(GraphMixin, BaseEstimator):
    """Base of the baselines: reads tables, keeps the graph."""

    edge_signs_: NDArray[np.int64]

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
        self, adjacency: NDArray[np.bool_], weights: Floats, signs: Floats, ranking: Floats
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

    _margins: NormalMargins | SmoothMargins

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
        return self._margins.log_density(self._read_rows(X))

    def _keep_margins(self, table: Table, *, normal: bool) -> None:
        self._margins = (
            NormalMargins(ColumnScales.fit(table.values)) if normal else SmoothMargins(table.values)
        )
