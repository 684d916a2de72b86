"""Cells × methods × repetitions of the accuracy figures."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.accuracy.cells import ALL_CELLS, SEEDS
from benchmarks.accuracy.methods import methods
from benchmarks.peers.methods import PEERS
from benchmarks.peers.stored import stored_record
from reproduce import runner
from reproduce.judging import fingerprint, judge
from reproduce.runner import Record, Store, Task, evaluate_fit
from spinney.exceptions import InputError


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
    """Do the tasks that have not been done; see :func:`reproduce.runner.run`."""
    return runner.run(tasks, store, evaluate, workers, fresh)


def evaluate(task: Task) -> Record:
    """Simulate, fit and judge; what peers did is looked up."""
    cell = ALL_CELLS[task.cell]
    data = cell.simulate(task.seed)
    if task.method in PEERS:
        table = fingerprint(data)
        found = stored_record(task.cell, task.method, task.seed, table)
        return {"cell": task.cell, "method": task.method, "seed": task.seed, "table": table} | found
    fit = methods()[task.method]
    if cell.is_frame:
        frame = data.table
        return evaluate_fit(task, data, lambda X, seed: fit(frame, seed), judge)
    return evaluate_fit(task, data, fit, judge)
