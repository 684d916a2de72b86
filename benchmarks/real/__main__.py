"""Run the sections: ``python -m benchmarks.real [grafts] [coherence] [halves] [verdicts]``.

The tables are those of the part "report" of :mod:`training.grafts`: of packages that are never
trained on, nor chosen by. They do not come with the package: ``SPINNEY_REAL_TABLES`` names their
folder, or they lie in ``build/real-tables``. Results go to ``benchmarks/results/real-<date>.json``;
those of ``--quick`` (two minutes on two cores) are shown and not stored. The rows "oracle" and
"oracle of causes" (:mod:`benchmarks.real.oracle`) are not methods: they know the truth of all other
pairs, and show how much the rows can show at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.grafts import find_folder, split

from benchmarks import _run
from benchmarks.real.methods import PEERS
from benchmarks.real.sections import ALL_METHODS, Settings
from benchmarks.real.sections import SECTIONS as PLAIN_SECTIONS
from benchmarks.real.verdicts import verdicts

SEED = 70_000_000
SECTIONS = {**PLAIN_SECTIONS, "verdicts": verdicts}
TABLES = {
    "grafts": 220,
    "coherence": 45,
    "halves": 60,
    "chance": 60,
    "warned": 600,
    "verdicts": 600,
}
QUICK = {"grafts": 16, "coherence": 3, "halves": 8, "chance": 48, "warned": 8, "verdicts": 16}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="a few tables, not stored")
    parser.add_argument("--tables", type=int, help="tables of each section")
    parser.add_argument("--seed", type=int, default=SEED, help="of the first table")
    parser.add_argument("--judge", type=Path, help="file of another judge than the shipped one")
    parser.add_argument("--methods", nargs="+", choices=(*ALL_METHODS, *PEERS), default=ALL_METHODS)
    parser.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    parser.add_argument(
        "--part",
        choices=("report", "tune"),
        default="report",
        help="tables for reports, or those to choose by",
    )
    parser.add_argument("--name", help="what the results are stored under, beside the section")
    asked = parser.parse_args(arguments)
    folder = find_folder()
    if folder is None:
        parser.error("there are no real tables: set SPINNEY_REAL_TABLES, or fill build/real-tables")
    for name in asked.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    print(f"[real] {len(split(folder)[asked.part])} tables of the part '{asked.part}'", flush=True)
    for name in asked.sections or SECTIONS:
        tables = asked.tables or (QUICK if asked.quick else TABLES)[name]
        methods = tuple(asked.methods)
        settings = Settings(
            folder, tables, asked.seed, asked.judge, asked.jobs, methods, asked.part
        )
        print(f"[real] {name}", flush=True)
        found = SECTIONS[name](settings)
        _show(name, found)
        if not asked.quick:
            label = name if asked.name is None else f"{name}, {asked.name}"
            told = {"judge": _run.fingerprint(asked.judge), "part": asked.part, **found}
            print("  stored in", _run.write("real", {label: told}, asked.seed))
    return 0


def _show(section: str, found: dict[str, Any]) -> None:
    plain = {name: value for name, value in found.items() if not isinstance(value, dict)}
    print("  " + ", ".join(f"{name} {_number(value)}" for name, value in plain.items()))
    for name, scores in found.items():
        if isinstance(scores, dict) and section == "grafts":
            for size, one in scores.items():
                if one is not None:
                    print(f"  {name:32}{size:10}" + _line(one))
        elif isinstance(scores, dict):
            print(f"  {name:32}" + _line(scores))


def _line(scores: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {_number(value)}" for name, value in scores.items() if not isinstance(value, list)
    )


def _number(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    raise SystemExit(main())
