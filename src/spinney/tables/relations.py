r"""Columns that follow exactly from others: totals, differences, means, shares of a whole.

Given its parts a total is known, so every edge of the parts says no more than that. A relation

.. math:: \sum_k c_k x_k = c

that holds in every row is found by rank: columns are taken one after the other, and one that the
earlier ones explain without a rest follows from them. Values that were rounded may miss the
relation by their rounding, but only if all :math:`c_k` are 1 or -1, or one of them is a mean's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.text import listed
from spinney.tables.drawing import MOST_ROWS
from spinney.tables.table import Column, LeftOut, Table, look_up

FOLLOWS = frozenset({"sum", "difference", "mean", "rest", "one-hot", "combination"})
"""Codes of columns that follow from others."""
EXACT = 1e-7
"""Standard deviation of what is left of a column that follows from others, beside its own."""
DERIVED = re.compile(
    r"(?:.*[\s_.-])?(?:total|tot|sum|all|overall|diff|difference|change|delta|gain|net|mean|avg"
    r"|average|cum|cumulative)(?:[\s_.-].*)?|.*[a-z](?:Total|Sum|Diff|Change|Mean)",
    re.IGNORECASE,
)
"""Names of columns that were computed from others."""


class _Sought(NamedTuple):
    """Columns with numbers, over their complete rows, and the units that they were rounded to."""

    columns: list[Column]
    values: Floats
    steps: Floats


def find_relations(table: Table, keep: Collection[str] = ()) -> list[LeftOut]:
    """Name the columns that follow exactly from others, each with how it follows.

    Of each relation the column is named that was probably computed from the others: by its name;
    the total of three columns or more; the difference, which alone has negative values; the
    largest share; the most frequent of one-hot columns; else the last.

    Parameters
    ----------
    table : Table
        The table.
    keep : collection of str
        Columns that are not named.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.poisson(9.0, size=(2, 50)).astype(float)
    >>> table = Table.plain(np.column_stack([a, a + b, b]), ("a", "both", "b"))
    >>> [f"{found.name} {found.reason}" for found in find_relations(table)]
    ['both is the sum of a and b']
    """
    if len(table) > MOST_ROWS:  # evenly spaced rows, as many as are learned from by default
        table = table.take(np.linspace(0, len(table) - 1, MOST_ROWS).astype(np.intp))
    sought = _numbers(table)
    return [] if sought is None else list(_relations(sought, keep))


def leave_out_relations(table: Table, keep: Collection[str] = ()) -> Table:
    """Leave out the columns of :func:`find_relations`."""
    found = find_relations(table, keep)
    if not found:
        return table
    gone = {column.name for column in found}
    rest = [k for k, name in enumerate(table.names) if name not in gone]
    names_in = table.names_in or table.names
    left = sorted((*table.left_out, *found), key=lambda column: names_in.index(column.name))
    return replace(table.take_columns(rest), left_out=tuple(left), names_in=names_in)


def _numbers(table: Table) -> _Sought | None:
    """Take the columns of numbers, as many as have enough complete rows together."""
    read = [_as_numbers(*one) for one in zip(table.columns, table.values.T, strict=True)]
    columns = [c for c, own in zip(table.columns, read, strict=True) if own is not None]
    if not 3 <= len(columns) <= 500:  # with more it takes too long
        return None
    values = np.column_stack([own for own in read if own is not None])
    gaps = np.isnan(values)
    fullest = np.argsort(gaps.sum(axis=0), kind="stable")
    complete = (~np.logical_or.accumulate(gaps[:, fullest], axis=1)).sum(axis=0)
    # In fewer rows, columns follow from each other by chance.
    least = np.maximum(20, 2 * np.arange(1, len(columns) + 1))
    chosen = np.sort(fullest[: int(np.argmin([*(complete >= least), False]))])
    values = values[:, chosen]
    values = values[~np.isnan(values).any(axis=1)]
    varied = [k for k in range(len(chosen)) if _varies(values[:, k])]
    if len(varied) < 3:
        return None
    values = values[:, varied]
    steps = np.array([_step(column) for column in values.T])
    return _Sought([columns[chosen[k]] for k in varied], values, steps)


def _as_numbers(column: Column, values: Floats) -> Floats | None:
    levels = column.levels
    if levels and all(isinstance(level, int | float) for level in levels):
        return look_up(levels, values)
    return values if column.kind in ("continuous", "binary") else None


def _varies(values: Floats) -> bool:
    """Whether ten rows differ from the most frequent value, and squares can be computed."""
    if not 1e-100 < np.abs(values).max() < 1e100:
        return False
    counts = np.unique(values, return_counts=True)[1]
    return bool(len(values) - counts.max() >= 10)


def _step(values: Floats) -> float:
    """Return the unit that values were rounded to; 0 where none is seen."""
    off = 1e-9 * max(1.0, np.abs(values).max())
    for decimals in range(6):
        if np.abs(values - np.round(values, decimals)).max() < off:
            return 10.0**-decimals
    return 0.0


def _relations(sought: _Sought, keep: Collection[str]) -> Iterator[LeftOut]:
    """Find one relation after the other, each without the columns that are left out already."""
    columns, values, steps = sought
    # Relations are sought in some rows, and checked in all.
    some = values[:: max(1, len(values) // max(2000, 4 * len(columns)))]
    spread = some.std(axis=0)
    active = np.flatnonzero(spread > 0.0).tolist()
    standard = (some - some.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    triangle = np.linalg.qr(standard, "r") / len(some) ** 0.5
    j, R = 0, triangle[:, active]
    while j < len(active):
        if j == 0 or R.shape[1] > len(active):  # a column has been left out
            R = np.linalg.qr(triangle[:, active], "r")
        own, earlier = active[j], active[:j]
        rest = abs(R[j, j]) if j < len(R) else 0.0
        blur = j**0.5 * steps[[*earlier, own]].max() / spread[own]
        j += 1
        # Rounding may leave a rest of a quarter of the column's own spread at most.
        if rest > max(EXACT, min(0.25, blur)):
            continue
        c = np.linalg.lstsq(R[: j - 1, : j - 1], R[: j - 1, j - 1], rcond=None)[0]
        relation = np.zeros(len(columns))
        relation[earlier], relation[own] = c * spread[own] / spread[earlier], -1.0
        found = _settle(relation, sought, rest <= EXACT)
        if found is None or _is_gate(found, sought):
            continue
        # Two columns that say the same are told otherwise.
        several = np.count_nonzero(found) > 2
        chosen = _choose(found, sought) if several else own
        active.remove(chosen)
        j = max(j - 2, 0)
        if several and columns[chosen].name not in keep:
            yield _describe(found, chosen, sought)


def _settle(relation: Floats, sought: _Sought, exact: bool) -> Floats | None:
    """Give a relation its true coefficients, if it holds in every row."""
    sizes = np.abs(relation[np.abs(relation) > 0.05])
    for one in (1.0, float(np.median(sizes))):  # a mean, if it comes last, has the 1
        plain = np.round(relation / one)
        near = np.abs(relation / one - plain).max() < (1e-6 if exact else 0.3)
        if near and _is_plain(plain) and _holds(plain, sought):
            return plain
    spread = sought.values.std(axis=0)
    relation = np.where(np.abs(relation) * spread < 1e-6 * spread.max(), 0.0, relation)
    terms = np.count_nonzero(relation)
    if not exact or terms > 12 or not _holds(relation, sought, exact=True):
        return None
    # A few levels that meet in fewer than four ways per column follow from each other by chance.
    ways = len(np.unique(sought.values[:, relation != 0.0], axis=0))
    return relation if ways >= 4 * terms else None


def _is_plain(relation: Floats) -> bool:
    """Whether all coefficients are 1 or -1, or one is that of the mean of the others."""
    c = relation[relation != 0.0]
    large = np.abs(c) > 1.0
    mean = large.sum() == 1 and abs(c[large][0]) == len(c) - 1 and len({*c[~large]}) == 1
    return mean or not large.any()


def _is_gate(relation: Floats, sought: _Sought) -> bool:
    """Whether one yes/no column is the "or" of others that exclude each other, and no total."""
    return _are_binary(relation, sought) and len({*relation[relation != 0.0]}) > 1


def _are_binary(relation: Floats, sought: _Sought) -> bool:
    return {sought.columns[k].kind for k in np.flatnonzero(relation)} == {"binary"}


def _holds(relation: Floats, sought: _Sought, *, exact: bool = False) -> bool:
    """Whether a relation holds in every row, up to the rounding of decimals and of per cent."""
    total = sought.values @ relation
    middle = float(np.median(total))
    off = float(np.abs(total - middle).max())
    size = float((np.abs(relation) * np.abs(sought.values).max(axis=0)).max())
    if off <= 1e-9 * max(size, 1.0):
        return True
    c, steps = relation[relation != 0.0], sought.steps[relation != 0.0]
    per_cent = len({*c}) == 1 and abs(abs(middle) - 100.0) <= 1.0
    if exact or not (per_cent or (steps < 1.0).any()):
        return False
    return off <= _blur(relation, sought)


def _blur(relation: Floats, sought: _Sought) -> float:
    """Most that rounded values can miss a relation by."""
    return float((np.abs(relation) * sought.steps).sum() / 2.0 * (1.0 + 1e-6))


def _choose(relation: Floats, sought: _Sought) -> int:
    """Choose the column of a relation that was probably computed from the others."""
    support = np.flatnonzero(relation)
    last = int(support[-1])
    named = [k for k in support if DERIVED.fullmatch(sought.columns[k].name.strip())]
    if len(named) == 1:
        return int(named[0])
    c, values = relation[support], sought.values[:, support]
    if len({*c}) == 1:  # parts of a whole: without the largest, the others are the least bound
        return int(support[np.argmax(values.mean(axis=0))])
    alone = [k for k in range(len(c)) if (c == c[k]).sum() == 1 and len({*np.delete(c, k)}) == 1]
    if len(alone) != 1:
        return last
    signed = np.flatnonzero(values.min(axis=0) < 0.0)
    if len(c) == 3 and len({*np.abs(c)}) == 1 and signed.size:
        return int(support[signed[0]]) if signed.size == 1 else last
    return int(support[alone[0]])


def _describe(relation: Floats, chosen: int, sought: _Sought) -> LeftOut:
    """Say how a column follows from the others."""
    columns, name = sought.columns, sought.columns[chosen].name
    scaled = np.delete(-relation / relation[chosen], chosen)
    others = [column.name for k, column in enumerate(columns) if k != chosen]
    plus = [other for other, c in zip(others, scaled, strict=True) if c > 0.0]
    minus = [other for other, c in zip(others, scaled, strict=True) if c < 0.0]
    total = float(np.median(sought.values @ relation)) / relation[chosen]
    through_zero = abs(total) <= max(1e-9, _blur(relation, sought) / abs(relation[chosen]))
    sizes = np.abs(scaled[scaled != 0.0])
    ones = bool((sizes == 1.0).all())
    if ones and not plus and total == 1.0 and _are_binary(relation, sought):
        return LeftOut(name, "one-hot", f"is set where none of {_terms(minus)} is, in every row")
    if ones and not plus:
        return LeftOut(name, "rest", f"sums to {total:.4g} with {_terms(minus)}, in every row")
    if ones and through_zero and minus:
        return LeftOut(name, "difference", f"is {_terms(plus)} less {_terms(minus)}")
    if through_zero and not minus and np.ptp(sizes) < 1e-6 * sizes.max():
        code = "mean" if sizes[0] == 1.0 / len(plus) else "sum"
        more = "" if ones or code == "mean" else " in other units"
        return LeftOut(name, code, f"is the {code} of {_terms(plus)}{more}")
    return LeftOut(name, "combination", f"follows exactly from {_terms([*plus, *minus])}")


_terms = partial(listed, most=6)
