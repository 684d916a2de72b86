"""The work of ``spinney learn``: the graph, then the optional parts as time allows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from spinney._core.choices import check_choice
from spinney.cli._clock import Deadline, OutOfTimeError, Times
from spinney.cli._estimators import JUDGE, TAKES_PAIR_COPULAS, find, make
from spinney.cli._record import CutShort
from spinney.cli._settings import Job, Settings, screen_of
from spinney.cli._shell import FailedError
from spinney.exceptions import InputError
from spinney.wording import TERMINAL

if TYPE_CHECKING:
    from spinney.cli._inputs import Inputs
    from spinney.graph import Comparisons, GroupedGraphs, LearnedGraph, Stability

__all__ = [
    *("Found", "choose_pair_copulas", "compare", "find_stability", "graph_in_time", "learn_all"),
    "unfinished",
]

QUICK_FIRST = ("chow_liu", "gaussian", "shared_forest", "ef_lambda")
"""The order in which other methods run; there may not be time for all."""
NOT_ASKED = "Not asked: the time limit was near."
RESERVED = 0.1
"""Share of the time reserved for writing the results."""


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
    cut_short : CutShort
        What was left out for lack of time.
    """

    graphs: dict[str, LearnedGraph]
    stability: dict[str, Stability] = field(default_factory=dict)
    grouped: GroupedGraphs | None = None
    cut_short: CutShort = field(default_factory=CutShort)

    @property
    def judge(self) -> dict[str, str] | None:
        """Name and fingerprint of the judge, if one was used."""
        graph = next(iter(self.graphs.values()))
        if not graph.is_probability:
            return None
        judge = graph.learner.judge_
        return {"name": judge.name, "fingerprint": judge.fingerprint}


@contextmanager
def graph_in_time(deadline: Deadline) -> Iterator[None]:
    """Fail if the time runs out within the block: without a graph there is no result."""
    try:
        with deadline.enforced():
            yield
    except OutOfTimeError:
        raise FailedError(
            f"The graph was not ready within {deadline.limit_s:g} seconds, and nothing was "
            "written. Give more time with --time-limit, or fewer columns with --columns."
        ) from None


def learn_all(
    inputs: Inputs,
    settings: Settings,
    job: Job,
    deadline: Deadline,
    times: Times,
    earlier: CutShort | None = None,
) -> Found:
    """Learn the graph or graphs of a table, and the optional parts that were requested.

    What the run being repeated left out (`earlier`) is left out again.

    Raises
    ------
    FailedError
        If there is a time limit and the graph itself is not ready by then.
    """
    grouped = None
    with graph_in_time(deadline), times.of("learning"):
        from spinney.graph import LearnedGraph, learn, learn_groups

        if settings.estimator != JUDGE:
            return Found({"": LearnedGraph.of(_fit_estimator(inputs, settings, job))})
        options = _judged_options(inputs, settings, job)
        if inputs.by is None:
            graphs = {"": learn(inputs.source, **options)}
        else:
            grouped = learn_groups(inputs.source, inputs.by, **options)
            graphs = dict(grouped.graphs)

    early = deadline.sooner(RESERVED)
    missed: dict[str, None] = {}
    if settings.compare:
        with times.of("comparing"):
            for name, graph in graphs.items():
                skipped = () if earlier is None else earlier.comparisons
                found, late = compare(graph, job.jobs, early, skipped)
                graphs[name] = replace(graph, comparisons=found)
                missed |= dict.fromkeys(late)
    stability: dict[str, Stability] = {}
    if settings.stability is not None:
        with times.of("stability"):
            for number, (name, graph) in enumerate(graphs.items(), 1):
                place = unfinished(job.folder) / f"stability-{number}.jsonl"
                n_fits = None if earlier is None else earlier.stability_fits.get(name)
                stability[name] = find_stability(graph, place, settings, job.jobs, early, n_fits)
    if settings.check:
        with times.of("check"):
            graphs = {
                name: replace(
                    graph,
                    checked=graph.check(random_state=settings.seed, n_jobs=job.jobs, progress=True),
                )
                for name, graph in graphs.items()
            }
    if grouped is not None:
        grouped = replace(grouped, graphs=graphs)
    stopped = {name: told.n_fits for name, told in stability.items() if not told.is_complete}
    return Found(graphs, stability, grouped, CutShort(tuple(missed), stopped))


# The graph


def choose_pair_copulas(settings: Settings) -> dict[str, Any]:
    """Read ``--families`` and ``--criterion``, as parameters of :class:`spinney.PairCopulas`."""
    from spinney.pairs.copulas.registry import FAMILIES

    chosen: dict[str, Any] = {"criterion": settings.criterion or "cv", "families": "default"}
    if settings.families is not None:
        parts = [part.strip().lower() for part in settings.families.split(",")]
        chosen["families"] = [check_choice(part, FAMILIES, "copula family") for part in parts]
    return chosen


def _options(inputs: Inputs, settings: Settings, job: Job) -> dict[str, Any]:
    """Collect the options common to all estimators."""
    return {
        **inputs.known_edges,
        "kinds": inputs.kinds,
        "missing": settings.missing,
        "ties": settings.ties,
        "random_state": settings.seed,
        "n_jobs": job.jobs,
    }


def _judged_options(inputs: Inputs, settings: Settings, job: Job) -> dict[str, Any]:
    return {
        **_options(inputs, settings, job),
        "target_fdr": settings.fdr,
        "min_strength": settings.min_strength or 0.0,
        "cut": 0.5 if settings.cut is None else settings.cut,
        "precision": settings.precision,
        "rows": settings.n_rows,
        "units": inputs.units if inputs.source is inputs.file else None,
        "compare": False,  # done later, if there is time
        "screen": screen_of(settings.screen),
        "device": settings.device,
    }


def _fit_estimator(inputs: Inputs, settings: Settings, job: Job) -> Any:
    options = _options(inputs, settings, job)
    if settings.estimator in TAKES_PAIR_COPULAS:
        from spinney.pairs.copulas.pair_copulas import PairCopulas

        shared = {key: options[key] for key in ("random_state", "n_jobs")}
        options["potentials"] = PairCopulas(**choose_pair_copulas(settings), **shared)
    return make(find(settings.estimator), options).fit(inputs.table)


# Optional parts


def compare(
    graph: LearnedGraph, jobs: int, deadline: Deadline, skipped: tuple[str, ...] = ()
) -> tuple[Comparisons, list[str]]:
    """Run other methods, the quick ones first, while time remains.

    Returns their answers and the names of methods that were not run: those `skipped` by an earlier
    run, and those for which there was no time.
    """
    import numpy as np

    from spinney.graph import METHODS, Comparisons, compare_methods

    asked: dict[str, Comparisons] = {}
    for name in QUICK_FIRST:
        if name not in skipped:
            with suppress(OutOfTimeError), deadline.enforced():
                asked[name] = compare_methods(
                    graph.evidence, [name], n_jobs=jobs, skip_slow=True, door=TERMINAL
                )
    missed = [name for name in QUICK_FIRST if name not in asked]
    found = Comparisons(pairs=graph.judged.numbers)
    for name in METHODS:  # in the order of the columns of results
        unknown = np.full(len(graph.evidence.values), np.nan)
        part = asked.get(name) or Comparisons({name: unknown}, {}, {name: NOT_ASKED})
        found.kept.update(part.kept)
        found.shares.update(part.shares)
        found.notes.update(part.notes)
    return found, missed


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
    graph: LearnedGraph,
    checkpoint: Path,
    settings: Settings,
    jobs: int,
    deadline: Deadline,
    n_fits: int | None = None,
) -> Stability:
    """Learn from halves of the rows, until all are done or the time limit is near.

    Finished fits are kept in `checkpoint`, from which the same command resumes. With `n_fits`, the
    number that an earlier run reached, just as many are done.
    """
    from spinney.graph import learn_stability

    begun: list[float] = []

    def stop() -> bool:
        begun.append(monotonic())
        longest = max((b - a for a, b in pairwise(begun)), default=0.0)
        return (n_fits is not None and len(begun) > n_fits) or deadline.left_s < longest

    options: Any = {"random_state": settings.seed, "n_jobs": jobs}
    splits = settings.stability or 0
    if n_fits is not None:
        return learn_stability(graph, splits, stop=stop, **options)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    try:
        with deadline.enforced():
            return learn_stability(graph, splits, checkpoint=checkpoint, stop=stop, **options)
    except OutOfTimeError:  # during a fit: the earlier fits are kept
        return learn_stability(graph, splits, checkpoint=checkpoint, stop=lambda: True, **options)
    except InputError:
        with suppress(OSError):  # remove the folder if it is empty
            checkpoint.parent.rmdir()
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"The fits that are finished are kept in '{checkpoint.parent}': the same command goes "
            "on from there."
        ) from None
