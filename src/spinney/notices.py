"""What there is to say, as data; :mod:`spinney.wording` puts it into words.

Code deep inside says *what* it found: a code, the columns and rows it concerns, and the facts.
Every output for users (an exception's text, the terminal, the page, JSON) asks for a sentence
at the very end, with the names of its own door: ``kinds={...}`` in Python is ``--kind`` on the
command line, a row of a table is a line of a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal, NamedTuple

__all__ = ["Level", "Notice", "Warned", "recorded_warnings", "warn", "warn_again"]

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


class Warned(NamedTuple):
    """A warning that was not shown: what it says, its kind, and where it arose."""

    message: str
    category: type[Warning]
    filename: str
    lineno: int


_own: ContextVar[list[Warned] | None] = ContextVar("spinney_warned", default=None)
_lock = Lock()
_recording: list[list[Warned]] = []
_catcher: Any = None


@contextmanager
def recorded_warnings() -> Iterator[list[Warned]]:
    """Collect warnings instead of showing them, each thread its own.

    Python's filters of warnings belong to the process. So the first to record sets them and the
    last sets them back; warnings of threads that do not record go to the first recorder.

    Examples
    --------
    >>> with recorded_warnings() as found:
    ...     warnings.warn("too few rows", UserWarning, stacklevel=1)
    >>> found[0].message, found[0].category.__name__
    ('too few rows', 'UserWarning')
    """
    global _catcher
    found: list[Warned] = []
    with _lock:
        if not _recording:
            _catcher = warnings.catch_warnings()
            _catcher.__enter__()
            # Else a place in the code would warn once, and not each time.
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _keep
        _recording.append(found)
    token = _own.set(found)
    try:
        yield found
    finally:
        _own.reset(token)
        with _lock:
            # By identity: two lists without warnings are equal.
            _recording[:] = [other for other in _recording if other is not found]
            if not _recording:
                _catcher.__exit__(None, None, None)
                _catcher = None


def _keep(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    own = _own.get()
    kept = own if own is not None else next(iter(_recording), None)
    if kept is not None:
        kept.append(Warned(str(message), category, filename, lineno))


def warn_again(found: list[Warned]) -> None:
    """Show warnings that were recorded elsewhere, as if they arose here."""
    for one in found:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
