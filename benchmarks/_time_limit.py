"""A limit of time for work that may hang or take for ever."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block when its time is up; compiled code first comes to its end.

    Where the system has no such alarms, and outside the main thread, there is no limit.

    Examples
    --------
    >>> with time_limit(0.01):
    ...     threading.Event().wait()
    Traceback (most recent call last):
    TimeoutError: no result within 0.01 s
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"no result within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
