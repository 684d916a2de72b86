"""A whole ladder on wide tables: seconds and peak memory, potentials given."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
import json, resource, sys, time
import numpy as np
from spinney import PairCopulas
from spinney.pairs.margins import pseudo_observations
from spinney.pairs.copulas import FAMILIES
from spinney.forests.posterior import ladder
from spinney.pairs.densities import PairDensities
from spinney.simulate import gaussian_mrf
d, n, seed = map(int, sys.argv[1:])
U = pseudo_observations(gaussian_mrf(n, d, 3, 1, seed).X)
fitted = PairCopulas(n_jobs=-1).fit(U)
k = np.array([len(FAMILIES[str(name)].bounds) for name in fitted.family_])
log_density = fitted.log_density(U)
ladder(PairDensities(log_density[:, :10], k[:10]))  # compile
start = time.perf_counter()
rungs = ladder(PairDensities(log_density, k))
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"d": d, "n": n, "networks": int(rungs.n_subsets.sum()), "seconds": seconds,
                  "peak_GiB": peak, "log_density_GiB": log_density.nbytes / 2**30}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    rows = []
    for d in (100, 300) if quick else (100, 300, 1000):
        command = [sys.executable, "-c", PROGRAM, str(d), "200", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print("  " + ", ".join(f"{key} {value:.3g}" for key, value in rows[-1].items()))
    return {"results": rows}
