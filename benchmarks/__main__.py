"""Run the benchmarks of speed and of parts: ``python -m benchmarks [--quick]``.

One topic alone: ``python -m benchmarks.copulas``. Those that take hours have options of their own,
and are run by themselves: ``benchmarks.accuracy``, ``learned``, ``peers``, ``real``, ``tables``,
``world``.
"""

import subprocess
import sys

TOPICS = ("copulas", "forests", "posterior", "evidence_checks", "judge", "baselines", "estimators")

for topic in TOPICS:
    subprocess.run([sys.executable, "-m", f"benchmarks.{topic}", *sys.argv[1:]], check=True)
