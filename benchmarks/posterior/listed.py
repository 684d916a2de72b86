"""A ladder on listed pairs: seconds and peak memory by columns, and the exponent in them.

Pairs are drawn at random, sixty a column, so that they hang together in one component: the worst
that can happen to an elimination. Every second column depends on the one before.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np

PER_COLUMN = 60
ROWS = 200
SUBSETS = 24

PROGRAM = """
import json, resource, sys, time
import numpy as np
from spinney._core.pairs import n_pairs, pair_numbers
from spinney.pairs.densities import PairDensities
from spinney.forests.posterior import ladder
d, per_column, n, subsets, seed = map(int, sys.argv[1:])
rng = np.random.default_rng(seed)
true = pair_numbers(np.arange(0, d - 1, 2), np.arange(1, d, 2), d)
count = min(per_column * d, n_pairs(d))
pairs = np.union1d(rng.integers(0, n_pairs(d), count), true)
log_density = rng.normal(0.01, 0.15, size=(n, len(pairs)))
log_density[:, np.searchsorted(pairs, true)] += 0.3
evidence = PairDensities(log_density, np.ones(len(pairs)), pairs=pairs, n_nodes=d)
ladder(PairDensities(log_density[:20, :3], np.ones(3), pairs=[0, 1, 2], n_nodes=3), n_subsets=2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
start = time.perf_counter()
rungs = ladder(evidence, n_subsets=subsets)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
found = rungs.select()
is_true = np.isin(pairs, true)
print(json.dumps({"d": d, "listed": len(pairs), "networks": int(rungs.n_subsets.sum()),
                  "seconds": seconds, "peak_GiB": peak, "before_GiB": before,
                  "found": int((found & is_true).sum()), "true": len(true),
                  "wrong": int((found & ~is_true).sum())}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    rows = []
    for d in (300, 600) if quick else (300, 600, 1000, 2000):
        numbers = (d, PER_COLUMN, ROWS, SUBSETS, seed)
        command = [sys.executable, "-c", PROGRAM, *map(str, numbers)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print("  " + ", ".join(f"{key} {value:.3g}" for key, value in rows[-1].items()))
    sizes, seconds = (np.log([row[key] for row in rows]) for key in ("d", "seconds"))
    exponent = float(np.polyfit(sizes[-3:], seconds[-3:], 1)[0])
    print(f"  seconds grow like d to the power {exponent:.2f} over the last sizes")
    return {"results": rows, "exponent": exponent}
