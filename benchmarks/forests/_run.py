"""Timing side by side, and what to remember about the machine."""

from __future__ import annotations

import datetime
import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

RESULTS = Path(__file__).parents[1] / "results"


def machine() -> dict[str, Any]:
    """Describe the processor and the versions of everything that computes."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    packages = ("spinney", "numpy", "scipy", "numba", "llvmlite")
    return {
        "processor": processor,
        "threads": max((pool["num_threads"] for pool in threadpool_info()), default=1),
        "blas": sorted({f"{p['internal_api']} {p['version']}" for p in threadpool_info()}),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
    }


# OpenBLAS keeps its threads spinning for up to 100 ms after a call, at the cost of whoever is next.
PAUSE_S = 0.12
BURST_S = 0.03


def interleave(rivals: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Time all rivals in turn, so that a disturbance hits none of them alone.

    Each turn is a burst of calls, as an optimiser makes them; its median counts.
    """
    for run in rivals.values():
        run()  # compile, allocate
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            time.sleep(PAUSE_S)
            run()  # wake the processor and fill the cache
            times: list[float] = []
            while sum(times) < BURST_S:
                start = time.perf_counter()
                run()
                times.append(time.perf_counter() - start)
            seconds[name].append(float(np.median(times)))
    return seconds


def dgemm_rate(size: int = 1200) -> Callable[[], float]:
    """Make a function that multiplies two square matrices; its flops are in ``flops``."""
    rng = np.random.default_rng(0)
    a, b = rng.random((size, size)), rng.random((size, size))
    out = np.empty((size, size))

    def multiply() -> float:
        np.matmul(a, b, out=out)
        return 2.0 * size**3

    return multiply


def write(results: dict[str, Any], seed: int) -> Path:
    """Store the results under today's date."""
    now = datetime.datetime.now(datetime.UTC)
    record = {
        "date": now.isoformat(timespec="seconds"),
        "seed": seed,
        "machine": machine(),
        # More than the benchmark itself can cause means that others were at work.
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"forests-{now:%Y-%m-%d}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.update({name: {**record, **section} for name, section in results.items()})
    path.write_text(json.dumps(known, indent=1) + "\n")
    return path
