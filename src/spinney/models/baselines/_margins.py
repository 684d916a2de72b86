"""Margins of the baselines that are densities: normal, or smooth ones fitted when needed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from spinney._core.storable import storable
from spinney.models.baselines.scores import ColumnScales
from spinney.pairs.margins import Margins

__all__ = ["NormalMargins", "SmoothMargins"]

Floats = NDArray[np.float64]


@storable("NormalMargins")
@dataclass(frozen=True)
class NormalMargins:
    """Normal columns with the table's means and standard deviations.

    Examples
    --------
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
        log_density = stats.norm.logpdf(self.scales.apply(rows)) - self.scales.log_deviation
        return np.asarray(log_density.sum(axis=1))


@storable("SmoothMargins")
@dataclass
class SmoothMargins:
    """Smooth marginals (:class:`spinney.pairs.margins.Margins`), fitted when they are first needed.

    Learning a graph needs ranks only, and smooth marginals cost far more than ranks.
    """

    values: Floats
    names: tuple[str, ...]
    fitted: Margins | None = None

    def uniforms(self, rows: Floats) -> pd.DataFrame:
        """Distribution function of each column, strictly inside (0, 1), shape (m, d)."""
        found: pd.DataFrame = self._marginals.cdf(self._named(rows))
        return found

    def scores(self, rows: Floats) -> Floats:
        """Turn rows into standard normal scores, shape (m, d)."""
        return np.asarray(stats.norm.ppf(self.uniforms(rows).to_numpy()))

    def log_density(self, rows: Floats) -> Floats:
        """Sum of the columns' log-densities over the values that are there, shape (m,)."""
        present = ~np.isnan(rows)
        filled = np.where(present, rows, self.values[0])
        found: pd.DataFrame = self._marginals.log_density(self._named(filled))
        log_density = found.to_numpy()
        if not present.all():  # a copy has another layout, and sums other last digits
            log_density = np.where(present, log_density, 0.0)
        return np.asarray(log_density.sum(axis=1))

    @property
    def _marginals(self) -> Margins:
        if self.fitted is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ties: they do not matter to a smooth marginal
                self.fitted = Margins().fit(self._named(self.values))
        return self.fitted

    def _named(self, values: Floats) -> pd.DataFrame:
        return pd.DataFrame(values, columns=list(self.names))
