"""A few threads that stay: kernels release the interpreter's lock, so plain threads will do.

Numba's own parallel loops would need a runtime that does not survive a fork; these threads are
made afresh in a forked child.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count
from threading import Lock

from spinney.exceptions import InputError

__all__ = ["default_threads", "run_jobs"]

_lock = Lock()
_pool: tuple[int, ThreadPoolExecutor] | None = None


def default_threads() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _helpers() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None or _pool[0] != os.getpid():
            workers = max(1, default_threads() - 1)
            _pool = (os.getpid(), ThreadPoolExecutor(workers, thread_name_prefix="spinney"))
        return _pool[1]


def run_jobs(jobs: Sequence[Callable[[], None]], threads: int | None = None) -> None:
    """Run every job once, on at most `threads` threads, this one included."""
    if threads is not None and threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}.")
    wanted = min(len(jobs), default_threads() if threads is None else threads)
    turns = count()

    def work() -> None:
        while (turn := next(turns)) < len(jobs):
            jobs[turn]()

    helping = [_helpers().submit(work) for _ in range(wanted - 1)]
    work()
    if helping:
        wait(helping)
        for helper in helping:
            helper.result()
