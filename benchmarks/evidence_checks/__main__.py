"""Run the sections: ``python -m benchmarks.evidence_checks [checks] [calibration]``.

``checks`` takes a minute. It uses the public names alone, so that an older tree can be checked with
it, too. Some checks need real tables (``SPINNEY_REAL_TABLES`` names their folder, or they lie in
``build/real-tables``), which do not come with the package; without them they are left out.
"""

from benchmarks._run import run_sections
from benchmarks.evidence_checks import calibration, checks

SECTIONS = {"checks": checks.run, "calibration": calibration.run}
run_sections("evidence-checks", SECTIONS, seed=20261117)
