"""One table in a process of its own: ``python -m benchmarks.wide.one METHOD COLUMNS …``.

Prints one JSON object: seconds and peak memory by stage, and how good the graph is.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from benchmarks.wide.tables import mixture
from spinney.metrics import compare

SCRIPT = Path(__file__).with_name("huge.R")
GIB = 1024**2  # the kernel counts in KiB

STAGES = (
    ("reading", "spinney.judge.learner.Learner._read_to_learn"),
    ("scores", "spinney.judge.learner.read_scores"),
    ("partners", "spinney.scale.wide.find_partners"),
    ("grouping", "spinney.scale.wide.neighbourhoods_of"),
    ("evidence", "spinney.judge.learner.measure_scores"),
    ("evidence", "spinney.scale.wide.measure_scores"),
    ("judge", "spinney.judge.judge.Judge.logits"),
    ("combining", "spinney.scale.wide._combine"),
    ("strengths", "spinney.judge.learner.edge_strengths"),
)
"""What is timed, by the function that does it; several neighbourhoods run side by side."""


class Stages:
    """Seconds that threads spend in each stage, and the peak of memory when it ends."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.peak_gib: dict[str, float] = {}
        self._lock = threading.Lock()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, timed as a part of a stage."""

        def run(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                took = time.perf_counter() - start
                with self._lock:
                    self.seconds[name] = self.seconds.get(name, 0.0) + took
                    self.peak_gib[name] = peak()

        return run


def peak(who: int = resource.RUSAGE_SELF) -> float:
    """Return the largest resident memory so far, in GiB."""
    return round(resource.getrusage(who).ru_maxrss / GIB, 3)


@contextmanager
def watched() -> Iterator[Stages]:
    """Time the stages of all that is learned in the block."""
    stages = Stages()
    with ExitStack() as stack:
        for name, target in STAGES:
            place, attribute = target.rsplit(".", 1)
            function = getattr(_found(place), attribute)
            timed = stages.timed(name, function)
            if isinstance(_found(place), type):  # a method: what it is called on comes first
                timed = _method(timed)
            stack.enter_context(mock.patch(target, timed))
        yield stages


def _method(timed: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *arguments: Any, **options: Any) -> Any:
        return timed(self, *arguments, **options)

    return run


def _found(place: str) -> Any:
    import importlib

    try:
        return importlib.import_module(place)
    except ModuleNotFoundError:
        module, name = place.rsplit(".", 1)
        return getattr(importlib.import_module(module), name)


def spinney(X: NDArray[np.float64], jobs: int, limit_s: float) -> dict[str, Any]:
    from spinney.judge import GraphLearner

    GraphLearner(n_jobs=jobs).fit(mixture(60, 12, 0).X)  # the judge is read once
    before = peak()
    start, start_cpu = time.perf_counter(), time.process_time()
    with watched() as stages:
        model = GraphLearner(n_jobs=jobs).fit(X)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    P = model.judged_probabilities_
    return {
        "adjacency": model.adjacency_,
        "seconds": seconds,
        "cpu_seconds": round(cpu, 1),
        "gib_before": before,
        "stages": {name: round(value, 3) for name, value in stages.seconds.items()},
        "stage_peaks_gib": stages.peak_gib,
        "peak_gib": peak(),
        "listed": len(model.evidence_.index),
        "expected_false": round(model.expected_false_, 2),
        "expected_missed": round(model.expected_missed_, 2),
        "above_half": int((P > 0.5).sum()),
    }


def huge(method: str, X: NDArray[np.float64], limit_s: float) -> dict[str, Any]:
    """Run huge: "huge-ESTIMATOR-SELECTION", with "-lossy" for its lossy screening."""
    _, estimator, selection, *lossy = method.split("-")
    with tempfile.TemporaryDirectory(prefix="spinney-wide-") as name:
        folder = Path(name)
        np.savetxt(folder / "table.csv", X, delimiter=",", fmt="%.17g")
        command = ["Rscript", "--vanilla", str(SCRIPT), name, estimator, selection]
        command.append("lossy" if lossy else "lossless")
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[-300:])
        told = dict(line.split(",") for line in (folder / "told.csv").read_text().split())
        adjacency = np.zeros((X.shape[1],) * 2, dtype=bool)
        text = (folder / "edges.csv").read_text().split()
        for u, v in (map(int, line.split(",")) for line in text):
            adjacency[u - 1, v - 1] = adjacency[v - 1, u - 1] = True
    return {
        "adjacency": adjacency,
        "seconds": float(told["seconds"]),
        "peak_gib": peak(resource.RUSAGE_CHILDREN),
        "version": told["version"],
    }


def glasso(X: NDArray[np.float64], jobs: int) -> dict[str, Any]:
    """Run scikit-learn's graphical lasso on normal scores, its penalty by cross-validation."""
    from scipy.special import ndtri
    from sklearn.covariance import GraphicalLassoCV

    from spinney.pairs.margins import pseudo_observations

    start = time.perf_counter()
    scores = ndtri(pseudo_observations(X))
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of penalties that did not converge
        model = GraphicalLassoCV(n_jobs=jobs).fit(scores)
    adjacency = np.abs(model.precision_) > 1e-8
    np.fill_diagonal(adjacency, False)
    seconds = time.perf_counter() - start
    return {"adjacency": adjacency, "seconds": seconds, "peak_gib": peak()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wide.one")
    parser.add_argument("method")
    parser.add_argument("columns", type=int)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=900.0, help="seconds")
    asked = parser.parse_args()
    data = mixture(asked.rows, asked.columns, asked.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if asked.method == "spinney":
            found = spinney(data.X, asked.jobs, asked.limit)
        elif asked.method == "sklearn-glasso":
            found = glasso(data.X, asked.jobs)
        else:
            found = huge(asked.method, data.X, asked.limit)
    scores = compare(found.pop("adjacency"), data.adjacency)
    found["seconds"] = round(found["seconds"], 3)
    found["edges"] = int(data.adjacency.sum()) // 2
    for name in ("hamming", "precision", "recall"):
        found[name] = round(float(getattr(scores, name)), 4)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
