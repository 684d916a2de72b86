"""Whether the machine has the memory for a run, checked before the work."""

from __future__ import annotations

import os
from collections.abc import Sequence

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._settings import Job, Settings
from spinney.exceptions import InputError
from spinney.notices import Level, Notice, warn

__all__ = ["check_memory", "is_screened", "needed_bytes", "sizes_of"]

BYTES_PER_ROW_AND_PAIR = 31
"""Memory of a run, beyond the baseline of any program."""
BYTES_PER_WIDE_PAIR = 100
"""Memory of a screened run for each pair of the table, whether it passes or not."""
HOPELESS = 2.0
"""A run is refused if it needs this many times the memory; estimates may be off by as much."""


def needed_bytes(n: int, d: int, settings: Settings, threads: int = 1) -> float:
    """Estimate the memory that n rows and d columns take."""
    n_pairs = d * (d - 1) // 2
    if settings.estimator == JUDGE and is_screened(settings, n, d):
        from spinney.scale.neighbourhoods import SIZE

        near = min(d, SIZE)
        under_way = threads * BYTES_PER_ROW_AND_PAIR * n * near * (near - 1) / 2
        return under_way + BYTES_PER_WIDE_PAIR * n_pairs
    return float(BYTES_PER_ROW_AND_PAIR * n * n_pairs)


def check_memory(inputs: Inputs, settings: Settings, job: Job) -> None:
    """Warn if memory may run short, and refuse a run that cannot fit."""
    d = inputs.shape[1]
    cores = os.cpu_count() or 1
    threads = min(cores if job.jobs < 0 else job.jobs, cores)
    sizes = sizes_of(inputs, settings)
    needed = max(needed_bytes(n, d, settings, threads) for n in sizes)
    forced = settings.screen == "off" and any(is_screened(Settings(), n, d) for n in sizes)
    cure = "screen-off" if forced else "smaller"
    whole, free = _memory()
    if needed > HOPELESS * whole:
        raise InputError(_lacking("error", needed, whole, cure))
    if needed > free:
        warn(_lacking("warning", needed, free, cure))


def _lacking(level: Level, needed: float, has: float, cure: str) -> Notice:
    facts = {"needed": needed / 1e9, "has": has / 1e9, "cure": cure}
    return Notice("memory-lacking", level, facts=facts)


def is_screened(settings: Settings, n: int, d: int) -> bool:
    """Say whether pairs of so many rows and columns are screened."""
    from spinney.judge.graph_learner import is_wide

    return is_wide(n, d) if settings.screen == "auto" else settings.screen != "off"


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
