"""Threads of the linear algebra library while a baseline is fitted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

from spinney.exceptions import InputError

__all__ = ["limited_threads"]

_lock = Lock()
_n_inside = 0
_limits: threadpool_limits | None = None


@contextmanager
def limited_threads(n_jobs: int | None) -> Iterator[None]:
    """Keep linear algebra on one thread if a number of threads was asked for.

    The `n_jobs` threads are then those that work on subsamples or folds, and there are never
    more; with None nothing is changed. The limit is the whole process's, so where several fits run
    side by side the first sets it and the last takes it back.
    """
    global _n_inside, _limits
    if n_jobs == 0:
        raise InputError("n_jobs must be a number of threads, or -1 for all cores; it is 0.")
    if n_jobs is None:
        yield
        return
    with _lock:
        if _n_inside == 0:
            _limits = threadpool_limits(limits=1, user_api="blas")
        _n_inside += 1
    try:
        yield
    finally:
        with _lock:
            _n_inside -= 1
            if _n_inside == 0 and _limits is not None:
                _limits.restore_original_limits()
                _limits = None
