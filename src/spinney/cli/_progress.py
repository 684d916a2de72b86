"""Progress of a run: a bar on a terminal, occasional lines elsewhere, both with the time left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

from spinney._core.progress import progress_told_to
from spinney.cli._shell import say

__all__ = ["Progress"]

FIRST_LINE_S = 1.0
"""Seconds until the first line."""
LINE_EVERY_S = 10.0
"""Least seconds between two lines; long runs have fewer lines."""
FORESEEABLE_S = 2.0
"""Seconds after which the pace of a stage predicts how long it will take."""

_WORDS = {
    "partners": "finding the strongest pairs of each column",
    "pairs in neighbourhoods": "judging pairs in neighbourhoods",
    "evidence": "measuring pairs",
    "judge": "judging all pairs together",
    "strengths": "strengths of edges",
    "fitting pairs": "measuring pairs",
    "log-densities": "densities of pairs",
    "shared forests": "averaging over forests",
    "other methods": "comparing with other methods",
    "penalties": "trying penalties",
    "fits on half of the rows": "stability",
}
"""Labels of the package's stages, in a user's words."""


@dataclass
class _Stage:
    label: str
    total: int
    done: int = 0
    start: float = field(default_factory=monotonic)

    @property
    def is_list(self) -> bool:
        """Whether its label lists its few steps by name."""
        return self.total == self.label.count(", ") + 1 > 1

    @property
    def is_counted(self) -> bool:
        """Whether its steps are alike."""
        return self.total > 0 and not self.is_list

    @property
    def words(self) -> str:
        steps = self.label.split(", ") if self.is_list else [self.label]
        name = steps[min(self.done, len(steps) - 1)]
        return _WORDS.get(name, name)

    @property
    def left_s(self) -> float | None:
        """Seconds left at the pace so far; None if it is too early to tell."""
        spent = monotonic() - self.start
        if not self.is_counted or not self.done or spent < FORESEEABLE_S:
            return None
        return spent * max(self.total - self.done, 0) / self.done


class Progress:
    """Shows the progress of a run from its first second.

    Parameters
    ----------
    shown : bool
        Whether to show anything.
    """

    def __init__(self, shown: bool) -> None:
        self.shown = shown
        self._start = monotonic()
        self._next_line = self._start + FIRST_LINE_S
        self._stages: list[_Stage] = []
        self._thread = threading.get_ident()

    @contextmanager
    def stage(self, label: str, total: int = 0) -> Iterator[Callable[[int], None]]:
        """Name the work while a block runs; yield a function that counts steps.

        Work in other threads belongs to the same stage and is not shown separately.
        """
        if threading.get_ident() != self._thread:
            yield lambda steps: None
            return
        stage = _Stage(label, total)

        def advance(steps: int) -> None:
            stage.done += steps

        self._stages.append(stage)
        try:
            yield advance
        finally:
            self._stages.remove(stage)

    @contextmanager
    def going_on(self, label: str) -> Iterator[None]:
        """Show progress while a block runs, as a stage of this name."""
        with (
            progress_told_to(lambda total, label: self.stage(label, total)),
            self.stage(label),  # before the display, whose first frame names it
            self._display(),
        ):
            yield

    def line(self) -> str:
        """Say where the run is.

        Examples
        --------
        >>> progress = Progress(shown=False)
        >>> with progress.stage("learning"), progress.stage("fitting pairs", 10) as advance:
        ...     advance(3)
        ...     progress.line()
        '0:00 measuring pairs: 3 of 10'
        """
        return f"{clock(monotonic() - self._start)} {self._where()}{self._to_go()}"

    def _where(self) -> str:
        *outer, inner = [*self._stages] or [_Stage("working", 0)]
        around = [
            f"{stage.words} ({min(stage.done + 1, stage.total):,} of {stage.total:,}), "
            for stage in outer
            if stage.is_counted
        ]
        counted = f": {inner.done:,}" if inner.done and not inner.total else ""
        counted = f": {inner.done:,} of {inner.total:,}" if inner.is_counted else counted
        return f"{''.join(around)}{inner.words}{counted}"

    def _to_go(self) -> str:
        left = next((stage.left_s for stage in [*self._stages] if stage.is_counted), None)
        return "" if left is None else f", {clock(left)} left"

    # Display

    @contextmanager
    def _display(self) -> Iterator[None]:
        if not self.shown:
            yield
        elif sys.stderr.isatty():
            with self._bar():
                yield
        else:
            with _ticking(self._say_now_and_then, every_s=0.2):
                yield

    def _say_now_and_then(self) -> None:
        now = monotonic()
        if now >= self._next_line:
            self._next_line = now + max(LINE_EVERY_S, 0.1 * (now - self._start))
            say(self.line())

    @contextmanager
    def _bar(self) -> Iterator[None]:
        # Imported here: rich takes a moment to load.
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[when]}", markup=False),
        )
        # Lines printed meanwhile go above the bar; standard output is left alone.
        console = Console(stderr=True, highlight=False)
        with Bar(*columns, console=console, transient=True, redirect_stdout=False) as bar:
            task = bar.add_task(self._where(), total=None, when="")

            def show() -> None:
                stage = self._stages[-1] if self._stages else _Stage("working", 0)
                bar.update(
                    task,
                    description=self._where(),
                    total=stage.total or None,
                    completed=stage.done,
                    when=f"{clock(monotonic() - self._start)}{self._to_go()}",
                )

            with _ticking(show, every_s=0.1):
                yield


@contextmanager
def _ticking(tick: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call a function regularly from its own thread; long kernels release the lock."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every_s):
            tick()

    thread = threading.Thread(target=run, name="spinney-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def clock(seconds: float) -> str:
    """Write a time as a clock does.

    Examples
    --------
    >>> clock(75.2), clock(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
