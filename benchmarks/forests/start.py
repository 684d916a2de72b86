"""What the first call costs: after an install, and once the compiled kernels are on disc."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

PROGRAM = """
import time
start = time.perf_counter()
import spinney
package = time.perf_counter() - start
from spinney import forests
layer = time.perf_counter() - start
import numpy as np
W = np.ones((20, 45))
call = time.perf_counter()
forests.evaluate(np.ones(45), W)
first = time.perf_counter() - call
call = time.perf_counter()
forests.evaluate(np.ones(45), W)
print(package, layer, first, time.perf_counter() - call)
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Run a small program with an empty cache of compiled kernels, then again with a full one."""
    names = ("import spinney", "import spinney.forests", "first evaluate", "second evaluate")
    record: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for label in ("empty cache", "full cache", "full cache, again"):
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds = dict(zip(names, map(float, done.stdout.split()), strict=True))
            record[label] = seconds
            print(f"  {label}: " + ", ".join(f"{k} {v:.3f} s" for k, v in seconds.items()))
    return {"seconds": record}
