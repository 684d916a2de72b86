"""The pair potentials of a table, each pair by what its two columns are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from spinney._core.pairs import n_pairs, pair_ends, pair_positions, places_of
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.cells import PairTables
from spinney.pairs.chunked import ChunkedDensities
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.explained import Explained, effective_rows, explained_pairs, shown_share
from spinney.pairs.pseudo import PseudoTable

__all__ = ["PairFit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DESCRIBED = ["u", "v", "family", "rotation", "parameters", "tau", "lower_tail", "upper_tail"]
"""Columns of the description of pairs, whatever they are."""


@storable("PairPotentials")
class PairFit(BaseEstimator):
    r"""Densities of all pairs of a table relative to independence, whatever the columns' kinds.

    .. math:: w_{uv}(x) = \frac{p(x_u, x_v)}{p(x_u)\, p(x_v)}

    Two ordered columns, continuous or with levels, have a copula (:class:`spinney.PairCopulas`);
    where one is nominal, the pair has a contingency table or a distribution of ranks for each class
    (:class:`spinney.pairs.cells.PairTables`). Every pair is fitted on the rows in which both its
    values are there, and is 1 in the others.

    Parameters
    ----------
    copulas : PairCopulas, optional
        How ordered pairs are fitted; by default with its defaults.
    tables : PairTables, optional
        How pairs with a nominal column are fitted; by default with its defaults, and the folds and
        threads of `copulas`.
    direct : bool
        Whether pairs whose dependence is explained by a path over a column with levels or gaps
        count as independent when a graph is learned; see :mod:`spinney.pairs.explained`. The
        graph is then that of the variables behind the columns, else that of the columns as seen.

    Attributes
    ----------
    n_parameters_ : array of shape (n_pairs,)
        Parameters of each pair's density; none where it is independence.
    n_rows_ : array of shape (n_pairs,)
        Rows in which both values of a pair are there.
    known_ : bool array of shape (n_pairs,)
        Whether those are enough to say anything. If not, the pair has w = 1, which means "not
        known", not "no edge".
    explained_ : Explained
        Pairs without direct evidence, and through which column; none unless `direct`.
    fitted_log_density_ : array of shape (n, n_pairs)
        Log-density of each training row, with the margins of the rows that the pair was fitted on.
    copulas_, tables_ : PairCopulas and PairTables, or None
        The fitted parts.
    pairs_ : array of int, or None
        Numbers of the pairs that have an entry in the arrays above (the listed pairs), ascending,
        if only some were asked for; None if every pair has one.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> latent = rng.normal(size=500)
    >>> yes = (latent > 0.5).astype(int)
    >>> colour = np.where(rng.uniform(size=500) < 0.8, yes, 2)
    >>> table = PseudoTable(
    ...     u=np.full((500, 2), np.nan),
    ...     codes=np.column_stack([yes, colour]),
    ...     masses=(np.bincount(yes) / 500, np.bincount(colour) / 500),
    ...     nominal=np.array([False, True]),
    ...     names=("yes", "colour"),
    ... )
    >>> potentials = PairFit().fit(table)
    >>> potentials.describe()["family"].tolist()
    ['table']
    >>> bool(potentials.fitted_log_density_.sum() > 100)
    True
    """

    _stored: ClassVar[tuple[str, ...]] = (
        "n_features_in_",
        "copulas_",
        "tables_",
        "n_parameters_",
        "n_rows_",
        "known_",
        "explained_",
        "_nominal_pairs",
        "_names",
        "pairs_",
    )
    _optional: ClassVar[tuple[str, ...]] = ("pairs_",)

    def __init__(
        self,
        copulas: PairCopulas | None = None,
        tables: PairTables | None = None,
        *,
        direct: bool = True,
    ) -> None:
        self.copulas = copulas
        self.tables = tables
        self.direct = direct

    def fit(self, table: PseudoTable, y: object = None, *, pairs: ArrayLike | None = None) -> Self:
        """Fit every pair, or some.

        Parameters
        ----------
        table : PseudoTable
            What :meth:`spinney.pairs.margins.MixedMarginals.pseudo` makes of a table.
        y : ignored
        pairs : array of int, optional
            Numbers of the pairs that are fitted, in the order of ``np.triu_indices(d, 1)``; by
            default all. Only these have entries then, and paths that explain pairs, which may pass
            through any others, are not looked for.
        """
        d = table.n_columns
        self.pairs_ = None if pairs is None else np.unique(pair_positions(pairs, n_pairs(d)))
        numbers = np.arange(n_pairs(d)) if self.pairs_ is None else self.pairs_
        first, second = pair_ends(numbers, d)
        nominal = table.nominal[first] | table.nominal[second]
        self.n_features_in_, self._names = d, table.names
        self._nominal_pairs = numbers[nominal]
        copulas = PairCopulas() if self.copulas is None else clone(self.copulas)
        self.copulas_: PairCopulas | None = None
        self.tables_: PairTables | None = None
        total = len(numbers)
        self.n_parameters_ = np.zeros(total)
        self.n_rows_ = np.zeros(total, dtype=np.int64)
        self.known_ = np.zeros(total, dtype=bool)
        ordered = np.flatnonzero(~nominal)
        if self.pairs_ is not None:
            self.copulas_ = copulas.fit(table, pairs=numbers[ordered], compact=True)
            self.n_parameters_[ordered] = self.copulas_.n_parameters_
            self.n_rows_[ordered] = self.copulas_.n_rows_
            self.known_[ordered] = self.copulas_.known_
        elif ordered.size:
            self.copulas_ = copulas.fit(table, pairs=ordered)
            self.n_parameters_[ordered] = self.copulas_.n_parameters_[ordered]
            self.n_rows_[ordered] = self.copulas_.n_rows_[ordered]
            self.known_[ordered] = self.copulas_.known_[ordered]
        if nominal.any():
            self.tables_ = self._new_tables(copulas).fit(table, pairs=self._nominal_pairs)
            self.n_parameters_[nominal] = self.tables_.n_parameters_
            self.n_rows_[nominal] = self.tables_.n_rows_
            self.known_[nominal] = self.tables_.known_
        self.explained_ = self._explain(table)
        return self

    def _explain(self, table: PseudoTable) -> Explained:
        """Find the pairs that have no direct evidence."""
        total, d = len(self.n_parameters_), table.n_columns
        if self.copulas_ is None or self.pairs_ is not None or not self.direct or d < 3:
            return Explained(np.zeros(total, dtype=bool), np.full(total, -1))
        fitted = self.copulas_.table_
        correlation = np.sin(0.5 * np.pi * fitted["tau"].to_numpy(dtype=float))
        correlation[self._nominal_pairs] = np.nan
        gains = fitted["log_likelihood"].to_numpy(dtype=float)
        rows = effective_rows(gains, np.nan_to_num(correlation), self.n_rows_.astype(float))
        present, n = table.present.sum(axis=0), len(table)
        shown = [
            1.0 if table.nominal[k] else shown_share(table.masses[k], int(present[k]), n)
            for k in range(d)
        ]
        return explained_pairs(correlation, rows, np.array(shown))

    @property
    def densities_(self) -> PairDensities:
        """What the training rows say of edges: pairs that others explain say nothing."""
        return self._direct(self.fitted_log_density_, self.n_rows_)

    def densities_of(self, table: PseudoTable) -> PairDensities:
        """Return what the rows of another table of the same columns say of edges."""
        first, second = pair_ends(self._numbers, table.n_columns)
        log_density, present = self.log_density(table), table.present
        return self._direct(log_density, (present[:, first] & present[:, second]).sum(axis=0))

    @property
    def _numbers(self) -> Ints:
        """Numbers of the pairs that have entries."""
        return np.arange(n_pairs(self.n_features_in_)) if self.pairs_ is None else self.pairs_

    def n_parameters_of(self, pairs: ArrayLike) -> Floats:
        """Count the parameters of some pairs' densities; one that is not listed has none."""
        check_is_fitted(self)
        wanted = pair_positions(pairs, n_pairs(self.n_features_in_))
        at = wanted if self.pairs_ is None else places_of(wanted, self.pairs_)
        return np.append(self.n_parameters_, 0.0)[at]  # the last is that of place -1

    def _direct(self, log_density: Floats, n_rows: Ints) -> PairDensities:
        silent = self.explained_.pairs
        log_density[:, silent] = 0.0
        counts = np.where(silent, 0.0, self.n_parameters_), n_rows
        if self.pairs_ is None:
            return PairDensities(log_density, *counts)
        return PairDensities(log_density, *counts, pairs=self.pairs_, n_nodes=self.n_features_in_)

    def log_density(self, table: PseudoTable, pairs: ArrayLike | None = None) -> Floats:
        """Log-density of every row under every pair, 0 where a value is missing.

        Parameters
        ----------
        table : PseudoTable
            With the columns that were fitted.
        pairs : array of int, optional
            Positions of the pairs that are wanted; by default all.

        Returns
        -------
        array of shape (n, n_pairs)
            Pairs in the order of ``np.triu_indices(d, 1)``.
        """
        check_is_fitted(self)
        if table.n_columns != self.n_features_in_:
            raise InputError(
                f"The table has {table.n_columns} columns, but the potentials were fitted on "
                f"{self.n_features_in_}. Give the same columns."
            )
        if pairs is None:
            return self._collect(lambda part: part.log_density(table))
        wanted = pair_positions(pairs, n_pairs(self.n_features_in_))
        in_tables = np.isin(wanted, self._nominal_pairs)
        found = np.zeros((len(table), wanted.size))
        copulas: Any = self.copulas_
        if copulas is not None and not in_tables.all():
            found[:, ~in_tables] = copulas.log_density(table, pairs=wanted[~in_tables])
        if self.tables_ is not None and in_tables.any():
            places = np.searchsorted(self._nominal_pairs, wanted[in_tables])
            found[:, in_tables] = self.tables_.log_density(table)[:, places]
        return found

    @property
    def chunked_densities_(self) -> ChunkedDensities:
        """The same as :attr:`densities_`, for whoever asks for sums over rows only."""
        check_is_fitted(self)
        silent, d = self.explained_.pairs, self.n_features_in_
        counts = np.where(silent, 0.0, self.n_parameters_), self.n_rows_
        return ChunkedDensities(self.visit_log_density, self.n_training_rows, *counts, d, silent)

    @property
    def n_training_rows(self) -> int:
        """Rows that were fitted on."""
        part: Any = self.copulas_ if self.tables_ is None else self.tables_
        return len(part.fold_of_row_)

    def visit_log_density(self, receive: Callable[[Ints, Floats], None]) -> None:
        """Hand over the log-densities of the training rows, a few pairs at a time.

        Parameters
        ----------
        receive : callable
            Called as ``receive(pairs, values)``, perhaps from several threads: places of the pairs
            and log-densities of shape (n_pairs, n). Pairs that are independent may not come.
        """
        check_is_fitted(self)
        if self.copulas_ is not None:
            self.copulas_.visit_log_density(receive)
        if self.tables_ is not None:
            places = self._nominal_pairs
            self.tables_.visit_log_density(lambda some, values: receive(places[some], values))

    @property
    def fitted_log_density_(self) -> Floats:
        """Log-density of each training row, by the margins of the pair's own rows."""
        check_is_fitted(self)
        return self._collect(lambda part: part.fitted_log_density_)

    @property
    def cross_fitted_log_density_(self) -> Floats:
        """Log-density of each training row under the fit that did not see its fold."""
        check_is_fitted(self)
        return self._collect(lambda part: part.cross_fitted_log_density_)

    def describe(self, pairs: ArrayLike | None = None) -> pd.DataFrame:
        """Describe the chosen densities of some pairs, one row each.

        Parameters
        ----------
        pairs : array of int, optional
            Positions of the pairs in the order of ``np.triu_indices(d, 1)``; by default all.

        Returns
        -------
        data frame
            As :meth:`spinney.PairCopulas.describe`. The family of a pair with a nominal column is
            ``"table"`` or ``"classes"``; its ``tau`` and tails are NaN.
        """
        check_is_fitted(self)
        wanted = self._numbers
        if pairs is not None:
            wanted = pair_positions(pairs, n_pairs(self.n_features_in_))
        in_tables = np.isin(wanted, self._nominal_pairs)
        parts: list[pd.DataFrame] = []
        if self.copulas_ is not None:
            part = self.copulas_.describe(wanted[~in_tables])
            parts.append(part.set_axis(np.flatnonzero(~in_tables)))
        if self.tables_ is not None:
            part = self.tables_.describe(wanted[in_tables])
            parts.append(part.set_axis(np.flatnonzero(in_tables)))
        filled = [part for part in parts if len(part)] or parts[:1]
        # What only tables have means nothing for copulas.
        return pd.concat([part[DESCRIBED] for part in filled]).sort_index()

    def _collect(self, ask: Callable[[Any], Floats]) -> Floats:
        """Put what copulas and tables say in the places of their pairs."""
        found = None if self.copulas_ is None else ask(self.copulas_)
        if self.tables_ is None:
            assert found is not None
            return found
        in_tables = ask(self.tables_)
        if self.pairs_ is not None:
            assert found is not None  # even where no pair is ordered
            whole = np.empty((len(in_tables), len(self.pairs_)))
            nominal = np.isin(self.pairs_, self._nominal_pairs, assume_unique=True)
            whole[:, nominal], whole[:, ~nominal] = in_tables, found
            return whole
        if found is None:
            found = np.zeros((len(in_tables), len(self.n_parameters_)))
        found[:, self._nominal_pairs] = in_tables
        return found

    def _restore(self) -> None:
        """Refuse parts from a model file that do not fit together."""
        self.pairs_ = self.__dict__.get("pairs_")  # which files of earlier versions do not have
        d = self.n_features_in_
        listed = self.pairs_
        if listed is not None and (
            listed.ndim != 1
            or (np.diff(listed) <= 0).any()
            or not ((listed >= 0) & (listed < n_pairs(d))).all()
        ):
            raise InputError("its PairFit list pairs that are none")
        total = n_pairs(d) if listed is None else len(listed)
        through = self.explained_.through
        each: tuple[NDArray[Any], ...] = (self.n_parameters_, self.n_rows_, self.known_)
        each = (*each, self.explained_.pairs, through)
        if any(values.shape != (total,) for values in each) or len(self._names) != d:
            raise InputError(f"its PairFit do not have {total} pairs throughout")
        if not ((through >= -1) & (through < d)).all():
            raise InputError("its PairFit have pairs that no column of theirs explains")
        in_tables = np.empty(0) if self.tables_ is None else self.tables_.pairs_
        known = 0 if self.tables_ is None else self.tables_._table.n_columns
        columns = {d, known or d, d if self.copulas_ is None else self.copulas_.n_features_in_}
        whole = np.array_equal(in_tables, self._nominal_pairs)
        missing = self.copulas_ is None and len(in_tables) < total
        if len(columns) > 1 or not whole or missing:
            raise InputError("its PairFit have copulas and tables of other pairs")

    def _new_tables(self, copulas: PairCopulas) -> PairTables:
        if self.tables is not None:
            fresh: PairTables = clone(self.tables)
            return fresh
        names = ("cv", "margin", "random_state", "n_jobs")
        return PairTables(**{name: getattr(copulas, name) for name in names})
