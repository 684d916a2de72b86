"""Command line: ``python -m training tables|train|check|export``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path

from spinney.exceptions import InputError
from spinney.scale.cluster import cluster
from training.sources import SOURCES

STOPPED = 130
"""Exit status of a command that was told to stop and can go on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    options = _parser().parse_args(arguments)
    try:
        result: int = options.run(options)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return STOPPED
    return result


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _tables(options: argparse.Namespace) -> int:
    from training.shards import Plan
    from training.workers import make_tables

    start, stop = options.seeds
    plan = Plan(options.source, start, stop, options.shard, tuple(options.without))
    with nullcontext() if options.cluster is None else cluster(options.cluster):
        make_tables(plan, options.out, options.workers, _say)
    return 0


def _train(options: argparse.Namespace) -> int:
    from training.checkpoint import Options
    from training.train import Trainer

    given = {field.name: getattr(options, field.name) for field in fields(Options)}
    given["without"], given["drop"] = tuple(options.without), tuple(options.drop)
    for folder in (*options.tables, *(options.rows or ())):
        _wait_for_plan(folder)
    trainer = Trainer(
        Options(**given),
        options.tables,
        options.out,
        rows=options.rows,
        validation=options.validation,
        device=options.device,
        compiled=options.compile,
        patience=options.patience,
        validate_every=options.validate_every,
        say=_say,
    )
    try:
        return 0 if trainer.run() else STOPPED
    finally:
        trainer.close()


def _check(options: argparse.Namespace) -> int:
    from training.export import check

    found = check(options.judge, options.tables, options.device)
    print(found.round(5).to_string(index=False))
    if options.out is not None:
        found.to_csv(options.out, index=False)
    return 0


def _export(options: argparse.Namespace) -> int:
    from training.export import export

    given = (options.calibrate, options.cloud, options.fit, options.device)
    export(options.runs, options.out, *given, _say)
    return 0


def _wait_for_plan(folder: Path) -> None:
    """Give the making of tables, started at the same time, a minute to say what it will make."""
    from training.shards import PLAN

    deadline = time.monotonic() + 60
    while not (folder / PLAN).exists() and time.monotonic() < deadline:
        time.sleep(0.5)


def _seeds(text: str) -> tuple[int, int]:
    start, _, stop = text.partition(":")
    try:
        return int(start), int(stop)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no range of seeds; write START:STOP."
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training", description="Make the judge: tables, networks, and its file."
    )
    commands = parser.add_subparsers(required=True, metavar="tables|train|check|export")
    _add_tables(commands.add_parser("tables", help="draw tables and measure their evidence"))
    _add_train(commands.add_parser("train", help="train a network on tables"))

    check = commands.add_parser("check", help="score a run or a judge on tables")
    check.add_argument("judge", type=Path, help="folder of a run, or file of a judge")
    check.add_argument("--tables", type=Path, nargs="+", required=True, help="folders of tables")
    check.add_argument("--out", type=Path, help="file for the scores, as CSV")
    check.add_argument("--device", default="auto", help="cuda, cpu, or auto")
    check.set_defaults(run=_check)

    export = commands.add_parser("export", help="write the networks of runs as one judge")
    export.add_argument("runs", type=Path, nargs="+", help="folders of runs; logits are averaged")
    export.add_argument("--out", type=Path, required=True, help="file of the judge")
    export.add_argument(
        "--calibrate", type=Path, nargs="+", default=[], help="folders of tables no run has seen"
    )
    export.add_argument(
        "--cloud", type=Path, nargs="+", default=[], help="folders of training tables to remember"
    )
    export.add_argument(
        "--as-they-are", dest="fit", action="store_false", help="score those tables, fit nothing"
    )
    export.add_argument("--device", default="auto", help="cuda, cpu, or auto")
    export.set_defaults(run=_export)
    return parser


def _add_tables(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--out", type=Path, required=True, help="folder of tables")
    add("--seeds", type=_seeds, required=True, metavar="START:STOP", help="one table each")
    add(
        "--source",
        choices=SOURCES,
        default="world",
        help="the world, real tables with grafts, Bayesian networks, or one kind of truth",
    )
    add("--without", nargs="+", default=[], help="groups of tables that the world leaves out")
    add("--workers", type=int, default=2, help="processes, of one thread each")
    add("--cluster", metavar="ADDRESS", help="of a Dask scheduler to work with")
    add("--shard", type=int, default=128, help="tables per file")
    parser.set_defaults(run=_tables)


def _add_train(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--tables",
        type=Path,
        nargs="+",
        required=True,
        help="folders of tables, which may still grow; batches mix them",
    )
    add("--out", type=Path, required=True, help="folder of the run; gone on from if it is there")
    add("--validation", type=Path, nargs="+", help="folders of other tables, scored on the way")
    add("--rows", type=Path, nargs="+", help="folders of few and many rows, for coherence")
    add("--coherence", type=float, default=0.0, help="its weight beside the loss over known edges")
    add("--coherent-from", type=float, default=0.5, help="share of the steps before it counts")
    add("--steps", type=int, required=True)
    add("--minutes", type=float, default=0.0, help="end by then, with tables as they come")
    add("--uses", type=float, default=5.0, help="with --minutes: wait for tables beyond so many")
    add("--newer", type=float, default=1.0, help="above 1: favour tables that came late")
    add("--seed", type=int, default=1, help="of the network's start and of the batches")
    add("--width", type=int, default=64, help="channels of a pair's even state")
    add("--odd-width", type=int, default=32, help="channels of a pair's odd state")
    add("--triangle-width", type=int, default=32, help="channels of sums over third columns")
    add("--blocks", type=int, default=6)
    add("--no-triangles", dest="triangles", action="store_false")
    add("--without", nargs="+", default=[], help="groups of tables, or spoils, to leave out")
    add("--drop", nargs="+", default=[], help="groups of evidence to leave out")
    add("--start", default="", help="folder of a run, or a judge, to go on with")
    add("--limit", type=int, default=0, help="use the first shards only, up to so many seeds")
    add("--batch-pairs", type=int, default=80_000, help="pairs of a batch, over all tables")
    add("--rate", type=float, default=1e-3, help="peak learning rate")
    add("--warm-up", type=int, default=500, help="steps until the peak")
    add("--weight-decay", type=float, default=0.01)
    add("--clip", type=float, default=1.0, help="largest norm of a gradient")
    add("--average", type=float, default=0.999, help="decay of the weights' moving average")
    add("--first", type=float, default=0.1, help="share of the tables in use at the first step")
    add("--full", type=float, default=0.75, help="share of the steps before all tables are in use")
    add(
        "--patience",
        type=float,
        default=float("inf"),
        help="seconds to wait for tables before going on with fewer (then results depend on speed)",
    )
    add("--validate-every", type=int, default=1000, help="steps")
    add("--device", default="auto", help="cuda, cpu, or auto")
    add(
        "--compile",
        choices=("auto", "dynamic", "static", "no"),
        default="auto",
        help="blocks once for all sizes, once for each size, or not; auto: dynamic on cuda",
    )
    add("--no-compile", dest="compile", action="store_const", const="no")
    parser.set_defaults(run=_train)


if __name__ == "__main__":
    sys.exit(main())
