"""Run the sections: ``python -m benchmarks.evidence [section …]``."""

from benchmarks._run import run_sections
from benchmarks.evidence import chance, parts

SECTIONS = {"parts": parts.run, "chance": chance.run}
run_sections("evidence", SECTIONS, seed=20261116)
