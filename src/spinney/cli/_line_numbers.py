"""Rows of a table as an editor counts them: by the line of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spinney.exceptions import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Lines = Sequence[int] | NDArray[np.int64]

__all__ = ["in_lines", "rows_in_lines"]

_ROW = re.compile(r"(?<=\(first: )row (\d+)(?=\))|(?<= at )row (\d+)(?=\.)")


def in_lines(message: str, lines: Lines | None, name: str) -> str:
    """Put the line of the file in the place of the row of the table.

    Examples
    --------
    >>> in_lines("Column 'x' has a hole (first: row 2).", [2, 3, 5], "t.csv")
    "Column 'x' has a hole (first: line 5 of t.csv)."
    """
    if lines is None:
        return message

    def replace(found: re.Match[str]) -> str:
        row = int(found[1] or found[2])
        return f"line {lines[row]} of {name}" if row < len(lines) else found[0]

    return _ROW.sub(replace, message)


@contextmanager
def rows_in_lines(lines: Lines | None, name: str) -> Iterator[None]:
    """Let errors about the table say the line of its file."""
    try:
        yield
    except InputError as error:
        message = in_lines(str(error), lines, name)
        if message == str(error):
            raise
        raise InputError(message) from error
