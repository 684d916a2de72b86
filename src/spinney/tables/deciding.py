"""What each column of a table is: one column at a time, on all its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney.exceptions import InputError
from spinney.tables.kinds import find_kind, looks_numbered, nothing_to_learn, set_kind
from spinney.tables.mixed import CONTINUOUS, Column, Kind, LeftOut, Table
from spinney.tables.raw import RawColumn

__all__ = ["give_kinds"]

RULE = object()
"""Stands where nothing is asked for, so that the rule decides."""


class _Found(NamedTuple):
    """What was found of one column.

    Attributes
    ----------
    raw : RawColumn or None
        The rows that are kept; None where nothing is to be learned from the column.
    kind : Kind or LeftOut
        Its kind, or why it is left out.
    is_number, is_numbered : bool
        Whether it holds numbers, and whether these follow each other.
    unless : LeftOut or None
        What it is instead if the table holds no ranks.
    """

    raw: RawColumn | None
    kind: Kind | LeftOut
    is_number: bool = False
    is_numbered: bool = False
    unless: LeftOut | None = None


def give_kinds(
    names: tuple[str, ...],
    n: int,
    raws: Iterable[RawColumn],
    kinds: Mapping[Any, Any] | None,
    keep: NDArray[np.intp] | None = None,
) -> Table:
    """Decide about every column, each on all its rows, and put n rows of them side by side."""
    wanted = _find_wanted(kinds, names)
    values = np.empty((n, len(names)))
    found: list[_Found] = []
    for k, raw in enumerate(raws):
        one = _find_out(raw, wanted.get(k, RULE))
        if one.raw is not None:
            values[:, k] = one.raw.values if keep is None else one.raw.values[keep]
            # Only what the values are called is wanted of it from here on.
            one = one._replace(raw=replace(one.raw, values=np.empty(0)))
        found.append(one)
    n_numbered = sum(one.is_numbered for one in found)
    ranks = n_numbered > 1 and 2 * n_numbered >= sum(one.is_number for one in found)
    columns: dict[int, Column] = {}
    left_out: list[LeftOut] = []
    for k, one in enumerate(found):
        kind = one.kind if ranks or one.unless is None else one.unless
        if isinstance(kind, LeftOut):
            left_out.append(kind)
        elif one.raw is not None:
            columns[k] = _column(one.raw, kind)
    if len(columns) < len(names):
        values = values[:, list(columns)]
    return Table(np.ascontiguousarray(values), tuple(columns.values()), tuple(left_out), names)


def _find_out(raw: RawColumn, wanted: Any) -> _Found:
    """Decide about one column, as far as that goes without the others."""
    numbered = looks_numbered(raw)
    reason = nothing_to_learn(raw)
    if reason is not None:
        return _Found(None, LeftOut(raw.name, reason), is_numbered=numbered)
    number = raw.content == "numbers"
    if wanted is not RULE:
        return _Found(*set_kind(raw, wanted), number, numbered)
    kind = find_kind(raw, ranks=True)
    if isinstance(kind, LeftOut):
        return _Found(None, kind, number, numbered)
    plain = find_kind(raw, ranks=False) if numbered else kind
    return _Found(
        raw if kind == CONTINUOUS else raw.with_levels(),
        kind,
        number,
        numbered,
        plain if isinstance(plain, LeftOut) else None,
    )


def _column(raw: RawColumn, kind: Kind) -> Column:
    return Column(raw.name, kind, () if kind == CONTINUOUS else raw.levels)


def _find_wanted(kinds: Mapping[Any, Any] | None, names: tuple[str, ...]) -> dict[int, Any]:
    """Return what `kinds` asks for, by position."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise InputError(
            f"kinds must be a mapping, such as {{{names[0]!r}: 'ordinal'}}, not {kinds!r}."
        )
    wanted: dict[int, Any] = {}
    for column, kind in kinds.items():
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if whole and str(column) not in names and -len(names) <= column < len(names):
            wanted[int(column) % len(names)] = kind
        else:
            wanted[names.index(check_choice(str(column), names, "column"))] = kind
    return wanted
