"""Whether the machine has the memory for a run, checked before the work."""

from __future__ import annotations

import os
from collections.abc import Sequence

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._settings import Job, Settings
from spinney.exceptions import InputError
from spinney.notices import Notice, warn

__all__ = ["check_memory", "needed_bytes", "sizes_of"]

BYTES_PER_ROW_AND_PAIR = 31
"""Memory of a forest model, beyond the baseline of any program."""
BYTES_PER_CELL = 200
"""Memory of the judge's scores, for each value of the table."""
BYTES_PER_JUDGED_PAIR = 2500
"""Memory of a pair while it is judged."""
BYTES_PER_WIDE_PAIR = 120
"""Memory of any pair of a wide table, in matrices of columns by columns."""
HOPELESS = 2.0
"""A run is refused if it needs this many times the memory; estimates may be off by as much."""


def needed_bytes(n: int, d: int, settings: Settings, threads: int = 1) -> float:
    """Estimate the memory that n rows and d columns take."""
    n_pairs = d * (d - 1) // 2
    if settings.estimator != JUDGE:
        return float(BYTES_PER_ROW_AND_PAIR * n * n_pairs)
    from spinney.judge.learner import WIDE

    cells = float(BYTES_PER_CELL * n * d)
    if d <= WIDE:
        return cells + BYTES_PER_JUDGED_PAIR * n_pairs
    from spinney.scale.neighbourhoods import SIZE

    under_way = threads * BYTES_PER_JUDGED_PAIR * SIZE * (SIZE - 1) / 2
    return cells + under_way + BYTES_PER_WIDE_PAIR * n_pairs


def check_memory(inputs: Inputs, settings: Settings, job: Job) -> None:
    """Warn if memory may run short, and refuse a run that cannot fit."""
    d = inputs.shape[1]
    cores = os.cpu_count() or 1
    threads = min(cores if job.jobs < 0 else job.jobs, cores)
    sizes = sizes_of(inputs, settings)
    needed = max(needed_bytes(n, d, settings, threads) for n in sizes)
    whole, free = _memory()
    if needed > HOPELESS * whole:
        raise InputError(_lacking(needed, f"this machine has {whole / 1e9:.1f} GB"))
    if needed > free:
        warn(Notice("memory-lacking", _lacking(needed, f"{free / 1e9:.1f} GB are free here")))


def _lacking(needed: float, has: str) -> str:
    cure = "Choose fewer columns with --columns, or take a part of the rows."
    return f"This needs about {needed / 1e9:.1f} GB of memory, and {has}. {cure}"


def sizes_of(inputs: Inputs, settings: Settings) -> Sequence[int]:
    """Count the rows of each group; all of them if there are no groups."""
    from spinney.tables import rows_to_use

    if inputs.by is None:
        return [inputs.shape[0] if inputs.keep is None else len(inputs.keep)]
    asked = settings.n_rows, settings.precision
    return [rows_to_use(int(size), *asked) for size in inputs.by.value_counts()]


def _memory() -> tuple[float, float]:
    """Return total and free memory in bytes; infinite if unknown."""
    try:
        whole = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return float("inf"), float("inf")
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            told = dict(line.split(":") for line in file)
        return whole, 1024.0 * float(told["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return whole, whole
