"""``spinney learn``: from a table to its graph."""

from __future__ import annotations

import inspect
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from spinney._core.command_line import for_command_line
from spinney._core.progress import progress_bar
from spinney._core.text import counted
from spinney.cli import _inputs, _learning, _print
from spinney.cli._app import Shell, say
from spinney.cli._options import DEFAULT, TAKES_PAIR_COPULAS, parameters_of, values_of, work_on
from spinney.cli._record import Earlier, check_alone, read_earlier, record_of
from spinney.cli._settings import Job, LearnSettings, check_request
from spinney.exceptions import InputError
from spinney.notices import Notice

if TYPE_CHECKING:
    from spinney.graph import LearnedGraph
    from spinney.graph.report import Output


def learn(context: typer.Context, **given: Any) -> None:
    """Learn the graph of a table, and write the results.

    Writes a report, tables, pictures and files for other programs to a folder: all or none.
    Earlier results are replaced only with --force; other files stay as they are.

    Example: [bold]spinney learn cells.csv --fdr 0.05[/bold]
    """
    job, earlier = Job(**values_of(Job, given)), None
    if job.again is not None:
        check_alone(_given(context))
        earlier = read_earlier(job.again, job.data)
        settings = earlier.settings
        given_now = {name: getattr(job, name) for name in _given(context) & {*earlier.how}}
        job = replace(job, data=earlier.data, **earlier.how | given_now)
    elif not job.data:
        raise InputError("Which table? Name a file: spinney learn DATA, or - for standard input.")
    else:
        settings = LearnSettings(**values_of(LearnSettings, given))
    check_request(settings, job)
    with work_on(job.cluster):
        _run(settings, job, context.obj, earlier)


# The options are the fields of both classes, in their order.
learn.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # functions may have it
    [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *sorted(
            (*parameters_of(LearnSettings), *parameters_of(Job)),
            key=lambda parameter: parameter.name != "data",
        ),
    ]
)


def _given(context: typer.Context) -> set[str]:
    """Name the options given on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def _run(settings: LearnSettings, job: Job, shell: Shell, earlier: Earlier | None) -> None:
    """Read, learn, write and report, after the checks that need no data."""
    from spinney.graph.report.folder import (
        CHECK_FILES,
        MODEL_FILE,
        OUTPUTS,
        STABILITY_FILES,
        check_files,
        names_of,
        without_report,
    )

    start = perf_counter()
    # The record of the run comes last.
    more = (*([MODEL_FILE] if job.model else []), *(CHECK_FILES if settings.check else ()))
    more += STABILITY_FILES if settings.stability is not None else ()
    outputs = (*OUTPUTS[:-1], *more, OUTPUTS[-1])
    shell.holds = True  # until they can be ranked
    if not settings.group:
        check_files(job.folder, names_of(outputs), force=job.force)
    outputs = outputs if job.report else without_report(outputs)
    shown = not job.quiet and sys.stderr.isatty()
    reading = f"reading {'standard input' if job.data == '-' else job.data}"
    with progress_bar(0, reading, shown):
        if settings.estimator in TAKES_PAIR_COPULAS:
            _learning.choose_pair_copulas(settings)
        then = {} if earlier is None else earlier.record
        colours = job.colour_by or then.get("how", {}).get("colour_by")
        inputs = _inputs.read_inputs(job.data, settings, then.get("known_edges"), colours)
    if inputs.by is not None:
        from spinney.graph.report.groups import check_group_folder

        groups = sorted({str(group) for group in inputs.by.dropna()})
        check_group_folder(job.folder, groups, force=job.force)
    if not (job.quiet or job.json):
        _print.print_head(inputs)
    with progress_bar(0, "learning", shown):
        found = _learning.learn_all(inputs, settings, job)
        if earlier is not None:
            earlier.warn_of_differences(inputs.file.checksum, found.judge)
        record = record_of(inputs, settings, job, found, shell.words, perf_counter() - start)
        views = _views_of(inputs, settings, job, found, shell, record)
        cautions = _cautions(views, shell)
        record["warnings"] = [for_command_line(each) for each in cautions]  # of all views
    with progress_bar(0, "writing results", shown):
        _write(job, found, views, outputs)
    shutil.rmtree(_learning.unfinished(job.folder), ignore_errors=True)
    if job.json:
        _print.print_json(inputs, job, found, views, record["warnings"], outputs)
    elif not job.quiet:
        _print.print_found(settings, job, found, perf_counter() - start, outputs)
    _tell_cautions(cautions, shell, job)
    if earlier is not None and not (job.json or job.quiet):
        same = "are those of the earlier run, byte by byte."
        other = "differ from those of the earlier run."
        is_same = earlier.tables_are_the_same(job.folder)
        _print.say_on(_print.console(), "", f"The tables {same if is_same else other}")


def _views_of(
    inputs: _inputs.Inputs,
    settings: LearnSettings,
    job: Job,
    found: _learning.Found,
    shell: Shell,
    record: dict[str, Any],
) -> dict[str, LearnedGraph]:
    """Prepare each graph for writing: title, stability, groups, and how it was made."""
    from spinney.graph import LearnedGraph

    views = {}
    for name, graph in found.graphs.items():
        title = f"{job.stem}, {settings.group} {name}" if name else job.stem
        drawn = None if graph.table is None else graph.table.drawn
        views[name] = LearnedGraph.of(
            graph,
            raised=tuple(shell.warned.values()),
            title=title if settings.estimator == DEFAULT else f"{title} by {settings.estimator}",
            arranged=job.layout,
            ring=job.ring,
            colour_by={k: v for k, v in inputs.colour_by.items() if k in graph.names},
            stability=found.stability.get(name),
            groups=found.grouped,
            reading=(*inputs.decisions, *([] if drawn is None else [drawn.sentence()])),
            run=record,
            # The rows of a group are scattered over the file, so their sequence is not tested.
            as_given=None if found.grouped else inputs.table,
        )
    return views


def _cautions(views: dict[str, LearnedGraph], shell: Shell) -> list[Notice]:
    """List the warnings of a run, the gravest first; groups have their own in their reports."""
    from spinney.graph.words import cautions, rank

    found = cautions(views[""]) if "" in views else rank(shell.warned.values())
    return [each for each in found if each.level == "warning"]


def _tell_cautions(cautions: Sequence[Notice], shell: Shell, job: Job) -> None:
    """Print the gravest warnings, and say where the others are."""
    from spinney.graph.report.folder import RECORD
    from spinney.graph.words import first_cautions

    first = first_cautions(cautions)
    shell.tell(" ".join(for_command_line(each).split()) for each in first)
    if len(cautions) > len(first) and not shell.quiet:
        where = job.folder / ("report.html" if job.report else RECORD)
        say(f"{counted(len(cautions) - len(first), 'more warning')} in {where}.")


def _write(
    job: Job, found: _learning.Found, views: dict[str, LearnedGraph], outputs: tuple[Output, ...]
) -> None:
    """Write all results, or none."""
    from spinney.graph.report import write_results
    from spinney.graph.report.folder import OUTPUTS

    options: Any = {"force": job.force, "outputs": outputs}
    if found.grouped is None:
        write_results(job.folder, views[""], **options)
        for output in {*OUTPUTS} - {*outputs}:  # of an earlier run: not of this graph
            (job.folder / output.name).unlink(missing_ok=True)
    else:
        from spinney.graph.report.groups import write_group_results

        write_group_results(job.folder, found.grouped, views, report=job.report, **options)
