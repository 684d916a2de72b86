"""How long the stages of a run take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

__all__ = ["Times"]


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
