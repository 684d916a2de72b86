"""Clusters of separate processes, and how to shoot at them."""

import json
import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
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


@contextmanager
def by_command_line(n_workers: int, folder: Path) -> Iterator[tuple[str, list[Any]]]:
    """Start a scheduler and workers as one would by hand; yield its address and the workers."""
    pytest.importorskip("distributed")
    dask, file = [sys.executable, "-m", "dask"], folder / "scheduler.json"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--scheduler-file", str(file)]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = [*dask, "worker", "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    started = [subprocess.Popen([*scheduler, *place], **options)]
    try:
        _until(lambda: file.exists() and file.read_text().strip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        started += [
            subprocess.Popen([*worker, "--local-directory", str(folder), address], **options)
            for _ in range(n_workers)
        ]
        yield address, started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "nothing happened"
        sleep(0.05)
