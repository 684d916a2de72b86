"""Clusters of processes on this machine, and a clock."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from spinney.scale.cluster import cluster


@contextmanager
def processes(n_workers: int) -> Iterator[Any]:
    """Send tasks to `n_workers` processes of one thread each while a block runs."""
    from distributed import LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of starting and ending, which is not what is measured
        own = LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
        with own, cluster(own.scheduler_address) as connection:
            yield connection


def timed(run: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
