"""The rows that a forest model was fitted on: from values to densities, and back.

There are two kinds. Rows of continuous columns without gaps are read by
:class:`~spinney.pairs.margins.Marginals` and have any potentials that take pseudo-observations; all
others are read by :class:`~spinney.pairs.margins.MixedMarginals` and have
:class:`~spinney.pairs.PairFit`.
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.pairs import n_pairs, pair_ends, pair_nodes
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.chunked import ChunkedDensities, are_too_many
from spinney.pairs.copulas import PairCopulas, sample_down
from spinney.pairs.densities import PairDensities
from spinney.pairs.imputation import DrawForests, impute
from spinney.pairs.margins import (
    SMALLEST_U,
    Marginals,
    MixedMarginals,
    MixedTies,
    canonical_order,
    check_mixed_ties,
    needs_levels,
    order_rows,
    pseudo_observations,
)
from spinney.pairs.pair_fit import PairFit
from spinney.pairs.pseudo import PseudoTable
from spinney.pairs.sampling import sample_down_mixed
from spinney.tables import Table

__all__ = [
    "MixedRows",
    "PlainRows",
    "Rows",
    "densities_of_fit",
    "fits_listed",
    "mixed_marginals",
    "read_ties",
    "rows_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@storable("PlainRows")
@dataclass
class PlainRows:
    """Rows of continuous columns, all values there.

    Attributes
    ----------
    table : Table
        The rows, in an order of their own.
    settings : Marginals
        How columns are read; not fitted.
    named : bool
        Whether the names of the columns are the table's own, which potentials must agree with.
    fitted : Marginals or None
        Smooth marginals, once they have been needed: learning needs ranks only.
    """

    table: Table
    settings: Marginals
    named: bool = False
    fitted: Marginals | None = None

    def fit(self, potentials: Any, pairs: Ints | None = None) -> tuple[Any, PairDensities]:
        """Fit the potentials, and return them with what they say of every row and pair.

        With `pairs`, numbers of pairs in the order of ``np.triu_indices(d, 1)``, only those are
        fitted and listed. Frozen potentials have their own.
        """
        U = self._in_order()
        if isinstance(potentials, PairFit):
            potentials = PairCopulas() if potentials.copulas is None else potentials.copulas
        if isinstance(potentials, FrozenEstimator):
            check_is_fitted(potentials)
            fitted = potentials.estimator
        else:
            listed = {} if pairs is None else {"pairs": pairs, "compact": True}
            fitted = potentials.fit(U, **listed)
        log_density = self._pair_log_density(fitted, U)
        counts = (getattr(fitted, name, None) for name in ("n_parameters_", "n_rows_"))
        return fitted, PairDensities(log_density, *counts, **_listing(fitted, U.shape[1]))

    def fit_to_sum(self, copulas: PairCopulas) -> tuple[Any, PairDensities | ChunkedDensities]:
        """Fit all pairs for whoever asks for sums over rows only, which long tables do not hold."""
        if not are_too_many(len(self.table), n_pairs(len(self.table.columns))):
            return self.fit(copulas)
        fitted = copulas.fit(self._in_order())
        return fitted, densities_of_fit(fitted)

    def fit_listed(self, copulas: PairCopulas, pairs: ArrayLike) -> PairCopulas:
        """Fit some pairs, by number, and keep nothing of the others."""
        return copulas.fit(self._in_order(), pairs=pairs, compact=True)

    def _in_order(self) -> pd.DataFrame:
        """Put the rows in an order of their own, and return their pseudo-observations.

        Folds are drawn by position, and sums depend on the order in their last digits: so nothing
        depends on the order of the table.
        """
        U = self._pseudo_observations()
        order = canonical_order(U.to_numpy())
        self.table = self.table.take(order)
        # Rows by rows in memory, as kernels want them: no copy is made of it again.
        return self._named(U.to_numpy()[order])

    def pseudo(self) -> PseudoTable:
        """Pseudo-observations of the rows themselves."""
        U = self._pseudo_observations().to_numpy()
        n, d = U.shape
        codes = np.full((n, d), -1)
        empty = tuple(np.empty(0) for _ in range(d))
        return PseudoTable(U, codes, empty, np.zeros(d, dtype=bool), self.table.names)

    def log_density(self, potentials: Any, rows: Table, pairs: Ints | None = None) -> Floats:
        """Log-densities for new rows, 0 where a value is missing.

        Of the pairs with these numbers, or by default of all that the potentials list.
        """
        present = rows.present
        # Any number inside the column's range will do where there is none: its pairs count as 1.
        filled = np.where(present, rows.values, np.median(self.table.values, axis=0))
        U = self.marginals.cdf(self._named(filled)).clip(SMALLEST_U, 1.0 - SMALLEST_U)
        log_density = self._pair_log_density(potentials, U, pairs)
        if not present.all():
            d = len(rows.columns)
            numbers = getattr(potentials, "pairs_", None) if pairs is None else pairs
            first, second = pair_nodes(d) if numbers is None else pair_ends(numbers, d)
            log_density = np.where(present[:, first] & present[:, second], log_density, 0.0)
        return log_density

    def log_margins(self, rows: Table) -> Floats:
        """Sum of the columns' log-densities for each row, over the values that are there."""
        present = rows.present
        filled = np.where(present, rows.values, np.median(self.table.values, axis=0))
        log_density: Floats = self.marginals.log_density(self._named(filled)).to_numpy()
        if not present.all():
            log_density = np.where(present, log_density, 0.0)
        return log_density.sum(axis=1)

    def draw(self, potentials: Any, parents: Any, rng: np.random.Generator) -> Table:
        """Draw a row down each forest."""
        drawn = self.marginals.inverse_transform(sample_down(potentials, parents, rng))
        return Table(np.asarray(drawn), self.table.columns)

    def impute(
        self,
        potentials: Any,
        rows: Table,
        draw_forests: DrawForests,
        n_sweeps: int,
        rng: np.random.Generator,
    ) -> Table:
        """Draw what is missing, given what is present."""
        if not isinstance(potentials, PairCopulas):
            raise InputError(
                f"Gaps are filled by pair copulas, but the potentials are a "
                f"{type(potentials).__name__}. Fit the model with a PairCopulas."
            )
        # Ranks and smooth margins are the same; only gaps make it another kind of table.
        marginals = mixed_marginals(self.settings, self.settings.ties).fit(self.table)
        return impute(potentials, marginals, rows, draw_forests, n_sweeps, rng)

    @property
    def marginals(self) -> Marginals:
        """The smooth marginals, fitted when they are first needed."""
        if self.fitted is None:
            if self.settings.smooth is None:
                raise InputError(
                    "The model's marginals have smooth=None, so it has no density in the units of "
                    "the table. Fit it with Marginals(smooth='auto')."
                )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of ties: `fit` has warned
                fresh: Marginals = clone(self.settings)
                self.fitted = fresh.fit(self._named(self.table.values))
        return self.fitted

    def _pseudo_observations(self) -> pd.DataFrame:
        """Map the table to ranks, unless smooth marginals were asked for."""
        values = self._named(self.table.values)
        if self.settings.transform_by != "ranks":
            marginals: Marginals = clone(self.settings)
            self.fitted = marginals.fit(values)
            U: pd.DataFrame = marginals.transform(values)
        else:  # the same as by marginals that are fitted to ranks, at a third of the time
            ties, seed = self.settings.ties, self.settings.random_state
            U = pseudo_observations(values, ties=ties, random_state=seed)
        return U

    def _named(self, values: Any) -> pd.DataFrame:
        """Put the names of the columns to an array, so that every message can use them."""
        return pd.DataFrame(values, columns=list(self.table.names))

    def _pair_log_density(
        self, potentials: Any, U: pd.DataFrame, pairs: Ints | None = None
    ) -> Floats:
        """Log-densities of listed pairs; frozen potentials may not know the columns by name."""
        d = len(self.table.columns)
        n_known = getattr(potentials, "n_features_in_", d)
        if n_known != d:
            raise InputError(
                f"The potentials were fitted on {n_known} columns, but the table has {d}. "
                "Fit them on the same columns."
            )
        known = getattr(potentials, "feature_names_in_", None)
        wanted = {} if pairs is None else {"pairs": pairs}
        if known is None:
            found = potentials.log_density(U.to_numpy(), **wanted)
        else:
            values = U if self.named else U.set_axis(known, axis=1)
            found = potentials.log_density(values, **wanted)
        log_density = np.asarray(found, dtype=float)
        listed = getattr(potentials, "pairs_", None) if pairs is None else pairs
        expected = (len(U), n_pairs(d) if listed is None else len(listed))
        if log_density.shape != expected or np.isnan(log_density).any():
            raise InputError(
                f"The potentials must give a number for each row and pair, shape {expected}, but "
                f"{type(potentials).__name__} gave {log_density.shape} or NaN."
            )
        return log_density


@storable("MixedRows")
@dataclass
class MixedRows:
    """Rows of columns of several kinds, or with gaps.

    Attributes
    ----------
    table : Table
        The rows, in an order of their own.
    marginals : MixedMarginals
        Margins of the columns.
    """

    table: Table
    marginals: MixedMarginals

    def fit(self, potentials: Any, pairs: Ints | None = None) -> tuple[Any, PairDensities]:
        """Fit the potentials, and return them with what they say of every row and pair.

        With `pairs`, numbers of pairs in the order of ``np.triu_indices(d, 1)``, only those are
        fitted and listed. Frozen potentials have their own.
        """
        pseudo = self._in_order()
        if isinstance(potentials, FrozenEstimator):
            check_is_fitted(potentials)
            fitted = _fitted_potentials(potentials.estimator)
            return fitted, fitted.densities_of(pseudo)
        listed = {} if pairs is None else {"pairs": pairs}
        fitted = _mixed_potentials(potentials).fit(pseudo, **listed)
        return fitted, fitted.densities_

    def fit_to_sum(self, copulas: PairCopulas) -> tuple[Any, PairDensities | ChunkedDensities]:
        """Fit all pairs for whoever asks for sums over rows only, which long tables do not hold."""
        fitted = PairFit(copulas).fit(self._in_order())
        return fitted, densities_of_fit(fitted)

    def fit_listed(self, copulas: PairCopulas, pairs: ArrayLike) -> PairFit:
        """Fit some pairs, by number, and keep nothing of the others."""
        return PairFit(copulas).fit(self._in_order(), pairs=pairs)

    def _in_order(self) -> PseudoTable:
        """Put the rows in an order of their own, and return what potentials see of them."""
        self.marginals.fit(self.table)
        order = canonical_rows(self.marginals.pseudo(self.table))
        self.table = self.table.take(order)
        # Anew, for what is drawn for ties goes by position.
        return self.marginals.fit(self.table).pseudo(self.table)

    def pseudo(self) -> PseudoTable:
        """Pseudo-observations of the rows themselves."""
        return clone(self.marginals).fit(self.table).pseudo(self.table)

    def log_density(self, potentials: Any, rows: Table, pairs: Ints | None = None) -> Floats:
        """Log-densities for new rows, 0 where a value is missing.

        Of the pairs with these numbers, or by default of all that the potentials list.
        """
        wanted = {} if pairs is None else {"pairs": pairs}
        found: Floats = potentials.log_density(self.marginals.pseudo_smooth(rows), **wanted)
        return found

    def log_margins(self, rows: Table) -> Floats:
        """Sum of the columns' log-densities for each row, over the values that are there."""
        return np.asarray(self.marginals.log_density(rows)).sum(axis=1)

    def draw(self, potentials: Any, parents: Any, rng: np.random.Generator) -> Table:
        """Draw a row down each forest; columns with many ties keep to values that occurred."""
        columns = self.marginals.pseudo(self.table.take([0]))
        pseudo = sample_down_mixed(potentials, columns, parents, rng)
        return self.marginals.quantile(pseudo, rng, observed=True)

    def impute(
        self,
        potentials: Any,
        rows: Table,
        draw_forests: DrawForests,
        n_sweeps: int,
        rng: np.random.Generator,
    ) -> Table:
        """Draw what is missing, given what is present."""
        return impute(potentials, self.marginals, rows, draw_forests, n_sweeps, rng)


Rows = PlainRows | MixedRows


def fits_listed(potentials: Any) -> bool:
    """Tell whether potentials can be fitted to some pairs alone.

    Examples
    --------
    >>> fits_listed(PairCopulas()), fits_listed(FrozenEstimator(PairCopulas()))
    (True, False)
    """
    return "pairs" in inspect.signature(potentials.fit).parameters


def _listing(potentials: Any, d: int) -> dict[str, Any]:
    """Tell which pairs potentials list, as :class:`PairDensities` is told."""
    listed = getattr(potentials, "pairs_", None)
    return {} if listed is None else {"pairs": listed, "n_nodes": d}


def rows_of(
    table: Table,
    marginals: Marginals | None = None,
    ties: MixedTies = "auto",
    *,
    named: bool = False,
) -> Rows:
    """Settle how the rows of a table are read: as plain ones if they are, else as mixed ones.

    Parameters
    ----------
    table : Table
        The table.
    marginals : Marginals, optional
        How columns are read; its ties are set if `ties` settles them.
    ties : {"auto", "average", "random", "levels"}
        What equal values are; see :class:`spinney.pairs.margins.MixedMarginals`.
    named : bool
        Whether the names of the columns are the table's own.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> table = read_table(np.array([[1.5, 1.0], [2.5, 3.0], [0.5, 2.0], [9.0, 4.0]]))
    >>> type(rows_of(table)).__name__
    'PlainRows'
    """
    marginals = Marginals() if marginals is None else marginals
    ties = read_ties(ties, marginals)
    if table.is_plain and not needs_levels(table.values, ties):
        if ties in ("average", "random"):
            marginals.set_params(ties=ties)
        return PlainRows(table, marginals, named)
    return MixedRows(table, mixed_marginals(marginals, ties))


def densities_of_fit(potentials: Any) -> PairDensities | ChunkedDensities:
    """Return what fitted pair densities say of the rows that they were fitted on.

    Parameters
    ----------
    potentials : PairCopulas or PairFit
        Fitted to every pair.
    """
    d = potentials.n_features_in_
    if isinstance(potentials, PairFit):
        chunked = are_too_many(potentials.n_training_rows, n_pairs(d))
        return potentials.chunked_densities_ if chunked else potentials.densities_
    n, counts = len(potentials.fold_of_row_), (potentials.n_parameters_, potentials.n_rows_)
    if are_too_many(n, n_pairs(d)):
        return ChunkedDensities(potentials.visit_log_density, n, *counts, d)
    return PairDensities(potentials.fitted_log_density_, *counts)


def canonical_rows(pseudo: PseudoTable) -> NDArray[np.intp]:
    """Order rows by what they hold, as :func:`spinney.pairs.margins.canonical_order` does.

    A level counts by the middle of its interval if it is ordered, by its mass if not. Where columns
    have few levels many rows may come out equal; these are ordered by their values, column by
    column, so that the order of the table's rows never matters, though that of its columns then
    may.
    """
    place = pseudo.u - 0.5
    for k, mass in enumerate(pseudo.masses):
        if len(mass):
            middle = mass if pseudo.nominal[k] else np.cumsum(mass) - mass / 2.0 - 0.5
            codes = pseudo.codes[:, k]
            place[:, k] = np.where(codes >= 0, middle[codes], np.nan)
    raw = np.where(pseudo.codes >= 0, pseudo.codes, np.nan_to_num(pseudo.u, nan=-1.0))
    return order_rows(place, raw)


def read_ties(ties: Any, marginals: Marginals) -> MixedTies:
    """Settle what equal values are; marginals that put them in random order have settled it."""
    check_mixed_ties(ties)
    if ties == "auto" and marginals.ties != "average":
        return marginals.ties
    return ties


def mixed_marginals(marginals: Marginals, ties: MixedTies) -> MixedMarginals:
    """Make marginals for columns of several kinds with the settings of plain ones."""
    return MixedMarginals(
        ties=ties,
        transform_by=marginals.transform_by,
        smooth=marginals.smooth,
        random_state=marginals.random_state,
    )


def _fitted_potentials(potentials: Any) -> PairFit:
    """Refuse frozen potentials that know neither levels nor gaps."""
    if isinstance(potentials, PairFit):
        return potentials
    raise InputError(
        "The table has gaps, or columns that are not continuous: frozen potentials for it must be "
        f"a fitted PairFit, not a {type(potentials).__name__}."
    )


def _mixed_potentials(potentials: Any) -> Any:
    """Find potentials that can take levels and gaps, or say that these cannot."""
    if isinstance(potentials, PairCopulas):
        return PairFit(potentials)
    if isinstance(potentials, PairFit):
        return potentials
    raise InputError(
        "The table has gaps, or columns that are not continuous, which a "
        f"{type(potentials).__name__} cannot take. Use a PairCopulas or PairFit, or "
        "missing='drop' and kinds={...} to make all columns continuous."
    )
