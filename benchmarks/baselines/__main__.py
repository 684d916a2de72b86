"""Run the sections: ``python -m benchmarks.baselines [section …]``."""

from benchmarks._run import run_sections
from benchmarks.baselines import glasso

run_sections("baselines", {"glasso": glasso.run}, seed=20261115)
