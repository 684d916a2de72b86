"""Run the sections: ``python -m benchmarks.wide [section …]``; see ``--help``.

``agreement``: the wide way beside the dense one, on tables that both can take. ``partners``: edges
that are not among the strongest pairs of a column. ``scale``: time, memory and accuracy from 25 to
5,000 columns, and those of other programs. Each size and each program runs in a process of its own,
one after the other, on `--jobs` cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks import _run
from benchmarks.wide import agreement, partners, scale

SECTIONS = {"agreement": agreement.run, "partners": partners.run, "scale": scale.run}
SEED = 1


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wide")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--columns", type=int, nargs="+", help="numbers of columns")
    parser.add_argument("--repetitions", type=int, default=3, help="seeds (agreement, partners)")
    parser.add_argument("--jobs", type=int, default=2, help="cores")
    parser.add_argument("--minutes", type=float, default=15.0, help="for each other program")
    parser.add_argument("--no-peers", action="store_true", help="spinney alone")
    options = parser.parse_args(arguments)
    for name in options.sections or SECTIONS:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
        print(f"[wide] {name}", flush=True)
        found = {"judge": _run.fingerprint(), **SECTIONS[name](options)}
        path = _run.write("wide", {name: found}, SEED)
        print("  stored in", path)


if __name__ == "__main__":
    main()
