"""Time limits: ``--time-limit 90``, ``90s``, ``10m``, ``1h``."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from spinney.exceptions import InputError

__all__ = ["Deadline", "OutOfTimeError", "duration", "in_words"]

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


class OutOfTimeError(KeyboardInterrupt):
    """The time is up. Work ends as if by Ctrl-C, which all of it is used to."""


def duration(text: str) -> float:
    """Read a number of seconds.

    Examples
    --------
    >>> duration("90"), duration("1.5m"), duration("1h")
    (90.0, 90.0, 3600.0)
    >>> duration("soon")
    Traceback (most recent call last):
    spinney.exceptions.InputError: --time-limit takes seconds, or 90s, 10m, 1h; got 'soon'.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([smh]?)\s*", text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0.0 < seconds < float("inf"):
        raise InputError(f"--time-limit takes seconds, or 90s, 10m, 1h; got '{text}'.")
    return seconds


def in_words(seconds: float) -> str:
    """Say a time so that one can imagine it.

    Examples
    --------
    >>> in_words(0.4), in_words(7.0), in_words(95.0), in_words(5400.0)
    ('1 second', '7 seconds', '1.6 minutes', '1.5 hours')
    """
    for unit, size in (("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            number = f"{seconds / size:.1f}".removesuffix(".0")
            return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
    number = str(max(round(seconds), 1))
    return f"{number} second" if number == "1" else f"{number} seconds"


class Deadline:
    """A moment by which work is to be done.

    Parameters
    ----------
    limit_s : float or None
        Seconds from now; None is never.
    """

    def __init__(self, limit_s: float | None) -> None:
        self.limit_s = limit_s
        self._end = float("inf") if limit_s is None else monotonic() + limit_s

    @property
    def left_s(self) -> float:
        """Seconds that are left; infinite if there is no limit."""
        return self._end - monotonic()

    @contextmanager
    def enforced(self, reserve_s: float = 0.0) -> Iterator[None]:
        """Raise :class:`OutOfTimeError` in the block when the time is up, wherever it is.

        `reserve_s` is how much earlier. A kernel that runs is waited for: those of long work come
        in short pieces. Where the system has no timers, or outside the main thread, only the end
        of the block is looked at.
        """
        left = self.left_s - reserve_s
        if left == float("inf"):
            yield
            return
        if left <= 0.0:
            raise OutOfTimeError
        if threading.current_thread() is not threading.main_thread() or not hasattr(
            signal, "setitimer"
        ):
            yield
            if self.left_s <= reserve_s:
                raise OutOfTimeError
            return
        armed = True

        def ring(number: int, frame: FrameType | None) -> None:
            if armed:  # else the block had just ended
                raise OutOfTimeError

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, left)
        try:
            yield
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
