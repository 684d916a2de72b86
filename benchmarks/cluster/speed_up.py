"""Pair fits, halves and tables by 1, 2, 4 workers, beside one thread without a cluster.

With more workers than cores there is nothing to be gained: the table says how many cores there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cluster.workers import processes, timed
from spinney import PairCopulas, StabilitySelection
from spinney.models import SharedForest
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import gaussian_mrf

WORKERS = (1, 2, 4)


def jobs_of(seed: int, quick: bool) -> dict[str, Callable[[], Any]]:
    """Work that is cut into tasks, by name."""
    d = 60 if quick else 200
    U = pseudo_observations(gaussian_mrf(200, d, random_state=seed).X)
    small = gaussian_mrf(200, 20 if quick else 40, random_state=seed).X
    forest = SharedForest(PairCopulas(n_jobs=1, random_state=0))
    return {
        f"pair fits, d = {d}": lambda: PairCopulas(n_jobs=1).fit(U),
        f"halves, d = {small.shape[1]}": lambda: StabilitySelection(
            forest, n_splits=5 if quick else 20, n_jobs=1, refit=False
        ).fit(small),
    }


def run(seed: int, quick: bool) -> dict[str, Any]:
    jobs, rounds = jobs_of(seed, quick), 2 if quick else 5
    for job in jobs.values():
        job()  # compile
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in jobs}
    for name, job in jobs.items():
        seconds[name]["one thread, no cluster"] = [timed(job) for _ in range(rounds)]
    for n_workers in WORKERS:
        with processes(n_workers):
            for name, job in jobs.items():
                job()  # workers load compiled code
                label = f"{n_workers} worker{'s' * (n_workers > 1)}"
                seconds[name][label] = [timed(job) for _ in range(rounds)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = {name: _told(name, own) for name, own in seconds.items()}
    return {"cores": cores, "rounds": rounds, "jobs": found}


def _told(name: str, seconds: dict[str, list[float]]) -> dict[str, Any]:
    print(f"  {name}:")
    least = {label: float(np.min(times)) for label, times in seconds.items()}
    base = least["1 worker"]
    for label, best in least.items():
        print(f"    {label:24} {best:8.2f} s   {base / best:5.2f} × one worker")
    return {
        "seconds": seconds,
        "times_one_worker": {label: base / best for label, best in least.items()},
    }
