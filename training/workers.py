"""Processes that make shards side by side, one thread each.

The shards of a plan are made in order, those that exist are left as they are, and a process that
dies is started again. What a shard holds does not depend on who makes it, or when.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from spinney.exceptions import InputError
from spinney.scale.tasks import as_finished, on_cluster
from training.shards import Plan, Shard, shard_path
from training.sources import Report, channel_names, draw_shard, make_shard

__all__ = ["make_tables"]

ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ATTEMPTS = 3
"""How often a shard is begun if the processes that make it die."""
WARM_UP = 32
"""Tables that one process measures first, so that the others find compiled code on the disk."""
PROGRESS_S = 10.0


def make_tables(
    plan: Plan,
    folder: Path,
    n_workers: int,
    say: Callable[[str], None] = print,
) -> dict[str, int]:
    """Make all shards of a plan that are not there yet.

    Parameters
    ----------
    plan : Plan
        Which tables.
    folder : Path
        Where shards go, with the plan and ``failures.jsonl``, a line per table that failed.
    n_workers : int
        Processes; on a cluster (:func:`spinney.scale.cluster.cluster`) there are as many as it has.
    say : callable
        Takes lines of progress.

    Returns
    -------
    dict
        Numbers of ``made`` and ``failed`` tables.
    """
    if n_workers < 1:
        raise InputError(f"There must be at least one worker, not {n_workers}.")
    plan.save(folder)
    missing = [k for k in range(plan.n_shards) if not shard_path(folder, k).exists()]
    say(f"{folder}: {plan.n_shards - len(missing)} of {plan.n_shards} shards are there")
    progress = _Progress(plan, len(missing), say)
    if missing and on_cluster():
        with closing(as_finished(draw_shard, missing, shared=(plan,), label="shards")) as run:
            for position, (shard, report) in run:
                shard.save(shard_path(folder, missing[position]))
                _count(folder, report, progress)
                progress.tell_sometimes()
        progress.tell("done")
    elif missing:
        with _stop_on_sigterm(), _one_thread():
            _warm_up(plan, say)
            progress.start = time.perf_counter()
            _Crew(plan, folder, min(n_workers, len(missing)), missing, progress).work()
        progress.tell("done")
    return {"made": progress.made, "failed": progress.failed}


class _Crew:
    """Workers, each with a pipe to hear which shard to make and to tell what became of it."""

    def __init__(
        self, plan: Plan, folder: Path, n_workers: int, missing: list[int], progress: _Progress
    ) -> None:
        self.plan, self.folder, self.progress = plan, folder, progress
        self.missing = list(reversed(missing))
        self.attempts: Counter[int] = Counter()
        self.tasks: dict[Connection, int] = {}
        self.processes: dict[Connection, Any] = {}
        self.context = multiprocessing.get_context("spawn")
        self.n_workers = n_workers

    def work(self) -> None:
        try:
            for _ in range(self.n_workers):
                self._hire()
            while self.tasks:
                for ready in wait(list(self.tasks), timeout=PROGRESS_S):
                    assert isinstance(ready, Connection)
                    self._hear(ready)
                self.progress.tell_sometimes()
        finally:
            for process in self.processes.values():
                process.terminate()

    def _hire(self) -> None:
        here, there = self.context.Pipe()
        process = self.context.Process(
            target=_work, args=(there, self.plan, self.folder), daemon=True
        )
        process.start()
        there.close()
        self.processes[here] = process
        self._order(here)

    def _order(self, worker: Connection) -> None:
        """Give a worker the next shard, or let it go if there is none."""
        self.tasks.pop(worker, None)
        with suppress(BrokenPipeError):  # it has just died; its end of the pipe tells so next
            if self.missing:
                k = self.missing.pop()
                self.tasks[worker] = k
                worker.send(k)
            else:
                worker.send(None)

    def _hear(self, worker: Connection) -> None:
        try:
            report = worker.recv()
        except (EOFError, ConnectionResetError):
            self._replace(worker)
            return
        _count(self.folder, report, self.progress)
        self._order(worker)

    def _replace(self, worker: Connection) -> None:
        """Start another process for one that died, and make its shard again, if not too often."""
        k = self.tasks.pop(worker)
        self.processes.pop(worker).join()
        worker.close()
        self.attempts[k] += 1
        self.progress.say(f"the process that made shard {k} died; starting another")
        if self.attempts[k] < ATTEMPTS:
            self.missing.append(k)
        else:
            # An empty shard, so that nobody waits for it.
            failed = [(seed, "the process died") for seed in self.plan.seeds(k)]
            Shard.of([], channel_names(), failed).save(shard_path(self.folder, k))
            _count(self.folder, Report(k, failed=failed), self.progress)
        if self.missing:
            self._hire()


def _count(folder: Path, report: Report, progress: _Progress) -> None:
    """Count the tables of a shard, and write down which failed."""
    progress.add(report)
    if report.failed:
        with (folder / "failures.jsonl").open("a") as log:
            for seed, error in report.failed:
                log.write(json.dumps({"seed": seed, "error": error}) + "\n")


def _work(pipe: Connection, plan: Plan, folder: Path) -> None:
    """Make shards, as long as the other end of the pipe asks for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends its workers
    if hasattr(os, "nice"):
        os.nice(10)  # whoever trains meanwhile has few threads and needs them at once
    with suppress(EOFError, BrokenPipeError):
        while (k := pipe.recv()) is not None:
            pipe.send(make_shard(plan, folder, k))


def _warm_up(plan: Plan, say: Callable[[str], None]) -> None:
    """Compile what tables need, in one process: its code is kept beside the sources."""
    start = time.perf_counter()
    n_tables = min(WARM_UP, plan.stop - plan.start)
    process = multiprocessing.get_context("spawn").Process(
        target=_try_tables, args=(plan, n_tables), daemon=True
    )
    process.start()
    process.join()
    say(f"compiled, trying {n_tables} tables: {time.perf_counter() - start:.1f} s")


def _try_tables(plan: Plan, n_tables: int) -> None:
    from training.sources import make_record

    warnings.simplefilter("ignore")
    for seed in range(plan.start, plan.start + n_tables):
        # What fails here fails again in its shard, where it is told of.
        with suppress(Exception):
            make_record(plan.source, seed, plan.without, Report(0))


class _Progress:
    """Counts tables and says how fast they come."""

    def __init__(self, plan: Plan, n_shards: int, say: Callable[[str], None]) -> None:
        self.plan, self.n_shards, self.say = plan, n_shards, say
        self.made = self.failed = self.shards = 0
        self.draw_s = self.measure_s = 0.0
        self.start = self.last = time.perf_counter()

    def add(self, report: Report) -> None:
        self.shards += 1
        self.made += report.n_tables
        self.failed += len(report.failed)
        self.draw_s += report.draw_s
        self.measure_s += report.measure_s
        for seed, error in report.failed[:1]:
            self.say(f"shard {report.shard}: {len(report.failed)} failed; seed {seed}: {error}")

    def tell_sometimes(self) -> None:
        if time.perf_counter() - self.last >= PROGRESS_S and self.shards:
            self.tell("")

    def tell(self, word: str) -> None:
        self.last = time.perf_counter()
        rate = self.made / max(self.last - self.start, 1e-9)
        tables = max(self.made, 1)
        self.say(
            f"{word + ': ' if word else ''}{self.shards} of {self.n_shards} shards, "
            f"{self.made} tables ({self.failed} failed), {rate:.1f} a second; one table: "
            f"{1e3 * self.draw_s / tables:.0f} ms to draw, "
            f"{1e3 * self.measure_s / tables:.0f} ms to measure"
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that start now use one thread each: they are what runs side by side."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _stop_on_sigterm() -> Iterator[None]:
    """Leave in order when told to end, so that no worker is left behind."""

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
