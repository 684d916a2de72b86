"""All pairs of a table with a nominal column: how much likelier two values are together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import pair_ends, pair_nodes, places_of
from spinney.pairs.cells.fits import INDEPENDENCE, CellPair, fit_pair
from spinney.pairs.pseudo import MIN_COMMON_ROWS, PseudoTable, draw_folds

LEAST_PARAMETERS = 0.1
"""Least number of parameters of a dependent pair: models read zero as independence."""


class PairTables:
    r"""The pair potentials of a table's nominal columns, a part of :class:`spinney.pairs.PairFit`.

    For each pair with a nominal column, :math:`w_{uv} = p(x_u, x_v) / (p(x_u) p(x_v))` from the
    rows in which both values are present. Candidates are independence, a table of counts that is
    shrunk to independence (:mod:`spinney.pairs.cells.dirichlet`) and, where the other column has
    an order, classes given its normal score, linear and quadratic
    (:mod:`spinney.pairs.cells.logistic`); a continuous column is cut into seven equal parts for its
    table. The candidate with the largest held-out log-density is chosen; it may win only if its
    marginal likelihood exceeds that of independence.

    Parameters
    ----------
    table : PseudoTable
        What is seen of the columns.
    pairs : array of int, optional
        Numbers of pairs with a nominal column, rising; by default all such pairs.
    cv : int
        Number of folds (at most one per row); the same folds serve every pair.
    margin : float
        Log-density by which a candidate with more parameters must beat one with fewer.
    random_state : int or Generator
        Seed of the folds.

    Attributes
    ----------
    pairs_ : array of int, shape (n_listed,)
        Numbers of the fitted pairs in the order of ``np.triu_indices(d, 1)``. All that follows
        is in this order.
    family_ : array of str, shape (n_listed,)
        "independence", "table" or "classes".
    n_parameters_ : array of shape (n_listed,)
        Parameters of each pair, counted by its evidence; none for independence.
    n_rows_ : array of int, shape (n_listed,)
        Rows in which both values are present.
    known_ : bool array of shape (n_listed,)
        Whether those are at least ten. If not, the pair is not fitted, and counts as independence.
    log_likelihood_ : array of shape (n_listed, 4)
        Sum of log w of independence, classes given linear and quadratic scores, and a table; -inf
        where a pair does not have the candidate.
    log_bayes_factors_ : array of shape (n_listed, 4)
        Log Bayes factor against independence; -inf likewise.
    log_bayes_factor_ : array of shape (n_listed,)
        That of the chosen candidate; zero for independence.
    held_out_ : array of shape (n_listed,)
        Log w summed over rows, each under a fit that did not see it.
    fold_of_row_ : array of int, shape (n,)
        The fold that each row belongs to.
    fitted_log_density_ : array of shape (n, n_listed)
        Log w of the training rows; zero where a value is missing. Computed when needed.
    cross_fitted_log_density_ : array of shape (n, n_listed)
        The same under the fit that did not see the row's fold.

    Notes
    -----
    Margins are those of the pair's common rows. The log w of new rows are the fitted ones, so with
    gaps they average to one over the common rows, and only nearly so over a whole column. Levels
    that do not occur in the common rows have log w = 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 3, 300)
    >>> b = np.where(rng.random(300) < 0.6, a, rng.integers(0, 3, 300))
    >>> table = PseudoTable(
    ...     u=np.full((300, 2), np.nan),
    ...     codes=np.stack([a, b], axis=1),
    ...     masses=(np.bincount(a) / 300, np.bincount(b) / 300),
    ...     nominal=np.array([True, True]),
    ...     names=("a", "b"),
    ... )
    >>> tables = PairTables(table)
    >>> tables.family_, tables.log_bayes_factor_.round()
    (array(['table'], dtype='<U12'), array([83.]))
    """

    def __init__(
        self,
        table: PseudoTable,
        pairs: Ints | None = None,
        *,
        cv: int = 5,
        margin: float = 1.0,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        if pairs is None:
            pairs = np.flatnonzero(table.nominal[np.stack(pair_nodes(table.n_columns))].any(axis=0))
        self._table, self.pairs_ = table, pairs
        n_folds = max(min(cv, len(table)), 1)
        self.fold_of_row_ = draw_folds(len(table), n_folds, random_state)
        self.n_rows_, self._fits = np.zeros(pairs.size, dtype=np.int64), []
        for k, number in enumerate(pairs):
            pair = self._pair(table, number)
            self.n_rows_[k] = pair.rows.size
            self._fits.append(fit_pair(pair, self.fold_of_row_[pair.rows], n_folds, margin))
        self._candidate = np.array([fit.candidate for fit in self._fits], dtype=np.int64)
        self.held_out_ = np.array([fit.held_out for fit in self._fits])
        values = np.reshape([fit.values for fit in self._fits], (pairs.size, 2, 4))
        self.log_likelihood_, self.log_bayes_factors_ = values[:, 0], values[:, 1]

    @property
    def family_(self) -> NDArray[np.str_]:
        """What was chosen for each pair, in one word."""
        return np.array(["independence", "classes", "classes", "table"])[self._candidate]

    @property
    def known_(self) -> Bools:
        """Whether each pair has enough common rows to be fitted."""
        return self.n_rows_ >= MIN_COMMON_ROWS

    @property
    def log_bayes_factor_(self) -> Floats:
        """Log Bayes factor of what was chosen, against independence."""
        return self._of_chosen(self.log_bayes_factors_)

    @property
    def n_parameters_(self) -> Floats:
        """Number of parameters of each pair: what the evidence makes of them."""
        surplus = self._of_chosen(self.log_likelihood_) - self.log_bayes_factor_
        half_log = 0.5 * np.log(np.maximum(self.n_rows_, 2))
        least = np.where(self._candidate == INDEPENDENCE, 0.0, LEAST_PARAMETERS)
        return np.maximum(surplus / half_log, least)

    @property
    def fitted_log_density_(self) -> Floats:
        """Log w of the training rows."""
        return self.log_density(self._table)

    @property
    def cross_fitted_log_density_(self) -> Floats:
        """Log w of each training row under the fit that did not see its fold."""
        return self._log_density(self._table, self.pairs_, self.fold_of_row_ + 1)

    def log_density(self, table: PseudoTable, pairs: ArrayLike | None = None) -> Floats:
        """Log w of every row of a table; zero where a value is missing.

        Parameters
        ----------
        table : PseudoTable
            With the same columns and levels as the table that was fitted.
        pairs : array of int, optional
            Numbers of fitted pairs; by default all of them.

        Returns
        -------
        array of shape (n, n_pairs)
        """
        numbers = self.pairs_ if pairs is None else np.asarray(pairs)
        return self._log_density(table, numbers, np.zeros(len(table), dtype=np.int64))

    def describe(self, pairs: ArrayLike | None = None) -> pd.DataFrame:
        r"""Describe some fitted pairs, one row each.

        Parameters
        ----------
        pairs : array of int, optional
            Numbers of fitted pairs; by default all of them.

        Returns
        -------
        data frame
            ``u, v, family, rotation, parameters, tau, lower_tail, upper_tail`` as of copulas,
            with NaN for what levels without order do not have; then ``mutual_information`` (the
            mean of log w, in nats) and ``strength``, Linfoot's informational coefficient of
            correlation :math:`\\sqrt{1 - e^{-2 I}}`: a normal pair with that mutual information
            has a correlation of this size [1]_.

        References
        ----------
        .. [1] E. H. Linfoot (1957). An informational measure of correlation. Information and
           Control 1, 85-89.
        """
        wanted, names = self._places(pairs), np.array(self._table.names, dtype=object)
        first, second = pair_ends(self.pairs_[wanted], len(names))
        likelihood = self._of_chosen(self.log_likelihood_)[wanted]
        information = np.maximum(likelihood / np.maximum(self.n_rows_[wanted], 1), 0.0)
        # Levels without order have neither ranks nor tails; of independence both are known.
        family = self.family_[wanted]
        nothing = np.where(family == "independence", 0.0, np.nan)
        parameters = np.empty(len(wanted), dtype=object)
        parameters[:] = [()] * len(wanted)
        return pd.DataFrame(
            {
                "u": names[first],
                "v": names[second],
                "family": family,
                "rotation": np.zeros(len(wanted), dtype=np.int64),
                "parameters": parameters,
                **dict.fromkeys(("tau", "lower_tail", "upper_tail"), nothing),
                "mutual_information": information,
                "strength": np.sqrt(-np.expm1(-2.0 * information)),
            }
        )

    def _of_chosen(self, values: Floats) -> Floats:
        """Pick each pair's entry of its chosen candidate."""
        return values[np.arange(len(values)), self._candidate]

    def _log_density(self, table: PseudoTable, pairs: Ints, fit_of_row: Ints) -> Floats:
        """Log w of each row under a fit: 0 is that of all rows, f + 1 the one without fold f."""
        found = np.zeros((len(table), pairs.size))
        for k, (number, place) in enumerate(zip(pairs, self._places(pairs), strict=True)):
            fit, pair = self._fits[place], self._pair(table, number)
            found[pair.rows, k] = pair.log_ratios(fit.candidate, fit.numbers, fit_of_row[pair.rows])
        return found

    def _pair(self, table: PseudoTable, number: int) -> CellPair:
        """Read a pair off a table with the fitted columns."""
        first, second = pair_ends([number], table.n_columns)
        return CellPair.read(table, int(first[0]), int(second[0]))

    def _places(self, pairs: ArrayLike | None) -> Ints:
        """Find pairs among those fitted."""
        return places_of(self.pairs_ if pairs is None else pairs, self.pairs_)
