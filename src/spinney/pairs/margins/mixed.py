"""The distribution of each column of a mixed table: to pseudo-observations, and back."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins.levels import (
    Groups,
    MixedTies,
    check_mixed_ties,
    counts_need_levels,
    level_masses,
)
from spinney.pairs.margins.piecewise import PiecewiseMarginal
from spinney.pairs.margins.ranks import EmpiricalRanks, RandomState, tie_priority
from spinney.pairs.margins.smooth import Smooth, SmoothMarginal, check_smoothing, fit_smooth
from spinney.pairs.margins.transformer import SMALLEST_U
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import CONTINUOUS, MIN_ROWS, Column, Table

__all__ = ["MixedMarginals"]

Floats = NDArray[np.float64]
Within = ArrayLike | np.random.Generator | None


@storable("MixedMarginals")
class MixedMarginals(BaseEstimator):
    r"""Each column's distribution, whatever its kind, learned from the values that are there.

    What :class:`Marginals` is for tables of continuous columns without gaps. A row's density is
    :math:`w(x) \prod_i p_i(x_i)`, where w sees what :meth:`pseudo` gives and :math:`p_i` is a
    density of a continuous column and a probability of levels.

    Parameters
    ----------
    ties : {"auto", "average", "random", "levels"}
        What equal values of a continuous column are. ``"average"``, ``"random"``: see
        :func:`pseudo_observations`. ``"levels"``: a column with ties is a rounded or piled-up
        measurement; its values are grouped into at most 15 ordered levels, each of which says no
        more than that the value lies in an interval. ``"auto"``: levels where more than 2 % of all
        pairs of rows tie (in a column of 30 values or more), average ranks elsewhere.
    transform_by : {"ranks", "smooth"}
        Whether :meth:`pseudo` gives ``rank / (m + 1)``, with m values in the column, or the smooth
        distribution function.
    smooth : {"auto", "kernel", "parametric", None}
        Which smooth marginals are tried for each continuous column; None: none, so that only ranks
        and levels are known. They are fitted when they are first asked for.
    random_state : int, Generator or None
        Seed for ``ties="random"``.

    Attributes
    ----------
    columns_ : tuple of Column
        What the columns are.
    masses_ : tuple of d arrays
        Probability of each level; empty for continuous columns that are not grouped.
    grouped_ : bool array of shape (d,)
        Which continuous columns are taken as levels.
    n_rows_ : int array of shape (d,)
        How many values each column has.
    summary_ : data frame
        One row per column: column, kind, n_rows, n_levels, grouped, and of continuous columns
        family, parameters, log_likelihood and held_out_log_likelihood of the smooth marginal.

    Notes
    -----
    A level that occurs in no row (of a subsample, say) counts for half a row. New values of a
    grouped column belong to the level within whose boundaries they lie, half way between
    neighbouring values.

    Within a level the smooth density f of a grouped column is scaled to the level's mass,
    :math:`p(x) = f(x) \, m_g / \int_g f`, so that the density of the table still integrates to 1.

    A continuous column of fewer than 4 values, or with equal ones only, has no smooth marginal:
    densities and quantiles are refused, and ranks take the place of its distribution function. One
    without any value gives 1/2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> values = np.column_stack([x, np.maximum(x, 0.0), x > 1.0])
    >>> values[:2, 0] = np.nan
    >>> hot = Column("hot", "binary", (False, True))
    >>> table = Table(values, (Column("x", "continuous"), Column("rain", "continuous"), hot))
    >>> marginals = MixedMarginals().fit(table)
    >>> marginals.grouped_, marginals.masses_[2]
    (array([False,  True, False]), array([0.825, 0.175]))
    >>> pseudo = marginals.pseudo(table)
    >>> pseudo.codes[:3].tolist(), pseudo.u[:3, 0].round(3)
    ([[-1, 2, 0], [-1, 0, 0], [-1, 7, 0]], array([  nan,   nan, 0.734]))
    """

    _stored: ClassVar[tuple[str, ...]] = (
        "columns_",
        "masses_",
        "n_rows_",
        "_ranks",
        "_groups",
        "_smooth",
        "_tie_seed",
    )

    def __init__(
        self,
        *,
        ties: MixedTies = "auto",
        transform_by: Literal["ranks", "smooth"] = "ranks",
        smooth: Smooth | None = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.ties = ties
        self.transform_by = transform_by
        self.smooth = smooth
        self.random_state = random_state

    def fit(self, table: Table, y: object = None) -> MixedMarginals:
        """Learn the distribution of each column.

        Parameters
        ----------
        table : Table
            Any number of rows; columns may have gaps.
        y : ignored
        """
        self._check_parameters()
        self.columns_ = table.columns
        self.n_rows_ = table.present.sum(axis=0).astype(np.int64)
        self._ranks: list[EmpiricalRanks | None] = []
        self._groups: list[Groups | None] = []
        masses: list[Floats] = []
        for column, x in zip(table.columns, table.values.T, strict=True):
            present = x[~np.isnan(x)]
            ranks, groups, mass = None, None, np.empty(0)
            if column.kind != CONTINUOUS:
                mass = level_masses(present.astype(np.int64), len(column.levels))
            else:
                ranks = EmpiricalRanks.fit(present)
                if counts_need_levels(ranks.counts, self.ties):
                    groups = Groups.fit(ranks.values, ranks.counts)
                    mass = groups.masses
            self._ranks.append(ranks)
            self._groups.append(groups)
            masses.append(mass)
        self.masses_ = tuple(masses)
        self._smooth: list[SmoothMarginal | None] = [None] * len(self.columns_)
        # Drawn once, so that pseudo gives the same answer every time it is asked.
        self._tie_seed = (
            self.random_state
            if isinstance(self.random_state, int | np.integer)
            else int(np.random.default_rng(self.random_state).integers(2**63))
        )
        return self

    @property
    def grouped_(self) -> NDArray[np.bool_]:
        """Which continuous columns are taken as levels."""
        check_is_fitted(self)
        return np.array([groups is not None for groups in self._groups], dtype=bool)

    def pseudo(self, table: Table) -> PseudoTable:
        """Map a table to what pair potentials see.

        By ranks, the fitted rows get exactly ``rank / (m + 1)`` among the m values of their
        column, and new values are interpolated as by :meth:`Marginals.transform`.

        Parameters
        ----------
        table : Table
            Any number of rows of the fitted columns.
        """
        return self._pseudo(table, self.transform_by)

    def pseudo_smooth(self, table: Table) -> PseudoTable:
        """Map a table, continuous columns by their smooth distribution function."""
        return self._pseudo(table, "smooth")

    def log_density(self, table: Table) -> Floats:
        """Log-density of each value: of levels their log-mass, 0.0 where a value is missing.

        With respect to Lebesgue measure for continuous columns, grouped or not, and to counting
        for others; shape (n, d).
        """
        self._check(table)
        result = np.zeros(table.values.shape)
        for k, there in enumerate(table.present.T):
            x = table.values[there, k]
            if not x.size:
                continue
            if self.columns_[k].kind != CONTINUOUS:
                result[there, k] = np.log(self.masses_[k])[x.astype(np.int64)]
            else:
                result[there, k] = self._density_of(k).logpdf(x)
        return result

    def quantile(
        self, pseudo: PseudoTable, within: Within = None, *, observed: bool = False
    ) -> Table:
        """Map what pair potentials see back to values; the inverse of :meth:`pseudo_smooth`.

        Parameters
        ----------
        pseudo : PseudoTable
            Of the fitted columns.
        within : Generator or array of shape (n, d), optional
            Grouped columns only: how far into its level each value lies, by the level's own
            distribution function, strictly between 0 and 1. A Generator draws it; by default all
            lie at the median of their level.
        observed : bool
            Whether grouped columns take only values that were there when they were fitted, which
            keeps a rounded column rounded and zeros zero, but has no density.

        Returns
        -------
        Table
            With gaps where `pseudo` has some.
        """
        check_is_fitted(self)
        if pseudo.u.shape[1] != len(self.columns_):
            raise InputError(
                f"The pseudo-observations have {pseudo.u.shape[1]} column(s), but the marginals "
                f"were fitted on {len(self.columns_)}. Give one column per fitted column."
            )
        shape = pseudo.u.shape
        if isinstance(within, np.random.Generator):
            within = within.uniform(size=shape)
        depth = np.broadcast_to(np.asarray(0.5 if within is None else within, dtype=float), shape)
        depth = np.clip(depth, SMALLEST_U, 1.0 - SMALLEST_U)
        values = np.full(shape, np.nan)
        for k, there in enumerate(pseudo.present.T):
            ranks, groups = self._ranks[k], self._groups[k]
            codes = pseudo.codes[there, k]
            if not there.any():
                continue
            if ranks is None:
                values[there, k] = codes
            elif groups is None:
                values[there, k] = self._smooth_of(k).ppf(pseudo.u[there, k])
            elif observed:
                values[there, k] = groups.observed(ranks, codes, depth[there, k])
            else:
                values[there, k] = self._piecewise_of(k, groups).ppf(codes, depth[there, k])
        return Table(values, self.columns_)

    @property
    def summary_(self) -> pd.DataFrame:
        """What is known of each column, as a table."""
        check_is_fitted(self)
        known = [
            self._smooth_of(k) if self.smooth is not None and self._has_smooth(k) else None
            for k in range(len(self.columns_))
        ]
        return pd.DataFrame(
            {
                "column": [column.name for column in self.columns_],
                "kind": [column.kind for column in self.columns_],
                "n_rows": self.n_rows_,
                "n_levels": [len(masses) for masses in self.masses_],
                "grouped": self.grouped_,
                "family": [None if m is None else m.name for m in known],
                "parameters": [None if m is None else dict(m.parameters) for m in known],
                "log_likelihood": [np.nan if m is None else m.log_likelihood for m in known],
                "held_out_log_likelihood": [
                    np.nan if m is None else m.held_out_log_likelihood for m in known
                ],
            }
        )

    def _pseudo(self, table: Table, transform_by: str) -> PseudoTable:
        self._check(table)
        if transform_by == "smooth" and self.smooth is None:
            raise InputError(_NO_SMOOTH)
        u = np.full(table.values.shape, np.nan)
        codes = np.full(table.values.shape, -1, dtype=np.int64)
        priority = tie_priority(u.shape, self._tie_seed) if self.ties == "random" else None
        for k, there in enumerate(table.present.T):
            x, ranks, groups = table.values[there, k], self._ranks[k], self._groups[k]
            if ranks is None:
                codes[there, k] = x.astype(np.int64)
            elif groups is not None:
                codes[there, k] = groups.codes(x)
            elif not ranks.values.size:
                u[there, k] = 0.5
            elif transform_by == "smooth" and self._has_smooth(k):
                u[there, k] = np.clip(self._smooth_of(k).cdf(x), SMALLEST_U, 1.0 - SMALLEST_U)
            else:
                u[there, k] = ranks.transform(x, None if priority is None else priority[there, k])
        nominal = np.array([column.kind == "nominal" for column in self.columns_], dtype=bool)
        return PseudoTable(u, codes, self.masses_, nominal, tuple(c.name for c in self.columns_))

    def _has_smooth(self, k: int) -> bool:
        ranks = self._ranks[k]
        return ranks is not None and self.n_rows_[k] >= MIN_ROWS and len(ranks.values) > 1

    def _smooth_of(self, k: int) -> SmoothMarginal:
        """Smooth marginal of a continuous column, fitted when it is first asked for."""
        if self.smooth is None:
            raise InputError(_NO_SMOOTH)
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

    def _piecewise_of(self, k: int, groups: Groups) -> PiecewiseMarginal:
        return PiecewiseMarginal(groups, self._smooth_of(k))

    def _density_of(self, k: int) -> SmoothMarginal | PiecewiseMarginal:
        groups = self._groups[k]
        return self._smooth_of(k) if groups is None else self._piecewise_of(k, groups)

    def _check_parameters(self) -> None:
        check_mixed_ties(self.ties)
        check_smoothing(self.transform_by, self.smooth)

    def _check(self, table: Table) -> None:
        """Refuse a table whose columns are not the fitted ones."""
        check_is_fitted(self)
        if len(table.columns) != len(self.columns_):
            raise InputError(
                f"The table has {len(table.columns)} column(s), but the marginals were fitted on "
                f"{len(self.columns_)}. Give the same columns, in the same order."
            )
        for given, fitted in zip(table.columns, self.columns_, strict=True):
            if given.name != fitted.name:
                raise InputError(
                    f"Column '{given.name}' stands where '{fitted.name}' was when the marginals "
                    "were fitted. Give the same columns, in the same order."
                )
            if given != fitted:
                raise InputError(
                    f"Column '{given.name}' is {_words(given)}, but was {_words(fitted)} when the "
                    "marginals were fitted. Read the table with the kinds and levels of the fit."
                )

    def _restore(self) -> None:
        """Refuse a model file with too many or too few columns."""
        parts: list[Any] = [self.masses_, self.n_rows_, self._ranks, self._groups, self._smooth]
        if any(len(part) != len(self.columns_) for part in parts):
            raise InputError("its MixedMarginals do not have the same number of columns throughout")


_NO_SMOOTH = (
    "These marginals were fitted with smooth=None, so they know ranks and levels only. "
    "Fit again with smooth='auto'."
)


def _words(column: Column) -> str:
    levels = f" with levels {', '.join(map(str, column.levels))}" if column.levels else ""
    return column.kind + levels
