"""Tasks on a Dask cluster: a thin layer on `distributed`.

Dask moves the data, runs the tasks and runs those of a dead worker again. What is added here: a
check of versions, data that are sent once for many calls, a bounded number of tasks under way, and
data sent again when the last worker that held them has died.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import platform
import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib import import_module
from itertools import count, islice
from math import inf
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic, sleep
from typing import Any, NamedTuple
from uuid import uuid4

from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.notices import warn_again
from spinney.scale.tasks import do_task, set_cluster, this_process

__all__ = ["Cluster", "cluster"]

ANSWER_S = 5.0
"""Seconds within which a scheduler must answer."""

KEPT_BYTES = 1 << 29
"""Bytes of shared data that are kept on each worker for calls to come."""

AHEAD = 2
"""Tasks per thread of the cluster that are sent but not finished; and at least `FEWEST_AHEAD`."""
FEWEST_AHEAD = 8

MOST_LOSSES = 10
"""Times that a task may be lost; the scheduler by itself tries four workers each time."""

LARGE = 1 << 20
"""Bytes from which on a task is sent to a worker apart from the plan that the scheduler reads."""

PACKAGES = ("spinney", "numpy", "scipy", "numba")
"""Packages whose versions must agree: else numbers differ."""

_ADDRESS = re.compile(r"(\w+://)?[^\s/]+:\d{1,5}")

Versions = dict[str, str | None]


@contextmanager
def cluster(address: Any = None) -> Iterator[Cluster]:
    """Send tasks to a Dask cluster while a block runs.

    Its workers then do all that spinney repeats over pairs, subsets of rows, halves, groups or
    repetitions. The results are the same to the bit for any number of workers. If a worker dies,
    others do its tasks again.

    Parameters
    ----------
    address : str or distributed.Client, optional
        Address of a scheduler, such as ``"tcp://10.0.0.1:8786"``, or a client, which is not closed
        at the end. Without it, the client that runs in this process is taken.

    Raises
    ------
    InputError
        If Dask is not installed, no scheduler answers within seconds, or a worker has another
        version of Python, spinney, numpy, scipy or numba than this process.

    Notes
    -----
    Workers compile the kernels when they first need them, unless an earlier cache has them, such as
    one on a shared disc. Results are the same to the bit on processors with registers of one width
    (``spinney info`` names it); on mixed clusters they agree to rounding.

    Examples
    --------
    >>> with cluster("tcp://10.0.0.1:8786"):  # doctest: +SKIP
    ...     graph = spinney.learn(table)
    """
    client, owned = _client_of(address)
    there = Cluster(client)
    with _quiet():
        try:
            there.check_workers()
            with set_cluster(there):
                yield there
        finally:
            there.kept.clear()
            if owned:
                with suppress(OSError, TimeoutError):
                    client.close(timeout=ANSWER_S)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the client's log: what matters is raised as an error of our own."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "core", "batched")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _client_of(address: Any) -> tuple[Any, bool]:
    """Return a client, and whether it is to be closed."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise InputError(
            'Work on many machines needs Dask. Install it: pip install "spinney[cluster]".'
        ) from error
    if isinstance(address, distributed.Client):
        if address.status != "running":
            raise InputError(f"The client is {address.status} and cannot send tasks. Make another.")
        return address, False
    if address is None:
        try:
            return distributed.default_client(), False
        except ValueError as error:
            raise InputError(
                "No client of Dask runs in this process. Give the address of a scheduler."
            ) from error
    if not isinstance(address, str):
        raise InputError(
            f"A cluster is the address of a scheduler or a client, not {type(address).__name__}."
        )
    if not _ADDRESS.fullmatch(address):
        raise InputError(
            f"'{address}' is not the address of a Dask scheduler. It looks like tcp://10.0.0.1:8786."
        )
    try:
        with ThreadPoolExecutor(1) as pool:  # for where a loop of events runs, as in notebooks
            pool.submit(asyncio.run, _knock(address)).result()
        return distributed.Client(address, timeout=ANSWER_S, set_as_default=False), True
    except Exception as error:  # a server of another kind may say anything
        raise InputError(
            f"No Dask scheduler answers at {address}. Start one (dask scheduler), or check the "
            "address and the network."
        ) from error


async def _knock(address: str) -> None:
    """Raise an error if nothing at an address speaks as a scheduler does.

    A client would wait for ever for the first word of a server of another kind.
    """
    comm: Any = import_module("distributed.comm")
    security: Any = import_module("distributed.security").Security()
    options = security.get_connection_args("client")
    async with asyncio.timeout(ANSWER_S):
        connection = await comm.connect(address, timeout=0.8 * ANSWER_S, **options)
        await connection.close()


class _Sent(NamedTuple):
    position: int
    payload: bytes
    losses: int
    future: Any


class Cluster:
    """A client of Dask, and the data that its workers hold.

    Attributes
    ----------
    client : distributed.Client
        What tasks are sent with.
    address : str
        Where its scheduler is.
    bytes_scattered : int
        Bytes of shared data that were sent so far, counted once however many workers got them.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self.bytes_scattered = 0
        self.kept: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._threads, self._asked = 1, -inf

    @property
    def n_threads(self) -> int:
        """Threads of all workers, at least 1; as they were within the last second."""
        if monotonic() > self._asked + 1.0:
            self._threads = max(sum(self.client.nthreads().values()), 1)
            self._asked = monotonic()
        return self._threads

    def check_workers(self) -> None:
        """Refuse workers of other versions; warn if there are none."""
        found = self.client.get_versions(packages=list(PACKAGES))["workers"]
        for address in sorted(found):
            check_versions(address, found[address]["packages"], own_versions())
        if not found:
            warnings.warn(
                f"The cluster at {self.address} has no workers yet. The work begins when one comes "
                f"(dask worker {self.address}).",
                DataWarning,
                stacklevel=4,
            )

    def scatter(self, content: tuple[Any, ...]) -> Any:
        """Send what tasks share to all workers, unless they have it."""
        payload = _packed(content)
        name = blake2b(payload, digest_size=16).hexdigest()
        future, _ = self.kept.pop(name, (None, 0))
        if future is None or future.status != "finished":
            future = self._send(_Shared(payload), broadcast=True)
            self.bytes_scattered += len(payload)
        self.kept[name] = future, len(payload)
        while len(self.kept) > 1 and sum(size for _, size in self.kept.values()) > KEPT_BYTES:
            self.kept.popitem(last=False)  # callers keep their own reference
        return future

    def _send(self, content: Any, broadcast: bool = False) -> Any:
        """Send data to one worker or all; wait for one if there is none."""
        # A name of its own each time: the scheduler may still be forgetting an earlier one.
        name = f"spinney-{uuid4().hex}"
        while True:
            self.client.wait_for_workers(1)
            try:
                return self.client.scatter({name: content}, broadcast=broadcast)[name]
            except TimeoutError:  # the last one has just gone
                self.check_alive()

    def check_alive(self) -> None:
        """Wait while the connection is being made again; raise if it is lost."""
        end = monotonic() + 2 * ANSWER_S
        while self.client.status == "connecting" and monotonic() < end:
            sleep(0.05)
        if self.client.status != "running":
            raise SpinneyError(
                f"The connection to the Dask scheduler at {self.address} was lost. Start the "
                "scheduler again, and the same work again."
            )

    def as_finished(
        self,
        function: Callable[..., Any],
        tasks: Iterable[Any],
        shared: tuple[Any, ...],
        label: str,
    ) -> Iterator[tuple[int, Any]]:
        """Yield position and result of each task as it is finished, in whatever order.

        A few tasks per worker are sent at a time, and results are fetched at once, so neither tasks
        nor results pile up. When the iterator is closed, whatever has been sent is called back.
        """
        names = (f"{label.replace(' ', '_') or 'task'}-{uuid4().hex[:12]}-{k}" for k in count())
        sent: dict[str, _Sent] = {}
        ended: SimpleQueue[str] = SimpleQueue()
        versions, left = own_versions(), enumerate(tasks)
        sent_once = self.scatter(shared)

        def send(position: int, payload: bytes, losses: int = 0) -> None:
            name = next(names)
            task = self._send(payload) if len(payload) > LARGE else payload
            future = self.client.submit(
                _do_on_worker, task, this_process(), versions, sent_once, key=name, pure=False
            )
            sent[name] = _Sent(position, payload, losses, future)
            future.add_done_callback(lambda done: ended.put(done.key))

        try:
            while True:
                room = max(FEWEST_AHEAD, AHEAD * self.n_threads) - len(sent)
                for position, task in islice(left, room):
                    send(position, _packed((function, task)))
                if not sent:
                    return
                with suppress(Empty):
                    one = sent[ended.get(timeout=1.0)]
                    outcome = self._outcome(one)
                    del sent[one.future.key]
                    if outcome is None:  # the worker that died may have held the last of the data
                        sent_once = self.scatter(shared)
                        send(one.position, one.payload, one.losses + 1)
                    else:
                        warn_again(outcome.warned)
                        yield one.position, outcome.result
                self.check_alive()
        finally:
            futures = [one.future for one in sent.values()]
            # Whoever keeps an error keeps this by its traceback; workers need not hold the data.
            sent.clear()
            sent_once = None
            if futures and self.client.status == "running":
                with suppress(OSError, TimeoutError, CancelledError):
                    self.client.cancel(futures, force=True)

    def _outcome(self, sent: _Sent) -> Any:
        """Fetch what came of a task; None if it was lost, but what it has raised is raised."""
        distributed: Any = import_module("distributed")
        try:
            return pickle.loads(sent.future.result())
        except (CancelledError, distributed.KilledWorker) as error:
            self.check_alive()
            if sent.losses >= MOST_LOSSES:
                raise SpinneyError(
                    f"Task {sent.position + 1} was lost {sent.losses + 1} times with the workers "
                    "that ran it. They may have too little memory; their logs say more."
                ) from error
            return None


def _packed(content: Any) -> bytes:
    """Pack an object with its arrays, so that they are unpacked into memory of their own.

    Memory that comes off a network begins at any byte and may be read-only, which compiled kernels
    take for another kind of array.
    """
    cloudpickle: Any = import_module("cloudpickle")  # comes with Dask
    return bytes(cloudpickle.dumps(content, protocol=5))


def _do_on_worker(payload: bytes, home: str, versions: Versions, sent_once: _Shared) -> bytes:
    """Unpack a task, do it, and pack what came of it."""
    if versions != own_versions():
        worker = import_module("distributed").get_worker()
        check_versions(str(worker.address), own_versions(), versions)
    function, task = pickle.loads(payload)
    return _packed(do_task(function, task, sent_once.content, home))


class _Shared:
    """What tasks share, unpacked once for all threads of the worker that holds it."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Shared, (self.payload,)

    def __sizeof__(self) -> int:
        return len(self.payload)

    @property
    def content(self) -> Any:
        with self._lock:
            return self._content

    @cached_property
    def _content(self) -> Any:
        return pickle.loads(self.payload)


@lru_cache(maxsize=1)
def own_versions() -> Versions:
    """Return the versions of this process, of Python and of what makes the numbers."""
    found: Versions = {"python": ".".join(platform.python_version_tuple())}
    return found | {name: str(import_module(name).__version__) for name in PACKAGES}


def check_versions(address: str, found: dict[str, Any], own: Versions) -> None:
    """Refuse a worker whose versions are not those of this process.

    Examples
    --------
    >>> check_versions("tcp://a:1", {"numba": "0.60.0"}, {"numba": "0.61.2"})
    Traceback (most recent call last):
    spinney.exceptions.InputError: The worker tcp://a:1 has numba 0.60.0 and this process has numba
    0.61.2, so their numbers may differ. Install the same version on both.
    """
    if found.get("spinney", "") is None:
        raise InputError(
            f"The worker {address} has no spinney. Install spinney {own['spinney']} where the "
            "workers run."
        )
    for package, version in own.items():
        there = found.get(package)
        # Dask writes the version of Python with its stage: 3.11.9.final.0.
        if there != version and not (package == "python" and str(there).startswith(f"{version}.")):
            raise InputError(
                f"The worker {address} has {package} {there} and this process has {package} "
                f"{version}, so their numbers may differ. Install the same version on both."
            )
