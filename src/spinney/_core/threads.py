"""How many threads there may be: one for a task among many, and one for small matrices.

OpenBLAS starts its threads for products of small matrices, too, and they spin while they wait: the
work is then many times what one thread would do, and not done sooner.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from joblib import effective_n_jobs, parallel_config
from threadpoolctl import ThreadpoolController

from spinney.exceptions import InputError

__all__ = ["limited_threads", "n_threads", "one_blas_thread", "one_thread", "within_task"]

_within_task: ContextVar[bool] = ContextVar("spinney_within_task", default=False)
_lock = Lock()
_n_inside = 0
_limits: Any = None


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Keep linear algebra on one thread, and give the number of threads that it had before.

    So many threads may be used in its place. The limit is the whole process's: where several of
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
            libraries = ThreadpoolController().select(user_api="blas")
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
    """Keep linear algebra on one thread if a number of threads was asked for.

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
    token = _within_task.set(True)
    try:
        # Whoever asks joblib itself is not given more either, nor told off within a worker.
        with one_blas_thread(), parallel_config(backend="sequential"):
            yield
    finally:
        _within_task.reset(token)


def within_task() -> bool:
    """Say whether this runs in a block of :func:`one_thread`."""
    return _within_task.get()


def n_threads(n_jobs: int | None) -> int:
    """Count the threads that `n_jobs` stands for, as joblib does; within a task there is one."""
    return 1 if within_task() else int(effective_n_jobs(n_jobs))
