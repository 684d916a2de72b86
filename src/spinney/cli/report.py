"""``spinney report``: the page of a graph learned earlier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spinney.cli._app import Shell, say
from spinney.cli._options import (
    DEFAULT,
    DebugOption,
    ForceOption,
    JobsOption,
    JsonOption,
    QuietOption,
    check_jobs,
    clean,
    dump,
    opt,
)
from spinney.exceptions import InputError
from spinney.graph.report.folder import MODEL_FILE, check_files
from spinney.graph.report.folder import RECORD as RUN

if TYPE_CHECKING:
    from spinney.graph import LearnedGraph

__all__ = ["report"]

MODEL = MODEL_FILE.name
"""The model file in a folder of results."""


def report(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL|FOLDER", help="A stored model (.spinney), or a folder of results."
        ),
    ],
    out: Annotated[
        Path | None, opt("FILE", "The page.", "--out", "-o", show_default="report.html beside it")
    ] = None,
    jobs: JobsOption = -1,
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Write the page that explains a graph learned earlier.

    Takes a stored model or a folder of results. A folder without a model is learned
    again as its run.json says.

    Example: [bold]spinney report cells-graph --out cells.html[/bold]
    """
    place = _find(source)
    check_jobs(jobs)
    target = (source if source.is_dir() else source.parent) / "report.html" if out is None else out
    if target.is_dir():
        raise InputError(f"'{target}' is a folder. Name a file with --out.")
    check_files(target.parent, [target.name], force=force)

    # From here on it takes a moment: these bring in everything else.
    from spinney.graph.report import write_report

    if place.name == RUN:
        if not quiet and not as_json:
            say(f"'{source}' holds no {MODEL}; learning again by its {RUN}.")
        view = _learned_again(place, source, jobs, quiet or as_json)
    else:
        view = _stored(place, source)
    write_report(target, view)
    told = {
        "page": str(target),
        "bytes": target.stat().st_size,
        "edges": len(view.edges),
        "columns": len(view.names),
    }
    if as_json:
        dump(told)
    elif not quiet:
        typer.echo(clean(view.heading))
        typer.echo(f"{target}  the page; open it in a browser")


def _find(source: Path) -> Path:
    """Find the file to read the graph from, or say what is missing."""
    if not source.exists():
        raise InputError(f"There is no file or folder '{source}'. Check the path.")
    if source.is_file():
        if source.name == RUN:
            return source
        if source.suffix.lower() != ".spinney":
            raise InputError(
                f"'{source}' is not a stored model (.spinney). To learn from a table, use spinney "
                "learn, which writes a page as well."
            )
        return source
    for name in (MODEL, RUN):
        if (source / name).is_file():
            return source / name
    raise InputError(
        f"'{source}' holds neither {MODEL} nor {RUN}, so there is nothing to make a page from. "
        "Run spinney learn again."
    )


def _stored(place: Path, source: Path) -> LearnedGraph:
    """Read the graph from a stored model."""
    from spinney._core.files import load_model
    from spinney.graph import LearnedGraph

    graph = LearnedGraph.of(load_model(place))
    title = source.name if source.is_dir() else source.stem
    by = "" if graph.estimator == DEFAULT else f" by {graph.estimator}"
    return LearnedGraph.of(graph, title=f"{title}{by}")


def _learned_again(place: Path, source: Path, jobs: int, quiet: bool) -> LearnedGraph:
    """Learn the graph that a record describes; nothing but the page is written."""
    from tempfile import TemporaryDirectory

    from spinney.cli._inputs import read_inputs
    from spinney.cli._learning import learn_all
    from spinney.cli._record import read_earlier
    from spinney.cli._settings import Job
    from spinney.cli.learn import views_of

    earlier = read_earlier(place)
    settings, shell = earlier.settings, Shell(quiet=quiet)
    inputs = read_inputs(earlier.data, settings, earlier.known_edges, earlier.colour_by)
    with TemporaryDirectory() as folder:  # for checkpoints, which are not needed later
        out = f"{folder}/results"
        job = Job(data=earlier.data, out=out, jobs=jobs, quiet=quiet, **earlier.how)
        found = learn_all(inputs, settings, job)
    earlier.warn_of_differences(inputs.file.checksum, found.judge)
    views = views_of(inputs, settings, job, found, shell, earlier.record)
    if "" in views:
        return views[""]
    group = source.name if source.is_dir() else source.absolute().parent.name
    if group not in views:
        raise InputError(
            f"'{source}' holds a graph for each group ({', '.join(views)}), each with a page of "
            "its own in its folder. Name the folder of one group."
        )
    return views[group]
