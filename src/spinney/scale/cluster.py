"""Tasks on a Dask cluster, by joblib's backend for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any

from spinney.exceptions import DataWarning, InputError
from spinney.scale.tasks import set_client

__all__ = ["cluster"]

ANSWER_S = 5.0
"""Seconds within which a scheduler must answer."""


@contextmanager
def cluster(address: Any = None) -> Iterator[Any]:
    """Send tasks to a Dask cluster while a block runs.

    Everything in spinney that runs over tiles of pairs, subsets of rows, halves, groups or
    repetitions is then done by its workers. The results are the same to the bit, whatever the
    number of workers. Dask runs the tasks of a worker that dies again.

    Parameters
    ----------
    address : str or distributed.Client, optional
        Address of a scheduler, such as ``"tcp://10.0.0.1:8786"``, or a client, which is not closed
        at the end. Without it, the client that runs in this process is taken.

    Yields
    ------
    distributed.Client

    Raises
    ------
    InputError
        If Dask is not installed, or no scheduler answers within seconds.

    Notes
    -----
    Workers need the versions of Python, spinney, numpy, scipy and numba that this process has. They
    compile the kernels when they first need them, unless they find them in a cache from before, or
    on a shared disc. The bits are the same on processors of one width of registers (``spinney
    info`` names it): mixed clusters agree to rounding only.

    Examples
    --------
    >>> with cluster("tcp://10.0.0.1:8786"):  # doctest: +SKIP
    ...     graph = spinney.learn(table)
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise InputError(
            'Work on many machines needs Dask. Install it: pip install "spinney[cluster]".'
        ) from error
    with _client_of(address, distributed) as client:
        if not client.nthreads():
            where = client.scheduler.address
            warnings.warn(
                f"The cluster at {where} has no workers yet. The work begins when one comes "
                f"(dask worker {where}).",
                DataWarning,
                stacklevel=3,
            )
        with set_client(client):
            yield client


def _client_of(address: Any, distributed: Any) -> Any:
    """Return a client; one that is made here closes at the end of its block."""
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
    try:
        return distributed.Client(str(address), timeout=ANSWER_S, set_as_default=False)
    except Exception as error:  # a server of another kind may say anything
        raise InputError(
            f"No Dask scheduler answers at {address}. Start one (dask scheduler), or check the "
            "address (such as tcp://10.0.0.1:8786) and the network."
        ) from error
