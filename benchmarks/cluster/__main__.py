"""Run the sections: ``python -m benchmarks.cluster [section …]``. Needs ``spinney[cluster]``."""

from benchmarks._run import run_sections
from benchmarks.cluster import overhead, speed_up

SECTIONS = {"speed-up": speed_up.run, "overhead": overhead.run}

if __name__ == "__main__":  # workers import what they are sent from, and must not begin anew
    run_sections("cluster", SECTIONS, seed=20261116)
