"""One sentence for each code of :mod:`spinney.notices`, for each door that speaks to the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spinney._wording import cli
from spinney.notices import Notice

__all__ = ["PYTHON", "TERMINAL", "Door", "message_of", "sentence"]


@dataclass(frozen=True)
class Door:
    """How a user who comes by this door names things.

    Attributes
    ----------
    options : bool
        Whether parameters are options of the command line.
    lines : sequence of int or None
        Line of the file that each row of the table stands on, if the table was read from a file.
    file : str
        Name of that file.
    """

    options: bool = False
    lines: Sequence[int] | None = None
    file: str = ""

    def row(self, row: int) -> str:
        """Name a row.

        Examples
        --------
        >>> Door().row(2), Door(lines=[2, 3, 5], file="t.csv").row(2)
        ('row 2', 'line 5 of t.csv')
        """
        if self.lines is None or row >= len(self.lines):
            return f"row {row}"
        return f"line {self.lines[row]} of {self.file}"


PYTHON = Door()
TERMINAL = Door(options=True)

Words = str | Callable[[Notice, Door], str]

WORDS: dict[str, Words] = {
    "column-constant": "Column '{column}' is constant over {n} rows, so it has no ranks. Drop it.",
    **cli.WORDS,
}
"""A sentence for each code: a template of its facts, or a function where that is not enough."""


def sentence(notice: Notice, door: Door = PYTHON) -> str:
    """Put a notice into words.

    A template may use the facts by name, ``column`` and ``columns``, and ``row``, which the door
    names.

    Examples
    --------
    >>> sentence(Notice("column-constant", columns=("GDP",), facts={"n": 120}))
    "Column 'GDP' is constant over 120 rows, so it has no ranks. Drop it."
    """
    words = WORDS[notice.code]
    if callable(words):
        return words(notice, door)
    known: dict[str, Any] = dict(notice.facts)
    if notice.columns:
        known |= {"column": notice.columns[0], "columns": ", ".join(map(repr, notice.columns))}
    if notice.rows:
        known["row"] = door.row(notice.rows[0])
    return words.format(**known)


def message_of(said: object, door: Door = PYTHON) -> str:
    """Put an error or a warning into words: by its notice if it has one.

    Examples
    --------
    >>> message_of(ValueError("oh"), TERMINAL)
    'oh'
    """
    notice = getattr(said, "notice", None)
    return sentence(notice, door) if isinstance(notice, Notice) else str(said)
