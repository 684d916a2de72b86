"""The work of ``spinney learn``: memory and progress, the graph, then the optional parts."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._core.choices import check_choice
from spinney._core.progress import progress_told_to
from spinney._core.threads import n_threads
from spinney.cli._app import say
from spinney.cli._options import JUDGE, TAKES_PAIR_COPULAS, find, make
from spinney.cli._settings import Job, LearnSettings
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.cli._inputs import Inputs
    from spinney.graph import GroupedGraphs, LearnedGraph, Stability

__all__ = [
    *("Found", "check_memory", "choose_pair_copulas", "find_stability", "going_on", "learn_all"),
    *("needed_bytes", "unfinished"),
]

BYTES_PER_ROW_AND_PAIR = 31
"""Memory of a forest model, beyond the baseline of any program."""
BYTES_PER_CELL = 200
"""Memory of the judge's scores, for each value of the table."""
BYTES_PER_JUDGED_PAIR = 2500
"""Memory of a pair while it is judged."""
BYTES_PER_WIDE_PAIR = 120
"""Memory of any pair of a wide table, in matrices of columns by columns."""
HOPELESS = 2.0
"""A run is refused if it needs this many times the memory; estimates may be off by as much."""

_WORDS = {
    "evidence, judge, strengths": "measuring and judging pairs",
    "partners": "finding the strongest pairs of each column",
    "pairs in neighbourhoods": "judging pairs in neighbourhoods",
    "fitting pairs": "measuring pairs",
    "log-densities": "densities of pairs",
    "shared forests": "averaging over forests",
    "other methods": "comparing with other methods",
    "penalties": "trying penalties",
    "bootstrap samples and subsets": "stability",
}
"""Labels of the package's stages, in a user's words."""


@dataclass(frozen=True)
class Found:
    """The results.

    Attributes
    ----------
    graphs : dict of LearnedGraph
        By group (``""`` without groups).
    stability : dict of Stability
        By group, if requested.
    grouped : GroupedGraphs or None
        What differs between groups.
    """

    graphs: dict[str, LearnedGraph]
    stability: dict[str, Stability] = field(default_factory=dict)
    grouped: GroupedGraphs | None = None

    @property
    def judge(self) -> dict[str, str] | None:
        """Name and fingerprint of the judge, if one was used."""
        graph = next(iter(self.graphs.values()))
        if not graph.is_probability:
            return None
        judge = graph.learner.judge_
        return {"name": judge.name, "fingerprint": judge.fingerprint}


def learn_all(inputs: Inputs, settings: LearnSettings, job: Job) -> Found:
    """Learn the graph or graphs of a table, and the optional parts that were requested."""
    from spinney.graph import LearnedGraph, learn

    if settings.estimator != JUDGE:
        return Found({"": LearnedGraph.of(_fit_estimator(inputs, settings, job))})
    options = _judged_options(inputs, settings, job)
    grouped = None
    if inputs.by is None:
        graphs = {"": learn(inputs.source, **options)}
    else:
        from spinney.graph import learn_groups

        place = unfinished(job.folder) / "permutations.jsonl"
        with _kept(place):
            grouped = learn_groups(
                inputs.source,
                inputs.by,
                permutations=settings.permutations or 0,
                paired=inputs.persons,
                checkpoint=place if settings.permutations or settings.paired else None,
                **options,
            )
        graphs = dict(grouped.graphs)
    stability: dict[str, Stability] = {}
    if settings.stability is not None:
        for number, (name, graph) in enumerate(graphs.items(), 1):
            place = unfinished(job.folder) / f"stability-{number}.jsonl"
            stability[name] = find_stability(graph, place, settings, job.jobs)
    if settings.check:
        grown: Any = {"random_state": settings.seed, "n_jobs": job.jobs}
        for name, graph in graphs.items():
            graphs[name] = replace(graph, checked=graph.check(**grown))
    if grouped is not None:
        grouped = replace(grouped, graphs=graphs)
    return Found(graphs, stability, grouped)


# The graph


def choose_pair_copulas(settings: LearnSettings) -> dict[str, Any]:
    """Read ``--families`` and ``--criterion``, as parameters of :class:`spinney.PairCopulas`."""
    from spinney.pairs.copulas.registry import FAMILIES

    chosen: dict[str, Any] = {"criterion": settings.criterion or "cv", "families": "default"}
    if settings.families is not None:
        parts = [part.strip().lower() for part in settings.families.split(",")]
        chosen["families"] = [check_choice(part, FAMILIES, "copula family") for part in parts]
    return chosen


def _options(inputs: Inputs, settings: LearnSettings, job: Job) -> dict[str, Any]:
    """Collect the options common to all estimators."""
    return {
        **inputs.known_edges,
        "kind": inputs.kinds,
        "missing": settings.missing,
        "random_state": settings.seed,
        "n_jobs": job.jobs,
    }


def read_prior_option(text: str | None) -> float | list[list[object]] | None:
    """Read ``--prior``: a number, or the file of a table of pairs."""
    if text is None:
        return None
    from spinney.graph.export.spreadsheet import read_columns
    from spinney.judge.choice import COLUMNS, read_prior

    try:
        share = float(text)
    except ValueError:
        share = None
    if share is not None:
        return read_prior(share)
    if not Path(text).is_file():
        raise InputError(f"--prior takes a number between 0 and 1, or a file; got '{text}'.")
    table = read_columns(text, *COLUMNS, lacks=f"; --prior takes columns {', '.join(COLUMNS)}")
    return read_prior(table)


def _judged_options(inputs: Inputs, settings: LearnSettings, job: Job) -> dict[str, Any]:
    return {
        **_options(inputs, settings, job),
        "fdr": settings.fdr,
        "sure": settings.sure,
        "prior": read_prior_option(settings.prior),
        "min_strength": settings.min_strength or 0.0,
        "cut": 0.5 if settings.cut is None else settings.cut,
        "precision": settings.precision,
        "rows": settings.n_rows,
        "unit": inputs.units if inputs.source is inputs.file and not settings.weights else None,
        "weights": inputs.weights,
        "device": settings.device,
    }


def _fit_estimator(inputs: Inputs, settings: LearnSettings, job: Job) -> Any:
    options = {**_options(inputs, settings, job), "ties": settings.ties}
    if settings.estimator in TAKES_PAIR_COPULAS:
        from spinney.pairs.copulas.pair_copulas import PairCopulas

        shared = {key: options[key] for key in ("random_state", "n_jobs")}
        options["potentials"] = PairCopulas(**choose_pair_copulas(settings), **shared)
    return make(find(settings.estimator), options).fit(inputs.table)


# Optional parts


def unfinished(folder: Path) -> Path:
    """Name the folder, beside the results, that keeps finished fits until all are done.

    Examples
    --------
    >>> unfinished(Path("some/cells-graph")).name
    'cells-graph-unfinished'
    """
    if folder.name in ("", ".."):  # such as '.', which has no name to build on
        folder = folder.resolve()
    if not folder.name:
        return folder / "results-unfinished"
    return folder.with_name(f"{folder.name}-unfinished")


def find_stability(
    graph: LearnedGraph, checkpoint: Path, settings: LearnSettings, jobs: int
) -> Stability:
    """Learn from samples of the rows.

    Finished fits are kept in `checkpoint`, from which the same command resumes.
    """
    from spinney.graph import learn_stability
    from spinney.graph.resampling import default_samples

    options: Any = {"random_state": settings.seed, "n_jobs": jobs, "checkpoint": checkpoint}
    n, d = len(graph.learner.table_), len(graph.names)
    n_samples = settings.stability or default_samples(n, d)
    _announce(n, d, 2 * n_samples, jobs)
    with _kept(checkpoint):
        return learn_stability(graph, settings.stability or None, **options)


def _announce(n: int, d: int, n_fits: int, jobs: int) -> None:
    """Say beforehand how long many fits will take, if that is longer than half a minute."""
    from spinney.graph.resampling import seconds_of_a_fit

    seconds = n_fits * seconds_of_a_fit(n, d) / n_threads(jobs)
    if seconds >= 30:
        time = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
        say(f"{n_fits:,} fits to samples of the rows will take about {time}.")


@contextmanager
def _kept(checkpoint: Path) -> Iterator[None]:
    """Keep finished fits beside the results; after an interrupt say where they are."""
    try:
        yield
    except InputError:
        with suppress(OSError):  # remove the folder if it is empty
            checkpoint.parent.rmdir()
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Finished fits are kept in '{checkpoint.parent}': the same command "
            "continues from there."
        ) from None


# Whether the machine has the memory, asked before the work


def needed_bytes(n: int, d: int, settings: LearnSettings, threads: int = 1) -> float:
    """Estimate the memory that n rows and d columns take."""
    n_pairs = d * (d - 1) // 2
    if settings.estimator != JUDGE:
        return float(BYTES_PER_ROW_AND_PAIR * n * n_pairs)
    from spinney.judge.learner import WIDE

    cells = float(BYTES_PER_CELL * n * d)
    if d <= WIDE:
        return cells + BYTES_PER_JUDGED_PAIR * n_pairs
    from spinney.scale.neighbourhoods import SIZE

    under_way = threads * BYTES_PER_JUDGED_PAIR * SIZE * (SIZE - 1) / 2
    return cells + under_way + BYTES_PER_WIDE_PAIR * n_pairs


def check_memory(inputs: Inputs, settings: LearnSettings, job: Job) -> None:
    """Warn if memory may run short, and refuse a run that cannot fit."""
    d = inputs.shape[1]
    cores = os.cpu_count() or 1
    threads = min(cores if job.jobs < 0 else job.jobs, cores)
    sizes = _sizes(inputs, settings)
    needed = max(needed_bytes(n, d, settings, threads) for n in sizes)
    whole, free = _memory_of_machine()
    if needed > HOPELESS * whole:
        raise InputError(_lacking(needed, f"this machine has {whole / 1e9:.1f} GB"))
    if needed > free and not job.quiet:
        say(f"Warning: {_lacking(needed, f'{free / 1e9:.1f} GB are free here')}")


def _lacking(needed: float, has: str) -> str:
    cure = "Choose fewer columns with --columns, or take a part of the rows."
    return f"This needs about {needed / 1e9:.1f} GB of memory, and {has}. {cure}"


def _sizes(inputs: Inputs, settings: LearnSettings) -> Sequence[int]:
    """Count the rows of each group; all of them if there are no groups."""
    from spinney.tables import rows_to_use

    if inputs.by is None:
        return [inputs.shape[0] if inputs.keep is None else len(inputs.keep)]
    asked = settings.n_rows, settings.precision
    return [rows_to_use(int(size), *asked) for size in inputs.by.value_counts()]


def _memory_of_machine() -> tuple[float, float]:
    """Return total and free memory in bytes; infinite if unknown."""
    try:
        whole = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return float("inf"), float("inf")
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            told = dict(line.split(":") for line in file)
        return whole, 1024.0 * float(told["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return whole, whole


# Progress


@contextmanager
def going_on(label: str, shown: bool) -> Iterator[None]:
    """Show the progress of a block, and of the stages within it, on a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield
        return
    # Imported here: rich takes a moment to load.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    # Names of files are not markup. Standard output is left alone.
    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, BarColumn(), Elapsed(), Remaining())
    console = Console(stderr=True, highlight=False)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bars:

        @contextmanager
        def stage(total: int, label: str) -> Iterator[Callable[[int], None]]:
            if threading.current_thread() is not threading.main_thread():
                yield lambda steps: None  # a part of the stage that the main thread shows
                return
            task = bars.add_task(_WORDS.get(label, label), total=total or None)
            try:
                yield partial(bars.advance, task)
            finally:
                bars.remove_task(task)

        with progress_told_to(stage), stage(0, label):
            yield
