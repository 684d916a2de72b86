"""Run the sections: ``python -m benchmarks.groups [calibration] [null]``.

Two groups that share most of their graph are simulated and learned; what is said of their
differences is compared with the truth, and with the product of the two groups' probabilities. The
sums go to ``benchmarks/results/groups-<date>.json``; those of ``--quick`` are shown and not stored.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks import _run
from benchmarks.groups.calibration import calibration, null

SECTIONS = {"calibration": calibration, "null": null}
SEED = 40_000
"""Of reported tables; numbers of the prior were chosen on tables with seeds from 100,000 on."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.groups")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="a few small tables, not stored")
    parser.add_argument("--repetitions", type=int, default=20, help="seeds per cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    _run.add_cluster(parser)
    asked = parser.parse_args(arguments)
    for name in asked.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    for name in asked.sections or SECTIONS:
        print(f"[groups] {name}", flush=True)
        repetitions = 2 if asked.quick else asked.repetitions
        with _run.work_on(asked.cluster):
            found = {"judge": _run.fingerprint()}
            found |= SECTIONS[name](SEED, repetitions, asked.jobs, asked.quick)
        if not asked.quick:
            print("  stored in", _run.write("groups", {name: found}, SEED))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
