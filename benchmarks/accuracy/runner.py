"""Cells × methods × repetitions: what is to be done, doing it, and storing it at once."""

from __future__ import annotations

import datetime
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from benchmarks._run import machine
from benchmarks.accuracy.cells import CELLS, SEEDS
from benchmarks.accuracy.judging import fingerprint, judge
from benchmarks.accuracy.methods import methods
from benchmarks.accuracy.store import Record, Store
from benchmarks.peers.methods import PEERS
from benchmarks.peers.stored import stored_record
from spinney._progress import progress_bar
from spinney.exceptions import InputError


@dataclass(frozen=True)
class Task:
    """One repetition of one method on one cell."""

    cell: str
    method: str
    seed: int


def plan(
    cells: Sequence[str], names: Sequence[str], repetitions: int, seeds: str = "reporting"
) -> list[Task]:
    """List all tasks, repetition by repetition, so that a run cut short is balanced."""
    if seeds not in SEEDS:
        raise InputError(f"There are no seeds called '{seeds}', only {', '.join(SEEDS)}.")
    available = SEEDS[seeds]
    if not 1 <= repetitions <= len(available):
        raise InputError(f"There are 1 to {len(available)} repetitions, not {repetitions}.")
    return [Task(c, m, seed) for seed in available[:repetitions] for c in cells for m in names]


def run(tasks: Sequence[Task], store: Store, workers: int = 1, fresh: bool = False) -> list[Record]:
    """Do the tasks that have not been done, and return the latest record of each.

    Parameters
    ----------
    tasks : sequence of Task
        What is wanted.
    store : Store
        Where finished repetitions are, and go to. Failed ones are tried again.
    workers : int
        Processes, each with one thread.
    fresh : bool
        Whether to do again what has been done, for a method that has changed.
    """
    done = {} if fresh else store.results()
    left = [t for t in tasks if "error" in done.get((t.cell, t.method, t.seed), {"error": ""})]
    if left:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        store.append({"kind": "run", "run": now, "workers": workers, "machine": machine()})
        with progress_bar(
            len(left), f"{len(left)} repetitions", shown=sys.stderr.isatty()
        ) as advance:
            for record in _results(left, workers):
                store.append({"kind": "result", "run": now, **record})
                advance(1)
    latest = store.results()
    return [latest[t.cell, t.method, t.seed] for t in tasks]


def _results(tasks: Sequence[Task], workers: int) -> Iterator[Record]:
    """Yield results as they arrive, in whatever order."""
    if workers == 1:
        yield from map(evaluate, tasks)
        return
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=workers, return_as="generator_unordered")
        yield from parallel(delayed(evaluate)(task) for task in tasks)


def evaluate(task: Task) -> Record:
    """Simulate, fit and judge; a method that fails is a result too, with its error."""
    data = CELLS[task.cell].simulate(task.seed)
    record: Record = {
        "cell": task.cell,
        "method": task.method,
        "seed": task.seed,
        "table": fingerprint(data),
    }
    if task.method in PEERS:
        return record | stored_record(task.cell, task.method, task.seed, record["table"])
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        start = time.perf_counter()
        try:
            fitted = methods()[task.method](data.X, task.seed)
            record["seconds"] = time.perf_counter() - start
            record |= judge(fitted, data)
        except Exception as error:  # whatever a method raises must not lose the other results
            record["error"] = f"{type(error).__name__}: {error}"
    if caught:
        record["warnings"] = sorted({f"{w.category.__name__}: {w.message}" for w in caught})[:3]
    return record
