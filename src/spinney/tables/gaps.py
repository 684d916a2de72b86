"""Gaps: how many rows each pair of columns has, and gaps that depend on other columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import average_ranks
from spinney._core.pairs import to_pairs
from spinney._core.text import counted, listed
from spinney.notices import Notice
from spinney.tables.table import Table

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEVEL = 0.01
"""Largest chance that a table whose gaps depend on nothing gets a warning."""
FEWEST_IN_GROUP = 5
"""Rows with, and rows without, a gap below which no test is made; also the smallest count that is
expected of a level beside a gap, below which it is joined to another."""


MOST_NAMED = 3
"""Columns with dependent gaps that a message names."""


class InformativeGap(NamedTuple):
    """A column whose gaps depend on the values of another."""

    column: str
    depends_on: str
    p: float


def common_rows(table: Table) -> NDArray[np.int64]:
    """Count the rows in which both values of each pair are present.

    Returns
    -------
    int array of shape (n_pairs,)
        In the order of ``np.triu_indices(d, 1)``.

    Examples
    --------
    >>> from spinney.tables import Column
    >>> columns = tuple(Column(name, "continuous") for name in "abc")
    >>> values = np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan], [5.0, 6.0, 7.0]])
    >>> common_rows(Table(values, columns))
    array([2, 1, 1])
    """
    present = table.present.astype(float)  # the product is fast in floats, and counts are exact
    return to_pairs(present.T @ present).astype(np.int64)


def informative_gaps(table: Table, level: float = LEVEL) -> list[InformativeGap]:
    r"""Find columns whose missing values depend on another column.

    For each column with missing values and each other column, the other's values in rows with a
    missing value are compared with those in the rows without: by the rank test of Mann and Whitney
    [1]_ (normal approximation with correction for ties and continuity) if they have an order, by
    :math:`\chi^2` if they are nominal, where levels of which fewer than five are expected are
    joined to the rarest of the others [2]_. P-values are adjusted over all these tests as Holm
    does [3]_.

    Returns
    -------
    list of InformativeGap
        Those with an adjusted p-value of at most `level`, smallest first.

    References
    ----------
    .. [1] H. B. Mann and D. R. Whitney (1947). On a test of whether one of two random variables
       is stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.
    .. [2] W. G. Cochran (1954). Some methods for strengthening the common chi-squared tests.
       Biometrics 10, 417-451.
    .. [3] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from spinney.tables import Column
    >>> z = np.linspace(-1.0, 1.0, 50)
    >>> values = np.column_stack([np.where(z < 0.5, np.cos(9 * z), np.nan), z])
    >>> columns = (Column("x", "continuous"), Column("z", "continuous"))
    >>> [(gap.column, gap.depends_on) for gap in informative_gaps(Table(values, columns))]
    [('x', 'z')]
    """
    gaps = np.isnan(table.values)
    holed = np.flatnonzero(
        (gaps.sum(axis=0) >= FEWEST_IN_GROUP) & ((~gaps).sum(axis=0) >= FEWEST_IN_GROUP)
    )
    if not holed.size:
        return []
    p = np.empty((holed.size, len(table.columns)))
    p[:, ~table.nominal] = _compare_ranks(table.values[:, ~table.nominal], gaps[:, holed])
    for k in np.flatnonzero(table.nominal):
        there = ~gaps[:, k]
        p[:, k] = _compare_shares(table.values[there, k], gaps[np.ix_(there, holed)])
    p[np.arange(holed.size), holed] = np.nan
    adjusted = np.full(p.shape, np.nan)
    adjusted[~np.isnan(p)] = _holm(p[~np.isnan(p)])
    found = [
        InformativeGap(table.names[holed[row]], table.names[k], float(adjusted[row, k]))
        for row, k in np.argwhere(adjusted <= level)  # NaN is not
    ]
    return sorted(found, key=lambda gap: gap.p)


def gaps_that_depend(table: Table) -> Notice | None:
    """Name the columns whose gaps depend on other columns, if any."""
    strongest: dict[str, InformativeGap] = {}
    for gap in informative_gaps(table):
        strongest.setdefault(gap.column, gap)
    if not strongest:
        return None
    found = list(strongest.values())
    causes = [gap.depends_on for gap in found]
    p, more = found[0].p, len(found) - MOST_NAMED
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.1g}"
    of, on, cause = f" of '{found[0].column}'", f"on '{causes[0]}'", f"'{causes[0]}'"
    if len(found) > 1:
        parts = [f"in '{gap.column}' on '{gap.depends_on}'" for gap in found[:MOST_NAMED]]
        parts += [f"likewise in {counted(more, 'more column')}"] if more > 0 else []
        of, on, cause = "", listed(parts), "such a cause"
    text = (
        f"Values{of} are not missing at random: whether they are missing depends {on} ({chance}). "
        f"Doubt edges between columns that both depend on {cause}."
    )
    return Notice("gaps-depend", text, columns=tuple(strongest), facts={"depend_on": causes})


def _compare_ranks(values: Floats, missing: Bools) -> Floats:
    """P-values of the two-sided Mann-Whitney test, one for each column of both; NaN: no test."""
    from scipy.special import ndtr  # imported where it is used: reading a table needs no scipy

    there = ~np.isnan(values)
    # Sums over rows as products of matrices: ranks are zero where there is no value.
    marked, present = missing.astype(float), there.astype(float)
    ranks = np.where(there, average_ranks(values), 0.0)
    ties = np.array([_count_ties(column) for column in values.T])
    n = present.sum(axis=0)
    n_missing = marked.T @ present
    n_there = n - n_missing
    u = marked.T @ ranks - n_missing * (n_missing + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(n_missing * n_there / 12 * (n + 1 - ties / (n * (n - 1))))
        z = (np.abs(u - n_missing * n_there / 2) - 0.5) / spread
    p = np.minimum(2 * ndtr(-z), 1.0)
    few = (np.minimum(n_missing, n_there) < FEWEST_IN_GROUP) | ~(spread > 0)
    return np.where(few, np.nan, p)


def _count_ties(values: Floats) -> float:
    """Sum of t^3 - t over groups of t equal values."""
    counts = np.unique(values[~np.isnan(values)], return_counts=True)[1].astype(float)
    return float((counts**3 - counts).sum())


def _compare_shares(values: Floats, missing: Bools) -> Floats:
    """P-values of the chi-squared test for levels beside gaps, one for each column of `missing`."""
    from scipy.special import chdtrc

    codes = values.astype(np.int64)
    n_levels = int(codes.max(initial=-1)) + 1
    totals = np.bincount(codes, minlength=n_levels).astype(float)
    p = np.full(missing.shape[1], np.nan)
    for k, gaps in enumerate(missing.T):
        n, n_missing = len(gaps), int(gaps.sum())
        smaller = min(n_missing, n - n_missing)
        if smaller < FEWEST_IN_GROUP:
            continue
        group = _join_rare(totals, totals * smaller / n < FEWEST_IN_GROUP)
        all_rows = np.bincount(group, totals)
        if len(all_rows) < 2:
            continue
        observed = np.bincount(group[codes[gaps]], minlength=len(all_rows))
        expected = all_rows * n_missing / n
        statistic = ((observed - expected) ** 2 * (1 / expected + 1 / (all_rows - expected))).sum()
        p[k] = chdtrc(len(all_rows) - 1, statistic)
    return p


def _join_rare(totals: Floats, rare: Bools) -> NDArray[np.int64]:
    """Return a group number for each level; rare levels join the rarest of the others."""
    common = np.flatnonzero(~rare)
    group = np.zeros(len(totals), dtype=np.int64)
    if common.size:
        group[common] = np.arange(common.size)
        group[rare] = group[common[np.argmin(totals[common])]]
    return group


def _holm(p: Floats) -> Floats:
    """Adjust p-values for their number, step by step (Holm 1979)."""
    order = np.argsort(p)
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
