"""Progress of long computations: silent unless requested, or unless a listener is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Listener = Callable[[int, str], AbstractContextManager[Callable[[int], None]]]
"""Called with the number of steps and what is going on; as :func:`progress_bar` from there on."""

_listener: Listener | None = None


@contextmanager
def progress_told_to(listener: Listener) -> Iterator[None]:
    """Report all progress to a listener while the block runs, with or without bars.

    A command can thus name the stages of its work, which only its parts know. The listener is the
    whole process's, and is called from whatever thread the work runs in.

    Examples
    --------
    >>> from contextlib import nullcontext
    >>> with progress_told_to(lambda total, label: nullcontext(lambda steps: print(label, steps))):
    ...     with progress_bar(10, "pairs", shown=False) as advance:
    ...         advance(3)
    pairs 3
    """
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


@contextmanager
def progress_bar(total: int, label: str, shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that moves the bar on by some steps.

    The bar goes to standard error and removes itself when done.

    Parameters
    ----------
    total : int
        Number of steps; 0 if nobody knows it beforehand.
    label : str
        What is going on.
    shown : bool
        Whether there is a bar at all.
    """
    if _listener is not None:
        with _listener(total, label) as advance:
            yield advance
        return
    if not shown:
        yield lambda steps: None
        return
    # Imported here: rich is slow to load, and most calls show nothing.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total or None)
        yield lambda steps: bar.advance(task, steps)
