"""From 25 to 5,000 columns: time and memory by stage, exponents, and other programs beside."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import numpy as np

from benchmarks.peers.adapter import has_r
from spinney.judge.learner import WIDE

__all__ = ["exponents", "run"]

COLUMNS = (25, 50, 100, 200, 300, 500, 1000, 2000, 5000)
PEERS = (
    "huge-mb-ric",
    "huge-mb-ric-lossy",
    "huge-mb-stars-lossy",
    "huge-glasso-ric",
    "huge-glasso-ebic",
    "huge-glasso-stars",
    "sklearn-glasso",
)
MOST_COLUMNS = {"sklearn-glasso": 500}
SPINNEY_S = 3600.0


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Run every size; a program that does not finish is not asked for larger tables."""
    columns = sorted(options.columns or COLUMNS)
    rows = []
    finished = {name: True for name in PEERS if not options.no_peers}
    for d in columns:
        rows.append(_one("spinney", d, options.jobs, SPINNEY_S))
        for name in finished:
            wanted = d <= MOST_COLUMNS.get(name, d) and (has_r() or not name.startswith("huge"))
            if finished[name] and wanted:
                rows.append(_one(name, d, options.jobs, 60.0 * options.minutes))
                finished[name] = "failed" not in rows[-1]
    return {"rows": 200, "seed": 1, "runs": rows, "exponents": exponents(rows)}


def _one(method: str, d: int, jobs: int, limit_s: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.wide.one", method, str(d)]
    command += ["--jobs", str(jobs), "--limit", str(limit_s)]
    found: dict[str, Any] = {"method": method, "columns": d, "jobs": jobs}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit_s + 120.0, check=True
        )
        found |= json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        found["failed"] = f"no result within {limit_s:g} s"
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.strip()]
        found["failed"] = lines[-1][-300:] if lines else "it stopped"
        if "TimeoutExpired" in found["failed"]:
            found["failed"] = f"no result within {limit_s:g} s"
    print("  " + _line(found), flush=True)
    return found


def _line(found: dict[str, Any]) -> str:
    start = f"{found['columns']:5d} {found['method']:20s}"
    if "failed" in found:
        return f"{start} {found['failed']}"
    text = (
        f"{start} {found['seconds']:8.1f} s {found['peak_gib']:6.2f} GiB, wrong "
        f"{found['hamming']:.0f} of {found['edges']} (precision {found['precision']:.3f}, recall "
        f"{found['recall']:.3f})"
    )
    if "stages" in found:
        text += " | " + ", ".join(f"{name} {took:.1f}" for name, took in found["stages"].items())
    return text


def exponents(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Fit powers of d to the seconds of each method and stage and to peaks, whole and wide apart.

    By least squares on logarithms, over sizes of at least 100 columns; stages under 20 ms are left
    out, and so is what has fewer than two sizes.
    """
    found: dict[str, dict[str, float]] = {}
    for method in {row["method"] for row in rows}:
        done = [row for row in rows if row["method"] == method and "failed" not in row]
        ways = {method: done}
        if method == "spinney":
            ways = {
                "spinney, whole": [row for row in done if row["columns"] <= WIDE],
                "spinney, wide": [row for row in done if row["columns"] > WIDE],
            }
        for way, own in ways.items():
            own = [row for row in own if row["columns"] >= 100]
            names = sorted({name for row in own for name in row.get("stages", {})})
            series = {"all": [(row["columns"], row["seconds"]) for row in own]}
            series["peak_gib"] = [(row["columns"], row["peak_gib"]) for row in own]
            for name in names:
                series[name] = [(row["columns"], row["stages"].get(name, 0.0)) for row in own]
            found[way] = {
                name: round(float(np.polyfit(*np.log(np.array(points).T), 1)[0]), 2)
                for name, points in series.items()
                if len(points) > 1 and min(value for _, value in points) > 0.02
            }
    return found
