"""Looks at a table: gaps, ties, rows and columns that repeat, values far from all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spinney._core.text import counted, listed
from spinney.graph.report.content.spoken import per_cent
from spinney.tables import CONTINUOUS, Table, smallest_tau, speaking_gaps

__all__ = ["Check", "codes", "far_values", "gaps", "repeated_rows", "ties", "twins"]

Floats = NDArray[np.float64]
Level = Literal["ok", "note", "warning"]

MANY_GAPS = 0.2
"""Share of a column's values from which on its gaps are worth a warning."""
TIED = 0.2
"""Share of a column's rows with one and the same value from which on it is named."""
TWIN = 0.98
"""Kendall's tau of two columns from which on they tell the same."""
SCREEN = 0.9
MOST_SCREENED = 300
MOST_TWIN_ROWS = 2000
AT_ONCE = 1000
"""Columns that are compared with all others at a time."""
FAR = 0.3
"""Share of a column's range (on a scale that bends large values down) that lies empty before a
value that is far from all others."""
FEWEST_FOR_FAR = 20
FEWEST_FOR_CODES = 10
"""Other values that a column must have for one to be told from them."""
BY_CHANCE = 0.05
"""Repeated rows that may be expected by chance where they are looked for."""
REPEATED = 0.01
"""Share of repeated rows from which on they are worth a warning."""


class Check(NamedTuple):
    """One thing that was looked for, and what was found."""

    level: Level
    text: str


def gaps(table: Table) -> Iterator[Check]:
    """Count the gaps, name the worst columns, and say whether gaps depend on values."""
    missing = np.isnan(table.values)
    total = float(missing.mean())
    if not total:
        yield Check("ok", "No value is missing.")
        return
    shares = missing.mean(axis=0)
    order = np.argsort(-shares, kind="stable")
    holed = [k for k in order.tolist() if shares[k] > 0]
    worst = [f"{table.names[k]} ({per_cent(shares[k])})" for k in holed]
    level: Level = "warning" if shares.max() >= MANY_GAPS else "note"
    complete = int((~missing.any(axis=1)).sum())
    yield Check(
        level,
        f"{per_cent(total)} of all values are missing, in {counted(len(holed), 'column')}; most in "
        f"{listed(worst, most=3)}. {counted(complete, 'row')} of {len(table):,} "
        f"{'is' if complete == 1 else 'are'} complete; each pair was learned from the rows that "
        "have both values.",
    )
    speaking = dict.fromkeys(gap.column for gap in speaking_gaps(table))
    if speaking:
        yield Check(
            "warning",
            f"Where {listed(list(speaking), most=3)} {'is' if len(speaking) == 1 else 'are'} "
            "missing depends on other columns, so the remaining rows are not typical.",
        )


def ties(table: Table) -> Iterator[Check]:
    """Name continuous columns in which one value comes up again and again."""
    found = []
    for column, values in zip(table.columns, table.values.T, strict=True):
        known = values[~np.isnan(values)]
        if column.kind != CONTINUOUS or known.size < 2:
            continue
        distinct, counts = np.unique(known, return_counts=True)
        most = int(np.argmax(counts))
        if counts[most] > max(TIED * known.size, 1):
            share = counts[most] / known.size
            found.append((share, f"{column.name} ({distinct[most]:g} in {per_cent(share)})"))
    if not found:
        yield Check("ok", "No continuous column has one value in more than a fifth of its rows.")
        return
    named = [text for _, text in sorted(found, key=lambda item: -item[0])]
    yield Check(
        "note",
        f"{counted(len(named), 'continuous column')} {'has' if len(named) == 1 else 'have'} the "
        f"same value in many rows, such as a limit of detection: {listed(named, most=4)}. Equal "
        "values have no order, which leaves less to learn from.",
    )


def repeated_rows(table: Table) -> Iterator[Check]:
    """Count rows that stand in the table more than once.

    Asked only where rows hardly agree in everything by chance: with independent columns, two rows
    do so with the product of the chances that they tie in each. Columns are not independent, so the
    root of it is taken.
    """
    values = np.where(np.isnan(table.values), np.inf, table.values)
    n = len(values)
    chances = [_chance_of_tie(column) for column in values.T]
    if n**2 / 2 * np.exp(0.5 * np.log(chances).sum()) > BY_CHANCE:
        return
    count = n - len(np.unique(values, axis=0))
    if not count:
        yield Check("ok", "No row stands in the table twice.")
        return
    share = count / n
    yield Check(
        "warning" if share >= REPEATED else "note",
        f"{counted(count, 'row')} ({per_cent(share)}) {'repeats' if count == 1 else 'repeat'} an "
        "earlier row in every column. Copies look like evidence; drop them unless they were "
        "measured anew.",
    )


def _chance_of_tie(values: Floats) -> float:
    """Chance that two rows are equal in a column, never quite nothing."""
    counts = np.unique(values, return_counts=True)[1].astype(float)
    n = len(values)
    return float((counts * (counts - 1)).sum() + 1.0) / max(n * (n - 1.0), 1.0)


def twins(table: Table) -> Iterator[Check]:
    """Name pairs of columns that tell nearly the same: Kendall's tau beyond 0.98 either way."""
    n, d = table.values.shape
    least = smallest_tau(n, max(d * (d - 1) // 2, 1))
    if least is None or least > TWIN:
        return  # so few rows are in the same order by chance, in some of so many pairs
    found = _twins(table)
    if not found:
        yield Check("ok", "No two columns are nearly the same.")
        return
    named = [f"{table.names[i]} – {table.names[j]}" for i, j in found]
    yield Check(
        "warning",
        f"Nearly the same (Kendall's tau beyond {TWIN:g}): {listed(named, most=5)}. Each explains "
        "what the other has to do with the rest, so edges of both cannot be told apart; keep one "
        "of them.",
    )


def _twins(table: Table) -> list[tuple[int, int]]:
    ordered = np.flatnonzero(~table.nominal)
    values = table.values[:: max(len(table) // MOST_TWIN_ROWS, 1), ordered]
    ranks = stats.rankdata(values, axis=0, nan_policy="omit")
    present = ~np.isnan(values)
    mean = np.where(present, ranks, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    centred = np.where(present, ranks - mean, 0.0)
    near, rough = _near(centred, present)
    order = np.argsort(-rough, kind="stable")[:MOST_SCREENED]
    found = []
    for u, v in near[order].tolist():
        both = present[:, u] & present[:, v]
        if both.sum() < 10:
            continue
        tau = stats.kendalltau(values[both, u], values[both, v]).statistic
        if abs(tau) > TWIN:
            found.append((int(ordered[u]), int(ordered[v])))
    return found


def _near(centred: Floats, present: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Floats]:
    """Find pairs of columns that are strongly correlated, by rows that have both; and how much."""
    squares, there = centred**2, present.astype(float)
    found, sizes = [np.empty((0, 2), dtype=np.intp)], [np.empty(0)]
    for start in range(0, centred.shape[1], AT_ONCE):  # not all pairs are held at once
        own = slice(start, start + AT_ONCE)
        both = (squares[:, own].T @ there) * (there[:, own].T @ squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            rough = np.abs(centred[:, own].T @ centred) / np.sqrt(both)
        rough = np.triu(np.nan_to_num(rough), start + 1)
        near = np.argwhere(rough > SCREEN)
        found.append(near + np.array([start, 0], dtype=np.intp))
        sizes.append(rough[near[:, 0], near[:, 1]])
    return np.concatenate(found), np.concatenate(sizes)


def codes(table: Table) -> Iterator[Check]:
    """Name continuous columns in which a code such as -999 may stand for a missing value.

    That is a number of nines, in two rows or more, farther from all other values of its column
    than these are from each other.
    """
    named = []
    for column, values in zip(table.columns, table.values.T, strict=True):
        known = values[~np.isnan(values)]
        if column.kind != CONTINUOUS or not known.size:
            continue
        for value in (float(known.min()), float(known.max())):
            others = known[known != value]
            apart = others.size >= FEWEST_FOR_CODES and np.abs(others - value).min() > np.ptp(
                others
            )
            if apart and known.size - others.size > 1 and set(f"{abs(value):.15g}") == {"9"}:
                named.append(f"{column.name} ({value:g} in {known.size - others.size} rows)")
    if named:
        yield Check(
            "warning",
            f"Numbers that may be codes for missing values: {listed(named, most=5)}. They are "
            "taken as they are; leave these cells empty if they are codes.",
        )


def far_values(table: Table) -> Iterator[Check]:
    """Name continuous columns with a few values far from all others, as slips of the pen are."""
    named = [
        f"{column.name} ({value:g})"
        for column, values in zip(table.columns, table.values.T, strict=True)
        if column.kind == CONTINUOUS and (value := _far(values)) is not None
    ]
    if not named:
        yield Check("ok", "No value lies far from all others of its column.")
        return
    yield Check(
        "note",
        f"Far from all other values: {listed(named, most=5)}. Ranks are used, so they do little "
        "harm; but they may be slips, or codes for missing values.",
    )


def _far(values: Floats) -> float | None:
    """Return the outermost value if it, with at most a hundredth of the others, stands apart."""
    known = np.sort(values[~np.isnan(values)])
    if known.size < FEWEST_FOR_FAR:
        return None
    middle = float(np.median(known))
    spread = float(np.median(np.abs(known - middle)))
    if not spread > 0.0:
        return None
    with np.errstate(over="ignore"):
        bent = np.arcsinh((known - middle) / spread)
    width = float(bent[-1] - bent[0])
    few = max(3, known.size // 100)
    steps = np.diff(bent)
    if steps[-few:].max() > FAR * width:
        return float(known[-1])
    return float(known[0]) if steps[:few].max() > FAR * width else None
