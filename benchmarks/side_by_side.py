"""Two trees of spinney side by side: ``python -m benchmarks.side_by_side OLD/src NEW/src``.

Each round starts a process per tree, one after the other, with a cache of machine code of its own;
the first round compiles and does not count. It prints the ratio of best times, new over old.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3

JOBS = """
import json, time, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd, spinney
from spinney import forests, simulate

rng = np.random.default_rng(0)
X = simulate.gaussian_mrf(500, 25, random_state=1).X
U = (np.argsort(np.argsort(X, axis=0), axis=0) + 1) / 501
M = pd.DataFrame(X)
for k in range(0, 25, 3):
    M[k] = np.digitize(X[:, k], np.quantile(X[:, k], [0.2, 0.5, 0.8])).astype(float)
M = M.mask(rng.random(X.shape) < 0.05)


def weights(n, d):
    pairs = d * (d - 1) // 2
    return np.full(pairs, 0.1), np.exp(0.3 * rng.normal(size=(n, pairs)))


jobs = {
    "PairCopulas 500 x 25": (lambda: spinney.PairCopulas(n_jobs=2).fit(U), 9),
    "SharedForest 500 x 25": (lambda: spinney.SharedForest(n_jobs=2).fit(X), 9),
    "SharedForest, levels and gaps": (lambda: spinney.SharedForest(n_jobs=2).fit(M), 3),
    "RootedForests 500 x 25": (lambda: spinney.RootedForests(n_jobs=2).fit(X), 3),
    "ForestsLambda 200 x 12": (lambda: spinney.ForestsLambda(n_jobs=2).fit(X[:200, :12]), 3),
    "GraphLearner, one thread": (lambda: spinney.GraphLearner(n_jobs=1).fit(X), 9),
    "GraphLearner, two threads": (lambda: spinney.GraphLearner(n_jobs=2).fit(X), 9),
    "learn 500 x 25": (lambda: spinney.learn(X, n_jobs=2), 3),
}
for n, d, times in ((500, 25, 40), (50, 80, 40), (500, 100, 15), (500, 200, 7)):
    beta, W = weights(n, d)
    jobs[f"evaluate {n} x {d}"] = (lambda beta=beta, W=W: forests.evaluate(beta, W), times)
best = {}
for name, (job, times) in jobs.items():
    job()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    best[name] = min(seconds)
print(json.dumps(best))
"""


def run(source: Path, cache: str) -> dict[str, float]:
    """Time the jobs once on a tree."""
    own = {"PYTHONPATH": str(source.resolve()), "NUMBA_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"}
    found = subprocess.run(
        [sys.executable, "-c", JOBS], env=os.environ | own, check=True, capture_output=True
    )
    times: dict[str, float] = json.loads(found.stdout)
    return times


def main() -> None:
    """Compare the trees named on the command line."""
    trees = [Path(word) for word in sys.argv[1:3]]
    caches = [tempfile.mkdtemp() for _ in trees]
    rounds = [[run(*pair) for pair in zip(trees, caches, strict=True)] for _ in range(ROUNDS + 1)]
    for name in rounds[0][0]:
        old, new = (min(times[k][name] for times in rounds[1:]) for k in (0, 1))
        print(f"{name:32s} {1e3 * old:9.2f} ms {1e3 * new:9.2f} ms {new / old:6.2f}")


if __name__ == "__main__":
    main()
