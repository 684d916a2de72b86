"""What reports rank and merge: notices, each a sentence with its code; and recorded warnings.

The sentence is written where the notice arises, in the words of Python;
:mod:`spinney._core.command_line` rewrites it for the command line. Errors are plain sentences.
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

Level = Literal["warning", "note", "ok"]


@dataclass(frozen=True)
class Notice:
    """One thing to say.

    Attributes
    ----------
    code : str
        What it is, for programs and tests: ``"rows-few"``.
    text : str
        The sentence.
    level : {"warning", "note", "ok"}
        How grave it is; "ok" says that nothing was found.
    columns : tuple of str
        The columns it concerns.
    facts : mapping
        Numbers and names that programs ask for.

    Examples
    --------
    >>> print(Notice("no-gaps", "No value is missing.", "ok"))
    No value is missing.
    """

    code: str
    text: str
    level: Level = "warning"
    columns: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


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
