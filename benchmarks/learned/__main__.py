"""Run the sections: ``python -m benchmarks.learned [section …]``; see ``--help``.

Each section is stored when it is done, with the date and the machine. A run that was stopped goes
on where it was, as evidence and fits on real tables are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import _run
from benchmarks.accuracy.cells import REPORTING
from benchmarks.learned import (
    ablation,
    calibration,
    cells,
    drop_one,
    leave_out,
    limits,
    measuring,
    noise,
    real,
    speed,
    twins,
)
from benchmarks.learned.options import Options
from benchmarks.learned.scores import rounded
from spinney.exceptions import InputError

SECTIONS: dict[str, Callable[[Options], dict[str, Any]]] = {
    "cells": cells.run,
    "noise": noise.run,
    "calibration": calibration.run,
    "limits": limits.run,
    "leave-out": leave_out.run,
    "twins": twins.run,
    "ablation": ablation.run,
    "drop-one": drop_one.run,
    "real": real.run,
    "speed": speed.run,
    "measuring": measuring.run,
}
SEED = REPORTING[0]
"""The first of the reporting seeds, on which judges are neither trained nor chosen."""


def parse(arguments: Sequence[str] | None) -> tuple[list[str], Options]:
    usual = Options()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--judge", type=Path, help="a file; by default the one that is shipped")
    parser.add_argument("--judges", type=Path, default=usual.judges, help="folder of the others")
    parser.add_argument("--data", type=Path, default=usual.data, help="folder of real tables")
    parser.add_argument("--cache", type=Path, default=usual.cache, help="folder of evidence")
    parser.add_argument("--repetitions", type=int, help="seeds per table")
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--minutes", type=float, default=10.0, help="for a method on a real table")
    asked = vars(parser.parse_args(arguments))
    sections = asked.pop("sections") or list(SECTIONS)
    for name in sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    return sections, Options(**asked)


def main(arguments: Sequence[str] | None = None) -> int:
    sections, options = parse(arguments)
    failed = 0
    for name in sections:
        print(f"[learned] {name}", flush=True)
        try:
            found = SECTIONS[name](options)
        except InputError as error:
            print(f"  {error}", file=sys.stderr)
            failed += 1
            continue
        print("  stored in", _run.write("learned", {name: rounded(found)}, SEED))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
