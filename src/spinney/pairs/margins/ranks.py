"""Pseudo-observations by ranks, and the empirical distribution that gives them to new rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spinney._core.storable import storable
from spinney.exceptions import DataWarning, InputError
from spinney.pairs.margins._containers import like
from spinney.tables import Table, check_table

__all__ = ["EmpiricalRanks", "Ties", "check_ties", "pseudo_observations", "tie_priority"]

Ties = Literal["average", "random"]
RandomState = int | np.random.Generator | None


def pseudo_observations(X: Any, ties: Ties = "average", random_state: RandomState = 0) -> Any:
    r"""Replace each value by its rank in its column, divided by n + 1.

    .. math:: u_{ij} = \frac{\operatorname{rank}(x_{ij} \mid x_{1j}, \dots, x_{nj})}{n + 1}

    Dividing by n + 1 keeps the result strictly inside (0, 1), where copula densities are finite.

    Parameters
    ----------
    X : data frame or array-like of shape (n, d)
        The table; at least 4 rows, finite numbers, no constant column.
    ties : {"average", "random"}
        ``"average"``: equal values share the mean of their ranks, which keeps the result a
        function of the table alone, but leaves steps in it; not for columns with few distinct
        values. ``"random"``: equal values are put in
        random order, which keeps the margins uniform and weakens dependence a little.
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
    check_ties(ties)
    table = check_table(X)
    warn_of_heavy_ties(table, ties)
    n = len(table.values)
    if ties == "average":
        ranks = stats.rankdata(table.values, axis=0)
    else:
        priority = tie_priority(table.values.shape, random_state)
        order = np.lexsort((priority, table.values), axis=0)
        ranks = np.empty(order.shape)
        np.put_along_axis(ranks, order, np.arange(1.0, n + 1.0)[:, None], axis=0)
    return like(ranks / (n + 1), X)


@storable("EmpiricalRanks")
@dataclass(frozen=True, eq=False)
class EmpiricalRanks:
    """The distribution function of one column, as ranks.

    Attributes
    ----------
    values : array
        The distinct values, ascending.
    counts : array
        How often each stands in the column.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.intp]

    @classmethod
    def fit(cls, x: NDArray[np.float64]) -> EmpiricalRanks:
        """Read the distinct values of a column and their counts."""
        values, counts = np.unique(x, return_counts=True)
        return cls(values, counts)

    def transform(
        self, x: NDArray[np.float64], priority: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Give ``rank / (n + 1)``: exact on fitted values, interpolated linearly between them.

        Beyond the fitted range the result stays that of the nearest fitted value, so that it lies
        strictly inside (0, 1). With `priority`, rows that meet the same tied value are spread
        over its ranks in the order of their priority; on the fitted column that hands out each
        rank exactly once.
        """
        last = np.cumsum(self.counts)
        middle = last - (self.counts - 1) / 2.0
        x = np.clip(x, self.values[0], self.values[-1])
        hit = np.searchsorted(self.values, x)
        below = np.maximum(hit - 1, 0)
        # Halves, because the difference of two large numbers of unlike sign may overflow.
        gap = self.values[hit] / 2.0 - self.values[below] / 2.0
        way = x / 2.0 - self.values[below] / 2.0
        share = np.divide(way, gap, where=gap > 0.0, out=np.zeros_like(x))
        exact = self.values[hit] == x
        rank = middle[below] + share * (middle[hit] - middle[below])
        rank[exact] = middle[hit[exact]]
        if priority is not None:
            tied = np.flatnonzero(exact & (self.counts[hit] > 1))
            rank[tied] = self._spread(hit[tied], last, priority[tied])
        return np.asarray(rank / (last[-1] + 1.0))

    def _spread(
        self, group: NDArray[np.intp], last: NDArray[np.intp], priority: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Spread rows over the ranks of the tied value that each of them met."""
        order = np.lexsort((priority, group))
        ordered = group[order]
        start = np.searchsorted(ordered, ordered)
        size = np.searchsorted(ordered, ordered, side="right") - start
        place = (np.arange(len(ordered)) - start + 0.5) * (self.counts[ordered] / size) + 0.5
        ranks = np.empty(len(ordered))
        ranks[order] = last[ordered] - self.counts[ordered] + place
        return ranks


def check_ties(ties: object) -> None:
    """Refuse a rule for ties that does not exist."""
    if ties not in ("average", "random"):
        raise InputError(f"ties must be 'average' or 'random', not {ties!r}.")


def tie_priority(shape: tuple[int, ...], random_state: RandomState) -> NDArray[np.float64]:
    """Draw the numbers by which ties are put in order."""
    return np.random.default_rng(random_state).random(shape)


FEW_ROWS = 30
"""Fewer rows than these cannot show false dependence, and two equal ones are no lattice."""

MOST_TIES = 0.1
"""Share of tied pairs of rows (ten equally frequent values) up to which average ranks are safe.

Measured: with 500 rows of independent columns, PairCopulas leaves 83 % of all pairs independent at
ten values, 68 % at seven and none at four; with random ranks it is 80 to 90 % throughout.
"""


def warn_of_heavy_ties(table: Table, ties: Ties) -> None:
    """Warn where so many rows tie that average ranks form a lattice.

    On a lattice a copula density can exceed 1 at every point that occurs, so that independent
    columns look dependent.
    """
    if ties != "average" or len(table.values) < FEW_ROWS:
        return
    share = np.array([_tied_share(column) for column in np.sort(table.values, axis=0).T])
    heavy = np.flatnonzero(share > MOST_TIES)
    if heavy.size:
        k = int(heavy[0])
        others = f" (and {heavy.size - 1} more)" if heavy.size > 1 else ""
        distinct = np.unique(table.values[:, k]).size
        warnings.warn(
            f"Column '{table.names[k]}'{others} has {distinct} distinct values, and {share[k]:.0%} "
            "of all pairs of its rows tie. Average ranks then make independent columns look "
            "dependent. Use ties='random', or leave it out.",
            DataWarning,
            stacklevel=3,
        )


def _tied_share(ascending: NDArray[np.float64]) -> float:
    """Share of all pairs of rows that tie in a sorted column."""
    n = len(ascending)
    starts = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    counts = np.diff(np.concatenate([[0], starts, [n]]))
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))
