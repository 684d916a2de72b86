"""One function over many tasks, with results that do not depend on who does them.

Whatever in spinney runs over tiles of pairs, subsets, halves, groups or repetitions goes through
:func:`parallel_map` or :func:`as_finished`. By itself that is joblib; within
:func:`spinney.scale.cluster.cluster` it is Dask.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import uuid4

from joblib import Parallel, delayed

from spinney._core.progress import progress_bar
from spinney._core.threads import n_threads, one_thread, within_task
from spinney.exceptions import InputError
from spinney.notices import Warned, recorded_warnings, warn_again

if TYPE_CHECKING:
    from spinney.scale.cluster import Cluster

Prefer = Literal["threads", "processes"]

TASKS_AT_ONCE = 4
"""Tasks per worker and round, for backends of joblib that hand back results by rounds only."""

_MARK = uuid4().hex


_cluster: ContextVar[Cluster | None] = ContextVar("spinney_cluster", default=None)


@contextmanager
def set_cluster(cluster: Cluster) -> Iterator[None]:
    """Send tasks to a cluster while a block runs."""
    token = _cluster.set(cluster)
    try:
        yield
    finally:
        _cluster.reset(token)


def _current() -> Cluster | None:
    """Return the cluster that tasks go to; within a task, none."""
    return None if within_task() else _cluster.get()


class Outcome(NamedTuple):
    """What came of a task, and what was warned of in another process."""

    result: Any
    warned: list[Warned]


def this_process() -> str:
    """Name this process among those of all machines; numbers alone would repeat in containers."""
    return f"{_MARK}-{os.getpid()}"


def do_task(function: Callable[..., Any], task: Any, shared: tuple[Any, ...], home: str) -> Outcome:
    """Do a task on one thread; outside of the process `home`, warnings are sent along."""
    with one_thread():
        if this_process() == home:
            return Outcome(function(task, *shared), [])
        with recorded_warnings() as warned:
            result = function(task, *shared)
        return Outcome(result, warned)


def on_cluster() -> bool:
    """Say whether tasks go to a cluster, within a block of one but not within a task."""
    return _current() is not None


def n_workers(n_jobs: int | None = None) -> int:
    """Count the tasks that run side by side: threads of the cluster, or what `n_jobs` stands for.

    Work is not to be cut by it, for results must not depend on it.

    Examples
    --------
    >>> n_workers(3)
    3
    """
    cluster = _current()
    return n_threads(n_jobs) if cluster is None else cluster.n_threads


def parallel_map(
    function: Callable[..., Any],
    tasks: Iterable[Any],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
    label: str = "",
    progress: bool = False,
    prefer: Prefer = "threads",
    steps: Sequence[int] | None = None,
) -> list[Any]:
    """Call ``function(task, *shared)`` for each task, and return the results in their order.

    On this machine the tasks run in threads or processes of joblib, and within
    :func:`spinney.scale.cluster.cluster` on the workers of Dask. Tasks that run side by side have
    one thread each: what they in turn spread over tasks is done within them. With one worker tasks
    run as if called here, one after the other.

    Parameters
    ----------
    function : callable
        On a cluster and in processes it is found by name: a function of a module, not one made
        within another. It must not change what is shared.
    tasks : iterable
        The argument that differs between calls: small, and with a seed of its own if anything is
        random. The number of tasks must not depend on the number of workers.
    shared : sequence
        What all calls need: the table, the settings. It is sent to each worker once.
    n_jobs : int, optional
        Threads or processes, as in joblib; on a cluster it is not used.
    label : str
        What is going on, for the progress bar.
    progress : bool
        Whether to show one.
    prefer : {"threads", "processes"}
        On this machine: threads for kernels that release Python's lock, processes for the rest.
    steps : sequence of int, optional
        How far each task moves the bar; by default by one.

    Raises
    ------
    Exception
        Whatever a task raises first. Ctrl-C ends the work, too: no other task is begun.

    Examples
    --------
    >>> parallel_map(pow, [1, 2, 3], shared=(2,), n_jobs=2)
    [1, 4, 9]
    """
    tasks = list(tasks)
    counts = [1] * len(tasks) if steps is None else list(steps)
    if len(counts) != len(tasks):
        raise InputError(f"There are {len(tasks)} tasks, but steps of {len(counts)}.")
    results: list[Any] = [None] * len(tasks)
    run = as_finished(
        function, tasks, shared=shared, n_jobs=n_jobs, label=label, prefer=prefer, batch="auto"
    )
    with progress_bar(sum(counts), label, progress) as advance, closing(run):
        for position, result in run:
            results[position] = result
            advance(counts[position])
    return results


def as_finished(
    function: Callable[..., Any],
    tasks: Iterable[Any],
    *,
    shared: Sequence[Any] = (),
    n_jobs: int | None = None,
    label: str = "",
    prefer: Prefer = "threads",
    batch: int | Literal["auto"] = 1,
) -> Generator[tuple[int, Any], None, None]:
    """Yield the position and the result of each task as soon as it is finished.

    As :func:`parallel_map`, for whoever stores results one by one or does not want to hold them
    all. Tasks are taken from the iterable as they are sent. Closing the generator ends the work.

    Examples
    --------
    >>> sorted(as_finished(pow, iter([3, 4]), shared=(2,), n_jobs=2))
    [(0, 9), (1, 16)]
    """
    shared = tuple(shared)
    cluster = _current()
    if cluster is not None:
        yield from cluster.as_finished(function, tasks, shared, label)
    elif n_threads(n_jobs) == 1:
        for position, task in enumerate(tasks):
            yield position, function(task, *shared)
    else:
        yield from _by_joblib(function, tasks, shared, n_threads(n_jobs), prefer, batch)


def _by_joblib(
    function: Callable[..., Any],
    tasks: Iterable[Any],
    shared: tuple[Any, ...],
    jobs: int,
    prefer: Prefer,
    batch: int | Literal["auto"],
) -> Iterator[tuple[int, Any]]:
    calls = (
        delayed(_numbered)(position, function, task, shared, this_process())
        for position, task in enumerate(tasks)
    )
    # Arrays that processes share are copied when written to; read-only ones would be of another
    # type to compiled kernels.
    how: dict[str, Any] = {"n_jobs": jobs, "batch_size": batch, "mmap_mode": "c"}
    # `prefer` would be a wish only, which a backend that the user has set does not grant.
    how |= {"require": "sharedmem"} if prefer == "threads" else {"prefer": prefer}
    try:
        parallel = Parallel(return_as="generator_unordered", **how)
    except ValueError:  # pools of processes, and Ray's among them, return lists only
        parallel = Parallel(**how)
        while some := list(islice(calls, TASKS_AT_ONCE * jobs)):
            yield from map(_unpacked, parallel(some))
        return
    results = parallel(calls)
    try:
        yield from map(_unpacked, results)
    finally:
        with warnings.catch_warnings():
            # Whoever closes a run knows that tasks are left.
            warnings.filterwarnings("ignore", ".*have been cancelled", UserWarning)
            results.close()


def _numbered(
    position: int, function: Callable[..., Any], task: Any, shared: tuple[Any, ...], home: str
) -> tuple[int, Outcome]:
    return position, do_task(function, task, shared, home)


def _unpacked(found: tuple[int, Outcome]) -> tuple[int, Any]:
    position, outcome = found
    warn_again(outcome.warned)
    return position, outcome.result
