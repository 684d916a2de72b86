"""A Dask cluster that tasks are sent to while a block runs."""

from __future__ import annotations

import asyncio
import logging
import re
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from math import inf
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from spinney._core.threads import within_task
from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.scale.workers._parcel import Parcel
from spinney.scale.workers._versions import check_versions, find_versions, own_versions

__all__ = ["Connection", "cluster", "current"]

ANSWER_S = 5.0
"""Seconds within which a scheduler must answer."""

KEPT_BYTES = 1 << 29
"""Bytes of shared data that are kept on each worker for calls to come."""

_ADDRESS = re.compile(r"(\w+://)?[^\s/]+:\d{1,5}")

_current: ContextVar[Connection | None] = ContextVar("spinney_cluster", default=None)


@contextmanager
def cluster(address: Any = None) -> Iterator[Connection]:
    """Send tasks to a Dask cluster while a block runs.

    Everything in spinney that runs over tiles of pairs, subsets of rows, halves, groups or
    repetitions is then done by its workers. The results are the same to the bit, whatever the
    number of workers; a worker that dies loses nothing, its tasks are done again by others.

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
    Workers compile the kernels when they first need them, unless they find them in a cache from
    before, or on a shared disc. The bits are the same on processors of one width of registers
    (``spinney info`` names it): mixed clusters agree to rounding only.

    Examples
    --------
    >>> with cluster("tcp://10.0.0.1:8786"):  # doctest: +SKIP
    ...     graph = spinney.learn(table)
    """
    connection = Connection(*_client_of(address))
    with _quiet():
        try:
            connection.check_workers()
            token = _current.set(connection)
            try:
                yield connection
            finally:
                _current.reset(token)
        finally:
            connection.close()


def current() -> Connection | None:
    """Return the cluster that tasks go to; within a task, none."""
    return None if within_task() else _current.get()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client's log to itself: what matters is raised in words of our own."""
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
            f"'{address}' is no address of a Dask scheduler. It looks like tcp://10.0.0.1:8786."
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


class Connection:
    """A client, and the data that its workers hold.

    Attributes
    ----------
    client : distributed.Client
        What tasks are sent with.
    address : str
        Where its scheduler is.
    bytes_scattered : int
        Bytes of shared data that were sent so far, counted once however many workers got them.
    """

    def __init__(self, client: Any, owned: bool) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self.versions = own_versions()
        self.bytes_scattered = 0
        self._owned = owned
        self._threads, self._asked = 1, -inf
        self._lent: OrderedDict[str, tuple[Any, int]] = OrderedDict()

    @property
    def n_threads(self) -> int:
        """Threads of all workers, at least 1; as they were within the last second."""
        if monotonic() > self._asked + 1.0:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
            self._threads = max(sum(int(worker["nthreads"]) for worker in workers.values()), 1)
            self._asked = monotonic()
        return self._threads

    def check_workers(self) -> None:
        """Refuse workers of other versions; say so if there are none."""
        found: dict[str, Any] = self.client.run(find_versions(), on_error="return")
        check_versions({k: v for k, v in found.items() if isinstance(v, dict)}, self.versions)
        if not found:
            warnings.warn(
                f"The cluster at {self.address} has no workers yet. The work begins when one comes "
                f"(dask worker {self.address}).",
                DataWarning,
                stacklevel=4,
            )

    def lend(self, content: Any) -> Any:
        """Send an object to all workers, unless they have it."""
        parcel = Parcel.of(content)
        key = parcel.fingerprint
        if key in self._lent:
            future, _ = self._lent[key]
            if future.status == "finished":
                self._lent.move_to_end(key)
                return future
            del self._lent[key]
        # A name of its own each time: the scheduler may still be forgetting an earlier one.
        name = f"spinney-shared-{key}-{uuid4().hex[:8]}"
        future = self.scatter(name, parcel, broadcast=True)
        self.bytes_scattered += parcel.n_bytes
        self._lent[key] = future, parcel.n_bytes
        while len(self._lent) > 1 and sum(size for _, size in self._lent.values()) > KEPT_BYTES:
            self._lent.popitem(last=False)  # whoever still uses it holds it himself
        return future

    def scatter(self, name: str, parcel: Parcel, broadcast: bool = False) -> Any:
        """Send a parcel to one worker or all; wait for one if there is none."""
        while True:
            self.client.wait_for_workers(1)
            try:
                return self.client.scatter({name: parcel}, broadcast=broadcast)[name]
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

    def close(self) -> None:
        """Let go of the data, and of the client if it was made here."""
        self._lent.clear()
        if self._owned:
            with suppress(OSError, TimeoutError):
                self.client.close(timeout=ANSWER_S)
