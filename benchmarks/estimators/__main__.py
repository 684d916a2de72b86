"""Command line: ``python -m benchmarks.estimators [section …]``."""

from benchmarks._run import run_sections
from benchmarks.estimators.choice import run as choice
from benchmarks.estimators.speed import SECTIONS, SEED
from benchmarks.estimators.tolerance import tolerance
from benchmarks.estimators.wide import run as wide

if __name__ == "__main__":
    others = {"tolerance": tolerance, "choice": choice, "wide": wide}
    run_sections("estimators", SECTIONS | others, SEED)
