"""Fitted densities of the pairs of a table, each pair by what its two columns are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.pairs import PairIndex, n_pairs, pair_positions
from spinney.exceptions import InputError
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities, check_memory
from spinney.pairs.explained import Explained, effective_rows, explained_pairs, shown_share
from spinney.pairs.margins import Margins, canonical_order, order_rows
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import Table

if TYPE_CHECKING:
    from spinney.pairs.cells import PairTables
    from spinney.pairs.sampling import DrawForests


DESCRIBED = ["u", "v", "family", "rotation", "parameters", "tau", "lower_tail", "upper_tail"]
"""Columns of the description of pairs, whatever they are."""


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
        How ordered pairs are fitted; by default with its defaults. Pairs with a nominal column have
        the same folds and margin.
    margins : Margins, optional
        How columns are mapped to pseudo-observations and back; by default with its defaults.
    direct : bool
        Whether pairs whose dependence is explained by a path over a column with levels or missing
        values count as independent when a graph is learned; see :mod:`spinney.pairs.explained`. The
        graph is then that of the variables behind the columns, else that of the columns as seen.

    Attributes
    ----------
    table_ : Table
        The rows, in an order that depends on what they hold, not on where they stood: folds are
        drawn by position, and sums depend on the order in their last digits.
    margins_ : Margins
        The distribution of each column.
    copulas_, tables_ : PairCopulas and PairTables, or None
        The fitted pairs.
    pairs_ : array of int, or None
        Numbers of the pairs that have an entry in the arrays below (the listed pairs), rising, if
        only some were asked for; None if every pair has one.
    n_parameters_ : array of shape (n_listed,)
        Parameters of each pair's density; none where it is independence.
    n_rows_ : array of shape (n_listed,)
        Rows in which both values of a pair are there.
    known_ : bool array of shape (n_listed,)
        Whether those are enough to say anything. If not, the pair has w = 1, which means "not
        known", not "no edge".
    explained_ : Explained
        Pairs without direct evidence, and through which column; none unless `direct`.
    densities_ : PairDensities
        What the rows say of edges, computed at each access.
    fitted_log_density_ : array of shape (n, n_listed)
        Log-density of each row, with the margins of the rows that the pair was fitted on.
    cross_fitted_log_density_ : array of shape (n, n_listed)
        Log-density of each row under the fit that did not see its fold.
    is_plain_ : bool
        Whether all columns are continuous, without gaps and without ties that make levels.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> rng = np.random.default_rng(0)
    >>> latent = rng.normal(size=500)
    >>> colour = np.where(rng.uniform(size=500) < 0.8, latent > 0.5, 2)
    >>> frame = pd.DataFrame({"x": latent, "colour": pd.Categorical(colour)})
    >>> fit = PairFit().fit(read_table(frame))
    >>> fit.describe()["family"].tolist()
    ['table']
    >>> bool(fit.densities_.listed.sum() > 100)
    True
    """

    _by_columns = False
    """Whether rows speak by the margins of the columns, as new rows do, not of each pair."""

    def __init__(
        self,
        copulas: PairCopulas | None = None,
        *,
        margins: Margins | None = None,
        direct: bool = True,
    ) -> None:
        self.copulas = copulas
        self.margins = margins
        self.direct = direct

    def fit(self, table: Table, y: object = None, *, pairs: ArrayLike | None = None) -> Self:
        """Fit every pair, or some.

        Parameters
        ----------
        table : Table
            The table, as :func:`spinney.tables.read_table` reads it.
        y : ignored
        pairs : array of int, optional
            Numbers of the pairs that are fitted, in the order of ``np.triu_indices(d, 1)``; by
            default all. Only these have entries then, and paths that explain pairs, which may pass
            through any others, are not looked for.

        Raises
        ------
        InputError
            If the log-densities of so many rows and pairs do not fit into memory.
        """
        d = len(table.columns)
        index = PairIndex.sorted(d, pairs)
        if pairs is None:
            check_memory(len(table), len(index))  # before anything expensive is done
        self.margins_: Margins = Margins() if self.margins is None else clone(self.margins)
        seen = self.margins_.fit(table).pseudo(table)
        order = canonical_rows(seen)
        self.table_, self.is_plain_ = table.take(order), seen.is_plain
        seen = seen.take(order)
        if self.margins_.ties == "random" and not self.is_plain_:
            # What is drawn for ties goes by position.
            seen = self.margins_.fit(self.table_).pseudo(self.table_)
        self.n_features_in_, self.pairs_ = d, index.numbers
        self._fit_pairs(seen, index)
        self.explained_ = self._explain(seen)
        return self

    def _fit_pairs(self, seen: PseudoTable, index: PairIndex) -> None:
        first, second = index.ends
        nominal = seen.nominal[first] | seen.nominal[second]
        copulas = PairCopulas() if self.copulas is None else clone(self.copulas)
        self.copulas_: PairCopulas | None = None
        self.tables_: PairTables | None = None
        if index.numbers is not None or not nominal.all():
            # Plain numbers go a shorter way; a frame keeps the names for messages.
            U = pd.DataFrame(seen.u, columns=list(seen.names)) if self.is_plain_ else seen
            some = index.numbers is not None or nominal.any()
            self.copulas_ = copulas.fit(U, pairs=index.listed[~nominal] if some else None)
        if nominal.any():
            from spinney.pairs.cells import PairTables

            shared = {name: getattr(copulas, name) for name in ("cv", "margin", "random_state")}
            self.tables_ = PairTables(seen, index.listed[nominal], **shared)
        self.n_parameters_ = self._collect(lambda part, _: part.n_parameters_.astype(float))
        self.n_rows_ = self._collect(lambda part, _: part.n_rows_)
        self.known_ = self._collect(lambda part, _: part.known_)

    n_parameters_: Floats
    n_rows_: Ints
    known_: Bools

    def _explain(self, seen: PseudoTable) -> Explained:
        """Find the pairs that have no direct evidence."""
        total, d = len(self.n_parameters_), seen.n_columns
        paths = self.direct and self.pairs_ is None and d > 2 and not self.is_plain_
        if self.copulas_ is None or not paths:
            return Explained(np.zeros(total, dtype=bool), np.full(total, -1))
        ordered = self.copulas_.places_of(None) if self.tables_ is None else self.copulas_.pairs_
        fitted, correlation, gains = self.copulas_, np.full(total, np.nan), np.zeros(total)
        correlation[ordered] = np.sin(0.5 * np.pi * fitted.describe()["tau"].to_numpy(dtype=float))
        gains[ordered] = fitted.chosen_log_likelihood_
        rows = effective_rows(gains, np.nan_to_num(correlation), self.n_rows_.astype(float))
        present, n = seen.present.sum(axis=0), len(seen)
        shown = [
            1.0 if seen.nominal[k] else shown_share(seen.masses[k], int(present[k]), n)
            for k in range(d)
        ]
        return explained_pairs(correlation, rows, np.array(shown))

    # What was fitted

    @property
    def index(self) -> PairIndex:
        """The pairs that have entries."""
        check_is_fitted(self)
        return PairIndex(self.n_features_in_, self.pairs_)

    @property
    def pseudo_(self) -> PseudoTable:
        """What the pairs were fitted to: pseudo-observations of the rows of `table_`."""
        check_is_fitted(self)
        part: Any = self.copulas_ if self.tables_ is None else self.tables_
        seen: PseudoTable = part._table
        return seen

    @property
    def potentials(self) -> PairCopulas | PairFit:
        """What estimators show as ``potentials_``: of plain columns the copulas, else all this."""
        return self.copulas_ if self.is_plain_ and self.copulas_ is not None else self

    @property
    def densities_(self) -> PairDensities:
        """What the rows say of edges: pairs that others explain say nothing."""
        check_memory(len(self.table_), len(self.index))
        by_columns = self._by_columns and not self.is_plain_
        log_density = self.log_density(self.pseudo_) if by_columns else self.fitted_log_density_
        silent = self.explained_.pairs
        log_density[:, silent] = 0.0
        counts = np.where(silent, 0.0, self.n_parameters_), self.n_rows_
        return PairDensities(log_density, *counts, pairs=self.pairs_, n_nodes=self.n_features_in_)

    @property
    def fitted_log_density_(self) -> Floats:
        """Log-density of each training row, by the margins of the pair's own rows."""
        return self._collect(lambda part, _: part.fitted_log_density_)

    @property
    def cross_fitted_log_density_(self) -> Floats:
        """Log-density of each training row under the fit that did not see its fold."""
        return self._collect(lambda part, _: part.cross_fitted_log_density_)

    def describe(self, pairs: ArrayLike | None = None) -> pd.DataFrame:
        """Describe the chosen densities of some pairs, one row each.

        Parameters
        ----------
        pairs : array of int, optional
            Numbers of the pairs in the order of ``np.triu_indices(d, 1)``; by default all that are
            listed.

        Returns
        -------
        data frame
            As :meth:`spinney.PairCopulas.describe`. The family of a pair with a nominal column is
            ``"table"`` or ``"classes"``; its ``tau`` and tails are NaN.
        """
        wanted = self._numbers(pairs)
        in_tables = np.isin(wanted, self._nominal_pairs)
        parts: list[pd.DataFrame] = []
        for part, asked in ((self.copulas_, ~in_tables), (self.tables_, in_tables)):
            if part is not None:
                parts.append(part.describe(wanted[asked]).set_axis(np.flatnonzero(asked)))
        filled = [part for part in parts if len(part)] or parts[:1]
        # What only tables have means nothing for copulas.
        return pd.concat([part[DESCRIBED] for part in filled]).sort_index()

    # New rows

    def log_density(self, rows: Table | PseudoTable, pairs: ArrayLike | None = None) -> Floats:
        """Log-density of every row under every pair, 0 where a value is missing.

        Parameters
        ----------
        rows : Table or PseudoTable
            With the columns that were fitted; values are mapped by the smooth margins.
        pairs : array of int, optional
            Numbers of the pairs that are wanted; by default all that are listed.

        Returns
        -------
        array of shape (n, n_pairs)
            Pairs in the order of ``np.triu_indices(d, 1)``, or as asked for.
        """
        check_is_fitted(self)
        seen = rows if isinstance(rows, PseudoTable) else self.margins_.pseudo(rows, "smooth")
        if seen.n_columns != self.n_features_in_:
            raise InputError(
                f"The table has {seen.n_columns} columns, but the pairs were fitted on "
                f"{self.n_features_in_}. Give the same columns."
            )
        return self._collect(lambda part, some: part.log_density(seen, pairs=some), pairs)

    def log_margins(self, rows: Table) -> Floats:
        """Sum of the columns' log-densities for each row, over the values that are there."""
        return np.asarray(self.margins_.log_density(rows).sum(axis=1))

    def draw(self, parents: ArrayLike, random_state: int | np.random.Generator | None) -> Table:
        """Draw a row down each forest; columns with many ties keep to values that occurred.

        Parameters
        ----------
        parents : int array of shape (n, d)
            One forest per row; see :func:`spinney.pairs.sampling.sample_down_mixed`.
        random_state : int, Generator or None
            Seed.
        """
        rng = read_random_state(random_state)
        from spinney.pairs.sampling import sample_down_mixed

        drawn = sample_down_mixed(self, self.pseudo_, parents, rng)
        return self.margins_.quantile(drawn, rng)

    def impute(
        self,
        rows: Table,
        draw_forests: DrawForests,
        n_sweeps: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> Table:
        r"""Draw the missing values of rows, given what is present, which stays as it is.

        See :func:`spinney.pairs.sampling.draw_missing`, which does it for pseudo-observations.
        Columns that were grouped because of ties get values that occurred in the fitted rows.

        Parameters
        ----------
        rows : Table
            Rows with gaps.
        draw_forests : function
            Draws a forest for each row of log w, from weights :math:`\beta \circ w`; its draws
            should come from a seed, too, if the result is to be repeated.
        n_sweeps : int
            How often all missing values are drawn again.
        random_state : int or Generator, optional
            Seed.

        Returns
        -------
        Table
            Without gaps.
        """
        rng = read_random_state(random_state)
        gaps = np.flatnonzero(~rows.present.all(axis=1))
        values = rows.values.copy()
        if gaps.size:
            seen = self.margins_.pseudo(rows.take(gaps), "smooth")
            from spinney.pairs.sampling import draw_missing

            filled = draw_missing(self, seen, draw_forests, n_sweeps, rng)
            drawn = self.margins_.quantile(filled, rng).values
            values[gaps] = np.where(np.isnan(values[gaps]), drawn, values[gaps])
        return Table(values, rows.columns, rows.left_out)

    # Parts

    @property
    def _nominal_pairs(self) -> Ints:
        """Numbers of the listed pairs with a nominal column."""
        return np.empty(0, dtype=np.int64) if self.tables_ is None else self.tables_.pairs_

    def _numbers(self, pairs: ArrayLike | None) -> Ints:
        listed = self.index.listed
        return listed if pairs is None else pair_positions(pairs, n_pairs(self.n_features_in_))

    def _collect(
        self, ask: Callable[[Any, Ints], NDArray[Any]], pairs: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Ask copulas and tables of their pairs; put the answers in place along the last axis."""
        check_is_fitted(self)
        wanted = self._numbers(pairs)
        if self.tables_ is None or self.copulas_ is None:
            return ask(self.copulas_ if self.tables_ is None else self.tables_, wanted)
        in_tables = np.isin(wanted, self._nominal_pairs)
        ordered, nominal = (
            ask(part, wanted[asked])
            for part, asked in ((self.copulas_, ~in_tables), (self.tables_, in_tables))
        )
        found = np.empty((*nominal.shape[:-1], wanted.size), dtype=nominal.dtype)
        found[..., in_tables], found[..., ~in_tables] = nominal, ordered
        return found


def canonical_rows(pseudo: PseudoTable) -> NDArray[np.intp]:
    """Order rows by what they hold, as :func:`spinney.pairs.margins.canonical_order` does.

    A level counts by the middle of its interval if it is ordered, by its mass if not. Where columns
    have few levels many rows may come out equal; these are ordered by their values, column by
    column, so that the order of the table's rows never matters, though that of its columns then
    may.
    """
    if pseudo.is_plain:
        return canonical_order(pseudo.u)
    place = pseudo.u - 0.5
    for k, mass in enumerate(pseudo.masses):
        if len(mass):
            middle = mass if pseudo.nominal[k] else np.cumsum(mass) - mass / 2.0 - 0.5
            codes = pseudo.codes[:, k]
            place[:, k] = np.where(codes >= 0, middle[codes], np.nan)
    raw = np.where(pseudo.codes >= 0, pseudo.codes, np.nan_to_num(pseudo.u, nan=-1.0))
    return order_rows(place, raw)
