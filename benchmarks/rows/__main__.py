"""Run the sections: ``python -m benchmarks.rows [section …]``."""

from benchmarks._run import run_sections
from benchmarks.rows import command, graphs

SECTIONS = {"drawn": command.drawn, "all": command.all_rows, "graphs": graphs.run}
run_sections("rows", SECTIONS, seed=20261116)
