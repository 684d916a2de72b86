"""Two networks of the usual size on tables of 25 to 1,000 columns: seconds and peak memory.

A process for each size, so that the peak is its own. Weights do not matter for time: they are
drawn at random. Seconds of the processor are given too, summed over cores: they say what a quiet
machine would need where others are at work.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

LIMITS_S = {25: 0.02, 100: 0.3, 300: 4.0, 1000: 90.0}
LIMIT_GIB = 6.0

PROGRAM = """
import json, resource, sys, time
import numpy as np
from benchmarks.judge.random_network import random_network
from spinney.judge import Judge, Settings
d, rounds, seed = map(int, sys.argv[1:])
settings = Settings(n_even=40, n_odd=10)
judge = Judge([random_network(settings, s) for s in (1, 2)])
rng = np.random.default_rng(seed)
def evidence(d):
    n_pairs = d * (d - 1) // 2
    return rng.normal(size=(n_pairs, 40)), rng.normal(size=(n_pairs, 10))
judge.logits(*evidence(10))
even, odd = evidence(d)
seconds, processor = [], []
for _ in range(rounds):
    start, work = time.perf_counter(), time.process_time()
    judge.logits(even, odd)
    seconds.append(time.perf_counter() - start)
    processor.append(time.process_time() - work)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"d": d, "seconds": seconds, "processor_seconds": processor, "peak_GiB": peak}))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    rows = []
    for d, limit in LIMITS_S.items():
        if quick and d == 1000:
            continue
        rounds = {25: 20, 100: 10, 300: 3, 1000: 1}[d]
        command = [sys.executable, "-c", PROGRAM, str(d), str(rounds), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        rows.append({**row, "limit_seconds": limit, "limit_GiB": LIMIT_GIB})
        middle, work = (sorted(row[k])[rounds // 2] for k in ("seconds", "processor_seconds"))
        print(f"  d = {d}: {middle:.3g} s (at most {limit:g} asked for), ", end="")
        print(f"{work:.3g} s of the processor, {row['peak_GiB']:.2f} GiB")
    return {"results": rows}
