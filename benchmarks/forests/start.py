"""What the first call costs: after an install, and once the compiled kernels are on disc."""

from __future__ import annotations

from typing import Any

from benchmarks._run import first_calls

PROGRAM = """
import json, time
start = time.perf_counter()
import spinney
package = time.perf_counter() - start
from spinney import forests
forests.evaluate
layer = time.perf_counter() - start
import numpy as np
W = np.ones((20, 45))
call = time.perf_counter()
forests.evaluate(np.ones(45), W)
first = time.perf_counter() - call
call = time.perf_counter()
forests.evaluate(np.ones(45), W)
print(json.dumps({"import spinney": package, "import spinney.forests": layer,
                  "first evaluate": first, "second evaluate": time.perf_counter() - call}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    return {"seconds": first_calls(PROGRAM)}
