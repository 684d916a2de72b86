"""A few threads that stay: kernels release the interpreter's lock, so plain threads will do.

Numba's own parallel loops would need a runtime that does not survive a fork; these threads are
made afresh in a forked child. An executor of the standard library would take twice as long to
hand over a job, and its caller would wait for a helper that has not even begun.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread

from spinney._core.threads import within_task
from spinney.forests._input import read_count

__all__ = ["default_threads", "n_threads", "run_in_threads"]


class _Ticket:
    """An invitation to help; whoever takes `taken` first decides whether it is accepted."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.taken = Lock()
        self.done = Lock()
        self.done.acquire()
        self.error: BaseException | None = None


class _Helpers:
    """The threads of one process, and the queue that they wait at."""

    def __init__(self, count: int) -> None:
        self.process = os.getpid()
        self.tickets: SimpleQueue[_Ticket] = SimpleQueue()
        for k in range(count):
            Thread(target=self._serve, name=f"spinney-{k}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            ticket = self.tickets.get()
            if ticket.taken.acquire(blocking=False):
                try:
                    ticket.work()
                except BaseException as error:  # handed to the caller, who raises it
                    ticket.error = error
                finally:
                    ticket.done.release()


_lock = Lock()
_helpers: _Helpers | None = None


def default_threads() -> int:
    """Count the processors that this process may use.

    No more than ``NUMBA_NUM_THREADS``, which joblib sets for its workers: where each processor
    has a process of its own, more threads would only be in each other's way. Within a task among
    many there is one.
    """
    if within_task():
        return 1
    if hasattr(os, "sched_getaffinity"):
        present = len(os.sched_getaffinity(0))
    else:
        present = os.cpu_count() or 1
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    return min(present, int(limit)) if limit.isdecimal() and int(limit) else present


def n_threads(threads: int | None, n_jobs: int) -> int:
    """Tell how many threads are to share some jobs: as many as are allowed and useful.

    Raises
    ------
    InputError
        If `threads` is not a positive whole number.
    """
    if threads is not None:
        threads = read_count(threads, "threads")
    if n_jobs < 2:  # small problems are many, and would notice the rest
        return 1
    most = default_threads() if threads is None or within_task() else threads
    return min(n_jobs, most)


def _find_helpers() -> _Helpers:
    global _helpers
    with _lock:
        if _helpers is None or _helpers.process != os.getpid():
            _helpers = _Helpers(max(1, default_threads() - 1))
        return _helpers


def run_in_threads(jobs: Sequence[Callable[[], None]], threads: int | None = None) -> None:
    """Run every job once, on at most `threads` threads, this one included.

    Jobs should spend their time in kernels, which release the interpreter's lock, and write to
    places of their own.

    Parameters
    ----------
    jobs : sequence of functions without arguments
        Begun in this order; the longest had better be the first.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.

    Raises
    ------
    InputError
        If `threads` is not a positive whole number.

    Notes
    -----
    When a job fails, or the caller is interrupted, jobs under way are finished and no more begun.

    Examples
    --------
    >>> squares = [0, 0, 0]
    >>> run_in_threads([lambda k=k: squares.__setitem__(k, k**2) for k in range(3)])
    >>> squares
    [0, 1, 4]
    """
    wanted = n_threads(threads, len(jobs))
    if len(jobs) == 1:
        jobs[0]()
        return
    turns = count()
    stopped: list[bool] = []

    def work() -> None:
        try:
            while not stopped and (turn := next(turns)) < len(jobs):
                jobs[turn]()
        except BaseException:
            stopped.append(True)
            raise

    if wanted < 2:
        work()
        return
    helpers = _find_helpers()
    tickets = [_Ticket(work) for _ in range(wanted - 1)]
    for ticket in tickets:
        helpers.tickets.put(ticket)
    try:
        work()
    finally:
        for ticket in tickets:
            if not ticket.taken.acquire(blocking=False):  # somebody came to help: wait for them
                ticket.done.acquire()
    for ticket in tickets:
        if ticket.error is not None:
            raise ticket.error
