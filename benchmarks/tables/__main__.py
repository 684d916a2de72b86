"""Run the sections: ``python -m benchmarks.tables [section …]``.

Tables are stored as they are done, in ``benchmarks/results/tables/<section>``, and a run that was
stopped, or whose time is up, goes on where it was; ``--fresh`` begins anew. The sums go to
``benchmarks/results/tables-<date>.json``; those of ``--quick`` are shown and not stored.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _run
from benchmarks.tables import explained, noise, reading, speed
from benchmarks.tables.rounds import Options

SECTIONS: dict[str, Callable[[int, Options], dict[str, Any]]] = {
    "explained": explained.run,
    "noise": noise.run,
    "reading": reading.run,
    "speed": speed.run,
}
SEED = 100_500
"""A tuning seed: no figure about accuracy comes from here."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="a few small tables, not stored")
    parser.add_argument("--repetitions", type=int, help="seeds per cell")
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no round after these")
    parser.add_argument("--fresh", action="store_true", help="do again what has been done")
    asked = parser.parse_args(arguments)
    for name in asked.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    options = Options(
        asked.repetitions, asked.workers, 60 * asked.minutes, asked.quick, _run.RESULTS / "tables"
    )
    for name in asked.sections or SECTIONS:
        print(f"[tables] {name}", flush=True)
        if asked.quick:
            with tempfile.TemporaryDirectory() as folder:
                SECTIONS[name](SEED, replace(options, folder=Path(folder)))
            continue
        if asked.fresh:
            shutil.rmtree(options.folder / name, ignore_errors=True)
        path = _run.write("tables", {name: SECTIONS[name](SEED, options)}, SEED)
        print("  stored in", path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
