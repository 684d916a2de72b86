"""All pairs of a table at once: the best copula family for each, chosen and fitted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import column_position
from spinney._core.pairs import PairIndex, n_pairs, pair_ends, pair_index, pair_positions
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import Copula, flips_of
from spinney.pairs.copulas.block import Fits, Rule
from spinney.pairs.copulas.blocks import (
    Resources,
    Rows,
    common_rows,
    enough_rows,
    fit_table,
    log_densities,
)
from spinney.pairs.copulas.candidates import batch_of, lay_out, lay_out_densities
from spinney.pairs.copulas.elliptical import DF_GRID, Student
from spinney.pairs.copulas.registry import FAMILIES, Independence, family_names
from spinney.pairs.pseudo import PseudoTable, check_selection, draw_folds
from spinney.tables import check_features, check_unit_table

Node = int | str


class PairCopulas(BaseEstimator):
    r"""The pair potentials of a table: a bivariate copula for each of its d(d-1)/2 pairs.

    For each pair every family (and rotation) is fitted by maximum pseudo-likelihood, and the one
    with the largest log-density on held-out samples is kept. Independence always
    competes: :math:`w_{uv} \equiv 1` then says that the pair carries no evidence for an edge.

    Parameters
    ----------
    families : "default" or list of str or of copula classes
        Candidates besides independence. By default the founding paper's five: Gaussian, Student,
        Clayton, Gumbel and Frank, the third and fourth in all four rotations. Joe may be added,
        as may any class in ``FAMILIES`` that has a `batch`.
    criterion : {"cv", "aic", "bic"}
        Held-out log-density summed over folds, or log-likelihood less one (AIC) or half log n
        (BIC) per parameter.
    cv : int
        Number of folds (at most one per row); the same folds serve every pair.
    margin : float
        Log-density by which a family with more parameters must beat one with fewer.
    df_grid : sequence of float
        Degrees of freedom that are tried for the Student family.
    random_state : int or Generator
        Seed of the folds.
    n_jobs : int, optional
        Threads; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show a progress bar.

    Attributes
    ----------
    table_ : pandas.DataFrame
        One row per pair: what :meth:`describe` says of the fitted copula, then ``sample_tau``
        (tau-b of the sample), ``log_likelihood`` (summed over rows) and ``held_out_log_density``
        (mean per row, each row under a fit that did not see it).
    families_ : tuple of str
        Candidates; columns of the two arrays that follow.
    log_likelihood_ : array of shape (n_pairs, n_families)
        Largest log-likelihood of each family.
    criterion_ : array of shape (n_pairs, n_families)
        Criterion of each family, larger is better. NaN where the family was not refitted because
        it could not win (see the notes).
    family_ : array of str, shape (n_pairs,)
        The chosen families, and in the same order
    rotation_ : array of int, shape (n_pairs,)
        their rotations and
    parameters_ : array of shape (n_pairs, 2)
        their parameters, NaN where a family has fewer than two.
    n_parameters_ : array of int, shape (n_pairs,)
        How many those are.
    n_rows_ : array of int, shape (n_pairs,)
        How many rows each pair's copula was fitted to: those that have both values.
    known_ : array of bool, shape (n_pairs,)
        Whether each pair had enough common rows to be fitted (10, unless the table has no gaps);
        the others are left as independence, with no parameters.
    held_out_ : array of shape (n_pairs,)
        Log-density of each pair's rows under fits that did not see them, summed.
    fold_parameters_ : array of shape (n_pairs, n_folds, 2)
        The parameters without each fold, fitted when they are first asked for.
    fold_of_row_ : array of shape (n,)
        The fold that each row belongs to.
    pairs_ : array of int, or None
        Numbers of the pairs that have an entry in the arrays above and below (the listed pairs),
        ascending, if the fit was compact; n_pairs is then how many they are. None if every pair
        has one.
    sample_tau_ : array of shape (n_pairs,)
        Kendall's tau-b of the sample.
    fitted_log_density_ : array of shape (n, n_pairs)
        Log-density of each training row, with the margins of the pair's own rows; 0 where a value
        is missing. Computed when asked for.
    cross_fitted_log_density_ : array of shape (n, n_pairs)
        Log-density of each training row under the fit that did not see its fold. Computed on
        demand, and not kept: for 1000 columns and 200 rows it takes 800 MB.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Held-out likelihood cannot exceed the likelihood of the fit on everything, so families whose
    full likelihood is already below the best held-out one are passed over; the choice is the
    same as with all refits. Parameters are searched by Newton's method to a small part of a
    standard error. Degrees of freedom are taken from `df_grid`, which makes t quantiles a matter
    of one variable, computed once.

    A fold's parameters do not depend on its rows. The family, however, is chosen once, with the
    help of all rows.

    **Levels.** A :class:`~spinney.pairs.PseudoTable` has columns whose values are ordered levels.
    Of two such columns the density is the copula's volume of the rectangle that belongs to the two
    levels, over the product of their masses,

    .. math:: w = \frac{C(b, d) - C(a, d) - C(b, c) + C(a, c)}{(b - a)(d - c)},

    and beside a continuous column it is a difference of conditional distributions over the mass,
    :math:`(h(b \mid u) - h(a \mid u)) / (b - a)` [1]_. Two columns of two levels leave one number
    free, so that all families with one parameter are the same model: the first that can have the
    sign of the sample's tau is fitted, and none with two. Pairs of nominal columns are left as
    independence: their levels have no order.

    **Gaps.** A pair is fitted on the rows that have both values, with the margins of those rows:
    continuous values are ranked again, and levels have the shares that they have there.

    References
    ----------
    .. [1] A. Panagiotelis, C. Czado and H. Joe (2012). Pair copula constructions for multivariate
       discrete data. JASA 107.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> U = Clayton(2.0, rotation=180).sample(500, random_state=0)
    >>> pairs = PairCopulas().fit(U)
    >>> pairs.copula(0, 1)
    Clayton(theta=2..., rotation=180)
    >>> pairs.log_density(U).shape
    (500, 1)
    """

    def __init__(
        self,
        families: str | Iterable[str | type[Copula]] = "default",
        criterion: Literal["cv", "aic", "bic"] = "cv",
        cv: int = 5,
        *,
        margin: float = 1.0,
        df_grid: Sequence[float] = DF_GRID,
        random_state: int | np.random.Generator | None = 0,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.families = families
        self.criterion = criterion
        self.cv = cv
        self.margin = margin
        self.df_grid = df_grid
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(
        self,
        U: ArrayLike | pd.DataFrame | PseudoTable,
        y: object = None,
        *,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Fit every pair of a table of pseudo-observations, or some.

        Parameters
        ----------
        U : data frame or array of shape (n, d), or PseudoTable
            Pseudo-observations, strictly between 0 and 1; see
            :func:`spinney.pairs.margins.pseudo_observations`. A
            :class:`~spinney.pairs.PseudoTable` may also have columns with levels, and gaps.
        y : ignored
        pairs : array of int, optional
            Positions of the pairs that are fitted, in the order of ``np.triu_indices(d, 1)``; by
            default all. The others are independence and have no entry in the fitted arrays:
            nothing has the length of all pairs, neither while fitting nor in the result.
        """
        self._check_parameters()
        self._table = table = self._read(U, reset=True)
        n, d = table.u.shape
        self.pairs_ = PairIndex.sorted(d, pairs).numbers
        self.families_ = family_names(self.families)
        self.fold_of_row_ = draw_folds(n, min(self.cv, n), self.random_state)
        fits, self.sample_tau_ = self._fit_pairs(enough_rows(table, self.fold_of_row_, self._index))
        candidates, rotations = lay_out(self.families_)
        self.family_ = np.array(self.families_)[candidates.column[fits.candidate]]
        self.rotation_ = np.where(self._mirrors(), 0, rotations[fits.candidate])
        self.parameters_ = self._signs()[:, None] * fits.parameters
        self.log_likelihood_, self.criterion_ = fits.log_likelihood, fits.criterion
        self.__dict__.pop("table_", None)
        self.__dict__.pop("fold_parameters_", None)
        return self

    def _fit_pairs(self, wanted: Bools, refit_chosen: bool = False) -> tuple[Fits, Floats]:
        """Fit the wanted ones of the listed pairs; see :func:`fit_table`."""
        penalty, by_rows = {"cv": (0.0, False), "aic": (1.0, False), "bic": (0.5, True)}[
            self.criterion
        ]
        margin = float(self.margin)
        rule = Rule(self.criterion == "cv", penalty, by_rows, margin, refit_chosen)
        rows = Rows(*sort_by_fold(self.fold_of_row_), True)
        choice = rows, rule, self.families_, tuple(self.df_grid)
        resources = Resources(self.n_jobs, self.progress)
        return fit_table(self._table, self._index, wanted, *choice, resources)

    def _signs(self) -> Floats:
        """Signs of parameters: where kernels know strength and mirror, they have it in public."""
        return np.where(self._mirrors() & (self.sample_tau_ < 0), -1.0, 1.0)

    @cached_property
    def fold_parameters_(self) -> Floats:
        """The parameters without each fold, of shape (n_pairs, n_folds, 2)."""
        check_is_fitted(self)
        fits, _ = self._fit_pairs(self.family_ != "independence", refit_chosen=True)
        return self._signs()[:, None, None] * fits.fold_parameters

    @cached_property
    def table_(self) -> pd.DataFrame:
        """One row per pair."""
        table = self.describe()
        table["sample_tau"] = self.sample_tau_
        table["log_likelihood"] = self.chosen_log_likelihood_
        table["held_out_log_density"] = self.held_out_ / np.maximum(self.n_rows_, 1)
        return table

    def describe(self, pairs: ArrayLike | None = None) -> pd.DataFrame:
        """Describe the chosen copulas of some pairs, one row each.

        Parameters
        ----------
        pairs : array of int, optional
            Positions of the pairs in the order of ``np.triu_indices(d, 1)``; by default all that
            are listed. One that is not is independence.

        Returns
        -------
        data frame
            ``u, v, family, rotation, parameters`` (a tuple), ``tau`` and the tail dependence
            ``lower_tail, upper_tail``: the limits of P(V < q | U < q) as q tends to zero, and of
            P(V > q | U > q) as q tends to one. A copula rotated by 90 or 270 degrees has its tails
            in the other two corners, where one variable is low and the other high, and zeros here.

        Examples
        --------
        >>> from spinney.pairs.copulas import Clayton
        >>> pairs = PairCopulas().fit(Clayton(2.0).sample(500, random_state=0))
        >>> pairs.describe([0])[["family", "rotation", "lower_tail", "upper_tail"]].round(1)
            family  rotation  lower_tail  upper_tail
        0  clayton         0         0.7         0.0
        """
        check_is_fitted(self)
        places, index = self.places_of(pairs), self._index
        first, second = index.ends if pairs is None else pair_ends(pairs, index.d)
        names = np.array(self._table.names, dtype=object)
        family, rotation, parameters, flip_u, flip_v = (
            np.append(values, [other], axis=0)[places]  # the last is that of place -1
            for values, other in zip(
                (self.family_, self.rotation_, self.parameters_, *self.mirrored()),
                ("independence", 0, (np.nan, np.nan), 0, 0),
                strict=True,
            )
        )
        tau, lower, upper = np.zeros((3, len(places)))
        listed = np.empty(len(places), dtype=object)
        for name in np.unique(family):
            cls, rows = FAMILIES[str(name)], np.flatnonzero(family == name)
            values = parameters[rows, : len(cls.bounds)]
            listed[rows] = [tuple(row) for row in values.tolist()]
            tau[rows] = cls.kendall(*values.T)
            lower[rows], upper[rows] = cls.tails(*values.T)
        one, both = flip_u != flip_v, (flip_u == 1) & (flip_v == 1)
        return pd.DataFrame(
            {
                "u": names[first],
                "v": names[second],
                "family": family,
                "rotation": rotation,
                "parameters": listed,
                "tau": np.where(one, -tau, tau),
                # Mirroring both variables exchanges the corners, mirroring one leaves both empty.
                "lower_tail": np.where(one, 0.0, np.where(both, upper, lower)),
                "upper_tail": np.where(one, 0.0, np.where(both, lower, upper)),
            }
        )

    @property
    def chosen_log_likelihood_(self) -> Floats:
        """Log-likelihood of each pair's copula."""
        check_is_fitted(self)
        return self.log_likelihood_[np.arange(len(self.family_)), self._columns()]

    @property
    def n_parameters_(self) -> Ints:
        """Number of parameters of each pair's copula."""
        check_is_fitted(self)
        counts = np.array([len(FAMILIES[name].bounds) for name in self.families_])
        return counts[self._columns()]

    def places_of(self, pairs: ArrayLike | None) -> Ints:
        """Find the entries of some pairs in the fitted arrays; -1 if not listed.

        Examples
        --------
        >>> U = np.random.default_rng(0).uniform(size=(50, 4))
        >>> PairCopulas().fit(U, pairs=[0, 5]).places_of([5, 1])
        array([ 1, -1])
        """
        index = self._index
        if pairs is None:
            return np.arange(len(index))
        return index.places_of(pair_positions(pairs, n_pairs(index.d)))

    @property
    def held_out_(self) -> Floats:
        """Log-density summed over rows, each under a fit that did not see it."""
        check_is_fitted(self)
        if self.criterion == "cv":
            return self.criterion_[np.arange(len(self.family_)), self._columns()]
        return self.cross_fitted_log_density_.sum(axis=0)

    @property
    def n_rows_(self) -> Ints:
        """Number of rows that each pair's copula was fitted to: those with both values."""
        check_is_fitted(self)
        return common_rows(self._table.present, self._index)

    @property
    def known_(self) -> Bools:
        """Whether each pair had enough common rows to be fitted."""
        check_is_fitted(self)
        return enough_rows(self._table, self.fold_of_row_, self._index)

    @property
    def _index(self) -> PairIndex:
        """The pairs that have an entry in the fitted arrays."""
        check_is_fitted(self)
        return PairIndex(len(self._table.names), self.pairs_)

    def copula(self, u: Node, v: Node) -> Copula:
        """Return the fitted copula of two variables, given by name or position, in that order.

        Examples
        --------
        >>> import pandas as pd
        >>> from spinney.pairs.copulas import Frank
        >>> U = pd.DataFrame(Frank(-5.0).sample(300, random_state=0), columns=["a", "b"])
        >>> PairCopulas().fit(U).copula("a", "b").family
        'frank'
        """
        check_is_fitted(self)
        i, j = (column_position(node, self._table.names, "copula") for node in (u, v))
        pair = int(self.places_of([pair_index(i, j, self.n_features_in_)])[0])
        if pair < 0:
            return Independence()
        cls = FAMILIES[str(self.family_[pair])]
        parameters = self.parameters_[pair, : len(cls.bounds)].tolist()
        if cls.rotations == (0,):
            return cls(*parameters)
        rotation = int(self.rotation_[pair])
        if i > j:  # the transpose exchanges the two rotations that mirror one variable
            rotation = {90: 270, 270: 90}.get(rotation, rotation)
        return cls(*parameters, rotation=rotation)  # type: ignore[call-arg]  # see above

    def log_density(
        self, U: ArrayLike | pd.DataFrame | PseudoTable, pairs: ArrayLike | None = None
    ) -> Floats:
        """Log-density of every row under every pair's copula: the potentials log w.

        Parameters
        ----------
        U : data frame or array of shape (n, d), or PseudoTable
            Pseudo-observations. Levels have the masses of the table; where a value is
            missing the log-density is 0.
        pairs : array of int, optional
            Positions of the pairs that are wanted; by default all that are listed. One that is
            not has log-density 0.

        Returns
        -------
        array of shape (n, n_pairs)
            Pairs in the order of ``np.triu_indices(d, 1)``, or in the order of `pairs`.
        """
        check_is_fitted(self)
        table = self._read(U, reset=False)
        return self._log_density(table, self.parameters_[:, None], self.places_of(pairs))

    @property
    def fitted_log_density_(self) -> Floats:
        """Log-density of each training row, with the margins of the pair's own rows."""
        check_is_fitted(self)
        parameters, every = self.parameters_[:, None], self.places_of(None)
        return self._log_density(self._table, parameters, every, own_margins=True)

    @property
    def cross_fitted_log_density_(self) -> Floats:
        """Log-density of each training row under the fit that did not see its fold."""
        check_is_fitted(self)
        every = self.places_of(None)
        return self._log_density(self._table, self.fold_parameters_, every, own_margins=True)

    def _log_density(
        self, table: PseudoTable, parameters: Floats, places: Ints, own_margins: bool = False
    ) -> Floats:
        """Log-densities of all rows at some places, 0 at place -1.

        With several sets of parameters each fold has its own.
        """
        wanted, known = np.zeros(len(self._index), dtype=bool), places >= 0
        wanted[places[known]] = True
        order, folds = np.arange(len(table)), np.array([0, len(table)])
        if parameters.shape[1] > 1:
            order, folds = sort_by_fold(self.fold_of_row_)
        flips = self.mirrored()
        copulas = lay_out_densities(self.families_, self._columns(), *flips, parameters)
        resources = Resources(self.n_jobs, self.progress)
        rows = Rows(order, folds, own_margins)
        found = log_densities(table, self._index, wanted, rows, *copulas, resources)
        columns = (np.cumsum(wanted) - 1)[places[known]]
        if known.all() and np.array_equal(columns, np.arange(found.shape[1])):
            return found
        asked = np.zeros((len(table), places.size))
        asked[:, known] = found[:, columns]
        return asked

    def mirrored(self) -> tuple[Ints, Ints]:
        """Whether the copula of each pair (u, v) mirrors u, and whether v, as 0 and 1."""
        flips = np.array([flips_of(r) for r in (0, 90, 180, 270)], dtype=np.int64)
        flip_u, flip_v = flips[self.rotation_ // 90].T
        negative = self._mirrors() & (self.parameters_[:, 0] < 0)
        return np.where(negative, 1, flip_u), np.ascontiguousarray(flip_v)

    def _columns(self) -> Ints:
        """Position of each pair's family among the candidates."""
        return np.argmax(self.family_[:, None] == np.array(self.families_), axis=1)

    def _mirrors(self) -> Bools:
        """Whether the family of each pair expresses negative dependence by mirroring u."""
        names = [name for name in self.families_ if batch_of(name).sign == "mirror"]
        return np.isin(self.family_, names)

    def _read(self, U: ArrayLike | pd.DataFrame | PseudoTable, *, reset: bool) -> PseudoTable:
        """Check a table; remember its columns, or compare them with the fitted ones."""
        if not isinstance(U, PseudoTable):
            plain = check_unit_table(U) if reset else check_unit_table(U, min_rows=1, fitting=False)
            levels = np.flatnonzero(() if reset else self._table.n_levels)
            if levels.size:
                raise InputError(
                    f"Column '{self._table.names[levels[0]]}' has levels, which plain numbers "
                    "cannot show. Pass a PseudoTable."
                )
            check_features(self, U, reset=reset)
            return PseudoTable.of_ranks(plain.values, plain.names)
        _check_table(U)
        if reset:
            self.n_features_in_ = U.n_columns
            self.__dict__.pop("feature_names_in_", None)
        elif U.names != self._table.names:
            raise InputError(
                f"The table's columns are {', '.join(U.names[:8])} …, but the pairs were fitted to "
                f"{', '.join(self._table.names[:8])} …."
            )
        return U

    def _check_parameters(self) -> None:
        check_selection(self.criterion, self.cv, self.margin)
        low, high = Student.bounds["df"]
        if not len(self.df_grid) or not all(low <= df <= high for df in self.df_grid):
            raise InputError(
                f"df_grid must hold numbers between {low:g} and {high:g}, got {self.df_grid!r}."
            )


def sort_by_fold(fold_of_row: Ints) -> tuple[Ints, Ints]:
    """Row order that makes each fold a range, and where the ranges begin (and the last ends).

    Examples
    --------
    >>> order, folds = sort_by_fold(np.array([1, 0, 1]))
    >>> order.tolist(), folds.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    order = np.argsort(fold_of_row, kind="stable")
    return order, np.concatenate([[0], np.cumsum(np.bincount(fold_of_row))])


def _check_table(table: PseudoTable) -> None:
    """Refuse a table of pseudo-observations that would break compiled kernels."""
    if table.codes.shape != table.u.shape or table.u.shape[1:] != (len(table.masses),):
        raise InputError("The columns of a PseudoTable do not have the same size throughout.")
    for u, codes, mass, name in zip(
        table.u.T, table.codes.T, table.masses, table.names, strict=True
    ):
        outside = np.flatnonzero((u <= 0.0) | (u >= 1.0))
        if len(mass) and (most := codes.max(initial=-1)) >= len(mass):
            raise InputError(
                f"Column '{name}' has a code {most}, but only {len(mass)} levels, counted from 0."
            )
        if outside.size and not len(mass):
            raise InputError(
                f"u must lie strictly between 0 and 1; column '{name}' reaches "
                f"{u[outside[0]]:.6} at row {outside[0]}."
            )
