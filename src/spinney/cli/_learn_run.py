"""One run of ``spinney learn`` from end to end: read, learn, write, tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spinney.cli._again import Earlier
from spinney.cli._compiled import FIRST_RUN, kernels_compiled
from spinney.cli._cost import say_cost
from spinney.cli._estimators import TAKES_PAIR_COPULAS
from spinney.cli._extras import forget, unfinished
from spinney.cli._inputs import Inputs, read_inputs
from spinney.cli._learning import Found, choose_pair_copulas, graph_in_time, learn_all
from spinney.cli._print_groups import beside_groups
from spinney.cli._progress import Progress
from spinney.cli._run_record import record_of
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import Shell, say
from spinney.cli._time_limit import Deadline
from spinney.cli._times import Times

if TYPE_CHECKING:
    from spinney.graph import LearnedGraph
    from spinney.graph.report import Output

__all__ = ["run_learn"]


def run_learn(
    settings: Settings, job: Job, shell: Shell | None = None, earlier: Earlier | None = None
) -> None:
    """Do what was asked for, which has been checked as far as that goes without the data."""
    from spinney.graph.report import check_folder

    shell = shell or Shell()
    times, progress, deadline = Times(), Progress(not job.quiet), Deadline(job.time_limit_s)
    outputs = outputs_of(job)
    whole = beside_groups() if settings.group else outputs
    check_folder(job.folder, force=job.force, outputs=whole)
    told = "standard input" if job.data == "-" else job.data
    with graph_in_time(deadline), times.of("reading"), progress.going_on(f"reading {told}"):
        if settings.estimator in TAKES_PAIR_COPULAS:
            choose_pair_copulas(settings)
        inputs = read_inputs(job.data, settings, earlier.known_edges if earlier else None)
    if inputs.by is not None:
        from spinney.graph.report.groups import check_group_folder

        groups = sorted({str(group) for group in inputs.by.dropna()})
        check_group_folder(job.folder, groups, force=job.force)
    if not (job.quiet or job.json):
        from spinney.cli._print import print_head

        print_head(inputs)
    if not job.quiet and not kernels_compiled():
        say(FIRST_RUN)
    cost = say_cost(inputs, settings, job)
    with progress.going_on("learning"):
        found = learn_all(
            inputs,
            settings,
            job,
            deadline,
            times,
            reserve_s=cost.writing_s,
            earlier=earlier.cut_short if earlier else None,
        )
        if earlier is not None:
            earlier.warn_of_differences(inputs.file.checksum, found.judge)
        record = record_of(inputs, settings, job, found, shell, times)
        with times.of("writing"), progress.stage("writing results"):
            views = views_of(inputs, settings, job, found, shell, record)
            write(job, found, views, outputs)
    if not found.cut_short.stability_fits:
        forget(job.folder)
    if job.json:
        from spinney.cli._print_json import print_json

        print_json(inputs, job, found, views, shell, times, outputs)
    elif not job.quiet:
        from spinney.cli._print import print_found, print_same

        print_found(settings, job, found, times, outputs)
        if earlier is not None:
            print_same(earlier.tables_are_the_same(job.folder))
        say_cut_short(job, found, settings)


def outputs_of(job: Job) -> tuple[Output, ...]:
    """List the files that are written."""
    from spinney.graph.report.folder import MODEL_FILE, OUTPUTS

    if not job.model:
        return OUTPUTS
    return (*OUTPUTS[:-1], MODEL_FILE, OUTPUTS[-1])  # the record of the run stays the last


def views_of(
    inputs: Inputs,
    settings: Settings,
    job: Job,
    found: Found,
    shell: Shell,
    record: dict[str, Any],
) -> dict[str, LearnedGraph]:
    """Put each graph into the form in which it is written."""
    from spinney.graph import LearnedGraph

    views = {}
    for name, graph in found.graphs.items():
        title = f"{job.stem}, {settings.group} {name}" if name else job.stem
        own = set(getattr(graph, "warnings", ()))
        views[name] = LearnedGraph.of(
            graph,
            title=f"{title}: {settings.estimator}",
            stability=found.stability.get(name),
            groups=found.grouped,
            reading=(*inputs.file.decisions, *rows_drawn(graph)),
            warnings=tuple(line for line in shell.warned if line not in own),
            run=record,
            # A group's rows are apart in the file; whether they follow each other is not told.
            as_given=None if found.grouped else inputs.table,
        )
    return views


def rows_drawn(graph: Any) -> tuple[str, ...]:
    """Say that a graph was learned from a part of the rows, if it was."""
    model = getattr(graph, "learner", graph)
    drawn = getattr(getattr(model, "table_", None), "drawn", None)
    return () if drawn is None else (drawn.sentence(),)


def write(
    job: Job, found: Found, views: dict[str, LearnedGraph], outputs: tuple[Output, ...]
) -> None:
    """Write all results, or none."""
    if found.grouped is None:
        from spinney.graph.report import write_results

        write_results(job.folder, views[""], force=job.force, outputs=outputs)
    else:
        from spinney.graph.report.groups import write_group_results

        write_group_results(job.folder, found.grouped, views, force=job.force, outputs=outputs)


def say_cut_short(job: Job, found: Found, settings: Settings) -> None:
    """Say what the time limit has left out, and how to have it."""
    from spinney.graph import METHODS

    cut = found.cut_short
    if cut.comparisons:
        methods = ", ".join(METHODS[name].split(" (")[0] for name in cut.comparisons)
        say(f"The time limit was near: {methods} not asked. Give more time to have it all.")
    if cut.stability_fits:
        n_fits = min(cut.stability_fits.values())
        say(
            f"The time limit was near: stability is from {n_fits} of "
            f"{2 * (settings.stability or 0)} fits. They are kept in '{unfinished(job.folder)}': "
            "the same command with --force and more time goes on from there."
        )
