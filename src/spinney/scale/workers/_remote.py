"""Tasks on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from itertools import islice
from math import inf
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple
from uuid import uuid4

from spinney._core.warned import warn_again
from spinney.exceptions import SpinneyError
from spinney.scale.workers._parcel import Parcel
from spinney.scale.workers._task import do_task, this_process
from spinney.scale.workers._versions import Versions, check_versions, own_versions
from spinney.scale.workers.connection import Connection

__all__ = ["as_finished_remotely"]

AHEAD = 2
"""Tasks per thread of the cluster that are sent but not finished; and at least `FEWEST_AHEAD`."""
FEWEST_AHEAD = 8

MOST_LOSSES = 5
"""Times that a task may be given up by the scheduler, which by itself tries four workers."""

MOST_FRUITLESS = 20
"""Times that tasks may be lost with their data before any other is finished."""
ONE_LOSS_S = 2.0
"""Seconds within which losses are one: tasks are missed one after the other."""

LARGE = 1 << 20
"""Bytes from which on a task is sent to a worker apart from the plan that the scheduler reads."""

LOOK_EVERY_S = 1.0
"""Seconds between two looks at whether the scheduler is still there."""


class _Sent(NamedTuple):
    position: int
    parcel: Parcel
    killed: int  # how often it was given up, and may be why
    future: Any


def _do_on_worker(parcel: Parcel, home: str, versions: Versions, *shared: Parcel) -> Parcel:
    """Unpack a task, do it, and pack what came of it."""
    if versions != _VERSIONS:
        worker = import_module("distributed").get_worker()
        check_versions({str(worker.address): _VERSIONS}, versions)
    function, task = parcel.content
    return Parcel.of(do_task(function, task, tuple(part.content for part in shared), home))


_VERSIONS = own_versions()


def as_finished_remotely(
    connection: Connection,
    function: Callable[..., Any],
    tasks: Iterable[Any],
    shared: tuple[Any, ...],
    label: str,
) -> Iterator[tuple[int, Any]]:
    """Yield position and result of each task as it is finished, in whatever order.

    Only a few tasks per worker are sent at a time, and results are fetched at once, so neither
    tasks nor results heap up anywhere. When the iterator is closed, whatever has been sent is
    called back.
    """
    run = _Run(connection, shared, label)
    left = enumerate(tasks)
    try:
        while True:
            for position, task in islice(left, run.room()):
                run.send(position, Parcel.of((function, task)))
            if not run.sent:
                return
            yield from run.receive()
    finally:
        run.call_back()


class _Run:
    """Tasks of one call: which are sent, and which have come back."""

    def __init__(self, connection: Connection, shared: tuple[Any, ...], label: str) -> None:
        self.connection = connection
        self.shared = shared
        self.name = f"{label.replace(' ', '_') or 'task'}-{uuid4().hex[:12]}"
        self.sent: dict[str, _Sent] = {}
        self.count = 0
        self.fruitless, self.last_loss = 0, -inf
        self.ended: SimpleQueue[str] = SimpleQueue()
        self.lent = self._lend()

    def _lend(self) -> list[Any]:
        return [self.connection.lend(content) for content in self.shared]

    def room(self) -> int:
        """Count the tasks that may still be sent."""
        return max(FEWEST_AHEAD, AHEAD * self.connection.n_threads) - len(self.sent)

    def send(self, position: int, parcel: Parcel, killed: int = 0) -> None:
        """Send a task, which was given up `killed` times before."""
        self.count += 1  # each time a name of its own, for the scheduler may know the last one yet
        key = f"{self.name}-{self.count}"
        content: Any = parcel
        if parcel.n_bytes > LARGE:
            content = self.connection.scatter(f"{key}-task", parcel)
        future = self.connection.client.submit(
            _do_on_worker,
            content,
            this_process(),
            self.connection.versions,
            *self.lent,
            key=key,
            pure=False,
        )
        self.sent[key] = _Sent(position, parcel, killed, future)
        future.add_done_callback(lambda done: self.ended.put(done.key))

    def receive(self) -> Iterator[tuple[int, Any]]:
        """Wait until something comes back, and yield it."""
        came = {key: self.sent.pop(key) for key in self._wait() if key in self.sent}
        try:
            whole = {k: sent.future for k, sent in came.items() if sent.future.status == "finished"}
            found = self.connection.client.gather(whole, errors="skip") if whole else {}
            lost = []
            for key, sent in came.items():
                if found.get(key) is not None:
                    self.fruitless = 0
                    outcome = found[key].content
                    warn_again(outcome.warned)
                    yield sent.position, outcome.result
                else:
                    lost.append(sent)
            if lost:
                self._send_again(lost)
        except BaseException:
            self.sent |= came  # to be called back with the others
            raise

    def _wait(self) -> list[str]:
        """Return the names of all tasks that have ended, at least one."""
        ended: list[str] = []
        while not ended:
            with suppress(Empty):
                ended.append(self.ended.get(timeout=LOOK_EVERY_S))
                while True:
                    ended.append(self.ended.get_nowait())
            self.connection.check_alive()
        return ended

    def _send_again(self, lost: list[_Sent]) -> None:
        """Send tasks again that were lost; raise what a task has raised itself."""
        killed: type[Exception] = import_module("distributed").KilledWorker
        if monotonic() > self.last_loss + ONE_LOSS_S:
            self.fruitless, self.last_loss = self.fruitless + 1, monotonic()
        again = []
        for sent in lost:
            was_killed = False
            if sent.future.status == "error":
                error = sent.future.exception()
                if not isinstance(error, killed):  # the task's own
                    raise error.with_traceback(sent.future.traceback())
                was_killed = True
            again.append(sent._replace(killed=sent.killed + was_killed))
            if again[-1].killed > MOST_LOSSES or self.fruitless > MOST_FRUITLESS:
                times = max(again[-1].killed, self.fruitless)
                raise SpinneyError(
                    f"Task {sent.position + 1} was lost {times} times with the workers that ran "
                    "it. They may have too little memory; their logs say more."
                )
        self.connection.check_alive()
        # The workers that died may have been all that held the shared data.
        self.lent = self._lend()
        for sent in again:
            self.send(sent.position, sent.parcel, sent.killed)

    def call_back(self) -> None:
        """Cancel whatever has been sent; a worker still ends the task that it is at."""
        futures = [sent.future for sent in self.sent.values()]
        self.sent.clear()
        # Whoever keeps an error keeps this run by its traceback; workers need not hold the data.
        self.lent = []
        if futures and self.connection.client.status == "running":
            with suppress(OSError, TimeoutError, CancelledError):
                self.connection.client.cancel(futures, force=True)
