"""Run the sections: ``python -m benchmarks.learned [section …]``; see ``--help``.

Each section is stored when it is done, with the date and the machine. A run that was stopped goes
on where it was, as fits on real tables are kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _run
from benchmarks.accuracy.cells import REPORTING
from benchmarks.learned import drop_one, measuring, real, speed
from benchmarks.learned.options import Options
from spinney.exceptions import InputError

SECTIONS: dict[str, Callable[[Options], dict[str, Any]]] = {
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
    parser.add_argument("--data", type=Path, default=usual.data, help="folder of real tables")
    parser.add_argument("--methods", nargs="+", help="to run on real tables; by default all")
    parser.add_argument("--repetitions", type=int, help="rounds, or tables of each source")
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    parser.add_argument("--minutes", type=float, default=10.0, help="for a method on a real table")
    asked = vars(parser.parse_args(arguments))
    sections = asked.pop("sections") or list(SECTIONS)
    asked["methods"] = tuple(asked["methods"]) if asked["methods"] else None
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


def rounded(found: Any, digits: int = 5) -> Any:
    """Round all floats, so that stored results are short; what is not finite becomes None.

    Examples
    --------
    >>> rounded({"a": 1.23456789, "b": [float("nan"), 2]})
    {'a': 1.23457, 'b': [None, 2]}
    """
    if isinstance(found, Mapping):
        return {str(key): rounded(value, digits) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [rounded(value, digits) for value in found]
    if isinstance(found, np.integer | np.bool_):
        return found.item()
    if isinstance(found, float | np.floating):
        return round(float(found), digits) if np.isfinite(found) else None
    return found


if __name__ == "__main__":
    raise SystemExit(main())
