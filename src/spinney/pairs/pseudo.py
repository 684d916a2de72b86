"""What pair densities see of a table: ranks of continuous columns, codes of all others."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney.exceptions import InputError

MIN_COMMON_ROWS = 10
"""Fewest rows that two columns with gaps must have in common to be fitted."""


@dataclass(frozen=True, eq=False)
class PseudoTable:
    r"""Pseudo-observations of columns of several kinds.

    A value of an ordered column with levels stands for the interval between the cumulated masses of
    the levels below it, and the same with its own: :math:`(F(x^-), F(x)]`.

    Attributes
    ----------
    u : array of shape (n, d)
        Continuous columns strictly between 0 and 1. NaN where a value is missing, and in columns
        with levels.
    codes : int array of shape (n, d)
        Positions among the levels, from 0; -1 where a value is missing, and in continuous columns.
    masses : tuple of d arrays
        Probability of each level, none of them zero; empty for continuous columns.
    nominal : bool array of shape (d,)
        Whether a column's levels have no order.
    names : tuple of str
        Names of the columns.

    Examples
    --------
    >>> table = PseudoTable(
    ...     u=np.array([[0.25, np.nan], [np.nan, np.nan], [0.75, np.nan]]),
    ...     codes=np.array([[-1, 0], [-1, 1], [-1, 0]]),
    ...     masses=(np.empty(0), np.array([0.75, 0.25])),
    ...     nominal=np.array([False, False]),
    ...     names=("a", "b"),
    ... )
    >>> table.present.all(axis=1)
    array([ True, False,  True])
    """

    u: Floats
    codes: Ints
    masses: tuple[Floats, ...]
    nominal: Bools
    names: tuple[str, ...]

    @classmethod
    def of_ranks(cls, u: Floats, names: tuple[str, ...]) -> PseudoTable:
        """Return continuous columns without gaps."""
        d = u.shape[1]
        empty = tuple(np.empty(0) for _ in range(d))
        return cls(u, np.full(u.shape, -1), empty, np.zeros(d, dtype=bool), names)

    def __len__(self) -> int:
        return len(self.u)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def n_levels(self) -> Ints:
        """Levels of each column; none where it is continuous."""
        return np.array([len(mass) for mass in self.masses], dtype=np.int64)

    @property
    def present(self) -> Bools:
        """Which values are there, shape (n, d)."""
        return (self.codes >= 0) | ~np.isnan(self.u)

    @property
    def is_plain(self) -> bool:
        """Whether all columns are continuous, and nothing is missing."""
        return not self.n_levels.any() and not np.isnan(self.u).any()

    def take(self, rows: ArrayLike) -> PseudoTable:
        """Return some rows; masses stay those of the whole table."""
        rows = np.asarray(rows)
        return PseudoTable(self.u[rows], self.codes[rows], self.masses, self.nominal, self.names)


def draw_folds(n: int, n_folds: int, random_state: int | np.random.Generator | None) -> Ints:
    """Assign rows to folds at random, of sizes as equal as possible.

    Examples
    --------
    >>> draw_folds(5, 2, random_state=0).tolist()
    [0, 0, 1, 0, 1]
    """
    return read_random_state(random_state).permutation(np.arange(n) % n_folds)


def check_selection(criterion: object, cv: Any, margin: Any) -> None:
    """Refuse wrong choices of how the density of a pair is selected."""
    if criterion not in ("cv", "aic", "bic"):
        raise InputError(f"criterion must be 'cv', 'aic' or 'bic', got {criterion!r}.")
    if not isinstance(cv, Integral) or cv < 2:
        raise InputError(f"cv must be a number of folds of at least 2, got {cv!r}.")
    if not margin >= 0:
        raise InputError(f"margin must be zero or positive, got {margin!r}.")
