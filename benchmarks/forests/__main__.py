"""Run the sections: ``python -m benchmarks.forests [section …]``."""

from benchmarks._run import run_sections
from benchmarks.forests import cuts, dense, sparse, start

SECTIONS = {"dense": dense.run, "sparse": sparse.run, "cuts": cuts.run, "start": start.run}
run_sections("forests", SECTIONS, seed=20261115)
