"""Run the sections and store what they found."""

from __future__ import annotations

import argparse

from benchmarks.forests import cuts, dense, sparse, start
from benchmarks.forests._run import write

SECTIONS = {"dense": dense.run, "sparse": sparse.run, "cuts": cuts.run, "start": start.run}
SEED = 20261115

parser = argparse.ArgumentParser(prog="python -m benchmarks.forests", description=__doc__)
parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
parser.add_argument("--quick", action="store_true", help="fewer repetitions")
options = parser.parse_args()
chosen = options.sections or list(SECTIONS)
for name in chosen:
    if name not in SECTIONS:
        parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
results = {}
for name in chosen:
    print(name, flush=True)
    results[name] = SECTIONS[name](SEED, options.quick)
print("written to", write(results, SEED).name)
