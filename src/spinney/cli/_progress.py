"""Progress of a run: rich's bars on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from time import monotonic

from spinney._core.progress import progress_told_to
from spinney.cli._shell import say

__all__ = ["going_on"]

LINE_EVERY_S = 10.0
"""Seconds between two lines where there is no terminal."""

_WORDS = {
    "evidence, judge, strengths": "measuring and judging pairs",
    "partners": "finding the strongest pairs of each column",
    "pairs in neighbourhoods": "judging pairs in neighbourhoods",
    "fitting pairs": "measuring pairs",
    "log-densities": "densities of pairs",
    "shared forests": "averaging over forests",
    "other methods": "comparing with other methods",
    "penalties": "trying penalties",
    "fits on half of the rows": "halves",
    "bootstrap samples and subsets": "stability",
}
"""Labels of the package's stages, in a user's words."""

Advance = Callable[[int], None]
Stages = Callable[[int, str], AbstractContextManager[Advance]]
"""From the number of steps and a label to a block that counts its steps."""


@contextmanager
def going_on(label: str, shown: bool) -> Iterator[None]:
    """Show the progress of a block, and of the stages within it."""
    if not shown:
        yield
        return
    with _bars() if sys.stderr.isatty() else _lines() as stage:

        @contextmanager
        def stage_of(total: int, label: str) -> Iterator[Advance]:
            if threading.current_thread() is threading.main_thread():
                with stage(total, _WORDS.get(label, label)) as advance:
                    yield advance
            else:  # a part of the stage that the main thread shows
                yield lambda steps: None

        with progress_told_to(stage_of), stage(0, label):
            yield


@contextmanager
def _bars() -> Iterator[Stages]:
    # Imported here: rich takes a moment to load.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    # Names of files are not markup. Standard output is left alone.
    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, BarColumn(), Elapsed(), Remaining())
    console = Console(stderr=True, highlight=False)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bars:

        @contextmanager
        def stage(total: int, label: str) -> Iterator[Advance]:
            task = bars.add_task(label, total=total or None)
            try:
                yield partial(bars.advance, task)
            finally:
                bars.remove_task(task)

        yield stage


@contextmanager
def _lines() -> Iterator[Stages]:
    next_line = monotonic() + LINE_EVERY_S

    @contextmanager
    def stage(total: int, label: str) -> Iterator[Advance]:
        done = 0

        def advance(steps: int) -> None:
            nonlocal done, next_line
            done += steps
            if monotonic() >= next_line:
                next_line = monotonic() + LINE_EVERY_S
                say(f"{label}: {done:,}" + (f" of {total:,}" if total else ""))

        yield advance

    yield stage
