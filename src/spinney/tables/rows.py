r"""What rows stand for: units that they belong to, weights, and copies of other rows.

A row of weight w counts as w equal rows. Weights are brought to whole numbers, and rows are
repeated so often; the repeats of one row are a unit (:mod:`spinney.scores.dependent_rows`). So all
ranks, correlations and other evidence are weighted, and rows count as

.. math:: \left(\sum w\right)^2 / \sum w^2

independent ones [1]_, because the repeats of a row are wholly alike.

References
----------
.. [1] L. Kish (1965). Survey sampling. Wiley.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.arrays import Floats
from spinney._core.choices import column_position
from spinney._core.text import counted, per_cent
from spinney.exceptions import InputError
from spinney.notices import Level, Notice, warn
from spinney.tables.columns import frame_of
from spinney.tables.table import Table, decode
from spinney.tables.table_file import TableFile

PER_ROW, FEWEST, MOST = 10, 2_000, 40_000
"""Rows that each row is repeated to on average, and bounds on all of them."""


def split_column(X: Any, given: Any, what: str) -> tuple[Any, str, pd.Series[Any]]:
    """Take out of a table a column that is not learned from, named or given by its values.

    Parameters
    ----------
    X : as in :func:`spinney.tables.read_table`
        The table.
    given : name or position of a column, or one value for each row
        The column.
    what : str
        The parameter that gives it, and the name of values that have none.

    Returns
    -------
    table, name, values
        The other columns, the name of the column, and a value for each row.
    """
    frame = decode(X) if isinstance(X, Table) else frame_of(X)
    own = [str(name) for name in frame]
    if not isinstance(given, str | int | np.integer):
        values = given if isinstance(given, pd.Series) else pd.Series(list(given))
        if len(values) != len(frame):
            raise InputError(
                f"{what}= takes the name of a column, or one value for each of the {len(frame):,} "
                f"rows; it has {len(values):,} entries."
            )
        name = what if values.name is None else str(values.name)
        others = X if isinstance(X, Table | TableFile) else frame
        return others, name, values.reset_index(drop=True)
    known = [*own, *getattr(X, "aside", ())]
    name = known[column_position(given, known, what)]
    rest = [other for other in own if other != name]
    if isinstance(X, TableFile):
        return X.select(rest), name, X.column(name)
    if isinstance(X, Table):
        table = X.take_columns([own.index(other) for other in rest])
        return replace(table, drawn=X.drawn, left_out=X.left_out), name, frame[name]
    return frame[rest], name, frame[name]


def split_units(X: Any, unit: Any) -> tuple[Any, NDArray[np.int64] | None]:
    """Separate the column with the unit of each row from the other columns of a table.

    Rows without a unit are units of their own.

    Parameters
    ----------
    X : as in :func:`spinney.tables.read_table`
        The table. One that has been read with its units is left as it is.
    unit : name or position of a column, one label for each row, or None
        What each row belongs to.

    Returns
    -------
    table, codes
        The other columns, and a number for each row; None without units.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1.5, 2.5, 0.5], "y": [1.0, 2.0, 3.0], "who": list("bab")})
    >>> rest, codes = split_units(frame, "who")
    >>> list(rest), codes
    (['x', 'y'], array([0, 1, 0]))
    """
    if unit is None or (isinstance(X, Table) and X.units is not None):
        return X, None
    X, name, labels = split_column(X, unit, "unit")
    codes, n_alone = number_units(labels)
    if n_alone:
        few = f"{n_alone:,} of {len(codes):,} rows have no value in '{name}'"
        text = f"{few}, so each is a unit of its own."
        warn(Notice("units-missing", text, columns=(name,)), 4)
    return X, codes


def number_units(labels: pd.Series[Any]) -> tuple[NDArray[np.int64], int]:
    """Give each unit a number, and count the rows without one: each is one of its own."""
    codes = pd.factorize(np.asarray(labels.astype(object)))[0].astype(np.int64)
    alone = np.flatnonzero(codes < 0)
    codes[alone] = codes.max() + 1 + np.arange(alone.size)
    return codes, alone.size


def split_weights(X: Any, weights: Any) -> tuple[Any, Floats | None]:
    """Take out of a table the column with the weight of each row.

    Parameters
    ----------
    X : as in :func:`spinney.tables.read_table`
        The table. One whose rows were repeated is left as it is.
    weights : name or position of a column, one number for each row, or None
        The weights.

    Raises
    ------
    InputError
        If a weight is missing, negative or no number, or if all are zero.
    """
    if weights is None or (isinstance(X, Table) and X.weighted):
        return X, None
    X, name, labels = split_column(X, weights, "weights")
    try:
        found = np.asarray(labels, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"'{name}' holds weights, so it must hold numbers alone.") from None
    bad = np.flatnonzero(~np.isfinite(found) | (found < 0.0))
    if bad.size:
        raise InputError(
            f"Weights must be numbers from 0 up; {bad.size:,} of {found.size:,} in '{name}' are "
            f"not (first: row {bad[0] + 1}). Give these rows a weight, or leave them out."
        )
    if not found.any():
        raise InputError(f"All weights in '{name}' are 0, so no row counts. Name another column.")
    return X, found


def times_of(weights: Floats) -> NDArray[np.int64]:
    """How often each row is repeated.

    Whole numbers are divided by what they have in common. Others are scaled to ten for each row on
    average and rounded, so that their sum is right.

    Examples
    --------
    >>> times_of(np.array([2.0, 4.0, 0.0, 6.0])), times_of(np.array([0.7, 0.7]))
    (array([1, 2, 0, 3]), array([1, 1]))
    """
    least, n = float(weights[weights > 0.0].min()), len(weights)
    for scaled in (weights, weights / least):
        whole = np.rint(scaled)
        if np.allclose(scaled, whole, rtol=0.0, atol=1e-9) and whole.sum() <= max(MOST, 2 * n):
            times = whole.astype(np.int64)
            return np.asarray(times // np.gcd.reduce(times))
    total = int(np.clip(PER_ROW * n, FEWEST, max(MOST, 2 * n)))
    ends = np.rint(np.cumsum(weights) * (total / weights.sum()))
    return np.diff(ends, prepend=0.0).astype(np.int64)


def repeat_rows(table: Table, weights: Floats) -> Table:
    """Repeat the rows of a table by their weights; the repeats of one row are a unit."""
    times = times_of(weights)
    if (times == times[0]).all():
        return replace(table, units=None)  # all rows count alike
    rows = np.repeat(np.arange(len(table)), times)
    return replace(table, values=table.values[rows], units=rows.astype(np.int64), weighted=True)


def repeated_rows(table: Table) -> Notice | None:
    """Count rows that repeat an earlier one; None where rows may agree by chance.

    With independent columns, two rows agree with the product of the probabilities of a tie in
    each; columns depend on each other, so the square root of this product is used. Probabilities
    are those of the distinct rows: copies make ties.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> repeated_rows(Table.plain(np.vstack([X, X]), "abc")).facts
    {'count': 50, 'n': 100, 'once': True}
    """
    first = _distinct(table)
    return None if first is None else _notice(table, first)


def count_copies_once(table: Table) -> Table:
    """Keep the distinct rows of a table of many copies, with a warning.

    Rows of units are left as they are: those of one unit count as fewer in any case.
    """
    first = None if table.units is not None else _distinct(table)
    if first is None:
        return table
    notice = _notice(table, first)
    if not notice.facts["once"]:
        return table
    warn(notice, stacklevel=4)
    drawn = None if table.drawn is None else replace(table.drawn, n_rows=len(first))
    return replace(table.take(first), drawn=drawn)


def _notice(table: Table, first: NDArray[np.intp]) -> Notice:
    """Say how many rows repeat another.

    One in a hundred is worth a warning; from one in ten on, each distinct row counts once.
    """
    n = len(table)
    count = n - len(first)
    level: Level = "warning" if count >= max(0.01 * n, 1) else "note" if count else "ok"
    once = table.units is None and count >= 0.1 * n
    text = "No duplicate rows."
    if count:
        text = (
            f"{counted(count, 'row')} ({per_cent(count / n)}) "
            f"{'repeats' if count == 1 else 'repeat'} an earlier row in every column. "
        )
        if once:
            text += "Each distinct row counts once; find out where the duplicates come from."
        else:
            text += "Duplicates inflate the evidence; remove them unless they are separate "
            text += "measurements."
    return Notice("repeated-rows", text, level, facts={"count": count, "n": n, "once": once})


def _distinct(table: Table) -> NDArray[np.intp] | None:
    """Return where each distinct row comes first; None where rows may agree by chance.

    They may if more than 0.05 repeats are expected.

    Rows that have the most frequent value in most columns, such as rows of zeros, agree for other
    reasons than copying, and are all kept.
    """
    values = np.where(table.present, table.values, np.inf)
    first = np.sort(np.unique(values, axis=0, return_index=True)[1])
    n, chances, usual = len(first), [], np.zeros(len(values))
    for column in values.T:
        distinct, counts = np.unique(column[first], return_counts=True)
        pairs = (counts * (counts - 1.0)).sum() + 1.0  # kept above zero
        chances.append(pairs / max(n * (n - 1.0), 1.0))
        most = int(np.argmax(counts))
        usual += (column == distinct[most]) & (counts[most] > 1)
    if len(values) ** 2 / 2 * np.exp(0.5 * np.log(chances).sum()) > 0.05:
        return None
    return np.union1d(first, np.flatnonzero(2 * usual > values.shape[1]))
