"""What there is to say, as data; :mod:`spinney.wording` puts it into words.

Code deep inside says *what* it found: a code, the columns and rows it concerns, and the facts.
Every output for users (an exception's text, the terminal, the page, JSON) asks for a sentence
at the very end, with the names of its own door: ``kinds={...}`` in Python is ``--kind`` on the
command line, a row of a table is a line of a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Level", "Notice", "warn"]

Level = Literal["error", "warning", "note", "ok"]


@dataclass(frozen=True)
class Notice:
    """One thing to say.

    Attributes
    ----------
    code : str
        What it is, for programs and tests: ``"column-constant"``.
    level : {"error", "warning", "note", "ok"}
        How grave it is; "ok" says that nothing was found.
    columns : tuple of str
        The columns it concerns.
    rows : tuple of int
        The rows it concerns, from 0 in the table as it was given.
    facts : mapping
        Numbers and names that its sentence needs.

    Examples
    --------
    >>> notice = Notice("column-constant", columns=("GDP",), facts={"n": 120})
    >>> str(notice)
    "Column 'GDP' is constant over 120 rows, so it has no ranks. Drop it."
    """

    code: str
    level: Level = "error"
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        code: str,
        *columns: str,
        level: Level = "error",
        rows: tuple[int, ...] = (),
        **facts: Any,
    ) -> Notice:
        """Build a notice from its code, its columns and its facts.

        Examples
        --------
        >>> Notice.of("column-constant", "GDP", n=120).facts
        {'n': 120}
        """
        return cls(code, level, columns, rows, facts)

    def __str__(self) -> str:
        from spinney.wording import sentence

        return sentence(self)


def warn(notice: Notice, stacklevel: int = 2) -> None:
    """Show a notice as a :class:`~spinney.exceptions.DataWarning`."""
    from spinney.exceptions import DataWarning

    warnings.warn(DataWarning(notice), stacklevel=stacklevel + 1)
