"""Seconds of ``spinney learn iris.csv``, and modules: ``python -m benchmarks.start [--quick]``.

Each run is a process of its own, in an empty folder. "first run" has empty caches of machine code,
as after an install; "warm" has those of the run before. Seconds of all cores together (``cpu``) are
given, too, since they depend less on what else the machine does. Modules are counted at the end of
the command, and after :func:`spinney.learn` of a data frame. Results go to
``benchmarks/results/start-<date>.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import _run

WARM = 5
ROUNDS = 3
SHAPE = (100_000, 100)
COMMAND = """
import contextlib, io, sys
sys.argv = ["spinney", "learn", "iris.csv", "--force", *{options}]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    from spinney.cli import main
    main()
"""
FUNCTION = """
import pandas as pd
import spinney
spinney.learn(pd.read_csv("iris.csv"))
"""
COUNT = """
import json, sys
ours = [x for x in sys.modules if x == "spinney" or x.startswith("spinney.")]
heavy = [x for x in ("numba", "llvmlite", "torch", "matplotlib", "pandas", "sklearn", "scipy.stats")
         if x in sys.modules]
print("\\n" + json.dumps({"modules of spinney": len(ours), "modules": len(sys.modules),
      "numba": "numba" in sys.modules, "heavy": heavy}))
"""
READ = """
import json, statistics, time
import pandas as pd
from spinney.tables import read_table
read_table("iris.csv")  # imports
readers = {
    "pandas": lambda: pd.read_csv("wide.csv"),
    "spinney": lambda: read_table("wide.csv").values,
}
wall, cpu = {name: [] for name in readers}, {name: [] for name in readers}
for _ in range(ROUNDS):
    for name, read in readers.items():
        start = time.perf_counter(), time.process_time()
        shape = read().shape
        wall[name].append(time.perf_counter() - start[0])
        cpu[name].append(time.process_time() - start[1])
        assert shape == SHAPE, (name, shape)
median = {name: statistics.median(times) for name, times in cpu.items()}
print(json.dumps({"cpu": cpu, "wall": wall, "ratio of cpu": median["spinney"] / median["pandas"]}))
"""
"""One read is not enough: on shared cores its seconds vary by a factor of two."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--quick", action="store_true", help="one warm run, not stored")
    parser.add_argument("--no-first", action="store_true", help="use the caches that are there")
    parser.add_argument("--read", action="store_true", help="also read 10^7 cells, as pandas does")
    parser.add_argument("--label", default="start", help="what the results are stored under")
    asked = parser.parse_args(arguments)
    found = run(1 if asked.quick else WARM, not asked.no_first)
    if asked.read:
        found["seconds to read 10^7 cells"] = read()
    for name, value in found.items():
        print(f"  {name}: {value}")
    if not asked.quick:
        print("  stored in", _run.write("start", {asked.label: found}, 0))
    return 0


def run(warm: int = WARM, first: bool = True) -> dict[str, Any]:
    """Time the command with empty caches and with full ones, and count modules."""
    with tempfile.TemporaryDirectory() as folder:
        write_iris(Path(folder))
        environment = clean_environment(folder) if first else dict(os.environ)
        seconds: dict[str, Any] = {}
        times = _learn(folder, environment)
        if first:
            seconds["first run"] = times
        for name, options in (("warm", ()), ("warm, --no-report", ("--no-report",))):
            rounds = [_learn(folder, environment, *options) for _ in range(warm)]
            seconds[name] = {
                clock: statistics.median(times[clock] for times in rounds)
                for clock in ("wall", "cpu")
            }
            seconds[name]["all"] = [times["wall"] for times in rounds]
        programs = {
            "learn": COMMAND.format(options=[]),
            "learn --no-report": COMMAND.format(options=["--no-report"]),
            "spinney.learn": FUNCTION,
        }
        modules = {
            name: _ask(program + COUNT, folder, environment) for name, program in programs.items()
        }
    return {"seconds": seconds, **modules}


def clean_environment(folder: str) -> dict[str, str]:
    """Give the environment with caches of its own in a folder."""
    own = {"NUMBA_CACHE_DIR": f"{folder}/numba", "XDG_CACHE_HOME": f"{folder}/cache"}
    # Every core is used, whatever the benchmark itself is run with.
    return {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"} | own


def write_iris(folder: Path) -> None:
    """Write the table, 150 rows of four numbers and a species."""
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    frame = data.frame.drop(columns="target")
    frame["species"] = [str(data.target_names[k]) for k in data.target]
    frame.to_csv(folder / "iris.csv", index=False)


def _learn(folder: str, environment: dict[str, str], *options: str) -> dict[str, float]:
    command = [sys.executable, "-m", "spinney", "learn", "iris.csv", "--force", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu}


def read() -> dict[str, Any]:
    """Read 10^7 cells of a CSV file by pandas and by spinney, in turn in one process."""
    import numpy as np
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        write_iris(Path(folder))
        X = np.random.default_rng(0).normal(size=SHAPE).round(4)
        pd.DataFrame(X).add_prefix("x").to_csv(Path(folder) / "wide.csv", index=False)
        program = READ.replace("ROUNDS", str(ROUNDS)).replace("SHAPE", str(SHAPE))
        return _ask(program, folder, dict(os.environ))


def _ask(program: str, folder: str, environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    raise SystemExit(main())
