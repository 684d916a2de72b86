"""Tasks on a Dask cluster: a thin layer on `distributed`.

Dask moves the data, runs the tasks and runs those of a dead worker again. What is added here: a
check of versions, a bounded number of tasks under way, and errors in one sentence.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import platform
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import Any
from uuid import uuid4

from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.notices import warn_again
from spinney.scale.tasks import do_task, set_cluster, this_process

__all__ = ["Cluster", "cluster"]

ANSWER_S = 5.0
"""Seconds within which a scheduler must answer."""

AHEAD = 2
"""Tasks per thread of the cluster that are sent but not finished; and at least `FEWEST_AHEAD`."""
FEWEST_AHEAD = 8

PACKAGES = ("spinney", "numpy", "scipy", "numba")
"""Packages whose versions must agree: else numbers differ."""

_ADDRESS = re.compile(r"(\w+://)?[^\s/]+:\d{1,5}")

Versions = dict[str, str | None]


@contextmanager
def cluster(address: Any = None) -> Iterator[Cluster]:
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
    client, owned = _client_of(address)
    there = Cluster(client)
    with _quiet():
        try:
            there.check_workers()
            with set_cluster(there):
                yield there
        finally:
            if owned:
                with suppress(OSError, TimeoutError):
                    client.close(timeout=ANSWER_S)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the client: what matters is raised as an error of our own."""
    config: Any = import_module("dask.config")
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "core", "batched")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
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


class Cluster:
    """A client of Dask.

    Attributes
    ----------
    client : distributed.Client
        What tasks are sent with.
    address : str
        Where its scheduler is.
    bytes_sent : int
        Bytes of shared data that were sent so far, counted once however many workers got them.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self.bytes_sent = 0

    @property
    def n_threads(self) -> int:
        """Threads of all workers, at least 1."""
        return max(sum(self.client.nthreads().values()), 1)

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
        name = f"{label.replace(' ', '_') or 'task'}-{uuid4().hex}"
        versions, left = own_versions(), enumerate(tasks)
        sent: dict[str, tuple[int, Any]] = {}
        # What tasks share is the result of a task, too: if the last worker that holds it dies, Dask
        # makes it again.
        payload = _packed(shared)
        self.bytes_sent += len(payload)
        data = self.client.submit(bytes, payload, key=f"{name}-shared", pure=False)

        def more() -> list[Any]:
            room = max(FEWEST_AHEAD, AHEAD * self.n_threads) - len(sent)
            futures = []
            for position, task in islice(left, room):
                key, packed = f"{name}-{position}", _packed((function, task))
                asked = (packed, this_process(), versions, data)
                futures.append(self.client.submit(_do_on_worker, *asked, key=key, pure=False))
                sent[key] = position, futures[-1]
            return futures

        try:
            finished = import_module("distributed").as_completed(more(), loop=self.client.loop)
            for future in finished:
                position, _ = sent.pop(future.key)
                outcome = self._outcome(future, position)
                warn_again(outcome.warned)
                yield position, outcome.result
                finished.update(more())
        except (CancelledError, OSError) as error:
            if self.client.status == "running":
                raise
            raise SpinneyError(
                f"The connection to the Dask scheduler at {self.address} was lost. Start the "
                "scheduler again, and the same work again."
            ) from error
        finally:
            if self.client.status == "running":
                with suppress(OSError, TimeoutError, CancelledError):
                    self.client.cancel([data, *(one for _, one in sent.values())], force=True)

    def _outcome(self, future: Any, position: int) -> Any:
        """Fetch what came of a task; what it has raised is raised."""
        distributed: Any = import_module("distributed")
        try:
            return pickle.loads(future.result())
        except distributed.KilledWorker as error:
            raise SpinneyError(
                f"Task {position + 1} was lost with each of the workers that ran it. They may have "
                "too little memory; their logs say more."
            ) from error


def _packed(content: Any) -> bytes:
    """Pack an object with its arrays, so that they are unpacked into memory of their own.

    Memory that comes off a network begins at any byte and may be read-only, which compiled kernels
    take for another kind of array.
    """
    cloudpickle: Any = import_module("cloudpickle")  # comes with Dask
    return bytes(cloudpickle.dumps(content, protocol=5))


def _do_on_worker(payload: bytes, home: str, versions: Versions, shared: bytes) -> bytes:
    """Unpack a task, do it, and pack what came of it."""
    worker = import_module("distributed").get_worker()
    check_versions(str(worker.address), own_versions(), versions)
    function, task = pickle.loads(payload)
    return _packed(do_task(function, task, pickle.loads(shared), home))


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
