"""The work of ``spinney learn``: the graph, then the optional parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney._core.choices import check_choice
from spinney._core.threads import n_threads
from spinney.cli._app import say
from spinney.cli._options import JUDGE, TAKES_PAIR_COPULAS, find, make
from spinney.cli._settings import Job, LearnSettings
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.cli._inputs import Inputs
    from spinney.graph import GroupedGraphs, LearnedGraph, Stability


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
    folder = folder.resolve()  # '.' has no name to build on
    return folder.with_name(f"{folder.name}-unfinished")


def find_stability(
    graph: LearnedGraph, checkpoint: Path, settings: LearnSettings, jobs: int
) -> Stability:
    """Learn from samples of the rows.

    Finished fits are kept in `checkpoint`, from which the same command resumes.
    """
    from spinney.graph import learn_stability
    from spinney.graph.resampling import default_samples, seconds_of_a_fit

    options: Any = {"random_state": settings.seed, "n_jobs": jobs, "checkpoint": checkpoint}
    n, d = len(graph.learner.table_), len(graph.names)
    n_fits = 2 * (settings.stability or default_samples(n, d))
    seconds = n_fits * seconds_of_a_fit(n, d) / n_threads(jobs)
    if seconds >= 30:
        time = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
        say(f"{n_fits:,} fits to samples of the rows will take about {time}.")
    with _kept(checkpoint):
        return learn_stability(graph, settings.stability or None, **options)


@contextmanager
def _kept(checkpoint: Path) -> Iterator[None]:
    """Keep finished fits beside the results; after an interrupt say where they are."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Finished fits are in '{checkpoint.parent}': the same command continues from there.")
        raise
