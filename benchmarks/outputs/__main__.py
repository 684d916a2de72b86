"""Run the sections: ``python -m benchmarks.outputs [section …]``; see ``--help``.

Nothing is learned: the graph is a stand-in with about as many edges as columns. Each size runs in a
process of its own, in seconds of processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks import _run

COLUMNS = (300, 500, 1000, 2000, 5000)


def files(seed: int, quick: bool) -> dict[str, Any]:
    """Write all files of graphs of several sizes."""
    found = []
    for d in COLUMNS[:3] if quick else COLUMNS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.graph.report.wide", str(d), folder]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
        print(f"  d = {d:5}: {_line(found[-1])}", flush=True)
    return {"runs": found}


def _line(row: dict[str, Any]) -> str:
    slowest = max(row["files"], key=lambda name: row["files"][name]["seconds"])
    largest = max(row["files"], key=lambda name: row["files"][name]["mb"])
    peak = max(file["peak_gb"] for file in row["files"].values())
    return (
        f"{row['seconds']:.1f} s in all, layout {row['parts']['layout']:.1f} s, "
        f"{slowest} {row['files'][slowest]['seconds']:.1f} s; "
        f"{largest} {row['files'][largest]['mb']:.1f} MB; peak {peak:.2f} GB"
    )


if __name__ == "__main__":
    _run.run_sections("outputs", {"files": files}, seed=0)
