"""Run the sections: ``python -m benchmarks.judge [section …]``."""

from benchmarks._run import run_sections
from benchmarks.judge import scale

SECTIONS = {"scale": scale.run}
run_sections("judge", SECTIONS, seed=20261116)
