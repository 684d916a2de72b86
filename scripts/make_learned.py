"""Write the judge's part of docs/accuracy.md and its pictures: ``python -m scripts.make_learned``.

Everything comes from ``benchmarks/results/learned-<date>.json`` (each section from the latest file
that has it), from the records of ``benchmarks.accuracy`` and from ``benchmarks/peers``. Sections of
which nothing is stored are named as missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts import make_learned_claims as claims
from scripts import make_learned_figures as figures
from scripts import make_learned_tables as tables

from benchmarks import _run

PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- judge begin -->", "<!-- judge end -->"

PARTS: dict[str, tuple[str, str, Callable[[Any], list[str]]]] = {
    "cells": ("Wrong edges, cell by cell", "cells", tables.cells),
    "noise": ("Independent columns", "noise", tables.noise),
    "wide": ("80 nodes, 50 rows", "cells", tables.wide),
    "calibration": ("Calibration", "calibration", tables.calibration),
    "limits": ("How near the limit", "limits", tables.limits),
    "leave-out": ("Tables unlike any in training", "leave-out", tables.leave_out),
    "twins": ("Training twice", "twins", tables.twins),
    "real": ("Real tables", "real", tables.real),
    "ablation": ("What each part is worth", "ablation", tables.ablation),
    "speed": ("Seconds", "speed", tables.speed),
    "scale": ("Seconds of the network alone", "scale", tables.scale),
}
"""Title, the stored section, and what writes it."""
TOPICS = {"scale": "judge"}
"""Benchmarks that sections come from, if not from ``learned``."""

INTRODUCTION = """## What the judge shows

The judge is a small network over the evidence of all pairs, trained once on simulated tables
([how it works](judge.md)). This section holds it to account: on tables that were used neither in
training nor in any choice, beside every other method of the package and beside
huge and BDgraph. Every number comes from a stored run, with its date and machine, and can be
reproduced by the command beside it. ± is one standard error; differences are paired, seed by seed.
"""


def stored(folder: Path) -> dict[str, Any]:
    """Return the latest of each section."""
    found: dict[str, Any] = {}
    for topic in ("learned", *set(TOPICS.values())):
        for path in sorted(folder.glob(f"{topic}-*.json")):
            part = json.loads(path.read_text(encoding="utf-8"))
            found |= {
                name: one for name, one in part.items() if topic == TOPICS.get(name, "learned")
            }
    return found


def page(sections: dict[str, Any]) -> str:
    """Write all that stands between the marks."""
    lines = claims.overview(sections)
    for title, section, write in PARTS.values():
        lines += [f"## {title}", ""]
        command = f"python -m benchmarks.{TOPICS.get(section, 'learned')} {section}"
        if section not in sections:
            lines += [f"Not measured yet (`{command}`).", ""]
            continue
        lines += write(sections[section])
        lines += [f"*`{command}`, {sections[section]['date'][:10]}.*", ""]
    return "\n".join([INTRODUCTION, *(f"#{x}" if x.startswith("##") else x for x in lines)])


def main() -> None:
    """Write page and pictures."""
    sections = stored(_run.RESULTS)
    figures.draw(sections, PAGE.parent / "images")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{page(sections)}\n{END}{after}", encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
