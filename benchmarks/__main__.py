"""Run every benchmark: ``python -m benchmarks`` (one topic: ``python -m benchmarks.copulas``)."""

import subprocess
import sys

TOPICS = (
    *("copulas", "forests", "posterior", "evidence", "baselines", "estimators"),
    *("judge", "world", "learned"),
)

for topic in TOPICS:
    subprocess.run([sys.executable, "-m", f"benchmarks.{topic}", *sys.argv[1:]], check=True)
