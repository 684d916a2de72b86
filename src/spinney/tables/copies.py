"""Rows that stand in a table more than once, where chance does not explain it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spinney._core.text import counted, per_cent
from spinney.notices import Level, Notice, warn
from spinney.tables.table import Table

BY_CHANCE = 0.05
"""Repeats are counted only if fewer than so many are expected by chance."""
REPEATED = 0.01
"""Share of repeated rows that is worth a warning."""
COUNTED_ONCE = 0.1
"""Share of repeated rows from which on each distinct row counts once."""


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
    n = len(table)
    count = n - len(first)
    level: Level = "warning" if count >= max(REPEATED * n, 1) else "note" if count else "ok"
    once = table.units is None and count >= COUNTED_ONCE * n
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
    if len(values) ** 2 / 2 * np.exp(0.5 * np.log(chances).sum()) > BY_CHANCE:
        return None
    return np.union1d(first, np.flatnonzero(2 * usual > values.shape[1]))
