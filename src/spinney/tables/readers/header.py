"""Names: whether the first row holds them, what columns are called, which column names rows."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from spinney._core.text import listed, plain_line, quoted, shorten_end
from spinney.tables.columns import ISO_DATE, OTHER_DATE
from spinney.tables.kinds import IDENTIFIER
from spinney.tables.readers.cells import is_gap, is_numeral, numeral

LOOKED_AT = 300
"""Rows that a supposed header is compared with."""
COLUMNS_LOOKED_AT = 100
"""Columns in which it is, spread evenly if there are more."""
MOST_CHARACTERS = 200
"""Characters of the longest name that is kept whole."""
RISING = 5
"""Numbers that must rise from left to right to count as names: by chance once in 120."""
FEWEST = 3
"""Fewest consecutive numbers, or numbers below a unit, to decide by."""
JOINERS = "\u200c\u200d"
"""Invisible characters that join or part letters and emoji; others are dropped."""
COUNTERS = frozenset(("", "#", "rows", "no", "no.", "nr", "nr.", "number"))
"""Names of columns that count rows."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def is_header(
    first: Sequence[str], rows: Sequence[Sequence[str]], *, clearly: bool = False
) -> bool:
    """Decide by comparison with the rows below whether a row holds the names of columns.

    Text above numbers is a name, and so is text that does not come again below it. Numbers above
    numbers are names if they

    - lie far outside of what stands below them (years above measurements), or
    - rise from left to right (m/z values, times) as the rows below do not: five or more, or three
      that count (1, 2, 3).

    Parameters
    ----------
    first : sequence of str
        The row in question.
    rows : sequence of sequences of str
        Those below it.
    clearly : bool
        Whether only text above numbers counts.

    Examples
    --------
    >>> is_header(["a", "b"], [["1", "2"], ["3", "4"]])
    True
    >>> is_header(["1.5", "2"], [["1.2", "2"], ["1.7", "4"]])
    False
    >>> is_header(["1990", "1991"], [["1.2", "2"], ["1.7", "4"]])
    True
    """
    rows = rows[:LOOKED_AT]
    corner = bool(first and rows) and not first[0].strip()
    if corner and not clearly and all(row and row[0].strip() for row in rows):
        return True  # nothing above the names of the rows
    text_above_numbers, new = 0, 0
    numbers: list[tuple[float, list[float]]] = []
    for k in range(0, len(first), 1 + len(first) // COLUMNS_LOOKED_AT):
        if is_gap(first[k]):
            continue
        below = [row[k].strip() for row in rows if k < len(row) and not is_gap(row[k])]
        values = [value for value in map(numeral, below) if value is not None]
        mostly_numbers = 2 * len(values) > len(below)
        own = numeral(first[k])
        if own is not None and mostly_numbers:
            numbers.append((own, values))
        elif own is None and mostly_numbers:
            text_above_numbers += 1
        elif own is None and below:
            new += -1 if first[k].strip() in below else 1
    if clearly:
        return text_above_numbers > len(numbers)
    if text_above_numbers or numbers:
        return text_above_numbers >= len(numbers) or _are_names(numbers)
    # A number above text speaks against names.
    return new > any(numeral(cell) is not None for cell in first) - 1


def is_units(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Decide whether the row below a header holds units: text above nothing but numbers.

    At least two columns of three numbers or more must have a word above them and none a number.
    What may be a value that was not measured exactly (``<0.1``, ``5 mg``) is no unit.

    Examples
    --------
    >>> rows = [["1", "2.5"], ["3", "1.5"], ["2", "0.5"]]
    >>> is_units(["mg/l", "°C"], rows), is_units(["<1", "1.5"], rows)
    (True, False)
    """
    words = 0
    for k in range(0, len(first), 1 + len(first) // COLUMNS_LOOKED_AT):
        below = [row[k] for row in rows[:LOOKED_AT] if not is_gap(row[k])]
        if len(below) < FEWEST or not all(is_numeral(cell) for cell in below):
            continue
        cell = first[k].strip()
        if is_numeral(cell) or cell[:1].isdigit() or cell[:1] in tuple("<>~≤≥=-–—*"):
            return False
        words += bool(cell) and not is_gap(cell)
    return words >= 2


def _are_names(numbers: list[tuple[float, list[float]]]) -> bool:
    count = len(numbers)
    far = sum(_is_far(own, below) for own, below in numbers)
    if count >= 2 and 2 * far > count:
        return True
    if count < FEWEST or not _rises([own for own, _ in numbers]):
        return False
    depth = min(len(below) for _, below in numbers)
    rising = sum(_rises([below[k] for _, below in numbers]) for k in range(depth))
    return 10 * rising <= depth


def _is_far(own: float, below: list[float]) -> bool:
    """Whether a number lies outside of others by more than they spread."""
    low, high = min(below), max(below)
    spread = max(high - low, 1.0)  # a column of one value must not make all others far
    return len(below) > 1 and not low - spread <= own <= high + spread


def _rises(values: Sequence[float]) -> bool:
    """Whether numbers rise, if they are many, or count."""
    steps = np.diff(values)
    return bool((steps > 0).all() if len(values) >= RISING else (steps == 1).all())


def clean_names(
    names: Sequence[Any], positions: Sequence[int] | None = None
) -> tuple[list[str], list[str]]:
    r"""Give every column a unique, printable name, and say which names were there twice.

    Parameters
    ----------
    names : sequence
        Names as in the file; empty where a name is missing.
    positions : sequence of int, optional
        Where the columns stand in the file; from 1 on by default.

    Returns
    -------
    names : list of str
        Not empty, on one line, none twice.
    decisions : list of str
        What is said of names that were there twice.

    Examples
    --------
    >>> names, said = clean_names(["a", "", "a", "b\n2"])
    >>> names
    ['a', 'column 2', 'a (2)', 'b 2']
    >>> said
    ["names that occur more than once are numbered: 'a (2)'"]
    """
    plain = [
        shorten_end(_printable(str(name)), MOST_CHARACTERS) or f"column {position}"
        for position, name in zip(positions or count(1), names, strict=False)
    ]
    unique = _make_unique(plain)
    again = [quoted(new) for new, name in zip(unique, plain, strict=True) if new != name]
    said = f"names that occur more than once are numbered: {listed(again, most=4)}"
    return unique, [said] if again else []


def find_row_names(first: pd.Series[Any], name: str, *, has_header: bool = True) -> str | None:
    """Decide whether the first column of a table holds the names of its rows.

    It does if it has no name and holds text, or whole numbers that never repeat; if it holds text
    that never repeats; or if its name is "id", "index" or similar and it holds whole numbers
    that count the rows (any that never repeat, for "id"). Dates under a name are a variable.

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
    str or None
        What to say if it does.

    Examples
    --------
    >>> find_row_names(pd.Series(["p1", "p2"]), "Probe")
    "column 'Probe' taken for row names"
    >>> find_row_names(pd.Series([4, 7]), "dose") is None
    True
    """
    unnamed = has_header and not name
    complete = bool(first.notna().all())
    unique = complete and first.is_unique
    whole = complete and pd.api.types.is_integer_dtype(first.dtype)
    counts = whole and _counts_rows(first)
    if whole:
        counter = counts and name.strip().casefold() in COUNTERS
        taken = counter or (unique and (unnamed or bool(IDENTIFIER.fullmatch(name.strip()))))
    else:
        taken = (unique or (unnamed and bool(first.notna().any()))) and _is_text(first)
        taken = taken and not (name and _are_dates(first))
    if not taken:
        return None
    if not name:
        which = "the first column, which has no name," if has_header else "column 1"
        return f"{which} taken for row names"
    why = " (it counts the rows)" if counts else ""
    keep = f"; kind={{{name!r}: 'continuous'}} keeps it" if whole else ""
    return f"column {quoted(name)} taken for row names{why}{keep}"


def _is_text(column: pd.Series[Any]) -> bool:
    """Whether a column holds nothing but text."""
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return False
    return pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty")


def _are_dates(column: pd.Series[Any]) -> bool:
    cells = [str(cell) for cell in column[column.notna()]]
    return any(all(map(form.fullmatch, cells)) for form in (ISO_DATE, OTHER_DATE))


def _counts_rows(column: pd.Series[Any]) -> bool:
    values = column.to_numpy(dtype=np.int64)
    return len(values) > 1 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def _printable(name: str) -> str:
    """Write a name on one line, without characters that cannot be seen."""
    if not name.isprintable():
        seen = (c for c in name if c in JOINERS or unicodedata.category(c) != "Cf")
        name = plain_line(CONTROL.sub(" ", "".join(seen)))
    return name.strip()


def _make_unique(names: list[str]) -> list[str]:
    """Give names that come again a number."""
    taken, seen, unique = set(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        new, number = name, seen[name]
        while seen[name] > 1 and (new := f"{name} ({number})") in taken:
            number += 1
        taken.add(new)
        unique.append(new)
    return unique
