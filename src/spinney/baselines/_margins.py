"""Margins of the baselines that are densities: normal, or smooth ones fitted when needed."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from spinney._validation import Table
from spinney.baselines.scores import ColumnScales
from spinney.marginals import Marginals
from spinney.marginals.transformer import SMALLEST_U

__all__ = ["NormalMargins", "SmoothMargins"]

Floats = NDArray[np.float64]


class NormalMargins:
    """Normal columns with the table's means and standard deviations.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> margins = NormalMargins(X)
    >>> np.allclose(margins.log_density(X), stats.norm(2.0, X.std()).logpdf(X).ravel())
    True
    """

    def __init__(self, values: Floats) -> None:
        self.scales = ColumnScales.fit(values)

    def scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        return self.scales.apply(rows)

    def log_density(self, rows: Floats) -> Floats:
        """Sum of the columns' log-densities, shape (m,)."""
        log_density = stats.norm.logpdf(self.scales.apply(rows)) - self.scales.log_deviation
        return np.asarray(log_density.sum(axis=1))


class SmoothMargins:
    """Smooth marginals (:class:`spinney.Marginals`), fitted when they are first needed.

    Learning a graph needs ranks only, and smooth marginals cost far more than ranks.
    """

    def __init__(self, table: Table) -> None:
        self._values = table.values
        self._names = list(table.names)
        self._fitted: Marginals | None = None

    def uniforms(self, rows: Floats) -> pd.DataFrame:
        """Distribution function of each column, strictly inside (0, 1), shape (m, d)."""
        found: pd.DataFrame = self._marginals.cdf(self._named(rows))
        return found.clip(SMALLEST_U, 1.0 - SMALLEST_U)

    def scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        return np.asarray(stats.norm.ppf(self.uniforms(rows).to_numpy()))

    def log_density(self, rows: Floats) -> Floats:
        """Sum of the columns' log-densities, shape (m,)."""
        found: pd.DataFrame = self._marginals.log_density(self._named(rows))
        return np.asarray(found.to_numpy().sum(axis=1))

    @property
    def _marginals(self) -> Marginals:
        if self._fitted is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ties: they do not matter to a smooth marginal
                self._fitted = Marginals().fit(self._named(self._values))
        return self._fitted

    def _named(self, values: Floats) -> pd.DataFrame:
        return pd.DataFrame(values, columns=self._names)
