"""What a task costs that does nothing, and what it costs to send data to all workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cluster.workers import processes, timed
from spinney.scale.tasks import parallel_map

TASKS = 500
MEGABYTES = (1, 10, 100)


def nothing(task: int) -> int:
    """Do nothing."""
    return task


def row(task: int, table: Any) -> float:
    """Look at shared data."""
    return float(table[task, 0])


def run(seed: int, quick: bool) -> dict[str, Any]:
    count, found = TASKS // 5 if quick else TASKS, {}
    rng = np.random.default_rng(seed)
    for n_workers in (1, 2, 4):
        with processes(n_workers):
            parallel_map(nothing, range(10))
            each = timed(lambda: parallel_map(nothing, range(count))) / count
            sending = {}
            for size in MEGABYTES[: 2 if quick else 3]:
                table = rng.random((size * 1024, 128))  # so many megabytes
                sending[size] = timed(
                    lambda table=table: parallel_map(row, range(4), shared=(table,))
                )
            label = f"{n_workers} worker{'s' * (n_workers > 1)}"
            print(f"  {label}: {1e3 * each:.1f} ms a task")
            for size, seconds in sending.items():
                print(f"    {size} MB to all: {seconds:.2f} s")
            found[label] = {"seconds_per_task": each, "seconds_to_send": sending}
    return {"tasks": count, **found}
