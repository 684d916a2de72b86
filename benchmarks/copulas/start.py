"""The first call: import, compilation after an install, and a start from the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

CHILD = """
import time
start = time.perf_counter()
import spinney
package = time.perf_counter() - start
from spinney.copulas import PairCopulas
parts = time.perf_counter() - start
import numpy as np
U = (np.argsort(np.random.default_rng(0).normal(size=(50, 3)), axis=0) + 0.5) / 50
start = time.perf_counter()
PairCopulas().fit(U).log_density(U)
import json
print(json.dumps({"import_spinney_s": package, "import_parts_s": parts,
                  "first_fit_s": time.perf_counter() - start}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for name in ("nothing cached", "cached", "cached again"):
            output = subprocess.run(
                [sys.executable, "-c", CHILD],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            result[name] = json.loads(output)
            print(f"  {name}: {result[name]}")
    return result
