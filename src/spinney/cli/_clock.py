"""How long the stages of a run take, and the limit on them: ``--time-limit``."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, perf_counter
from types import FrameType

__all__ = ["Deadline", "OutOfTimeError", "Times"]


class Times:
    """Seconds by stage, in the order in which stages began."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Count the seconds of a block."""
        start = perf_counter()
        try:
            yield
        finally:
            self._stages[stage] = self._stages.get(stage, 0.0) + perf_counter() - start

    def as_dict(self) -> dict[str, float]:
        """Return the seconds of each stage, and of all.

        Examples
        --------
        >>> times = Times()
        >>> with times.of("reading"):
        ...     pass
        >>> list(times.as_dict())
        ['reading', 'all']
        """
        return {**self._stages, "all": perf_counter() - self._start}


class OutOfTimeError(KeyboardInterrupt):
    """The time is up. Work stops as it does on Ctrl-C."""


class Deadline:
    """A moment by which the work must be done.

    Parameters
    ----------
    limit_s : float or None
        Seconds from now; None means no limit.
    """

    def __init__(self, limit_s: float | None) -> None:
        self.limit_s = float("inf") if limit_s is None else limit_s
        self._end = monotonic() + self.limit_s

    @property
    def left_s(self) -> float:
        """Seconds that are left; infinite if there is no limit."""
        return self._end - monotonic()

    def sooner(self, share: float) -> Deadline:
        """Return the moment at which this share of the whole time is left."""
        if self.limit_s == float("inf"):
            return self
        return Deadline(self.left_s - share * self.limit_s)

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Raise :class:`OutOfTimeError` in the block when the time is up, wherever it is.

        A running kernel finishes first; long work runs as many short kernels. Where the system has
        no timers, or outside the main thread, the time is checked only at the end of the block.
        """
        left = self.left_s
        if left == float("inf"):
            yield
            return
        if left <= 0.0:
            raise OutOfTimeError
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or not hasattr(signal, "setitimer"):
            yield
            if self.left_s <= 0.0:
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
