"""What all baselines share: a learned graph, and a density where there is one."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.graph import GraphMixin
from spinney._core.protocols import DensityMixin
from spinney.models.baselines.scores import ColumnScales
from spinney.pairs.margins import Margins
from spinney.tables import Table, check_features, check_table

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
