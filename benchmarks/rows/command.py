"""``spinney learn`` on 10⁶ × 40 cells in Parquet: peak resident memory, and seconds per stage.

With ``--quick`` on 10⁵ rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.rows import tables

LIMIT_GIB = 4.0


def watched(words: list[str], folder: Path) -> dict[str, Any]:
    """Run the command line once; its peak is that of the whole process."""
    out = folder / "out"
    command = [sys.executable, "-m", "spinney", "learn", *words, "--out", str(out), "--force"]
    start = time.perf_counter()
    with subprocess.Popen([*command, "--quiet"], cwd=folder) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"spinney learn ended with {process.returncode}")
    record = json.loads((out / "run.json").read_text())
    return {
        "words": ["spinney", "learn", Path(words[0]).name, *words[1:]],
        "peak_gib": usage.ru_maxrss * 1024 / 2**30,
        "wall_s": wall,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "time_s": record["time_s"],
        "result": record["result"],
    }


def _tell(label: str, found: dict[str, Any]) -> None:
    peak = f"peak {found['peak_gib']:.2f} of {LIMIT_GIB:g} GiB"
    print(f"  {label}: {peak}, {found['time_s']:.0f} s", flush=True)


def _run(seed: int, quick: bool, options: dict[str, list[str]], kinds: bool) -> dict[str, Any]:
    n = 100_000 if quick else 1_000_000
    results: dict[str, Any] = {"n": n, "d": 40}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame, _ = tables.draw(n, seed)
        files = {"numbers": folder / "numbers.parquet"}
        tables.write(frame, files["numbers"])
        if kinds:
            files["kinds and gaps"] = folder / "kinds.parquet"
            tables.write(tables.with_kinds(frame, seed), files["kinds and gaps"])
        del frame
        for what, path in files.items():
            for label, words in options.items():
                results[f"{what}, {label}"] = found = watched([str(path), *words], folder)
                _tell(f"{what}, {label}", found)
    return results


def drawn(seed: int, quick: bool) -> dict[str, Any]:
    """As people call it, and with a precision that draws more rows."""
    options = {
        "default": [],
        "without other methods": [],
        "precision 0.005": ["--precision", "0.005"],
    }
    return _run(seed, quick, options, kinds=True)


def all_rows(seed: int, quick: bool) -> dict[str, Any]:
    """Ask for a precision that takes every row: tens of minutes at a million rows."""
    return _run(seed, quick, {"precision 0.001": ["--precision", "0.001"]}, kinds=False)
