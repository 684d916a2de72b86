"""Protocols between parts: objectives for solvers, and the methods of learned densities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, Protocol

import pandas as pd
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats


class Objective(Protocol):
    """A function to be minimised over edge weights that are at least zero."""

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient; a value of infinity where it is not defined."""
        ...


class Step(NamedTuple):
    """What a fixed-point map knows at a point.

    Attributes
    ----------
    value : float
        The objective there; the map never raises it.
    image : array
        Where the map leads.
    violation : float
        How far the point is from stationarity, at least zero; solvers stop when it is small.
    """

    value: float
    image: Floats
    violation: float


class FixedPoint(Protocol):
    """A map on positive edge weights whose fixed points are stationary points."""

    def step(self, beta: Floats) -> Step:
        """Evaluate the map and the objective at a point."""
        ...


class Probe(NamedTuple):
    """What an objective knows at a point, in numbers that do not depend on the unit of weights.

    Attributes
    ----------
    value : float
        The objective.
    prior, posterior : arrays of shape (n_pairs,)
        Probability of each edge before any sample is seen, and its mean over samples once they
        are. Their difference is the derivative of the objective in the logarithm of the weight.
    """

    value: float
    prior: Floats
    posterior: Floats


class LogarithmicObjective(Protocol):
    """A function of edge weights that is minimised in their logarithms."""

    def probe(self, beta: Floats) -> Probe:
        """Evaluate the objective at a point; a value of infinity where it is not defined."""
        ...


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

        It has no units and is invariant under monotone transformations of columns.
        """

    @abstractmethod
    def _log_margins(self, X: Any) -> Floats:
        """Sum of the columns' log-densities for each row, in units of the table.

        InputError, naming `log_likelihood_ratio`, where the model does not know the margins.
        """

    def score_samples(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density :math:`\log p(x)` of each row, in units of the table.

        With respect to Lebesgue measure on the columns: for a column in units a thousand times
        smaller it falls by log 1000. `log_likelihood_ratio` does not.
        """
        return self._log_margins(X) + self.log_likelihood_ratio(X)

    def score(self, X: ArrayLike | pd.DataFrame, y: object = None) -> float:
        """Mean of `score_samples` over rows."""
        return float(self.score_samples(X).mean())
