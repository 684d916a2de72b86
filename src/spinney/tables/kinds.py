"""The rule for kinds: what a column's values mean, and which columns say nothing.

In this order, over the values that are there:

1. No value, or one value only: left out.
2. Dates, times and durations, also as text: left out.
3. Two distinct values, of any type: binary.
4. Categories with an order: ordinal. Other categories and text: nominal, unless no value comes
   twice (an identifier), there are more than :data:`MOST_NOMINAL_LEVELS` of them, or fewer than
   :data:`ROWS_PER_NOMINAL_LEVEL` rows for each: left out.
5. Numbers that are whole, follow each other and never repeat (an identifier): left out, unless
   half of the columns of numbers look like that, and more than one: a table of ranks.
6. Numbers of at most :data:`MOST_ORDINAL_VALUES` distinct values, each there
   :data:`ROWS_PER_ORDINAL_VALUE` times on average: ordinal. Other numbers: continuous.

Whoever knows better says so by ``kinds={...}``, which stands above 2 to 6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney._core.choices import check_choice
from spinney.exceptions import InputError, InputTypeError
from spinney.tables.mixed import BINARY, CONTINUOUS, KINDS, NOMINAL, ORDINAL, Kind, LeftOut
from spinney.tables.raw import RawColumn, show

__all__ = [
    "CONSTANT",
    "EMPTY",
    "MOST_NOMINAL_LEVELS",
    "MOST_ORDINAL_LEVELS",
    "MOST_ORDINAL_VALUES",
    "ROWS_OF_AN_IDENTIFIER",
    "ROWS_PER_NOMINAL_LEVEL",
    "ROWS_PER_ORDINAL_VALUE",
    "WITH_TEXT",
    "WITH_UNITS",
    "find_kind",
    "looks_numbered",
    "nothing_to_learn",
    "set_kind",
]

MOST_ORDINAL_VALUES = 10
"""Distinct numbers up to which a column of numbers is taken for a scale."""
ROWS_PER_ORDINAL_VALUE = 2
"""Times that each number of a scale comes on average: a short continuous column is no scale."""
MOST_ORDINAL_LEVELS = 100
"""Levels that an ordinal column may have when it is a categorical or is said to be ordinal."""
MOST_NOMINAL_LEVELS = 50
"""Levels that a nominal column may have: each is a row of a contingency table."""
ROWS_PER_NOMINAL_LEVEL = 5
"""Rows that each level of a nominal column must have on average, unless it is said to be one."""
EMPTY, CONSTANT = "has no values", "is constant"
"""Why a column is left out, whatever kind it is said to have."""
WITH_TEXT, WITH_UNITS = "holds text among numbers", "holds numbers with signs or units"
"""How it begins why a column is left out whose cells are to be mended."""
NUMBER_AND_MORE = re.compile(r"\s*[<>≤≥~≈±='(€$£]?\s*[-+−]?\d+([.,]\d+)*\s*[^\d\s.,].{0,9}"
                             r"|\s*[<>≤≥~≈±='(€$£]\s*[-+−]?\d+([.,]\d+)*\s*")  # fmt: skip
"""A number with a sign before it or a unit behind it, such as '<0.5' and '12 mg'."""
ROWS_OF_AN_IDENTIFIER = 10
"""Rows below which values that never repeat are no sign of an identifier."""


def nothing_to_learn(raw: RawColumn) -> str | None:
    """Say why nothing can be learned from a column, whatever its kind; None if something can."""
    present = raw.present
    if not present.size:
        return EMPTY
    if (present == present[0]).all():
        return CONSTANT
    return None


def looks_numbered(raw: RawColumn) -> bool:
    """Whether a column counts rows: whole numbers, each one more than another, none twice.

    Examples
    --------
    >>> looks_numbered(RawColumn("id", "numbers", np.arange(12.0)[::-1]))
    True
    """
    present = raw.present
    if raw.content != "numbers" or present.size < ROWS_OF_AN_IDENTIFIER:
        return False
    if present.max() - present.min() != present.size - 1:
        return False
    return bool((np.diff(np.sort(present)) == 1.0).all() and (present == np.rint(present)).all())


def find_kind(raw: RawColumn, *, ranks: bool) -> Kind | LeftOut:
    """Apply the rule of this module to a column.

    Parameters
    ----------
    raw : RawColumn
        The column, of two or more distinct values.
    ranks : bool
        Whether the table holds ranks, so that whole numbers in a row are no identifiers.

    Examples
    --------
    >>> find_kind(RawColumn("x", "numbers", np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])), ranks=False)
    'ordinal'
    """
    if raw.content == "dates":
        return LeftOut(raw.name, "holds dates or times")
    if raw.content == "numbers":
        return _kind_of_numbers(raw, ranks)
    n, n_levels = raw.present.size, len(raw.levels)
    if n_levels == 2:
        return BINARY
    if raw.ordered:
        if n_levels <= MOST_ORDINAL_LEVELS:
            return ORDINAL
        return LeftOut(raw.name, f"has {n_levels} ordered levels: group its categories")
    if raw.stray is not None and _too_many_levels(n, n_levels):
        return LeftOut(raw.name, f"{WITH_TEXT} (first: '{raw.stray}')")
    if _too_many_levels(n, n_levels) and all(map(NUMBER_AND_MORE.fullmatch, map(str, raw.levels))):
        return LeftOut(raw.name, f"{WITH_UNITS} (such as '{raw.levels[0]}')")
    if n == n_levels >= ROWS_OF_AN_IDENTIFIER:
        return LeftOut(raw.name, "looks like an identifier: text that never repeats")
    if _too_many_levels(n, n_levels):
        return LeftOut(raw.name, f"has {n_levels} levels in {n} rows: group its categories")
    return NOMINAL


def set_kind(raw: RawColumn, wanted: object) -> tuple[RawColumn, Kind]:
    """Give a column the kind that `kinds` asks for, or say why it cannot have it.

    A list of levels makes an ordinal column of text in that order.
    """
    name = raw.name
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return _in_order(raw, wanted), ORDINAL
    kind = next(known for known in KINDS if known == check_choice(wanted, KINDS, "kind of column"))
    if kind == CONTINUOUS:
        _check_numbers(raw)
        return RawColumn(name, "numbers", raw.as_numbers(), whole=raw.whole), kind
    raw = raw.with_levels()
    n_levels = len(raw.levels)
    if kind == BINARY and n_levels > 2:
        raise InputError(
            f"Column '{name}' cannot be binary: it has {n_levels} distinct values. "
            "Make it ordinal or nominal in kinds."
        )
    if kind == ORDINAL and not raw.ordered and n_levels > 2:
        raise InputError(
            f"Column '{name}' holds labels whose order is not known. Give them in their order, "
            f"kinds={{{name!r}: [{', '.join(map(repr, raw.levels[:3]))}, …]}}, or make the column "
            "an ordered categorical."
        )
    most = {BINARY: 2, ORDINAL: MOST_ORDINAL_LEVELS, NOMINAL: MOST_NOMINAL_LEVELS}[kind]
    if n_levels > most:
        raise InputError(
            f"Column '{name}' cannot be {kind}: it has {n_levels} levels, and {most} are the most. "
            "Group its values."
        )
    return raw, kind


def _too_many_levels(n: int, n_levels: int) -> bool:
    return n_levels > MOST_NOMINAL_LEVELS or n < ROWS_PER_NOMINAL_LEVEL * n_levels


def _kind_of_numbers(raw: RawColumn, ranks: bool) -> Kind | LeftOut:
    present = raw.present
    # A few rows suffice to see that there are many values, and sorting a long column takes time.
    if len(np.unique(present[:1000])) > MOST_ORDINAL_VALUES:
        n_values = len(present)
    else:
        n_values = len(np.unique(present))
    if n_values == 2:
        return BINARY
    if not ranks and looks_numbered(raw):
        return LeftOut(raw.name, "looks like an identifier: whole numbers that follow each other")
    few = n_values <= MOST_ORDINAL_VALUES
    return ORDINAL if few and len(present) >= ROWS_PER_ORDINAL_VALUE * n_values else CONTINUOUS


def _check_numbers(raw: RawColumn) -> None:
    """Refuse what cannot be continuous."""
    if raw.content == "dates":
        raise InputTypeError(
            f"Column '{raw.name}' holds dates or times. Turn them into numbers or leave it out."
        )
    if not raw.is_numeric:
        first = raw.stray if raw.stray is not None else raw.levels[int(raw.present[0])]
        raise InputError(
            f"Column '{raw.name}' cannot be continuous: it holds text (first: '{first}'). "
            "Encode it as numbers or leave it out."
        )


def _in_order(raw: RawColumn, wanted: Sequence[Any]) -> RawColumn:
    """Put the levels of a column in the order that is asked for; those not there are dropped."""
    raw = raw.with_levels()
    places = {show(level): place for place, level in enumerate(wanted)}
    for level in raw.levels:
        if show(level) not in places:
            raise InputError(
                f"Column '{raw.name}' holds '{show(level)}', which kinds does not list "
                f"(listed: {', '.join(places)}). Add it."
            )
    order = sorted(range(len(raw.levels)), key=lambda k: places[show(raw.levels[k])])
    codes = np.full(len(raw.values), np.nan)
    for new, old in enumerate(order):
        codes[raw.values == old] = new
    levels = tuple(raw.levels[k] for k in order)
    return RawColumn(raw.name, "labels", codes, levels, ordered=True)
