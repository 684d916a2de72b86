"""Measure what `spinney learn` costs, and fit the constants of src/spinney/cli/_cost.py.

    python scripts/measure_cost.py            # a few minutes; prints PARTS and MEMORY to paste
    python scripts/measure_cost.py wide       # of tables with more than 300 columns only; longer

Each part of the work is timed on one thread, in seconds of processor time (other programs may run
beside it), on tables of several sizes; the second of two runs counts, so that nothing is compiled.
The constants are those of least squares on relative errors, none below zero.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from spinney import PairCopulas
from spinney.cli._cost import FEATURES, probe
from spinney.cli._estimators import JUDGE, TAKES_PAIR_COPULAS, find, names
from spinney.graph import LearnedGraph, compare_methods, learn
from spinney.graph.report import OUTPUTS
from spinney.simulate import gaussian_mrf

SIZES = [(100, 10), (1000, 10), (8000, 10), (200, 30), (1000, 30), (4000, 20), (500, 100)]
MOST = {"exact-forests": 0, "forests-cuts": 20}
"""Columns beyond which an estimator is not measured."""
NEGLIGIBLE_S = 0.1
"""Seconds that nobody minds; errors are relative to more only."""
MEMORY_SIZES = [(200, 10), (2000, 60), (500, 150), (8000, 40)]
WIDE_SIZES = [(100, 400), (200, 400), (400, 400), (200, 800), (200, 1600)]
"""Tables whose pairs are screened; what they cost is fitted with features of their own."""
FEATURES_OF_SMALL = tuple(FEATURES)[:6]
FEATURES_OF_WIDE = ("once", "columns", "rows and columns", "rows and columns squared")


def table(n: int, d: int, levels: bool = False) -> pd.DataFrame:
    """Draw a table; with levels, each column has four, in order."""
    X = gaussian_mrf(n, d, 2, 1, random_state=0).X
    frame = pd.DataFrame(np.asarray(X)).add_prefix("x")
    if levels:
        return frame.apply(lambda column: pd.qcut(column, 4, labels=list("abcd")).astype(str))
    return frame


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Time the second of two runs."""
    work()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure() -> dict[str, list[tuple[int, int, float]]]:
    """Time all parts at all sizes."""
    found: dict[str, list[tuple[int, int, float]]] = {}

    def note(part: str, n: int, d: int, work: Callable[[], Any]) -> Any:
        took, result = seconds(work)
        found.setdefault(part, []).append((n, d, took))
        print(f"{part:24} n = {n:5} d = {d:4} {took:8.3f} s", file=sys.stderr, flush=True)
        return result

    for n, d in SIZES:
        X, mixed = table(n, d), table(n, d, levels=True)
        graph = note("graph", n, d, lambda X=X: learn(X, compare=False, n_jobs=1))
        if d <= 30:
            note("levels", n, d, lambda X=mixed: learn(X, compare=False, n_jobs=1))
        for method in ("ef_lambda", "shared_forest", "gaussian", "chow_liu"):
            ask = lambda m=method, g=graph: compare_methods(g.evidence, [m], n_jobs=1)  # noqa: E731
            note(method, n, d, ask)
        note("writing", n, d, lambda g=graph: write(g))
        for name in names():
            if name == JUDGE or d > MOST.get(name, 60) or n * d > 40_000:
                continue
            cls = find(name)
            extra: dict[str, Any] = {"n_jobs": 1} if "n_jobs" in cls().get_params() else {}
            if name in TAKES_PAIR_COPULAS:
                extra["potentials"] = PairCopulas(n_jobs=1)
            note(name, n, d, lambda c=cls, e=extra, X=X: c(**e).fit(X))
    return found


def write(graph: Any) -> None:
    """Write all files of a graph."""
    view = LearnedGraph.of(graph, title="table")
    with tempfile.TemporaryDirectory() as folder:
        for output in OUTPUTS:
            output.write(Path(folder) / output.name, view)


def measure_wide() -> dict[str, list[tuple[int, int, float]]]:
    """Time what a wide table takes; each once, for it takes minutes and nothing is compiled."""
    learn(table(60, 301), compare=False, n_jobs=1)
    found: dict[str, list[tuple[int, int, float]]] = {"wide": [], "wide writing": []}
    for n, d in WIDE_SIZES:
        X = table(n, d)
        start = time.process_time()
        graph = learn(X, compare=False, n_jobs=1)
        between = time.process_time()
        write(graph)
        ends = {"wide": between - start, "wide writing": time.process_time() - between}
        for part, took in ends.items():
            found[part].append((n, d, took))
            print(f"{part:24} n = {n:5} d = {d:4} {took:8.3f} s", file=sys.stderr, flush=True)
    return found


def fit(
    rows: list[tuple[int, int, float]], names: Iterable[str] = FEATURES
) -> tuple[dict[str, float], float]:
    """Fit seconds by the features of sizes; return the constants, and the worst factor."""
    chosen = {name: FEATURES[name] for name in names}
    design = np.array([[feature(n, d) for feature in chosen.values()] for n, d, _ in rows])
    took = np.array([seconds for *_, seconds in rows])
    weights = 1.0 / np.maximum(took, NEGLIGIBLE_S)
    constants, _ = nnls(design * weights[:, None], took * weights)
    ratio = np.maximum(design @ constants, NEGLIGIBLE_S) / np.maximum(took, NEGLIGIBLE_S)
    known = {name: float(f"{c:.2g}") for name, c in zip(chosen, constants, strict=True) if c}
    return known, float(np.exp(np.abs(np.log(ratio)).max()))


def measure_memory() -> float:
    """Measure how many bytes a run needs for each row of each pair."""
    code = (
        "import resource, sys, warnings; warnings.simplefilter('ignore')\n"
        "sys.path.insert(0, sys.argv[3])\nfrom measure_cost import learn, table\n"
        "n, d = map(int, sys.argv[1:3])\nX = table(n, d); learn(table(60, 4), n_jobs=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "learn(X, n_jobs=1, compare=['shared_forest', 'chow_liu'])\n"
        "print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))"
    )
    worst = 0.0
    for n, d in MEMORY_SIZES:
        command = [sys.executable, "-c", code, str(n), str(d), str(Path(__file__).parent)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        each = int(done.stdout) / (n * d * (d - 1) / 2)
        print(f"memory n = {n:5} d = {d:4} {each:8.1f} bytes per row and pair", file=sys.stderr)
        worst = max(worst, each) if n * d * d > 1_000_000 else worst
    return worst


def main() -> None:
    """Print what is to be pasted."""
    warnings.simplefilter("ignore")
    reference = min(probe() for _ in range(20))
    parts = {}
    if "wide" in sys.argv[1:]:
        for part, rows in measure_wide().items():
            parts[part], factor = fit(rows, FEATURES_OF_WIDE)
            print(f"{part}: within a factor of {factor:.2f}", file=sys.stderr)
        print(json.dumps({"PROBE_S": reference, "PARTS": parts}, indent=4))
        return
    for part, rows in measure().items():
        parts[part], factor = fit(rows, FEATURES_OF_SMALL)
        print(f"{part}: within a factor of {factor:.2f}", file=sys.stderr)
    memory = measure_memory()
    told = {"PROBE_S": reference, "PARTS": parts, "BYTES_PER_ROW_AND_PAIR": round(memory)}
    print(json.dumps(told, indent=4))


if __name__ == "__main__":
    main()
