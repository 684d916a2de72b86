"""Compare real tables with the world: ``python -m benchmarks.world [--data FOLDER]``.

Draws tables of the world, measures their evidence, and stores the summaries in
``benchmarks/results/world``; a run that was stopped goes on where it was, and more ``--tables``
are added to those that are there. Then the evidence of real tables is measured and placed in that
cloud; ``docs/accuracy.md`` and its picture are written from what is stored.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks._run import RESULTS
from benchmarks.world import draw, place, report
from benchmarks.world.real import real_tables

FOLDER = RESULTS / "world"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.world")
    parser.add_argument("--data", type=Path, default=os.environ.get("SPINNEY_DATA"))
    parser.add_argument("--tables", type=int, default=3000, help="tables of the world")
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--fresh", action="store_true", help="draw again what has been drawn")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    asked = parser.parse_args(arguments)
    stored = FOLDER / "summaries.npz"
    if not asked.page:
        if asked.fresh:
            stored.unlink(missing_ok=True)
        draw.more_tables(stored, asked.tables, asked.workers)
        found = place.measured(real_tables(Path(asked.data) if asked.data else None))
        (FOLDER / "real.json").write_text(json.dumps(found, indent=1) + "\n")
    summaries = draw.read(stored)
    report.write(summaries, json.loads((FOLDER / "real.json").read_text()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
