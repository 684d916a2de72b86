"""Tasks that workers find by name."""

import os
import time
import warnings
from typing import Any

import numpy as np

from spinney._core.threads import n_threads, within_task
from spinney.exceptions import DataWarning
from spinney.scale.tasks import n_workers, on_cluster, parallel_map


def row_sum(row: int, table: Any) -> float:
    return float(table[row].sum())


def slow_row_sum(row: int, table: Any) -> float:
    time.sleep(0.05)
    return float(table[row].sum())


def slow_first(position: int) -> int:
    time.sleep(0.3 if position == 0 else 0.0)
    return position


def where(task: int) -> tuple[int, bool, bool, int, int]:
    return os.getpid(), within_task(), on_cluster(), n_workers(8), n_threads(-1)


def nested(task: int, table: Any) -> list[float]:
    return parallel_map(row_sum, range(task), shared=(table,), n_jobs=4)


def kind_of_memory(task: int, *arrays: Any) -> list[tuple[bool, bool, bool]]:
    found = [(a.flags.writeable, a.flags.aligned, a.flags.c_contiguous) for a in arrays]
    assert all(a.ctypes.data % 16 == 0 for a in arrays)
    return found


def fail_at_three(task: int, *shared: Any) -> int:
    if task == 3:
        raise KeyError("three")
    return task


def warn_of(task: int) -> int:
    if task % 2:
        warnings.warn(f"task {task} is odd", DataWarning, stacklevel=1)
    return task


def random_numbers(seed: int, size: int) -> Any:
    return np.random.default_rng(seed).normal(size=size)


def touch(task: int, folder: str) -> None:
    """Leave a file behind, and take a while."""
    open(os.path.join(folder, str(task)), "w").close()
    time.sleep(0.2)


def end_process(task: int) -> None:
    os.kill(os.getpid(), 9)


def first_number(task: Any) -> float:
    return float(task[0])


def record(task: Any) -> dict[str, Any]:
    """Do as a repetition of a benchmark does."""
    drawn = float(np.random.default_rng(task.seed).normal())
    where = {"cell": task.cell, "method": task.method, "seed": task.seed}
    return {**where, "drawn": drawn, "process": os.getpid()}
