"""Limits on threads: one for a task among many, and one for small matrices.

OpenBLAS starts its threads for products of small matrices, and they spin while they wait. That
costs many times the work of one thread and saves no time.

Kernels release the interpreter's lock, so plain threads run them side by side. Those of
:func:`run_in_threads` stay between calls and write to the caller's arrays; a joblib
backend chosen by the user does not apply, since processes could not do that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

from spinney.exceptions import InputError

_within_task: ContextVar[bool] = ContextVar("spinney_within_task", default=False)
_lock = Lock()
_n_inside = 0
_limits: Any = None


@lru_cache(maxsize=1)
def _blas(n_modules: int) -> Any:
    """Find the libraries of linear algebra, which takes a while; modules bring new ones along."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Keep linear algebra on one thread, and give the number of threads that it had before.

    That many threads may be used instead. The limit is the whole process's: where several of
    these run side by side, the first sets it and the last takes it back, and all but the first are
    given 1.

    Examples
    --------
    >>> with one_blas_thread() as threads, one_blas_thread() as inner:
    ...     threads >= inner == 1
    True
    """
    global _n_inside, _limits
    with _lock:
        before = 1
        if _n_inside == 0:
            libraries = _blas(len(sys.modules))
            before = min((library["num_threads"] for library in libraries.info()), default=1)
            _limits = libraries.limit(limits=1)
        _n_inside += 1
    try:
        yield before
    finally:
        with _lock:
            _n_inside -= 1
            if _n_inside == 0:
                _limits.restore_original_limits()
                _limits = None


@contextmanager
def limited_threads(n_jobs: int | None) -> Iterator[None]:
    """Keep linear algebra on one thread if `n_jobs` is given.

    The `n_jobs` threads are then those that work on subsamples or folds, and there are never
    more; with None nothing is changed.
    """
    if n_jobs == 0:
        raise InputError("n_jobs must be a number of threads, or -1 for all cores; it is 0.")
    if n_jobs is None:
        yield
        return
    with one_blas_thread():
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Mark a block as one task among many that run side by side: it keeps to its own thread.

    Whatever asks for threads within it gets one, the linear algebra library included.

    Examples
    --------
    >>> with one_thread():
    ...     n_threads(8)
    1
    """
    from joblib import parallel_config  # imported where it is used: one small table needs none

    token = _within_task.set(True)
    try:
        # Calls of joblib itself get no more threads either, and no warning within a worker.
        with one_blas_thread(), parallel_config(backend="sequential"):
            yield
    finally:
        _within_task.reset(token)


def within_task() -> bool:
    """Say whether this runs in a block of :func:`one_thread`."""
    return _within_task.get()


def n_threads(n_jobs: int | None) -> int:
    """Count the threads that `n_jobs` stands for, as joblib does; within a task there is one."""
    if within_task():
        return 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def default_threads() -> int:
    """Count the processors that this process may use.

    No more than ``NUMBA_NUM_THREADS``, which joblib sets for its workers: where each processor has
    a process of its own, more threads would only be in each other's way. Within a task among many
    there is one.
    """
    if within_task():
        return 1
    if hasattr(os, "sched_getaffinity"):
        present = len(os.sched_getaffinity(0))
    else:
        present = os.cpu_count() or 1
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    return min(present, int(limit)) if limit.isdecimal() and int(limit) else present


def run_in_threads(jobs: Sequence[Callable[[], object]], threads: int | None = None) -> None:
    """Run every job once, on at most `threads` threads, this one included.

    Jobs should spend their time in kernels, which release the interpreter's lock, and write to
    places of their own. Handing over takes some 50 microseconds: jobs of a millisecond or more are
    worth it.

    Parameters
    ----------
    jobs : sequence of functions without arguments
        Begun in this order; the longest should come first.
    threads : int, optional
        Most threads to use; by default :func:`default_threads`.

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
    turns = count()
    stopped: list[bool] = []

    def work() -> None:
        try:
            while not stopped and (turn := next(turns)) < len(jobs):
                jobs[turn]()
        except BaseException:
            stopped.append(True)
            raise

    most = 1
    if len(jobs) > 1 and not within_task():
        most = min(default_threads() if threads is None else threads, len(jobs))
    if most < 2:
        work()
        return
    pool = _pool(max(most, default_threads()) - 1, os.getpid())
    helpers: list[Future[None]] = []
    with suppress(RuntimeError):  # when the interpreter is ending, it starts no more threads
        for _ in range(most - 1):
            helpers.append(pool.submit(work))
    try:
        work()
    finally:  # wait for helpers that have begun; cancel the others
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


@lru_cache(maxsize=8)
def _pool(size: int, process: int) -> ThreadPoolExecutor:
    """Return threads that stay between calls; a forked child, which has none of them, makes own."""
    return ThreadPoolExecutor(size, thread_name_prefix="spinney")


def _renew_lock() -> None:
    global _lock
    _lock = Lock()


if hasattr(os, "register_at_fork"):  # where another thread held it, it would stay shut
    os.register_at_fork(after_in_child=_renew_lock)
