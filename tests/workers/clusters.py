"""Clusters of separate processes, and how to shoot at them."""

import logging
import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def processes(n_workers: int, **options: Any) -> Iterator[Any]:
    """Start workers of one thread each in processes of their own; end them afterwards."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        # What the library warns of while it starts and ends is no matter of ours.
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            **options,
        )
    try:
        yield cluster
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cluster.close(timeout=20)


def process_numbers(client: Any) -> list[int]:
    """Return the process number of each worker."""
    return sorted(client.run(os.getpid).values())


def shoot(process: int) -> None:
    """End a process as if the power failed."""
    os.kill(process, signal.SIGKILL)
