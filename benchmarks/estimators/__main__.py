"""Command line: ``python -m benchmarks.estimators [section …]``."""

from benchmarks._run import run_sections
from benchmarks.estimators.choice import run as choice
from benchmarks.estimators.speed import SECTIONS, SEED
from benchmarks.estimators.tolerance import tolerance

if __name__ == "__main__":
    run_sections("estimators", SECTIONS | {"tolerance": tolerance, "choice": choice}, SEED)
