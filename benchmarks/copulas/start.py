"""The first call: import, compilation after an install, and a start from the cache."""

from __future__ import annotations

from typing import Any

from benchmarks._run import first_calls

PROGRAM = """
import json, time
start = time.perf_counter()
import spinney
package = time.perf_counter() - start
from spinney.pairs.copulas import PairCopulas
parts = time.perf_counter() - start
import numpy as np
U = (np.argsort(np.random.default_rng(0).normal(size=(50, 3)), axis=0) + 0.5) / 50
start = time.perf_counter()
PairCopulas().fit(U).log_density(U)
print(json.dumps({"import spinney": package, "import spinney.pairs.copulas": parts,
                  "first fit and log-density": time.perf_counter() - start}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    return {"seconds": first_calls(PROGRAM)}
