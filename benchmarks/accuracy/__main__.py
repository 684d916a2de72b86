"""Command line: ``python -m benchmarks.accuracy --cells connected-100 --repetitions 12``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks._run import add_cluster, work_on
from benchmarks.accuracy import report, stored
from benchmarks.accuracy.cells import GROUPS, SEEDS, choose
from benchmarks.accuracy.methods import methods
from benchmarks.accuracy.runner import plan, run
from reproduce.runner import Store
from spinney._core.processor import machine
from spinney.exceptions import InputError

RECORDS = Path(__file__).parents[2] / "build" / "accuracy"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description="Run cells × methods × repetitions; what has been done is not done again.",
    )
    parser.add_argument("--group", choices=GROUPS, default="truths", help="of cells")
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns (quote them)")
    parser.add_argument("--methods", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--repetitions", type=int, default=12, help="per cell and method")
    parser.add_argument("--workers", type=int, default=1, help="processes, of one thread each")
    add_cluster(parser)
    parser.add_argument("--seeds", choices=SEEDS, default="reporting", help="range of seeds")
    parser.add_argument("--metric", choices=report.METRICS, default="hamming", help="to summarise")
    parser.add_argument("--fresh", action="store_true", help="do again what has been done")
    parser.add_argument("--out", type=Path, help="folder of records; results are then not kept")
    parser.add_argument("--list", action="store_true", help="list cells and methods, do nothing")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    console = Console()
    if options.list:
        show_choices(console, options.group)
        return 0
    # Each group has its own records: those of one are not touched by runs of the other.
    folder = options.out or RECORDS / f"{options.group}-{options.seeds}"
    store = Store(folder)
    try:
        cells = choose(options.cells, list(GROUPS[options.group]), "cell")
        names = choose(options.methods, list(methods()), "method")
        tasks = plan(cells, names, options.repetitions, options.seeds)
        if options.workers < 1:
            raise InputError(f"There must be at least one worker, not {options.workers}.")
        with work_on(options.cluster):
            records = run(tasks, store, options.workers, options.fresh)
        everything = report.tidy(store.results().values())
        if options.out is None and options.seeds == "reporting":
            print("kept in", stored.keep(records, options.group, machine()))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"Stopped; {store.path} keeps what is done. Go on by the same command.")
        return 130
    failed = [record for record in records if "error" in record]
    if not everything.empty:
        asked = report.tidy(records)
        if not asked.empty:
            means = report.summary(asked, options.metric)
            console.print(report.summary_table(means, options.metric))
        # The files hold all that the folder has, not only what was asked for this time.
        for path in report.write(everything, folder, options.metric):
            console.print(f"wrote {path}", soft_wrap=True)
    for record in failed[:5]:
        where = f"{record['method']} on {record['cell']}, seed {record['seed']}"
        print(f"failed: {where}: {record['error']}", file=sys.stderr)
    if failed:
        print(f"{len(failed)} of {len(records)} repetitions failed.", file=sys.stderr)
    return 1 if failed else 0


def show_choices(console: Console, group: str) -> None:
    table = Table("cell", "truth")
    for cell in GROUPS[group].values():
        table.add_row(cell.name, cell.description)
    console.print(table)
    console.print("methods:", ", ".join(methods()))


def stop_once(signum: int, frame: object) -> None:
    """Stop at the first Ctrl-C and shut down in peace: impatient ones are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop_once)
    sys.exit(main())
