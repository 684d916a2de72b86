"""Models of wide tables: seconds, memory and edges with pairs screened, and without where it runs.

Gaussian fields in components of about fifty columns, three edges a column, 200 rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np

ROWS = 200
MODELS = ("SharedForest", "RootedForests", "ChowLiu")

PROGRAM = """
import json, resource, sys, time, warnings
import numpy as np
from spinney import PairCopulas, RootedForests, SharedForest
from spinney.models.baselines import ChowLiu
from spinney.simulate import gaussian_mrf
warnings.simplefilter("ignore")
name, d, n, seed, both = sys.argv[1], *map(int, sys.argv[2:])
models = {"SharedForest": SharedForest(n_subsets=24, n_jobs=2),
          "RootedForests": RootedForests(n_jobs=2),
          "ChowLiu": ChowLiu(potentials=PairCopulas(n_jobs=2))}
data = gaussian_mrf(n, d, 3, max(1, d // 50), seed)
models[name].set_params(screen=True).fit(data.X[:, :12])  # compile
truth, result, kept = data.adjacency, {"model": name, "d": d}, {}
for screen in (True, False)[: 1 + both]:
    start = time.perf_counter()
    model = models[name].set_params(screen=screen).fit(data.X)
    seconds = time.perf_counter() - start
    kept[screen] = model.adjacency_.copy()
    word = "screened" if screen else "all"
    result |= {f"{word}_seconds": seconds, f"{word}_edges": int(kept[screen].sum() // 2),
               f"{word}_true": int((kept[screen] & truth).sum() // 2)}
    if screen:
        result |= {"listed": len(model.potentials_.pairs_), "true": int(truth.sum() // 2),
                   "peak_GiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}
if both:
    result |= {"only_screened": int((kept[True] & ~kept[False]).sum() // 2),
               "only_all": int((kept[False] & ~kept[True]).sum() // 2)}
print(json.dumps(result))
"""


def run(seed: int, quick: bool) -> dict[str, Any]:
    rows = []
    for name in MODELS:
        for d in (100, 200) if quick else (320, 500, 1000, 2000):
            numbers = (d, ROWS, seed, int(d <= 500))
            command = [sys.executable, "-c", PROGRAM, name, *map(str, numbers)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout))
            shown = {key: value for key, value in rows[-1].items() if key != "model"}
            print(f"  {name}: " + ", ".join(f"{key} {value:.3g}" for key, value in shown.items()))
    exponents = {}
    for name in MODELS:
        own = [row for row in rows if row["model"] == name]
        sizes, seconds = (np.log([row[key] for row in own]) for key in ("d", "screened_seconds"))
        exponents[name] = float(np.polyfit(sizes, seconds, 1)[0])
        print(f"  {name}: seconds grow like d to the power {exponents[name]:.2f}")
    return {"results": rows, "exponents": exponents}
