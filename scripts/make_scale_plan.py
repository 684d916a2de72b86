r"""Work out what 20,000 columns and many rows would cost, from stored measurements.

    python scripts/make_scale_plan.py            # print the tables of docs/large-tables.md
    python scripts/make_scale_plan.py --write    # and put them there

Seconds of each stage at 200 rows are fitted by :math:`c\, d^a` over the measured sizes beyond 300
columns (``benchmarks/results/wide-*.json``, section "scale"; of writing, "files" of
``outputs-*.json``) and followed to 20,000 columns. With rows they grow as the stage's work does:
by their number, up to the rows that are used of a long table, or not at all.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "large-tables.md"
COLUMNS = 20_000
MEASURED_ROWS = 200
USED_ROWS = 20_000
"""Rows of a long table from which pairs are fitted and neighbourhoods measured."""
WIDE = 300


class Stage(NamedTuple):
    """A stage: how its work grows with rows, and what it is done on."""

    name: str
    rows: str  # "used": up to USED_ROWS; "none"
    where: str


STAGES = {
    "reading": Stage("reading and checking the table", "used", "client"),
    "screening": Stage("screening", "used", "matrix products; tiles of columns, anywhere"),
    "grouping": Stage("choosing neighbourhoods", "none", "client"),
    "fits of listed pairs": Stage("fits of listed pairs", "used", "tiles of pairs, anywhere"),
    "fits": Stage("fits in neighbourhoods", "used", "a task each, anywhere"),
    "ladder": Stage("forests in neighbourhoods", "used", "a task each, anywhere"),
    "correlations": Stage("correlations in neighbourhoods", "used", "a task each, anywhere"),
    "judge": Stage("judge in neighbourhoods", "none", "a task each, GPU or processor"),
    "combining": Stage("putting probabilities together", "none", "client"),
    "strengths": Stage("strengths of edges", "none", "components apart; client today"),
    "writing": Stage("writing results", "none", "client"),
}
"""By the names that the benchmarks give them; others are shown by their own names."""


def newest(topic: str, section: str, folder: Path = RESULTS) -> dict[str, Any] | None:
    """Read the newest stored section of a benchmark; None if there is none."""
    for path in sorted(folder.glob(f"{topic}-*.json"), reverse=True):
        stored = json.loads(path.read_text(encoding="utf-8"))
        if section in stored:
            return dict(stored[section])
    return None


def power(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Fit seconds = c d^a by least squares on logarithms; None with fewer than two sizes.

    Examples
    --------
    >>> c, a = power([(1000, 2.0), (2000, 8.0)])
    >>> round(a, 6), round(c * 4000**a, 6)
    (2.0, 32.0)
    """
    known = [(d, value) for d, value in points if value > 0.02]
    if len(known) < 2:
        return None
    a, log_c = np.polyfit(*np.log(np.array(known, dtype=float).T), 1)
    return math.exp(log_c), float(a)


def series(
    wide: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None
) -> dict[str, list[tuple[float, float]]]:
    """List what was measured by stage: columns, and seconds of one core."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in (wide or {}).get("runs", ()):
        if row["method"] != "spinney" or row["columns"] <= WIDE or "failed" in row:
            continue
        for stage, seconds in row["stages"].items():
            found.setdefault(stage, []).append((row["columns"], seconds))
    for row in (outputs or {}).get("runs", ()):
        if row["columns"] > WIDE:
            found.setdefault("writing", []).append((row["columns"], row["seconds"]))
    return found


def plan(found: Mapping[str, Sequence[tuple[float, float]]], d: int = COLUMNS) -> list[list[str]]:
    """Make the rows of the table: stage, exponent, measured, at `d` columns, with many rows."""
    rows = []
    order = [*(name for name in STAGES if name in found), *(n for n in found if n not in STAGES)]
    for name in order:
        stage = STAGES.get(name, Stage(name, "used", ""))
        largest, seconds = max(found[name])
        fitted = power(found[name])
        if fitted is None:
            cells = ["", f"{in_words(seconds)} at {largest:,}", "not measured often enough", ""]
        else:
            c, a = fitted
            few = c * d**a
            many = few * (USED_ROWS / MEASURED_ROWS if stage.rows == "used" else 1.0)
            cells = [f"{a:.2f}", f"{in_words(seconds)} at {largest:,}", in_words(few)]
            cells.append(in_words(many))
        rows.append([stage.name, *cells, stage.where])
    return rows


def in_words(seconds: float) -> str:
    """Write seconds of a core as people would.

    Examples
    --------
    >>> in_words(3.21), in_words(600), in_words(7200), in_words(4e6)
    ('3.2 s', '10 min', '2 h', '1,100 h')
    """
    if seconds < 90:
        return f"{seconds:.2g} s"
    if seconds < 5400:
        return f"{seconds / 60:.2g} min"
    hours = seconds / 3600
    return f"{hours:.2g} h" if hours < 100 else f"{round(hours, 2 - len(str(int(hours)))):,.0f} h"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Write the table, or say that nothing was measured."""
    if not rows:
        return "*Not measured yet: run `python -m benchmarks.wide scale` and this script again.*"
    heads = ["stage", "exponent in *d*", "measured (200 rows, one core)"]
    heads += [f"{COLUMNS:,} columns, 200 rows", f"and {USED_ROWS:,} rows in use", "where it runs"]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(page: Path, text: str) -> None:
    """Put the table between its marks in a page."""
    marks = "<!-- plan: by scripts/make_scale_plan.py -->", "<!-- end of plan -->"
    old = page.read_text(encoding="utf-8")
    pattern = re.escape(marks[0]) + ".*?" + re.escape(marks[1])
    if not re.search(pattern, old, re.S):
        raise SystemExit(f"{page} has no place for the table.")
    new = re.sub(pattern, lambda _: f"{marks[0]}\n{text}\n{marks[1]}", old, flags=re.S)
    page.write_text(new, encoding="utf-8")


def main() -> None:
    """Print the table, and store it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into docs/large-tables.md")
    options = parser.parse_args()
    found = series(newest("wide", "scale"), newest("outputs", "files"))
    text = markdown(plan(found))
    print(text)
    if options.write:
        write(PAGE, text)


if __name__ == "__main__":
    main()
