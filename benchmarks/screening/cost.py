"""Time and memory of screenings, beside one matrix product of the same size."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SIZES = ((500, 200), (1000, 200), (2000, 200), (5000, 200), (1000, 1000))

# In a process of its own, so that the peak of its memory is its own.
PROGRAM = """
import json, resource, sys, time
import numpy as np
from spinney.scale.screening import screen
from spinney.tables import Column, Table
d, n, jobs = map(int, sys.argv[1:])
X = np.random.default_rng(0).normal(size=(n, d))
table = Table(X, tuple(Column(f"x{k}", "continuous") for k in range(d)))
screen(Table(X[:, :50], table.columns[:50]))
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, product, ours = memory(), [], []
Z = X.astype(np.float32)
for _ in range(3):
    start = time.perf_counter()
    for k in range(0, d, 256):
        Z[:, k : k + 256].T @ Z
    product.append(time.perf_counter() - start)
    start = time.perf_counter()
    found = screen(table, n_jobs=jobs)
    ours.append(time.perf_counter() - start)
print(json.dumps({"seconds": ours, "one_product": product, "passed": len(found),
                  "memory_before": before, "memory": memory()}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Time a few sizes on one thread and on two."""
    cells = []
    for d, n in SIZES[:3] if quick else SIZES:
        for jobs in (1, 2):
            command = [sys.executable, "-c", PROGRAM, str(d), str(n), str(jobs)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            cell = {"d": d, "n": n, "n_jobs": jobs, **json.loads(done.stdout)}
            cells.append(cell)
            print(
                f"  d = {d}, n = {n}, {jobs} threads: {min(cell['seconds']):.2f} s, "
                f"{min(cell['seconds']) / min(cell['one_product']):.0f} times one product, "
                f"{cell['memory'] - cell['memory_before']:.0f} MiB more, "
                f"{cell['passed']:,} pairs passed",
                flush=True,
            )
    return {"cells": cells}
