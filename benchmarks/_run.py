"""What all benchmarks share: timing in turn, a word about the machine, and storing results."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("spinney", "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "pyvinecopulib")

Section = Callable[[int, bool], dict[str, Any]]


def machine() -> dict[str, Any]:
    """Describe the processor and the versions of everything that computes."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        processor = names[0].split(":")[1].strip() if names else processor
    return {
        "processor": processor,
        "threads": max((pool["num_threads"] for pool in threadpool_info()), default=1),
        "blas": sorted({f"{p['internal_api']} {p['version']}" for p in threadpool_info()}),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


def interleave(rivals: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Time all rivals in turn, so that a disturbance hits none of them alone."""
    for run in rivals.values():
        run()  # compile, allocate, warm the cache
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def write(topic: str, results: dict[str, Any], seed: int) -> Path:
    """Store sections under the topic and today's date, beside those stored before."""
    now = datetime.datetime.now(datetime.UTC)
    record = {"date": now.isoformat(timespec="seconds"), "seed": seed, "machine": machine()}
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{topic}-{now:%Y-%m-%d}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.update({name: {**record, **section} for name, section in results.items()})
    path.write_text(json.dumps(known, indent=1) + "\n")
    return path


def run_sections(topic: str, sections: dict[str, Section], seed: int) -> None:
    """Command line of one topic: run the named sections (by default all) and store each."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{topic}")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(sections))
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    options = parser.parse_args()
    for name in options.sections or sections:
        if name not in sections:
            parser.error(f"no section {name!r}; there are {', '.join(sections)}")
        print(f"[{topic}] {name}", flush=True)
        path = write(topic, {name: sections[name](seed, options.quick)}, seed)
        print("  stored in", path.relative_to(RESULTS.parents[1]))
