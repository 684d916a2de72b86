r"""How many rows a precision needs, and which rows of a long table are learned from.

Of m independent rows, the correlation of two independent columns (of values, ranks or normal
scores) has the standard error :math:`1 / \sqrt{m - 1}`, whatever the columns are distributed like,
since that holds over all orders of the rows [1]_; Kendall's tau has about two thirds of it.
Correlations that are not zero are known better. So a precision tells how many rows are enough, and
rows beyond them are read to settle what the columns are, but need not be learned from.

References
----------
.. [1] E. J. G. Pitman (1937). Significance tests which may be applied to samples from any
   populations. II. The correlation coefficient test. Supplement to the Journal of the Royal
   Statistical Society 4, 225-232.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError

Rows = NDArray[np.intp]
RowsToUse = int | Literal["all"] | None

MOST_ROWS = 20_000
"""Rows that a graph is learned from by default; docs/large-tables.md gives the reasons."""
FEWEST_ROWS = 10
"""Fewest rows that may be asked for; a pair with fewer is not judged."""
COARSEST = 0.33
"""Largest precision that may be asked for: it needs eleven rows."""


@dataclass(frozen=True)
class Drawn:
    """A record that a table is a random part of a longer one.

    Attributes
    ----------
    n_rows : int
        Rows that were drawn, without replacement.
    n_whole : int
        Rows of the table that they were drawn from.
    seed : int
        Of the draw.

    Examples
    --------
    >>> Drawn(40_000, 1_000_000, 0).sentence()
    'Evidence from 40,000 of 1,000,000 rows, drawn at random with seed 0: a correlation is known to
    ±0.005.'
    """

    n_rows: int
    n_whole: int
    seed: int

    def sentence(self) -> str:
        """Say how many rows were drawn, and how precise they are."""
        return (
            f"Evidence from {self.n_rows:,} of {self.n_whole:,} rows, drawn at random with seed "
            f"{self.seed}: a correlation is known to ±{correlation_error(self.n_rows):.1g}."
        )


def correlation_error(m: int) -> float:
    r"""Return the standard error of a correlation of independent columns: :math:`1 / \sqrt{m - 1}`.

    Examples
    --------
    >>> round(correlation_error(10_001), 6)
    0.01
    """
    return 1.0 / sqrt(m - 1)


def rows_for(precision: float) -> int:
    """Count the rows from which a correlation is known to `precision`, as a standard error.

    Examples
    --------
    >>> rows_for(0.01), rows_for(0.001)
    (10001, 1000001)
    """
    # A little less, so that 0.01 does not need one row more than it would without rounding.
    return ceil((1.0 - 1e-12) / precision**2) + 1


def check_rows(rows: Any, precision: Any) -> None:
    """Refuse impossible numbers of rows and precisions, and both at once.

    Examples
    --------
    >>> check_rows(None, 1.5)
    Traceback (most recent call last):
    spinney.exceptions.InputError: precision must be a number between 0 and 0.33, such as 0.01, not
    1.5.
    """
    if rows is not None and precision is not None:
        raise InputError("Give rows or precision, not both: either settles the number of rows.")
    if precision is not None:
        sound = isinstance(precision, int | float | np.number) and not isinstance(precision, bool)
        if not sound or not 0.0 < float(precision) <= COARSEST:
            raise InputError(
                f"precision must be a number between 0 and {COARSEST}, such as 0.01, not "
                f"{precision!r}."
            )
    if rows is None or (isinstance(rows, str) and rows == "all"):
        return
    whole = isinstance(rows, int | np.integer) and not isinstance(rows, bool)
    if not whole or rows < FEWEST_ROWS:
        raise InputError(
            f"rows must be a whole number from {FEWEST_ROWS} on, or 'all', not {rows!r}."
        )


def rows_to_use(n: int, rows: RowsToUse = None, precision: float | None = None) -> int:
    """Say how many of n rows are learned from.

    Parameters
    ----------
    n : int
        Rows of the table.
    rows : int or "all", optional
        How many to use. By default at most :data:`MOST_ROWS`.
    precision : float, optional
        In its place, the standard error that a correlation near 0 may have.

    Examples
    --------
    >>> rows_to_use(1_000_000), rows_to_use(1_000_000, precision=0.005), rows_to_use(500)
    (20000, 40001, 500)
    """
    if isinstance(rows, str):
        return n
    if rows is not None:
        return min(n, int(rows))
    if precision is not None and precision**2 * n < 0.5:  # not divided by, since it may be zero
        return n
    return min(n, MOST_ROWS if precision is None else rows_for(float(precision)))


def draw_rows(n: int, m: int, seed: int, part: int = 0) -> Rows:
    """Draw m of n rows without replacement, in rising order; all of them if n is at most m.

    The rows depend on n, m, the seed and the part alone, not on how a table is read.

    Examples
    --------
    >>> draw_rows(1_000_000, 3, seed=0)
    array([516216, 578698, 905549])
    >>> draw_rows(4, 9, seed=0)
    array([0, 1, 2, 3])
    """
    if m >= n:
        return np.arange(n)
    # The first number separates this draw from others with the same seed.
    rng = np.random.default_rng([0x726F7773, seed, part])
    return np.sort(rng.choice(n, m, replace=False, shuffle=False)).astype(np.intp)


def draw_groups(
    groups: dict[str, Rows], rows: RowsToUse, precision: float | None, seed: int
) -> dict[str, Rows]:
    """Draw from each group separately, as many rows as from a table of its size.

    Examples
    --------
    >>> drawn = draw_groups({"a": np.arange(100), "b": np.arange(100, 112)}, 20, None, seed=0)
    >>> [len(own) for own in drawn.values()]
    [20, 12]
    """
    return {
        name: own[draw_rows(own.size, rows_to_use(own.size, rows, precision), seed, part=k + 1)]
        for k, (name, own) in enumerate(groups.items())
    }
