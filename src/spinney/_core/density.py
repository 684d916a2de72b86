"""What every learned density offers, in one convention for estimators and baselines."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

__all__ = ["DensityMixin"]

Floats = NDArray[np.float64]


class DensityMixin:
    r"""A density over rows of a table: its margins, times how the columns depend on each other.

    .. math:: \log p(x) = \sum_i \log f_i(x_i) + \log \frac{p(x)}{\prod_i f_i(x_i)}

    The first sum, over the log-densities of the columns by themselves, is in units of the table
    (`_log_margins`); the second term compares with independent columns of the same margins and
    has no units (`log_likelihood_ratio`). A subclass provides both.
    """

    @abstractmethod
    def log_likelihood_ratio(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns with the same margins.

        .. math:: \log p(x) - \sum_i \log f_i(x_i)

        It has no units: monotone changes of a column's scale leave it as it is.
        """

    @abstractmethod
    def _log_margins(self, X: Any) -> Floats:
        """Sum of the columns' log-densities for each row, in units of the table.

        InputError, naming `log_likelihood_ratio`, where the model does not know the margins.
        """

    def score_samples(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density :math:`\log p(x)` of each row, in units of the table.

        With respect to Lebesgue measure on the columns as they are: if a column is written in
        units a thousand times smaller, it falls by log 1000. `log_likelihood_ratio` does not.
        """
        return self._log_margins(X) + self.log_likelihood_ratio(X)

    def score(self, X: ArrayLike | pd.DataFrame, y: object = None) -> float:
        """Mean of `score_samples` over rows."""
        return float(self.score_samples(X).mean())
