"""Cells × methods × repetitions: do what is missing, and store each result at once."""

from __future__ import annotations

import datetime
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reproduce.judging import Record, fingerprint
from spinney._core.files import JsonLines
from spinney._core.processor import machine
from spinney._core.progress import progress_bar
from spinney.scale.tasks import as_finished, n_workers
from spinney.simulate import Simulated

__all__ = ["Evaluate", "Fit", "Record", "Store", "Task", "evaluate_fit", "run"]

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Task:
    """One repetition of one method on one cell."""

    cell: str
    method: str
    seed: int


Evaluate = Callable[[Task], Record]
Fit = Callable[[NDArray[Any], int], Any]


class Store(JsonLines):
    """A file of records in a folder.

    A run first appends what it is and on which machine (``"kind": "run"``), then its results
    (``"kind": "result"``). A later line replaces an earlier one of the same cell, method and seed.

    Parameters
    ----------
    folder : path
        Where ``records.jsonl`` is or will be.
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__(Path(folder) / "records.jsonl")

    def results(self) -> dict[Key, Record]:
        """Return the latest result of every cell, method and seed, failures among them."""
        found = [record for record in self.read() if record["kind"] == "result"]
        return {(r["cell"], r["method"], r["seed"]): r for r in found}


def run(
    tasks: Sequence[Task],
    store: Store,
    evaluate: Evaluate,
    workers: int = 1,
    fresh: bool = False,
) -> list[Record]:
    """Do the tasks that have not been done, and return the latest record of each.

    Parameters
    ----------
    tasks : sequence of Task
        What is wanted.
    store : Store
        Where finished repetitions are, and go to. Failed ones are tried again.
    evaluate : callable
        Does one task; importable by name, so that other processes can call it.
    workers : int
        Processes, each with one thread; on a cluster there are as many as it has.
    fresh : bool
        Whether to do again what has been done, for a method that has changed.
    """
    done = {} if fresh else store.results()
    left = [t for t in tasks if "error" in done.get((t.cell, t.method, t.seed), {"error": ""})]
    if left:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        count = n_workers(workers)
        store.append({"kind": "run", "run": now, "workers": count, "machine": machine()})
        shown = sys.stderr.isatty()
        with progress_bar(len(left), f"{len(left)} repetitions", shown) as advance:
            found = as_finished(
                evaluate, left, n_jobs=workers, label="repetitions", prefer="processes"
            )
            with closing(found):
                for _, record in found:
                    store.append({"kind": "result", "run": now, **record})
                    advance(1)
    latest = store.results()
    return [latest[t.cell, t.method, t.seed] for t in tasks]


def evaluate_fit(
    task: Task, data: Simulated, fit: Fit, judge: Callable[[Any, Simulated], Record]
) -> Record:
    """Fit and judge; a method that fails is a result too, with its error."""
    record: Record = {**asdict(task), "table": fingerprint(data)}
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        start = time.perf_counter()
        try:
            fitted = fit(data.X, task.seed)
            record["seconds"] = round(time.perf_counter() - start, 4)
            record |= judge(fitted, data)
        except Exception as error:  # whatever a method raises must not lose the other results
            record["error"] = f"{type(error).__name__}: {error}"
    if caught:
        record["warnings"] = sorted({f"{w.category.__name__}: {w.message}" for w in caught})[:3]
    return record
