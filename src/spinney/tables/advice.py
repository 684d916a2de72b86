"""What a user should know about a table before learning from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.arrays import Bools, Floats, average_ranks
from spinney._core.pairs import n_pairs, to_pairs
from spinney._core.text import counted, listed
from spinney.notices import Notice, warn
from spinney.tables.columns import frame_of
from spinney.tables.relations import FOLLOWS
from spinney.tables.table import LeftOut, Table, decode, left_out_words, reasons_of

EXACT_UP_TO = 50
"""Rows up to which the distribution of Kendall's tau is computed, not approximated."""
FEWEST = 4
"""Rows and columns below which nothing is checked."""
FEWEST_IN_GROUP = 5
"""Rows with, and rows without, a gap below which no test is made; also the smallest count of a
level that is expected in each of them, below which it is not tested."""


def warn_of_table(table: Table, X: Any) -> None:
    """Warn of columns left out, values missing by other columns, and few rows.

    `X` is what the table was read from: row names help to see whether it is transposed.
    """
    found = (gaps_that_depend(table), few_rows(table), looks_transposed(X))
    for notice in (*columns_left_out(table), *found):
        if notice is not None:
            warn(notice, stacklevel=5)


def columns_left_out(table: Table) -> list[Notice]:
    """Name the columns that were left out: units and columns that follow from others by themselves.

    Examples
    --------
    >>> from spinney.tables import LeftOut
    >>> left = (LeftOut("a", "constant", "is constant"),)
    >>> print(*columns_left_out(Table(np.zeros((1, 0)), (), left)))
    1 column is left out: 'a' is constant.
    """
    found = []
    for name, reason in ((c.name, c.reason) for c in table.left_out if c.code == "unit"):
        text = (
            f"'{name}' {reason}, such as a patient, so spinney left it out. If it is one, say "
            f"unit={name!r}, which reduces the effective sample size. If it is a variable, give "
            "its kind in kind={...}."
        )
        found.append(Notice("units-unnamed", text, columns=(name,)))
    follow = [column for column in table.left_out if column.code in FOLLOWS]
    others = [column for column in table.left_out if column.code not in {"unit", *FOLLOWS}]
    if follow:
        found.append(follows(follow))
    if others:
        reasons, advice = left_out_words(others)
        verb = "columns are" if len(others) > 1 else "column is"
        text = f"{len(others)} {verb} left out: {reasons}.{advice}"
        found.append(Notice("columns-left-out", text, columns=tuple(c.name for c in others)))
    return found


def follows(columns: Sequence[LeftOut], *, kept: bool = False) -> Notice:
    """Say which columns follow from others, whether they are left out or `kept`."""
    reasons = reasons_of(columns, 6)
    if kept:
        text = (
            f"{reasons}. So the edges of these columns show only this arithmetic. Leave one column "
            "of each relation out."
        )
    else:
        text = (
            f"Left out, because they follow from other columns: {reasons}. To keep such a column, "
            "give its kind in kind={...}."
        )
    if any(column.code == "rest" for column in columns):
        text += " The others are still parts of one whole, which alone makes them fall as others "
        text += "rise; logarithms of their ratios avoid that."
    return Notice("columns-follow", text, columns=tuple(column.name for column in columns))


def smallest_tau(n: int, tests: int, level: float = 0.05) -> float | None:
    r"""Return the smallest Kendall's tau that can be distinguished from chance.

    It is the smallest :math:`\tau` of `n` rows without ties for which a two-sided test of
    independence has a p-value of at most `level` over the number of `tests` (Bonferroni). Up to
    50 rows the test is exact: all orders are equally likely, and the number of orders with k
    inversions is the coefficient of :math:`q^k` in :math:`\prod_{i=1}^n (1 + q + … + q^{i-1})`
    [1]_. Beyond, :math:`\tau` is taken as normal with variance :math:`2(2n+5) / (9n(n-1))`.

    Returns
    -------
    float or None
        None if not even two columns in the same order could be distinguished from chance.

    References
    ----------
    .. [1] M. G. Kendall (1938). A new measure of rank correlation. Biometrika 30, 81-93.

    Examples
    --------
    >>> round(smallest_tau(20, 45), 2), round(smallest_tau(500, 45), 2)
    (0.52, 0.1)
    >>> smallest_tau(5, 45) is None
    True
    """
    alpha = level / tests
    if n < 2:
        return None
    if n > EXACT_UP_TO:
        from scipy.special import ndtri  # imported where it is used: reading a table needs no scipy

        tau = float(-ndtri(alpha / 2) * np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))))
    else:
        chance = np.ones(1)  # of each number of inversions in a random order
        for i in range(2, n + 1):
            chance = np.convolve(chance, np.full(i, 1.0 / i))
        # Probability of at most k inversions, or of at most k pairs that are not inverted.
        most = int(np.searchsorted(2 * np.cumsum(chance), alpha, side="right")) - 1
        tau = 1.0 - 4.0 * most / (n * (n - 1))  # beyond 1 if not even the rarest is rare enough
    return tau if tau <= 1.0 else None


def few_rows(table: Table) -> Notice | None:
    """Say what to expect from a table with few rows; None if there are enough.

    Few are fewer than 30, or fewer than a tenth of the columns. Where values are missing, rows are
    those that a pair has in common, in the median.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> print(few_rows(read_table(np.random.default_rng(0).normal(size=(12, 10)))))
    12 rows are few for 45 pairs of columns: only a Kendall's tau of at least 0.70 can be
    distinguished from chance (5 % over all pairs). Expect only the strongest edges, or collect more
    rows.
    """
    n, d = table.values.shape
    if d < 2:
        return None
    if table.has_gaps:
        n = int(np.median(common_rows(table)))
    if n >= 30 and d <= 10 * n:
        return None
    count = n_pairs(d)
    tau = smallest_tau(n, count)
    what, expect = "not even two columns in the same order can be distinguished from", "no edges"
    if tau is not None:
        what = f"only a Kendall's tau of at least {tau:.2f} can be distinguished from"
        expect = "only the strongest edges"
    text = (
        f"{n} rows{' in common (the median of all pairs)' if table.has_gaps else ''} are few for "
        f"{counted(count, 'pair')} of columns: {what} chance (5 % over all pairs). Expect {expect}"
        ", or collect more rows."
    )
    return Notice("rows-few", text)


def looks_transposed(X: Any) -> Notice | None:
    """Ask whether the variables are in the rows; None if nothing suggests it.

    In a transposed table the columns are samples: they have one unit, and rise and fall together
    from one variable to the next. So a question is asked if

    - there are at least ten times as many columns of numbers as rows; or the rows have names (text
      that never repeats, not merely numbered), and there are twice as many, or they are merely
      numbered ("sample 1", "sample 2", …);
    - these columns have a median Spearman correlation beyond 0.8, while that of the rows is not (in
      spectra and other curves both are); and
    - they are on one scale: the median of each lies in the middle half of all values.

    Parameters
    ----------
    X : data frame, array, or Table
        The table. Names of rows are its index, or its only column of text.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> people = pd.DataFrame(rng.normal([170, 70, 40, 120], 5, size=(80, 4)))
    >>> looks_transposed(people) is None
    True
    >>> print(looks_transposed(people.T))
    Are the variables in the rows? The table has 4 rows and 80 columns, which rise and fall together
    (median rank correlation 1.00) on one scale. If each column is a sample, transpose it with X.T.
    """
    table = decode(X) if isinstance(X, Table) else frame_of(X)
    numbers = table.select_dtypes("number")
    others = table.drop(columns=numbers.columns)
    n, d = numbers.shape
    if min(n, d) < FEWEST or others.shape[1] > 1:
        return None
    names = pd.Index(others.iloc[:, 0]) if others.shape[1] else table.index
    words = names.is_unique and all(isinstance(name, str) for name in names)
    named = words and len(_without_numbers(names)) > 1
    several = d >= 2 * n or len(_without_numbers(numbers.columns)) == 1
    if d < 10 * n and not (named and several):
        return None
    values = numbers.to_numpy(dtype=float)
    together = _median_correlation(values)
    if together <= 0.8 or not _on_one_scale(values) or _median_correlation(values.T) > 0.8:
        return None
    text = (
        f"Are the variables in the rows? The table has {n} rows and {table.shape[1]} columns, "
        f"which rise and fall together (median rank correlation {together:.2f}) on one scale. If "
        "each column is a sample, transpose it with X.T."
    )
    return Notice("table-transposed", text)


def _without_numbers(names: pd.Index[Any]) -> set[str]:
    """Return what is left of names without the numbers at their ends."""
    return {re.sub(r"[\s_.:-]*\d+$", "", str(name)) for name in names}


def _some(count: int) -> NDArray[np.int64]:
    """Choose forty positions, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, 40).astype(np.int64))


def _median_correlation(values: Floats) -> float:
    """Median Spearman correlation of some columns."""
    sample = pd.DataFrame(values[:, _some(values.shape[1])])
    matrix = sample.corr(method="spearman", min_periods=FEWEST).to_numpy()
    median = pd.Series(matrix[np.triu_indices(len(matrix), 1)]).median()
    return 0.0 if np.isnan(median) else median


def _on_one_scale(values: Floats) -> bool:
    """Whether the median of each column lies in the middle half of all values."""
    some = pd.DataFrame(values[:, _some(values.shape[1])])
    low, high = np.nanquantile(some, [0.25, 0.75])
    return bool(some.median().dropna().between(low, high).all())


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


def informative_gaps(table: Table, level: float = 0.01) -> list[InformativeGap]:
    r"""Find columns whose missing values depend on another column.

    For each column with missing values and each other column, the other's values in rows with a
    missing value are compared with those in the rows without: by the rank test of Mann and Whitney
    [1]_ (normal approximation with correction for ties and continuity) if they have an order, by
    the same test of each level against all others, times their number, if they are nominal; levels
    of which fewer than five are expected beside a gap are left out. P-values are adjusted over all
    columns as Holm does [2]_.

    Returns
    -------
    list of InformativeGap
        Those with an adjusted p-value of at most `level`, smallest first.

    References
    ----------
    .. [1] H. B. Mann and D. R. Whitney (1947). On a test of whether one of two random variables
       is stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.
    .. [2] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
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
    counts = gaps.sum(axis=0)
    holed = np.flatnonzero(np.minimum(counts, len(gaps) - counts) >= FEWEST_IN_GROUP)
    if not holed.size:
        return []
    p = np.empty((holed.size, len(table.columns)))
    p[:, ~table.nominal] = _compare_ranks(table.values[:, ~table.nominal], gaps[:, holed])
    for k in np.flatnonzero(table.nominal):
        p[:, k] = _compare_levels(table.values[:, k], gaps[:, holed])
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
    p = found[0].p
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.1g}"
    parts = [f"whether '{gap.column}' is missing depends on '{gap.depends_on}'" for gap in found]
    text = (
        f"Values are not missing at random: {listed(parts, most=3)} ({chance}). Doubt "
        "edges between columns that both depend on such a cause."
    )
    causes = [gap.depends_on for gap in found]
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


def _compare_levels(values: Floats, missing: Bools) -> Floats:
    """Compare each level with all others, as often as there are enough rows of it."""
    present = ~np.isnan(values)
    here, gaps = values[present, None] == np.unique(values[present]), missing[present]
    share = gaps.mean(axis=0)
    often = np.outer(np.minimum(share, 1.0 - share), here.sum(axis=0)) >= FEWEST_IN_GROUP
    p = np.where(often, _compare_ranks(here.astype(float), gaps), np.nan)
    return np.minimum(np.fmin.reduce(p, axis=1) * often.sum(axis=1), 1.0)


def _holm(p: Floats) -> Floats:
    """Adjust p-values for their number, step by step (Holm 1979)."""
    order = np.argsort(p)
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
