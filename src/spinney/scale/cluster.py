"""Tasks on a Dask cluster.

Dask moves the data, runs the tasks, and repeats whatever is lost with a worker, shared data
included. spinney adds a check of versions, and sends a few tasks per thread at a time.
"""

from __future__ import annotations

import asyncio
import pickle
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import islice
from typing import Any
from uuid import uuid4

from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.notices import warn_again
from spinney.scale.tasks import Outcome, do_task, set_cluster, this_process

ANSWER_S = 5.0
"""Seconds within which a scheduler must answer."""

AHEAD = 4
"""Tasks per thread of the cluster that are sent but not finished."""

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
    # Tables are sent as arguments, so that Dask can send them again.
    no_limit = {"distributed.admin.large-graph-warning-threshold": "1 TB"}
    with _client(address) as client, import_module("dask.config").set(no_limit):
        there = Cluster(client)
        there.check_workers()
        with set_cluster(there):
            yield there


def _client(address: Any) -> AbstractContextManager[Any]:
    """Return a client, which is closed at the end of a block if it was made here."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise InputError(
            'Work on many machines needs Dask. Install it: pip install "spinney[cluster]".'
        ) from error
    if isinstance(address, distributed.Client):
        if address.status != "running":
            raise InputError(f"The client is {address.status} and cannot send tasks. Make another.")
        return nullcontext(address)
    if address is None:
        try:
            return nullcontext(distributed.default_client())
        except ValueError as error:
            raise InputError(
                "No client of Dask runs in this process. Give the address of a scheduler."
            ) from error
    if not _ADDRESS.fullmatch(str(address)):
        raise InputError(
            f"'{address}' is not the address of a Dask scheduler. It looks like tcp://10.0.0.1:8786."
        )
    try:
        with ThreadPoolExecutor(1) as pool:  # for where a loop of events runs, as in notebooks
            pool.submit(asyncio.run, _knock(address)).result()
        client: AbstractContextManager[Any] = distributed.Client(
            address, timeout=ANSWER_S, set_as_default=False
        )
    except Exception as error:  # a server of another kind may say anything
        raise InputError(
            f"No Dask scheduler answers at {address}. Start one (dask scheduler), or check the "
            "address and the network."
        ) from error
    return client


async def _knock(address: str) -> None:
    """Raise an error if nothing at an address speaks as a scheduler does.

    A client would wait for ever for the first word of a server of another kind, whatever its
    time limit.
    """
    security = import_module("distributed.security").Security()
    connect = import_module("distributed.comm").connect
    async with asyncio.timeout(ANSWER_S):
        connection = await connect(address, **security.get_connection_args("client"))
        await connection.close()


class Cluster:
    """A client of Dask, and how tasks are sent with it.

    Attributes
    ----------
    client : distributed.Client
        What tasks are sent with.
    address : str
        Where its scheduler is.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)

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

        A few tasks per thread are sent at a time, and results are fetched at once, so neither tasks
        nor results pile up. When the iterator is closed, whatever has been sent is called back.
        """
        distributed: Any = import_module("distributed")
        name = f"{label.replace(' ', '_') or 'task'}-{uuid4().hex}"
        finished = distributed.as_completed(loop=self.client.loop)
        left, held = enumerate(tasks), list[Any]()
        sent: dict[Any, int] = {}
        try:
            # By a task, for Dask makes no scattered data again when their last worker has died.
            held.append(self.client.submit(_Shared, _packed(shared), key=f"shared-{name}"))
            with suppress(Exception):  # ahead of time; Dask fails if a worker dies meanwhile
                self.client.replicate(held)
            call = this_process(), own_versions(), held[0]
            while True:
                room = max(AHEAD * self.n_threads - len(sent), 0)
                for position, task in islice(left, room):
                    payload, key = _packed((function, task)), f"{name}-{position}"
                    future = self.client.submit(_do_on_worker, payload, *call, key=key, pure=False)
                    sent[future] = position
                    finished.add(future)
                if not sent:
                    return
                future = next(finished)
                outcome: Outcome = pickle.loads(future.result())
                position = sent.pop(future)
                warn_again(outcome.warned)
                yield position, outcome.result
        except distributed.KilledWorker as error:
            raise SpinneyError(
                "A task was lost with each of the workers that ran it. They may have too little "
                "memory; their logs say more."
            ) from error
        except Exception as error:
            if self.client.status == "running" and not isinstance(error, CancelledError):
                raise  # by a task
            raise SpinneyError(
                f"The connection to the Dask scheduler at {self.address} was lost. Start the "
                "scheduler again, and the same work again."
            ) from error
        finally:
            if self.client.status == "running":
                with suppress(OSError, TimeoutError, CancelledError):
                    self.client.cancel([*sent, *held], force=True)


def _packed(content: Any) -> bytes:
    """Pack an object with its arrays, so that they are unpacked into memory of their own.

    Memory that comes off a network begins at any byte and may be read-only, which compiled kernels
    take for another kind of array.
    """
    cloudpickle: Any = import_module("cloudpickle")  # comes with Dask
    return bytes(cloudpickle.dumps(content, protocol=5))


def _do_on_worker(payload: bytes, home: str, versions: Versions, shared: _Shared) -> bytes:
    """Unpack a task, do it, and pack what came of it."""
    # The worker may have come after the others were checked.
    check_versions(import_module("distributed").get_worker().address, own_versions(), versions)
    function, task = pickle.loads(payload)
    return _packed(do_task(function, task, shared.content, home))


class _Shared:
    """What tasks share, unpacked once by each worker that holds it."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload

    def __reduce__(self) -> tuple[Any, ...]:
        return _Shared, (self.payload,)

    def __sizeof__(self) -> int:
        return len(self.payload)

    @cached_property
    def content(self) -> Any:
        return pickle.loads(self.payload)


@lru_cache(maxsize=1)
def own_versions() -> Versions:
    """Return the versions of this process, of Python and of what makes the numbers."""
    told = import_module("distributed.versions").get_versions(list(PACKAGES))["packages"]
    return {name: told[name] for name in ("python", *PACKAGES)}


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
        if found.get(package) != version:
            raise InputError(
                f"The worker {address} has {package} {found.get(package)} and this process has "
                f"{package} {version}, so their numbers may differ. Install the same version on "
                "both."
            )
