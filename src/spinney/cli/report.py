"""``spinney report``: the page of a stored graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spinney.cli._options import (
    DEFAULT,
    DebugOption,
    ForceOption,
    JsonOption,
    QuietOption,
    clean,
    dump,
    opt,
)
from spinney.exceptions import InputError
from spinney.graph.report.folder import MODEL_FILE, check_files


def report(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL|FOLDER",
            help="A stored model (.spinney), or a folder of results with one.",
        ),
    ],
    out: Annotated[
        Path | None, opt("FILE", "The page.", "--out", "-o", show_default="report.html beside it")
    ] = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Write the page that explains a stored graph.

    Models are stored by spinney learn --model, and by graph.save in Python. For the
    page of an earlier run without a model: spinney learn --again FOLDER.

    Example: [bold]spinney report cells.spinney --out cells.html[/bold]
    """
    if not source.exists():
        raise InputError(f"There is no file or folder '{source}'. Check the path.")
    place = source / MODEL_FILE.name if source.is_dir() else source
    if not place.is_file():
        raise InputError(
            f"'{source}' holds no {MODEL_FILE.name}. Learn again: spinney learn --again {source}"
        )
    target = place.with_name("report.html") if out is None else out
    if target.is_dir():
        raise InputError(f"'{target}' is a folder. Name a file with --out.")
    check_files(target.parent, [target.name], force=force)

    # From here on it takes a moment: these bring in everything else.
    from spinney._core.files import load_model
    from spinney.graph import LearnedGraph
    from spinney.graph.report.writers import write_report

    graph = LearnedGraph.of(load_model(place))
    title = source.name if source.is_dir() else source.stem
    by = "" if graph.estimator == DEFAULT else f" by {graph.estimator}"
    view = LearnedGraph.of(graph, title=f"{title}{by}")
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
