"""Progress of long computations: silent unless requested."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

_bars: Any = None
"""The bars of the computation that shows them, to which all stages within it add theirs."""


@contextmanager
def progress_bar(total: int, label: str, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that moves a bar on by some steps.

    Bars go to standard error and remove themselves when done. Within a block that shows one, all
    stages show theirs.

    Parameters
    ----------
    total : int
        Number of steps; 0 if nobody knows it beforehand.
    label : str
        What is going on.
    shown : bool
        Whether there is a bar at all.
    """
    global _bars
    outermost = _bars is None
    # What runs in other threads is a part of the stage that the main thread shows.
    if threading.current_thread() is not threading.main_thread() or (outermost and not shown):
        yield lambda steps: None
        return
    if outermost:
        _bars = _new_bars()
    bars = _bars
    try:
        with bars if outermost else nullcontext():
            task = bars.add_task(label, total=total or None)
            try:
                yield partial(bars.advance, task)
            finally:
                bars.remove_task(task)
    finally:
        _bars = None if outermost else bars


def _new_bars() -> Any:
    # Imported here: rich is slow to load, and most calls show nothing.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    # Names of files are not markup. Standard output is left alone.
    text = TextColumn("{task.description}", markup=False)
    console = Console(stderr=True, highlight=False)
    columns = (SpinnerColumn(), text, BarColumn(), Elapsed(), Remaining())
    return Progress(*columns, console=console, transient=True, redirect_stdout=False)
