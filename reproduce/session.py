"""One command: run what is missing, then write numbers, pictures and verdicts."""

from __future__ import annotations

import json
import lzma
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import cpu_count

from reproduce.claims import Judgement, judge_claims
from reproduce.experiments import EXPERIMENTS, METHODS, Experiment, evaluate, plan
from reproduce.figures import draw, save
from reproduce.results import read_csv, records_of, summary, table_of, tidy, to_csv
from reproduce.runner import Record, Store, Task, run
from spinney._core.choices import check_choice
from spinney._core.files import whole_file
from spinney.exceptions import InputError
from spinney.scale.tasks import n_workers

__all__ = ["FIGURES", "Options", "Outcome", "reproduce", "stop_at_first_interrupt", "without_nan"]

FIGURES = ("figure1", *EXPERIMENTS)


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Attributes
    ----------
    out : path
        Folder of records, tables and pictures.
    repetitions : int, optional
        Tables per size; 100 by default, 4 if quick.
    cuts_repetitions : int, optional
        Tables per size for EF-cuts, which takes up to a minute each; 20 by default, if quick 1 of
        the smallest size.
    subsamples : int, optional
        Subsamples of each well of figure 6; 5 by default, 1 if quick.
    sizes : sequence of int, optional
        Numbers of rows, instead of the figure's.
    methods : sequence of str, optional
        Methods to run; by default all of the figure. Pictures show all that is stored.
    workers : int, optional
        Processes, of one thread each; by default one for each processor.
    quick : bool
        Whether small defaults are taken.
    draw_only : bool
        Whether to run nothing, and draw what is stored.
    """

    out: Path = Path("reproduction")
    repetitions: int | None = None
    cuts_repetitions: int | None = None
    subsamples: int | None = None
    sizes: Sequence[int] | None = None
    methods: Sequence[str] | None = None
    workers: int | None = None
    quick: bool = False
    draw_only: bool = False


@dataclass
class Outcome:
    """Results of a run.

    Attributes
    ----------
    written : list of path
        Files.
    failed : list of dict
        Records of repetitions that failed.
    judgements : list of Judgement
        The claims of these figures.
    """

    written: list[Path] = field(default_factory=list)
    failed: list[Record] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)


def reproduce(
    figures: Sequence[str], options: Options, say: Callable[[str], None] = print
) -> Outcome:
    """Run the figures that are asked for, and write their tables and pictures.

    Parameters
    ----------
    figures : sequence of str
        Some of :data:`FIGURES`, or ``"all"``.
    options : Options
        How much of each.
    say : callable
        Takes lines about what goes on.
    """
    names = [check_choice(name, (*FIGURES, "all"), "figure") for name in figures]
    if options.workers is not None and options.workers < 1:
        raise InputError(f"There must be at least one worker, not {options.workers}.")
    for name in options.methods or ():
        check_choice(name, [m for m in METHODS if m != "bdgraph"], "method")
    store, outcome = Store(options.out), Outcome()
    if not store.path.exists():
        _start_from_tables(store)
    for name in FIGURES:
        if name not in names and "all" not in names:
            continue
        if name in EXPERIMENTS and not options.draw_only:
            outcome.failed.extend(_run(EXPERIMENTS[name], options, store, say))
        written, judged = _write(name, options, store)
        outcome.written.extend(written)
        outcome.judgements.extend(judged)
        for path in written:
            say(f"wrote {path}")
    return outcome


def _start_from_tables(store: Store) -> None:
    """Take the repetitions in the folder's tables as done, where their records were not kept."""
    folder = store.path.parent
    tables = {name: path for name in EXPERIMENTS if (path := table_of(folder, name)).exists()}
    written = [json.loads((folder / f"{name}.json").read_text("utf-8")) for name in tables]
    runs: list[Record] = max((one["runs"] for one in written), key=len, default=[])  # all runs
    done = [record for path in tables.values() for record in records_of(read_csv(path))]
    lines = [json.dumps(record) for record in [{"kind": "run", **run} for run in runs] + done]
    if lines:
        with whole_file(store.path) as temporary:
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _tasks(experiment: Experiment, options: Options) -> list[Task]:
    quick, sizes = options.quick, options.sizes
    if experiment.truth == "pbmc":
        repetitions, usual, few = options.subsamples, 5, 1
    else:
        repetitions, usual, few = options.repetitions, 100, 4
    if repetitions is None:
        repetitions = few if quick else usual
    if sizes is None:
        sizes = experiment.quick_sizes if quick else experiment.sizes
    cuts = options.cuts_repetitions
    if cuts is None:
        cuts = 1 if quick else 20
    # A quick run has time for EF-cuts at one size only.
    cuts_sizes = {min(sizes)} if quick and options.sizes is None else set(sizes)

    def limit(method: str, n: int) -> int:
        """Most repetitions: EF-cuts has fewer."""
        return repetitions if method != "ef-cuts" else cuts if n in cuts_sizes else 0

    return plan(experiment, repetitions, sizes=sizes, methods=options.methods, limit=limit)


def _run(
    experiment: Experiment, options: Options, store: Store, say: Callable[[str], None]
) -> list[Record]:
    """Do what is missing of a figure, and return the records of what failed."""
    tasks = _tasks(experiment, options)
    workers = n_workers(cpu_count() if options.workers is None else options.workers)
    say(f"{experiment.name}: {len(tasks)} repetitions in all, {workers} worker(s)")
    failed = [record for record in run(tasks, store, evaluate, workers) if "error" in record]
    for record in failed[:5]:
        where = f"{record['method']} on {record['cell']}, seed {record['seed']}"
        say(f"failed: {where}: {record['error']}")
    return failed


def _write(name: str, options: Options, store: Store) -> tuple[list[Path], list[Judgement]]:
    """Write the picture of a figure and the numbers behind it, and judge its claims."""
    if name not in EXPERIMENTS:
        return save(draw(name), options.out, name), []
    frame = tidy(store.results().values(), EXPERIMENTS[name])
    if frame.empty:
        return [], []
    judged = [j for j in judge_claims({name: frame}) if j.figure == name]
    table, numbers = table_of(options.out, name), options.out / f"{name}.json"
    text = to_csv(frame).encode()
    with whole_file(table) as temporary:
        temporary.write_bytes(lzma.compress(text) if table.suffix == ".xz" else text)
    with whole_file(numbers) as temporary:
        temporary.write_text(_as_json(name, frame, judged, store), encoding="utf-8")
    return [table, numbers, *save(draw(name, frame), options.out, name)], judged


def _as_json(name: str, frame: pd.DataFrame, judged: list[Judgement], store: Store) -> str:
    runs = [record for record in store.read() if record["kind"] == "run"]
    means = summary(frame)
    experiment = EXPERIMENTS[name]
    content = {
        "figure": name,
        "truth": experiment.truth,
        "family_of_truth": experiment.family,
        "repetitions": frame.groupby("method").seed.nunique().to_dict(),
        "seeds": sorted(int(seed) for seed in set(frame.seed)),
        "runs": [{k: v for k, v in record.items() if k != "kind"} for record in runs],
        "claims": [json.loads(without_nan(j.as_dict())) for j in judged],
        "summary": json.loads(means.to_json(orient="records")),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def without_nan(content: Any, indent: int | None = None) -> str:
    """Write JSON with null where there is no number, as of the error of a single repetition."""
    return re.sub(r"\bNaN\b", "null", json.dumps(content, ensure_ascii=False, indent=indent))


@contextmanager
def stop_at_first_interrupt() -> Iterator[None]:
    """Stop at the first Ctrl-C and shut down cleanly, ignoring further ones."""

    def stop(signum: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # not in the main thread, where no signal arrives anyway
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
