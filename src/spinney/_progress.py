"""Progress bars for long work: quiet unless asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(total: int, label: str, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that moves the bar on by some steps.

    The bar goes to standard error and removes itself when done.

    Parameters
    ----------
    total : int
        Number of steps.
    label : str
        What is going on.
    shown : bool
        Whether there is a bar at all.
    """
    if not shown:
        yield lambda steps: None
        return
    # Imported here: rich takes a moment to load, and most calls show nothing.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)
