"""The work of ``spinney learn``: the graph, then what is optional, as far as time allows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spinney._core.choices import check_choice
from spinney.cli._checks import screen_of
from spinney.cli._estimators import JUDGE, TAKES_PAIR_COPULAS, find, make
from spinney.cli._extras import CutShort, checkpoint_in, compare, find_stability
from spinney.cli._inputs import Inputs
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import FailedError
from spinney.cli._time_limit import Deadline, OutOfTimeError, in_words
from spinney.cli._times import Times

if TYPE_CHECKING:
    from spinney.graph import GroupedGraphs, LearnedGraph, Stability

__all__ = ["Found", "choose_pair_copulas", "graph_in_time", "learn_all"]


@dataclass(frozen=True)
class Found:
    """What came out.

    Attributes
    ----------
    graphs : dict
        By group (``""`` without groups): a LearnedGraph, or a fitted estimator.
    stability : dict of Stability
        The same, if it was asked for.
    grouped : GroupedGraphs or None
        What differs between groups.
    cut_short : CutShort
        What was left out for want of time.
    """

    graphs: dict[str, Any]
    stability: dict[str, Stability] = field(default_factory=dict)
    grouped: GroupedGraphs | None = None
    cut_short: CutShort = field(default_factory=CutShort)

    @property
    def judge_reference(self) -> dict[str, str] | None:
        """Name and fingerprint of the judge, if it was one."""
        graph = next(iter(self.graphs.values()))
        learner = getattr(graph, "learner", None)
        if learner is None:
            return None
        return {"name": learner.judge_.name, "fingerprint": learner.judge_.fingerprint}

    @property
    def judge(self) -> str | None:
        """Fingerprint of the judge."""
        return (self.judge_reference or {}).get("fingerprint")


@contextmanager
def graph_in_time(deadline: Deadline) -> Iterator[None]:
    """Fail if the time is up before the block has ended: without a graph there is no result."""
    try:
        with deadline.enforced():
            yield
    except OutOfTimeError:
        raise FailedError(
            f"The graph was not ready within {in_words(deadline.limit_s or 0.0)}, and nothing was "
            "written. Give more time with --time-limit, or fewer columns with --columns."
        ) from None


def choose_pair_copulas(settings: Settings) -> dict[str, Any]:
    """Read ``--families`` and ``--criterion``, as parameters of :class:`spinney.PairCopulas`."""
    from spinney.pairs.copulas.registry import FAMILIES

    chosen: dict[str, Any] = {"criterion": settings.criterion or "cv", "families": "default"}
    if settings.families is not None:
        parts = [part.strip().lower() for part in settings.families.split(",")]
        chosen["families"] = [check_choice(part, FAMILIES, "copula family") for part in parts]
    return chosen


def learn_all(
    inputs: Inputs,
    settings: Settings,
    job: Job,
    deadline: Deadline,
    times: Times,
    *,
    reserve_s: float = 0.0,
    earlier: CutShort | None = None,
) -> Found:
    """Learn the graph or the graphs of a table, and what was asked for besides.

    Parameters
    ----------
    reserve_s : float
        Seconds that are kept for writing the results.
    earlier : CutShort, optional
        Of the run that is done again: the same is left out.

    Raises
    ------
    FailedError
        If there is a time limit and the graph itself is not ready by then.
    """
    grouped = None
    with (
        graph_in_time(deadline),
        times.of("learning"),
    ):
        if settings.estimator != JUDGE:
            return Found({"": _fit_estimator(inputs, settings, job)})
        if inputs.by is None:
            graphs = {"": _learn(inputs, settings, job)}
        else:
            grouped = _learn_groups(inputs, settings, job)
            graphs = dict(grouped.graphs)

    missed: list[str] = []
    if settings.compare:
        with times.of("comparing"):
            for name, graph in graphs.items():
                found, late = compare(graph, job.jobs, deadline, reserve_s, earlier)
                graphs[name] = replace(graph, comparisons=found)
                missed += late
    if grouped is not None:
        grouped = replace(grouped, graphs=graphs)

    stability: dict[str, Stability] = {}
    stopped: dict[str, int] = {}
    if settings.stability is not None:
        with times.of("stability"):
            for name, graph in graphs.items():
                place = checkpoint_in(job.folder, list(graphs).index(name))
                stability[name] = find_stability(
                    graph,
                    place,
                    settings,
                    job.jobs,
                    deadline,
                    reserve_s,
                    None if earlier is None else earlier.stability_fits.get(name),
                )
                if not stability[name].is_complete:
                    stopped[name] = stability[name].n_fits
    return Found(graphs, stability, grouped, CutShort(tuple(dict.fromkeys(missed)), stopped))


def _fit_estimator(inputs: Inputs, settings: Settings, job: Job) -> Any:
    from spinney.pairs.copulas.pair_copulas import PairCopulas

    shared: dict[str, Any] = {"random_state": settings.seed, "n_jobs": job.jobs}
    options: dict[str, Any] = {
        **shared,
        **inputs.known_edges,
        "kinds": inputs.kinds,
        "missing": settings.missing,
        "ties": settings.ties,
    }
    if settings.estimator in TAKES_PAIR_COPULAS:
        options["potentials"] = PairCopulas(**choose_pair_copulas(settings), **shared)
    return make(find(settings.estimator), options).fit(inputs.table)


def _judged_options(inputs: Inputs, settings: Settings, job: Job) -> dict[str, Any]:
    return {
        **inputs.known_edges,
        "target_fdr": settings.fdr,
        "kinds": inputs.kinds,
        "missing": settings.missing,
        "ties": settings.ties,
        "precision": settings.precision,
        "rows": settings.n_rows,
        "random_state": settings.seed,
        "n_jobs": job.jobs,
        "compare": False,  # that comes later, if there is time
        **({} if settings.screen == "auto" else {"screen": screen_of(settings.screen)}),
        **({} if settings.device == "cpu" else {"device": settings.device}),
    }


def _learn(inputs: Inputs, settings: Settings, job: Job) -> LearnedGraph:
    from spinney.graph import learn

    return learn(inputs.source, **_judged_options(inputs, settings, job))


def _learn_groups(inputs: Inputs, settings: Settings, job: Job) -> GroupedGraphs:
    from spinney.graph import learn_groups

    assert inputs.by is not None  # only then it is called
    return learn_groups(inputs.source, inputs.by, **_judged_options(inputs, settings, job))
