"""Run the peers on the cells: ``python -m benchmarks.peers.cells --workers 2``.

Each repetition of a cell is one R process for all methods, and is stored at once; what is stored
is not run again. On the first repetition R is left as a user has it, so its seconds are what a user
waits; on the others huge's many calls of the garbage collector do nothing, which gives the same
graphs up to twenty times sooner, and ``collect_garbage`` is false beside their seconds.

Of tables with levels and gaps (``--group tables``), BDgraph's gcgm gets the gaps as they are and is
told which columns to draw latent values for: those with levels and those with gaps. (In columns
that it takes as continuous, BDgraph 2.72 puts random numbers into the gaps and leaves them there,
as ``copula_NA`` in its ``src/copula.cpp`` shows; told so, it draws them.) The others get codes as
if they were measurements and, for gaps, the mean of the column (of a nominal one, its most frequent
level). Levels without order are ordered by their codes for all: the packages have nothing else.
At 2000 rows BDgraph needs minutes for a table of levels or gaps, so there it ran for 1,000
iterations (``--iterations 1000``); with 5,000 it had 9 wrong edges in place of 11 on the first
table of ising-2000, and 13 in place of 12 on that of gaps-depends-2000.
"""

from __future__ import annotations

import argparse
import json
import lzma
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.accuracy.cells import ALL_CELLS, GROUPS, REPORTING, choose
from benchmarks.accuracy.filling import codes, fill_gaps
from benchmarks.peers.adapter import Job, PeerError, PeerResult, run_jobs
from benchmarks.peers.methods import PEERS
from benchmarks.peers.stored import FOLDER, read_cell
from reproduce.judging import fingerprint, judge
from spinney._core.files import whole_file
from spinney._core.processor import machine
from spinney._core.progress import progress_bar
from spinney.exceptions import InputError
from spinney.scale.tasks import as_finished
from spinney.simulate import Simulated
from spinney.tables import CONTINUOUS

Record = dict[str, Any]


@dataclass(frozen=True)
class Repetition:
    """One table of one cell, and the peers that have not seen it."""

    cell: str
    seed: int
    methods: tuple[str, ...]
    iterations: int | None = None


def plan(
    cells: Sequence[str],
    methods: Sequence[str],
    repetitions: int,
    folder: Path,
    iterations: int | None = None,
) -> list[Repetition]:
    """List what is missing, repetition by repetition, so that a run cut short is balanced."""
    done = {
        c: {(r["method"], r["seed"], r["table"]) for r in read_cell(c, folder)["results"]}
        for c in cells
    }
    missing = []
    for seed in REPORTING[:repetitions]:
        for cell in cells:
            table = fingerprint(ALL_CELLS[cell].simulate(seed))
            names = tuple(m for m in methods if (m, seed, table) not in done[cell])
            if names:
                missing.append(Repetition(cell, seed, names, iterations))
    return missing


def run(todo: Repetition) -> tuple[Repetition, list[PeerResult], list[Record]]:
    """Run the peers on one table and judge what they found."""
    data = ALL_CELLS[todo.cell].simulate(todo.seed)
    as_a_user = todo.seed == REPORTING[0]
    jobs = [job(todo, method, data) for method in todo.methods]
    results = run_jobs(jobs, collect_garbage=as_a_user)
    return todo, results, [record(result, data) for result in results]


def job(todo: Repetition, method: str, data: Simulated) -> Job:
    """Give a peer the table in the form that it takes."""
    peer = PEERS[method]
    if todo.iterations is not None:
        peer = peer.with_options(iterations=todo.iterations)
    wanted = Job(todo.cell, data.X, method, todo.seed, peer)
    if not ALL_CELLS[todo.cell].is_frame:
        return wanted
    if peer.estimator == "gcgm":
        levels = np.array([kind != CONTINUOUS for kind in data.kinds])
        return replace(wanted, not_continuous=levels | np.isnan(data.X).any(axis=0))
    return replace(wanted, X=codes(fill_gaps(data.table)))


def record(result: PeerResult, data: Simulated) -> Record:
    """Make the record that ``benchmarks.accuracy`` would have made, with the graph."""
    fitted = SimpleNamespace(adjacency_=result.adjacency)
    # Only BDgraph's numbers are probabilities, so only they are judged as such.
    bayesian = PEERS[result.method].package == "BDgraph"
    name = "edge_probabilities_" if bayesian else "edge_ranking_"
    setattr(fitted, name, result.ranking_matrix)
    return {
        "cell": result.name,
        "method": result.method,
        "seed": result.seed,
        "table": fingerprint(data),
        "seconds": result.seconds,
        "collect_garbage": result.options["collect_garbage"],
        **judge(fitted, data),
        "edges": result.edges,
        "penalty": result.penalty,
        "date": result.date,
    }


def store(todo: Repetition, results: list[PeerResult], records: list[Record], folder: Path) -> None:
    """Add a repetition to its cell's file; the file is replaced whole."""
    content = read_cell(todo.cell, folder)
    content["machine"] = machine()
    for result in results:
        content["versions"] |= result.versions
        told = {k: v for k, v in result.options.items() if k != "collect_garbage"}
        content["methods"][result.method] = told
    kept = {(r["method"], r["seed"]): r for r in content["results"]}
    kept |= {(r["method"], r["seed"]): r for r in records}
    order = {name: k for k, name in enumerate(PEERS)}
    content["results"] = sorted(kept.values(), key=lambda r: (r["seed"], order[r["method"]]))
    text = json.dumps(content, allow_nan=False, default=float)
    with whole_file(folder / f"{todo.cell}.json.xz") as temporary:
        temporary.write_bytes(lzma.compress(text.encode()))


def results(missing: Sequence[Repetition], workers: int) -> Iterator[Any]:
    """Yield finished repetitions as they arrive."""
    with closing(as_finished(run, missing, n_jobs=workers, prefer="processes")) as finished:
        yield from (result for _, result in finished)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.cells")
    parser.add_argument("--group", choices=GROUPS, default="truths", help="of cells")
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns (quote them)")
    parser.add_argument("--methods", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--repetitions", type=int, default=12, help="per cell and method")
    parser.add_argument("--iterations", type=int, help="of BDgraph, if not 5000")
    parser.add_argument("--workers", type=int, default=1, help="R processes at a time")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the cells' files")
    options = parser.parse_args(arguments)
    try:
        cells = choose(options.cells, list(GROUPS[options.group]), "cell")
        methods = choose(options.methods, list(PEERS), "method")
        missing = plan(cells, methods, options.repetitions, options.out, options.iterations)
        shown = sys.stderr.isatty()
        with progress_bar(len(missing), f"{len(missing)} tables", shown=shown) as advance:
            for done in results(missing, options.workers):
                store(*done, folder=options.out)
                advance(1)
    except (InputError, PeerError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"Stopped; {options.out} keeps what is done. Go on by the same command.")
        return 130
    print(f"{len(missing)} tables run; {options.out} holds all that was asked for.")
    return 0


def stop_once(signum: int, frame: object) -> None:
    """Stop at the first Ctrl-C and shut down in peace: impatient ones are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop_once)
    sys.exit(main())
