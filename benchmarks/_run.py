"""What all benchmarks share: timing in turn, a word about the machine, and storing results."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from spinney._core.processor import machine
from spinney.judge import Judge
from spinney.judge.judge import JudgeReference
from spinney.scale.cluster import cluster

RESULTS = Path(__file__).parent / "results"

Section = Callable[[int, bool], dict[str, Any]]


# OpenBLAS keeps its threads spinning for up to 100 ms after a call, at the cost of whoever is next.
PAUSE_S = 0.12
BURST_S = 0.03


def interleave(rivals: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Time all rivals in turn, so that a disturbance hits none of them alone.

    Each turn is a burst of calls, as an optimiser makes them (one call, if it takes long); the
    median of the burst counts.
    """
    for run in rivals.values():
        run()  # compile, allocate
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            time.sleep(PAUSE_S)
            start = time.perf_counter()
            run()  # wake the processor and fill the cache
            times = [time.perf_counter() - start]
            while sum(times) < BURST_S:
                start = time.perf_counter()
                run()
                times.append(time.perf_counter() - start)
            seconds[name].append(float(np.median(times[1:] or times)))
    return seconds


def first_calls(program: str) -> dict[str, dict[str, float]]:
    """Run a program that prints a JSON object: nothing compiled yet, then twice from the cache."""
    result = {}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for label in ("empty cache", "full cache", "full cache, again"):
            command = [sys.executable, "-c", program]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            )
            result[label] = json.loads(done.stdout)
            print(f"  {label}: " + ", ".join(f"{k} {v:.3f} s" for k, v in result[label].items()))
    return result


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Offer to work on a cluster; its workers must find the package `benchmarks`, too."""
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler to work with")


def work_on(address: str | None) -> AbstractContextManager[Any]:
    """Work on a cluster if there is an address."""
    return nullcontext() if address is None else cluster(address)


def fingerprint(judge: Path | None = None) -> str:
    """Return the mark of the judge in a file, or of the shipped one, to be stored with results."""
    return JudgeReference.to(Judge.load(judge)).fingerprint


def write(topic: str, results: dict[str, Any], seed: int) -> Path:
    """Store sections under the topic and today's date, beside those stored before."""
    now = datetime.datetime.now(datetime.UTC)
    record = {
        "date": now.isoformat(timespec="seconds"),
        "seed": seed,
        "machine": machine(),
        # More than the benchmark itself can cause means that others were at work.
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{topic}-{now:%Y-%m-%d}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.update({name: {**record, **section} for name, section in results.items()})
    path.write_text(json.dumps(known, separators=(",", ":")) + "\n")
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
