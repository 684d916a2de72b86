"""Which column holds the names of the rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from spinney.tables.readers.wording import quoted

__all__ = ["find_row_names"]

COUNTERS = frozenset(
    ("", "#", "index", "row", "rows", "row.names", "rownames", "no", "no.", "nr", "nr.", "number")
)
"""Names of columns that count rows."""
IDENTIFIER = re.compile(r"(?:.*[\s_.-])?[Ii][Dd]|.*[a-z](?:ID|Id)|Unnamed: 0", re.DOTALL)
"""Names of identifiers: "ID", "patient_id", "SampleID"; not "lipid"."""


def find_row_names(
    first: pd.Series[Any], name: str, *, has_header: bool = True
) -> tuple[bool, str | None]:
    """Decide whether the first column of a table holds the names of its rows.

    It does if it has no name and holds text, or whole numbers that never repeat; if it holds text
    that never repeats; or if its name is "id", "index" or the like and it holds whole numbers
    that count the rows (any that never repeat, for "id").

    Parameters
    ----------
    first : Series
        The column.
    name : str
        Its name in the file; may be empty.
    has_header : bool
        Whether the table has a header, so that an empty name means something.

    Returns
    -------
    taken : bool
        Whether it does.
    decision : str or None
        What to say.

    Examples
    --------
    >>> find_row_names(pd.Series(["p1", "p2"]), "Probe")
    (True, "column 'Probe' taken for row names")
    >>> find_row_names(pd.Series([4, 7]), "dose")
    (False, None)
    """
    unnamed = has_header and not name
    text = _is_text(first)
    whole = pd.api.types.is_integer_dtype(first.dtype) and bool(first.notna().all())
    unique = bool(first.notna().all()) and first.is_unique
    counts = whole and _counts(first)
    plain = name.strip().casefold()
    taken = (
        (text and (unique or (unnamed and bool(first.notna().any()))))
        or (whole and unique and (unnamed or IDENTIFIER.fullmatch(name.strip()) is not None))
        or (counts and plain in COUNTERS)
    )
    if not taken:
        return False, None
    which = f"column {quoted(name)}" if name else "the first column, which has no name,"
    if not has_header and not name:
        which = "column 1"
    why = " (it counts the rows)" if counts and name else ""
    return True, f"{which} taken for row names{why}"


def _is_text(column: pd.Series[Any]) -> bool:
    """Whether a column holds text; numbers with a stray among them are none."""
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return False
    if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind in "mM":
        return False
    return all(isinstance(cell, str) for cell in column.dropna())


def _counts(column: pd.Series[Any]) -> bool:
    values = column.to_numpy(dtype=np.int64)
    return len(values) > 1 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())
