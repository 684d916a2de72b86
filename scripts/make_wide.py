"""Write the table of ``docs/large-tables.md`` from results: ``python -m scripts.make_wide``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks import _run

__all__ = ["PAGE", "stored", "written"]

PAGE = Path(__file__).parents[1] / "docs" / "large-tables.md"
BLOCK = re.compile(r"(<!-- wide -->\n).*?(<!-- end of wide -->)", re.S)
METHODS = {
    "spinney": "**spinney**",
    "huge-mb-ric": "huge, neighbourhoods, RIC",
    "huge-mb-stars-lossy": "huge, neighbourhoods, StARS",
    "huge-glasso-ric": "huge, graphical lasso, RIC",
    "huge-glasso-ebic": "huge, graphical lasso, eBIC",
    "sklearn-glasso": "scikit-learn, cross-validated",
}


def stored(section: str) -> dict[str, Any]:
    """Read the newest stored section of ``python -m benchmarks.wide``."""
    paths = sorted(_run.RESULTS.glob("wide-*.json"))
    found = [json.loads(path.read_text(encoding="utf-8")).get(section) for path in paths]
    return next(part for part in reversed(found) if part)


def written(text: str) -> str:
    """Put wrong edges of each method and size into the page."""
    ours, peers = stored("scale"), stored("peers")
    runs = ours["runs"] + [run for run in peers["runs"] if run["method"] != "spinney"]
    known = {(run["method"], run["columns"]): run for run in runs}
    sizes = [run["columns"] for run in ours["runs"]]
    edges = {run["columns"]: run["edges"] for run in ours["runs"]}
    heads = [f"{d:,} columns, {edges[d]:,} edges" for d in sizes]
    lines = ["| wrong edges | " + " | ".join(heads) + " |", "|---" * (len(sizes) + 1) + "|"]
    for method, label in METHODS.items():
        cells = [known.get((method, d), {}).get("hamming") for d in sizes]
        shown = ["" if cell is None else f"{cell:,.0f}" for cell in cells]
        lines.append(f"| {label} | " + " | ".join(shown) + " |")
    false = [f"{(1 - run['precision']) * run['above_half']:.0f}" for run in ours["runs"]]
    expected = [f"{run['expected_false']:.0f}" for run in ours["runs"]]
    times = [
        f"{run['seconds']:.0f} s and {run['peak_gib']:.1f} GiB for {run['columns']:,} columns"
        for run in stored("times")["runs"]
    ]
    said = (
        f"From left to right, {', '.join(false)} of spinney's edges are false, where it expected"
        f" {', '.join(expected)}. On two quiet cores it takes"
        f" {' and '.join(times)}."
    )
    table = "\n".join(lines)
    return BLOCK.sub(lambda found: f"{found[1]}{table}\n\n{said}\n{found[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
