"""Run the sections: ``python -m benchmarks.screening [section …]``."""

from benchmarks._run import run_sections
from benchmarks.screening import causes, cost, level, misses

SECTIONS = {"misses": misses.run, "causes": causes.run, "level": level.run, "cost": cost.run}
run_sections("screening", SECTIONS, seed=20261116)
