"""Time and peak memory of fitting and of all log-densities, each size in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SIZES = ((100, 200), (300, 200), (1000, 200))

# The peak is of the whole process, Python and libraries included.
CHILD = """
import json, resource, sys, time
from benchmarks.copulas.speed import table
from spinney.pairs.copulas import PairCopulas
seed, d, n, jobs = map(int, sys.argv[1:])
PairCopulas().fit(table(seed, 50, 3)).log_density(table(seed, 50, 3))  # compiled or from cache
U = table(seed, n, d)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
before = peak()
start = time.perf_counter()
pairs = PairCopulas(n_jobs=jobs).fit(U)
fit_s, fit_gib = time.perf_counter() - start, peak()
start = time.perf_counter()
density = pairs.log_density(U)
density_s, density_gib = time.perf_counter() - start, peak()
del density
start = time.perf_counter()
density = pairs.cross_fitted_log_density_
cross_s, cross_gib = time.perf_counter() - start, peak()
print(json.dumps({
    "fit_s": fit_s, "log_density_s": density_s, "cross_fitted_s": cross_s,
    "peak_gib": {"before": before, "fit": fit_gib, "log_density": density_gib,
                 "cross_fitted": cross_gib},
}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    cases = []
    for d, n in SIZES[:2] if quick else SIZES:
        for jobs in (1, 2):
            command = [sys.executable, "-c", CHILD, *map(str, (seed, d, n, jobs))]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            case = {"d": d, "n": n, "n_jobs": jobs, **json.loads(output)}
            cases.append(case)
            pairs = d * (d - 1) // 2
            print(
                f"  d = {d:5}, n = {n}, {jobs} thread(s): fit {case['fit_s']:7.2f} s "
                f"({1e3 * case['fit_s'] / pairs:.3f} ms a pair), log-densities "
                f"{case['log_density_s']:6.2f} s, cross-fitted {case['cross_fitted_s']:6.2f} s, "
                f"peak {case['peak_gib']['cross_fitted']:.2f} GiB"
            )
    return {"cases": cases}
