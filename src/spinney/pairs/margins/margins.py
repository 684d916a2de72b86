"""The distribution of each column of a table: to pseudo-observations, and back."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Ints
from spinney._core.choices import Ties, check_ties, read_seed
from spinney.exceptions import InputError
from spinney.pairs.margins.levels import (
    Groups,
    counts_need_levels,
    grouped_log_density,
    level_masses,
)
from spinney.pairs.margins.ranks import (
    SMALLEST_U,
    EmpiricalRanks,
    RandomState,
    like,
    warn_of_heavy_ties,
)
from spinney.pairs.margins.smooth import SMOOTHING, Smooth, SmoothMarginal, fit_smooth
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import (
    CONTINUOUS,
    MIN_ROWS,
    Table,
    check_features,
    check_inside_unit,
    check_table,
    read_rows,
)

Within = ArrayLike | np.random.Generator | None


class Margins(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Each column's distribution: to pseudo-observations by ranks, and back by smooth marginals.

    By Sklar's theorem the density of a row splits into :math:`w(x) \prod_i p_i(x_i)`, where w sees
    the columns only through their distribution functions. This class holds the :math:`p_i`:
    densities of continuous columns, probabilities of levels, each learned from the values that its
    column has.

    A :class:`~spinney.tables.Table` may have columns of every kind, and missing values;
    :meth:`pseudo` shows the pseudo-observations of a table. Data frames and arrays are taken as
    finite numbers, and `transform`, `inverse_transform`, `cdf` and `log_density` return the
    container they were given, as scikit-learn's transformers do.

    Parameters
    ----------
    ties : {"auto", "average", "random", "levels"}
        What equal values of a continuous column are. ``"average"``, ``"random"``: see
        :func:`pseudo_observations`. ``"levels"``: a column with ties is a rounded or piled-up
        measurement; its values are grouped into at most 15 ordered levels, each of which says no
        more than that the value lies in an interval. ``"auto"``: levels where more than 2 % of all
        pairs of rows tie (in a column of 30 values or more) and there are at most 15 values or one
        of them has more than 10 % of the rows; average ranks elsewhere, and throughout if `fit` is
        given a data frame or an array.
    transform_by : {"ranks", "smooth"}
        Whether `transform` and `pseudo` give ``rank / (m + 1)``, with m values in the column, or
        the smooth distribution function. Ranks assume nothing, so they are best for learning
        dependence. With ``"smooth"``, `inverse_transform` undoes `transform`, and a joint density
        built on both integrates to 1.
    smooth : {"auto", "kernel", "parametric"}
        Smooth marginals of continuous columns. ``"auto"``: a spline through quantiles.
        ``"kernel"``: a Gaussian kernel estimate. ``"parametric"``: the normal distribution. Each is
        fitted when it is first needed.
    random_state : int, Generator or None
        Seed for ``ties="random"``.

    Attributes
    ----------
    columns_ : tuple of Column
        What the columns are.
    masses_ : tuple of d arrays
        Probability of each level; empty for continuous columns that are not grouped.
    grouped_ : bool array of shape (d,)
        Which continuous columns are treated as levels.
    n_rows_ : int array of shape (d,)
        How many values each column has.
    marginals_ : list of SmoothMarginal or None
        One per column, with ``cdf``, ``ppf``, ``logpdf``, ``name``, ``parameters`` and
        ``log_likelihood``; None where a column has none.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    *Smooth marginals*: see :func:`spinney.pairs.margins.smooth.fit_smooth`. A continuous column of
    fewer than 4 values, or of equal ones only, has none: densities and quantiles are refused, and
    ranks take the place of its distribution function. One without any value gives 1/2.

    *Levels*: one that occurs in no row (of a subsample, say) counts for half a row. New values of a
    grouped column belong to the level within whose boundaries they lie, half way between
    neighbouring values. Within a level the smooth density f of a grouped column is scaled to the
    level's mass, :math:`p(x) = f(x) \, m_g / \int_g f`, so that the density of the table still
    integrates to 1.

    *Cost*: O(n log n) per column.

    Examples
    --------
    >>> from spinney.pairs.margins import Margins
    >>> X = np.random.default_rng(0).lognormal(sigma=2.0, size=(300, 1))
    >>> margins = Margins().fit(X)
    >>> margins.transform(X)[:3].ravel().round(3)
    array([0.575, 0.482, 0.741])
    >>> margins.marginals_[0].name
    'spline'
    >>> margins.inverse_transform([[0.5]]).round(1)
    array([[0.9]])

    A table with gaps, zeros that pile up, and a column of two levels:

    >>> from spinney.tables import Column, Table
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> values = np.column_stack([x, np.maximum(x, 0.0), x > 1.0])
    >>> values[:2, 0] = np.nan
    >>> hot = Column("hot", "binary", (False, True))
    >>> table = Table(values, (Column("x", "continuous"), Column("rain", "continuous"), hot))
    >>> margins = Margins().fit(table)
    >>> margins.grouped_, margins.masses_[2]
    (array([False,  True, False]), array([0.825, 0.175]))
    >>> pseudo = margins.pseudo(table)
    >>> pseudo.codes[:3].tolist(), pseudo.u[:3, 0].round(3)
    ([[-1, 2, 0], [-1, 0, 0], [-1, 7, 0]], array([  nan,   nan, 0.734]))
    """

    def __init__(
        self,
        *,
        ties: Ties = "auto",
        transform_by: Literal["ranks", "smooth"] = "ranks",
        smooth: Smooth = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.ties = ties
        self.transform_by = transform_by
        self.smooth = smooth
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Margins:
        """Learn the distribution of each column.

        Parameters
        ----------
        X : Table, data frame or array-like of shape (n, d)
            A Table may have any number of rows, columns of all kinds, and missing values. Others
            need at least 4 rows, finite numbers, and no constant column.
        y : ignored
        """
        check_ties(self.ties)
        for name, choices in SMOOTHING.items():
            if (given := getattr(self, name)) not in choices:
                shown = ", ".join(map(repr, choices))
                raise InputError(f"{name} must be one of {shown}, not {given!r}.")
        self._reads_numbers = not isinstance(X, Table)
        table: Table = check_table(X) if self._reads_numbers else X
        check_features(self, X, reset=True)
        self._ties = "average" if self._reads_numbers and self.ties == "auto" else self.ties
        # Drawn once, so that equal rows always get equal results.
        self._tie_seed = read_seed(self.random_state)
        self.columns_, d = table.columns, len(table.columns)
        self.n_rows_ = table.present.sum(axis=0).astype(np.int64)
        self._ranks: list[EmpiricalRanks | None] = [None] * d
        self._groups: list[Groups | None] = [None] * d
        self._smooth: list[SmoothMarginal | None] = [None] * d
        masses = [np.empty(0)] * d
        for k, (column, there) in enumerate(zip(table.columns, table.present.T, strict=True)):
            x = table.values[there, k]
            if column.kind != CONTINUOUS:
                masses[k] = level_masses(x.astype(np.int64), len(column.levels))
                continue
            self._ranks[k] = ranks = EmpiricalRanks.fit(x)
            if counts_need_levels(ranks.counts, self._ties):
                self._groups[k] = groups = Groups.fit(ranks.values, ranks.counts)
                masses[k] = groups.masses
        self.masses_ = tuple(masses)
        if self._ties == "average":
            known = zip(table.names, self._ranks, strict=True)
            warn_of_heavy_ties({name: ranks.counts for name, ranks in known if ranks is not None})
        return self

    @property
    def grouped_(self) -> Bools:
        """Which continuous columns are treated as levels."""
        check_is_fitted(self)
        return np.array([groups is not None for groups in self._groups], dtype=bool)

    @property
    def marginals_(self) -> list[SmoothMarginal | None]:
        """The smooth marginal of each column; they are fitted if they have not been."""
        check_is_fitted(self)
        columns = range(len(self.columns_))
        return [self._smooth_of(k) if self._has_smooth(k) else None for k in columns]

    # Tables of all kinds

    def pseudo(self, X: Any, by: Literal["ranks", "smooth"] | None = None) -> PseudoTable:
        """Map rows to pseudo-observations.

        By ranks, the fitted rows get exactly ``rank / (m + 1)`` among the m values of their
        column, and new values are interpolated as by :meth:`transform`.

        Parameters
        ----------
        X : Table, data frame or array-like
            Any number of rows of the fitted columns.
        by : {"ranks", "smooth"}, optional
            In place of `transform_by`.
        """
        table = self._read(X)
        smooth = (by or self.transform_by) == "smooth"
        u = np.full(table.values.shape, np.nan)
        priority = None  # the numbers by which ties are put in order
        if self._ties == "random":
            priority = np.random.default_rng(self._tie_seed).random(u.shape)
        for k, there in enumerate(table.present.T):
            x, ranks = table.values[there, k], self._ranks[k]
            if ranks is None or self._groups[k] is not None:
                continue
            if not ranks.values.size:
                u[there, k] = 0.5
            elif smooth and self._has_smooth(k):
                u[there, k] = np.clip(self._smooth_of(k).cdf(x), SMALLEST_U, 1.0 - SMALLEST_U)
            else:
                u[there, k] = ranks.transform(x, None if priority is None else priority[there, k])
        nominal = np.array([column.kind == "nominal" for column in self.columns_], dtype=bool)
        names = tuple(column.name for column in self.columns_)
        return PseudoTable(u, self._codes(table), self.masses_, nominal, names)

    def quantile(self, pseudo: PseudoTable, within: Within = None) -> Table:
        """Map pseudo-observations back to values; the inverse of ``pseudo(X, "smooth")``.

        Grouped columns take values that were there when they were fitted, so that a rounded column
        stays rounded.

        Parameters
        ----------
        pseudo : PseudoTable
            Of the fitted columns.
        within : Generator or array of shape (n, d), optional
            Grouped columns only: how far into its level each value lies among those that were
            grouped, strictly between 0 and 1. A Generator draws it; by default all are medians.

        Returns
        -------
        Table
            Missing where `pseudo` is.
        """
        check_is_fitted(self)
        if pseudo.u.shape[1] != len(self.columns_):
            raise InputError(
                f"The pseudo-observations have {pseudo.u.shape[1]} column(s), but the margins "
                f"were fitted on {len(self.columns_)}. Give one column per fitted column."
            )
        shape = pseudo.u.shape
        if isinstance(within, np.random.Generator):
            within = within.uniform(size=shape)
        depth = np.broadcast_to(np.asarray(0.5 if within is None else within, dtype=float), shape)
        depth = np.clip(depth, SMALLEST_U, 1.0 - SMALLEST_U)
        values = np.full(shape, np.nan)
        for k, there in enumerate(pseudo.present.T):
            ranks, groups, codes = self._ranks[k], self._groups[k], pseudo.codes[there, k]
            if ranks is None:
                values[there, k] = codes
            elif groups is not None:
                values[there, k] = groups.observed(ranks, codes, depth[there, k])
            elif there.any():
                values[there, k] = self._smooth_of(k).ppf(pseudo.u[there, k])
        return Table(values, self.columns_)

    def log_density(self, X: Any) -> Any:
        """Log-density of each value, shape (n, d): of levels their log-mass, 0.0 where missing.

        With respect to Lebesgue measure for continuous columns, grouped or not, and to counting
        for others.
        """
        table = self._read(X)
        result = np.zeros(table.values.shape)
        for k, there in enumerate(table.present.T):
            x, groups = table.values[there, k], self._groups[k]
            if self._ranks[k] is None:
                result[there, k] = np.log(self.masses_[k])[x.astype(np.int64)]
            elif x.size:
                smooth = self._smooth_of(k)
                result[there, k] = (
                    smooth.logpdf(x) if groups is None else grouped_log_density(groups, smooth, x)
                )
        return like(result, X)

    # Numbers

    def transform(self, X: Any) -> Any:
        """Map numbers to pseudo-observations.

        By ranks, the fitted rows get exactly ``rank / (n + 1)``; other values are interpolated
        linearly between fitted ones, and beyond the fitted range they get what the nearest fitted
        value has. Columns with levels have no such number: see :meth:`pseudo`.

        Parameters
        ----------
        X : data frame or array-like of shape (m, d)
            Any number of rows.

        Returns
        -------
        data frame or array of shape (m, d)
            Strictly inside (0, 1).
        """
        return like(self._numbers().pseudo(X).u, X)

    def cdf(self, X: Any) -> Any:
        """Smooth distribution function of each column, strictly inside (0, 1), shape (m, d)."""
        return like(self._numbers().pseudo(X, "smooth").u, X)

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
        table = check_table(U, min_rows=1, allow_constant=True)
        self._numbers()
        if hasattr(U, "columns") and self._reads_numbers:
            check_features(self, U, reset=False)
        elif table.values.shape[1] != len(self.columns_):
            # Levels are often drawn as an array without column names, which deserves no warning.
            raise InputError(
                f"U has {table.values.shape[1]} column(s), but the margins were fitted on "
                f"{len(self.columns_)}. Give one column per fitted column, in the same order."
            )
        check_inside_unit(table)
        names = tuple(column.name for column in self.columns_)
        return like(self.quantile(PseudoTable.of_ranks(table.values, names)).values, U)

    def _numbers(self) -> Margins:
        """Refuse to map columns with levels to numbers."""
        check_is_fitted(self)
        levels = [c.name for c, mass in zip(self.columns_, self.masses_, strict=True) if len(mass)]
        if levels:
            raise InputError(
                f"Column '{levels[0]}' has levels, which are not numbers. Use pseudo(table)."
            )
        return self

    # Parts

    def _codes(self, table: Table) -> Ints:
        """Positions among levels, -1 where there are none."""
        codes, present = np.full(table.values.shape, -1, dtype=np.int64), table.present
        for k in np.flatnonzero([len(mass) for mass in self.masses_]):
            there, groups = present[:, k], self._groups[k]
            x = table.values[there, k]
            codes[there, k] = x if groups is None else groups.codes(x)
        return codes

    def _has_smooth(self, k: int) -> bool:
        ranks = self._ranks[k]
        return ranks is not None and self.n_rows_[k] >= MIN_ROWS and len(ranks.values) > 1

    def _smooth_of(self, k: int) -> SmoothMarginal:
        """Smooth marginal of a continuous column, fitted when it is first asked for."""
        found, ranks = self._smooth[k], self._ranks[k]
        if found is None:
            if ranks is None or not self._has_smooth(k):
                equal = ", all of them equal" if self.n_rows_[k] > 1 else ""
                raise InputError(
                    f"Column '{self.columns_[k].name}' has {self.n_rows_[k]} value(s) in the "
                    f"fitted rows{equal if self.n_rows_[k] >= MIN_ROWS else ''}, too few for a "
                    f"density: it takes {MIN_ROWS} that are not all equal. Leave the column out."
                )
            found = fit_smooth(np.repeat(ranks.values, ranks.counts), self.smooth)
            self._smooth[k] = found
        return found

    def _read(self, X: Any) -> Table:
        """Read rows of the fitted columns, or refuse others."""
        check_is_fitted(self)
        if not self._reads_numbers or isinstance(X, Table):
            return read_rows(X, self.columns_)
        numbers = check_table(X, min_rows=1, allow_constant=True)
        check_features(self, X, reset=False)
        return Table(numbers.values, self.columns_)


def pseudo_observations(
    X: Any, ties: Literal["average", "random"] = "average", random_state: RandomState = 0
) -> Any:
    r"""Replace each value by its rank in its column, divided by n + 1.

    .. math:: u_{ij} = \frac{\operatorname{rank}(x_{ij} \mid x_{1j}, \dots, x_{nj})}{n + 1}

    Dividing by n + 1 keeps the result strictly inside (0, 1), where copula densities are finite.

    Parameters
    ----------
    X : data frame or array-like of shape (n, d)
        The table; at least 4 rows, finite numbers, no constant column.
    ties : {"average", "random"}
        ``"average"``: equal values share the mean of their ranks, so that the result is a
        function of the table alone; not for columns with few distinct values. ``"random"``: equal
        values are put in random order, which keeps the margins uniform and slightly
        weakens dependence.
    random_state : int, Generator or None
        Seed of the random order.

    Returns
    -------
    data frame or array of shape (n, d)
        A data frame, with the same index and columns, if `X` was one.

    Raises
    ------
    InputError
        If the table has too few rows, or a column that is text, constant, not finite or not
        named uniquely; the message names the column.

    Warns
    -----
    DataWarning
        If ``ties="average"`` and more than a tenth of all pairs of rows tie in a column of 30 or
        more.

    References
    ----------
    .. [1] C. Genest, K. Ghoudi and L.-P. Rivest (1995). A semiparametric estimation procedure of
       dependence parameters in multivariate families of distributions. Biometrika 82, 543-552.

    Examples
    --------
    >>> pseudo_observations([[3.0], [1.0], [1.0], [9.0]]).ravel()
    array([0.6, 0.3, 0.3, 0.8])
    """
    if ties not in ("average", "random"):
        raise InputError(f"ties must be 'average' or 'random', not {ties!r}.")
    return Margins(ties=ties, random_state=random_state).fit(X).transform(X)
