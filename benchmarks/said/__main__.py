"""What is said, compared with what is so: ``python -m benchmarks.said [section …]``.

Tables are drawn from fixed seeds. In `coverage` the true graph is given, in `groups` graphs are
learned. Results are stored under section and label in ``benchmarks/results/said-<date>.json``, and
shown next to those of "before". Random halves of real tables need these:
``SPINNEY_REAL_TABLES`` names their folder.

A section is a file with a function ``rows``, and a line in `SECTIONS`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks import _run
from benchmarks.said import checks, coverage, groups, strengths
from benchmarks.said.rows import Asked, Row, Section

SEED = 32
BEFORE = "before"
SECTIONS: dict[str, Section] = {
    "strengths": strengths.rows,
    "coverage": coverage.rows,
    "groups": groups.rows,
    "checks": checks.rows,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.said")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--label", default="after", help="what the results are stored under")
    parser.add_argument("--only", default="", help="only rows whose names hold this")
    parser.add_argument("--tables", type=int, default=10_000, help="most tables of a row")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    for name in asked.sections or SECTIONS:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
        print(f"[said] {name}: claimed, true, before, {asked.label}", flush=True)
        before, found = stored(f"{name}, {BEFORE}"), []
        for row in SECTIONS[name](Asked(asked.seed, asked.tables, asked.only)):
            found.append(row)
            print(line(row, before), flush=True)
        section = f"{name}, {asked.label}"
        told = {"rows": stored(section) | {row.name: asdict(row) for row in found}}
        print("  stored in", _run.write("said", {section: told}, asked.seed))
    return 0


def stored(section: str) -> dict[str, Any]:
    """Read the rows that were stored last."""
    found: dict[str, Any] = {}
    for path in sorted(_run.RESULTS.glob("said-*.json")):
        found |= json.loads(path.read_text()).get(section, {}).get("rows", {})
    return found


def line(row: Row, before: dict[str, Any]) -> str:
    """Show a row: what was claimed, what is true, what was measured before, and now."""
    then = f"{before[row.name]['value']:.3f}" if row.name in before else "-"
    now = f"{row.value:7.3f} ± {row.error:.3f}"
    return f"  {row.name:<66}{row.claimed:<18}{row.true:<34}{then:>7}  {now}"


if __name__ == "__main__":
    raise SystemExit(main())
