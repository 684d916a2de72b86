"""The scikit-learn transformer between a table and its pseudo-observations."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins._containers import like
from spinney.pairs.margins.ranks import (
    EmpiricalRanks,
    RandomState,
    Ties,
    check_ties,
    tie_priority,
    warn_of_heavy_ties,
)
from spinney.pairs.margins.smooth import Smooth, SmoothMarginal, check_smoothing, fit_smooth
from spinney.tables import Table, check_features, check_inside_unit, check_table

__all__ = ["SMALLEST_U", "Marginals"]

SMALLEST_U = 1e-12
"""`transform` stays this far from 0 and 1; copula densities are safe up to there."""


@storable("Marginals")
class Marginals(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Each column's distribution: to pseudo-observations by ranks, and back by smooth marginals.

    By Sklar's theorem the joint density of a table splits into
    :math:`f(x) = c(F_1(x_1), \dots, F_d(x_d)) \prod_i f_i(x_i)`. This transformer holds the
    :math:`F_i` and :math:`f_i`; copulas see only what `transform` gives.

    Parameters
    ----------
    ties : {"average", "random"}
        What equal values get: see :func:`pseudo_observations`.
    transform_by : {"ranks", "smooth"}
        Whether `transform` gives ``rank / (n + 1)`` or the smooth distribution function. Ranks
        assume nothing, so they are best for learning dependence. With ``"smooth"``,
        `inverse_transform` undoes `transform` and a joint density built on both integrates to 1.
    smooth : {"auto", "kernel", "parametric", None}
        Which smooth marginals are tried for each column. ``"auto"``: all of them. None: none, so
        that only `transform` by ranks works and fitting costs no more than sorting.
    random_state : int, Generator or None
        Seed for ``ties="random"``.

    Attributes
    ----------
    marginals_ : list of SmoothMarginal
        One per column, with ``cdf``, ``ppf``, ``logpdf``, ``name``, ``kind``, ``parameters``.
        Empty with ``smooth=None``.
    summary_ : data frame
        One row per column: column, kind, family, parameters, log_likelihood and
        held_out_log_likelihood (what the choice went by).
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Column names; only if the table was a data frame whose column names are all strings.

    Notes
    -----
    *Kernel*: Gaussian kernels on the column itself, on its logarithm (positive columns), or after
    an asinh or Yeo-Johnson [1]_ map, with the slope of the map in the density; scale and bandwidth
    by leave-one-out likelihood, the bandwidth among 0.35 to 2 times Silverman's [2]_. Beyond 1000
    rows, values within a quarter of a bandwidth share a kernel.

    *Parametric*: normal, logistic, Student t (1 to 100 degrees of freedom), from 30 rows on
    Gumbel to either side, and for positive columns lognormal and gamma, by maximum likelihood
    (where that has no closed form and there are more than 4096 rows, from weighted means of
    neighbouring values).

    *Choice*, per column: the largest estimate of the log-likelihood of as many new rows, which is
    leave-one-out for kernels and Akaike's criterion in its small-sample form for parametric
    families; a distribution of positive numbers must lead by 3, because a few positive rows do
    not prove that the next cannot be negative. Columns are taken as continuous: for a column with
    many ties the smooth marginal is only a smoothed picture of it.

    *Cost*: O(n log n) per column for ranks, and for smooth marginals O(n²) up to 1000 rows and
    O(n log n) beyond.

    References
    ----------
    .. [1] I.-K. Yeo and R. A. Johnson (2000). A new family of power transformations to improve
       normality or symmetry. Biometrika 87, 954-959.
    .. [2] B. W. Silverman (1986). Density Estimation for Statistics and Data Analysis, eq. 3.31.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.pairs.margins import Marginals
    >>> X = np.random.default_rng(0).lognormal(sigma=2.0, size=(300, 1))
    >>> marginals = Marginals().fit(X)
    >>> marginals.transform(X)[:3].ravel().round(3)
    array([0.575, 0.482, 0.741])
    >>> marginals.marginals_[0].name
    'lognormal'
    >>> marginals.inverse_transform([[0.5]]).round(1)
    array([[0.9]])
    """

    _stored: ClassVar[tuple[str, ...]] = (
        "n_features_in_",
        "feature_names_in_",
        "marginals_",
        "_ranks",
        "_tie_seed",
        "_names",
    )

    def __init__(
        self,
        *,
        ties: Ties = "average",
        transform_by: Literal["ranks", "smooth"] = "ranks",
        smooth: Smooth | None = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.ties = ties
        self.transform_by = transform_by
        self.smooth = smooth
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Marginals:
        """Learn the distribution of each column.

        Parameters
        ----------
        X : data frame or array-like of shape (n, d)
            The table; at least 4 rows, finite numbers, no constant column.
        y : ignored
            For scikit-learn's sake.
        """
        self._check_parameters()
        table = check_table(X)
        check_features(self, X, reset=True)
        warn_of_heavy_ties(table, self.ties)
        columns = table.values.T
        self._ranks = [EmpiricalRanks.fit(column) for column in columns]
        # Drawn once, so that transform gives the same answer every time it is asked.
        self._tie_seed = (
            self.random_state
            if isinstance(self.random_state, int | np.integer)
            else int(np.random.default_rng(self.random_state).integers(2**63))
        )
        self.marginals_: list[SmoothMarginal] = (
            [] if self.smooth is None else [fit_smooth(column, self.smooth) for column in columns]
        )
        self._names = table.names
        return self

    def transform(self, X: Any) -> Any:
        """Map a table to pseudo-observations.

        By ranks, the fitted rows get exactly ``rank / (n + 1)``; other values are interpolated
        linearly between fitted ones, and beyond the fitted range they get what the nearest fitted
        value has.

        Parameters
        ----------
        X : data frame or array-like of shape (m, d)
            Any number of rows.

        Returns
        -------
        data frame or array of shape (m, d)
            Strictly inside (0, 1).
        """
        if self.transform_by == "smooth":
            U = self._apply("cdf", self._read(X))
            return like(np.clip(U, SMALLEST_U, 1.0 - SMALLEST_U), X)
        values = self._read(X).values
        priority = tie_priority(values.shape, self._tie_seed) if self.ties == "random" else None
        U = np.empty_like(values)
        for k, ranks in enumerate(self._ranks):
            U[:, k] = ranks.transform(values[:, k], None if priority is None else priority[:, k])
        return like(U, X)

    def inverse_transform(self, U: Any) -> Any:
        """Map pseudo-observations to the units of the table, by the smooth quantile functions.

        Parameters
        ----------
        U : data frame or array-like of shape (m, d)
            Strictly inside (0, 1).

        Returns
        -------
        data frame or array of shape (m, d)
            Finite, and increasing in U.
        """
        check_is_fitted(self)
        table = check_table(U, min_rows=1, allow_constant=True)
        if hasattr(U, "columns"):
            check_features(self, U, reset=False)
        elif table.values.shape[1] != self.n_features_in_:
            # Levels are often drawn as an array; that it lacks column names is no cause to warn.
            raise InputError(
                f"U has {table.values.shape[1]} column(s), but the marginals were fitted on "
                f"{self.n_features_in_}. Give one column per fitted column, in the same order."
            )
        check_inside_unit(table)
        return like(self._apply("ppf", table), U)

    def cdf(self, X: Any) -> Any:
        """Smooth distribution function of each column, shape (m, d)."""
        return like(self._apply("cdf", self._read(X)), X)

    def log_density(self, X: Any) -> Any:
        """Log of the smooth density of each column, shape (m, d): the slope of `cdf`."""
        return like(self._apply("logpdf", self._read(X)), X)

    @property
    def summary_(self) -> pd.DataFrame:
        """What was chosen for each column, as a table."""
        check_is_fitted(self)
        return pd.DataFrame(
            {
                "column": self._names[: len(self.marginals_)],
                "kind": [marginal.kind for marginal in self.marginals_],
                "family": [marginal.name for marginal in self.marginals_],
                "parameters": [dict(marginal.parameters) for marginal in self.marginals_],
                "log_likelihood": [marginal.log_likelihood for marginal in self.marginals_],
                "held_out_log_likelihood": [
                    marginal.held_out_log_likelihood for marginal in self.marginals_
                ],
            }
        )

    def _check_parameters(self) -> None:
        check_ties(self.ties)
        check_smoothing(self.transform_by, self.smooth)

    def _restore(self) -> None:
        """Refuse a model file with too many or too few columns."""
        parts = [self._ranks, self._names, *([self.marginals_] if self.marginals_ else [])]
        if any(len(part) != self.n_features_in_ for part in parts):
            raise InputError("its Marginals do not have the same number of columns throughout")

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        table = check_table(X, min_rows=1, allow_constant=True)
        check_features(self, X, reset=False)
        return table

    def _apply(self, method: str, table: Table) -> NDArray[np.float64]:
        if not self.marginals_:
            raise InputError(
                "These marginals were fitted with smooth=None, so they know ranks only. "
                "Fit again with smooth='auto'."
            )
        values = np.empty_like(table.values)
        for k, marginal in enumerate(self.marginals_):
            values[:, k] = getattr(marginal, method)(np.ascontiguousarray(table.values[:, k]))
        return values
