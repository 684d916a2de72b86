"""Which row belongs to which group."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import column_position
from spinney._core.text import counted, shorten_end
from spinney.exceptions import DataWarning, InputError
from spinney.tables import ColumnSource, Table, decode
from spinney.tables.columns import RawColumn, open_columns, read_raw
from spinney.tables.table import show

__all__ = ["MOST_GROUPS", "Groups", "split_off_groups"]

MOST_GROUPS = 20
"""Groups beyond which a column is taken for something else: an age, an identifier."""
MOST_SHOWN = 60
"""Characters of a group's name in a message."""


class Groups(NamedTuple):
    """A table without its group column, and the rows of each group.

    Attributes
    ----------
    frame : pandas.DataFrame, Table or ColumnSource
        The other columns.
    by : str
        Name of the group column.
    rows : dict of int arrays
        Rows of each group, by name, in the order of the column's levels.
    names_in : tuple of str
        Names of all columns of the table that was given.
    """

    frame: Any
    by: str
    rows: dict[str, NDArray[np.intp]]
    names_in: tuple[str, ...]


def split_off_groups(
    table: Any, by: str | int | Sequence[Any] | pd.Series[Any], fewest: int
) -> Groups:
    """Read the group column of a table, or labels beside it, and say what is to be said.

    Parameters
    ----------
    table : data frame, array or Table
        The table.
    by : name or position of a column, or one label for each row
        Which group each row belongs to.
    fewest : int
        Smaller groups are skipped with a warning.

    Raises
    ------
    InputError
        If there is no such column, it has too many values to be groups, or fewer than two groups
        are left.

    Examples
    --------
    >>> groups = split_off_groups(pd.DataFrame({"x": [1.5, 2.5, 0.5], "g": list("bab")}), "g", 1)
    >>> {name: rows.tolist() for name, rows in groups.rows.items()}
    {'a': [1], 'b': [0, 2]}
    """
    opened = open_columns(decode(table) if isinstance(table, Table) else table)
    names, rest = opened.names, list(opened.names)
    if isinstance(by, str | int | np.integer):
        place = column_position(by, names, "by")
        name, labels = rest.pop(place), opened.column(place)
    else:
        name, labels = _beside(by, opened.n_rows)
    others: Any = table
    if isinstance(table, ColumnSource):
        others = table.select(rest)  # type: ignore[attr-defined]  # as all that are read in parts
    elif not isinstance(table, Table) or len(rest) < len(names):
        others = pd.concat([opened.column(names.index(k)) for k in rest], axis=1)
        others = others.set_axis(rest, axis=1)
    return Groups(others, name, _rows(read_raw(labels, name), fewest), names)


def _beside(by: Sequence[Any] | pd.Series[Any], n: int) -> tuple[str, pd.Series[Any]]:
    """Read labels that are no column of the table."""
    given = by if isinstance(by, pd.Series) else pd.Series(list(by))
    if len(given) != n:
        raise InputError(
            f"by must be the name of a column, or one label for each of the {n} rows; it has "
            f"{len(given)} entries."
        )
    name = "group" if given.name is None else str(given.name)
    return name, given.reset_index(drop=True)


def _rows(raw: RawColumn, fewest: int) -> dict[str, NDArray[np.intp]]:
    labelled = raw.with_levels()
    count = len(labelled.levels)
    if count > MOST_GROUPS:
        cure = (
            "cut it into a few classes first, or name another column"
            if raw.content in ("numbers", "dates")
            else "name a column with a few labels that come again and again"
        )
        raise InputError(
            f"Column '{raw.name}' has {count} distinct values in {raw.present.size} rows, too many "
            f"for groups ({MOST_GROUPS} are the most): {cure}."
        )
    found: dict[str, NDArray[np.intp]] = {}
    for code, level in enumerate(labelled.levels):
        rows = np.flatnonzero(labelled.values == code)
        name = show(level)
        found[name] = np.sort(np.concatenate([found[name], rows])) if name in found else rows
    gaps = int(np.isnan(raw.values).sum())
    if gaps:
        _say(
            f"{gaps} of {len(raw.values)} rows have no value in '{raw.name}', so they belong to no "
            "group and are not used."
        )
    kept = {name: rows for name, rows in found.items() if rows.size >= fewest}
    if len(kept) < 2:
        sizes = ", ".join(
            f"'{shorten_end(name, MOST_SHOWN)}' {rows.size}" for name, rows in found.items()
        )
        raise InputError(
            f"Groups can be compared if two or more of them have {fewest} rows; in column "
            f"'{raw.name}' there {'are' if found else 'is'} {sizes or 'nothing'}."
        )
    for name, rows in found.items():
        if name not in kept:
            _say(
                f"Group '{shorten_end(name, MOST_SHOWN)}' of column '{raw.name}' is left out: "
                f"it has {counted(rows.size, 'row')}, and {fewest} are the fewest to learn from."
            )
    return kept


def _say(sentence: str) -> None:
    warnings.warn(sentence, DataWarning, stacklevel=5)
