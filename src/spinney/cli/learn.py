"""``spinney learn``: from a table to its graph."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spinney._choices import check_choice
from spinney._files import whole_folder
from spinney.cli._estimators import DEFAULT
from spinney.cli._shell import say
from spinney.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RESULTS", "learn"]

RESULTS = {
    "edges.csv": "every edge with its numbers",
    "graph.graphml": "for Cytoscape, Gephi or networkx",
    "graph.png": "the picture",
}
"""The files that are written, and what they are."""
STRONGEST = 8
"""Edges that the summary shows."""

Names = list[str] | None


def learn(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="Text with commas, tabs or semicolons, and a header; may be .gz."
        ),
    ],
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator", "-e", metavar="NAME", help="How to learn; 'spinney info' lists them."
        ),
    ] = DEFAULT,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder of the results.", show_default="TABLE-graph"
        ),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Copula families to choose from, such as gaussian,student."
        ),
    ] = None,
    columns: Annotated[
        Names, typer.Option(metavar="NAMES", help="Learn from these columns only: a,b,c.")
    ] = None,
    drop: Annotated[
        Names, typer.Option(metavar="NAMES", help="Leave these columns out: a,b,c.")
    ] = None,
    kind: Annotated[
        Names,
        typer.Option(
            metavar="COLUMN=KIND",
            help="What a column is: continuous, ordinal, binary or nominal. May be repeated.",
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Gaps: pairwise (each pair by the rows that have both), drop (rows), or error.",
        ),
    ] = "pairwise",
    ties: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Equal values in continuous columns: auto, average, random or levels.",
        ),
    ] = "auto",
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all that is random.")] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", help="Threads; -1 takes all cores.")] = -1,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn the graph of a table, and write it down.

    Writes edges.csv, graph.graphml and graph.png to a folder: all or none.
    Earlier ones are replaced only with --force; other files are left alone.
    """
    start = perf_counter()
    folder = Path(_stem(table) + "-graph") if out is None else out
    _check_folder(folder, force)
    if jobs == 0:
        raise InputError("--jobs must be a number of threads, or -1 for all cores; got 0.")

    # From here on it takes a moment: these bring in everything else.
    from spinney.cli._estimators import find, make
    from spinney.io import read_table

    cls = find(estimator)
    X = _choose_columns(read_table(table), columns, drop)
    options = _options(cls, estimator, families, seed, jobs)
    reading = _reading(cls, estimator, X, kind, missing, ties)
    model = make(cls, {**options, **reading})
    if sys.stderr.isatty():
        say(f"Learning with {estimator}. A first run also compiles, for a minute or two.")
    model.fit(X)
    _write(folder, model, f"{_stem(table)}: {estimator}")
    _summarise(table, X, estimator, model, folder, perf_counter() - start)


def _stem(table: Path) -> str:
    name = table.name.removesuffix(".gz")
    return Path(name).stem or "table"


def _check_folder(folder: Path, force: bool) -> None:
    """Find out before the work, not after it, whether the results may be written."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file. Name a folder with --out.")
    there = [name for name in RESULTS if (folder / name).exists()]
    if there and not force:
        raise InputError(
            f"'{folder}' already holds {', '.join(there)}. "
            "Give --force to replace, or another folder with --out."
        )
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"'{place}' cannot be written to. Name another folder with --out.")


def _choose_columns(X: pd.DataFrame, columns: Names, drop: Names) -> pd.DataFrame:
    if columns and drop:
        raise InputError("--columns and --drop exclude each other. Give one of them.")
    if columns:
        return X[list(dict.fromkeys(_named(columns, X)))]
    if drop:
        return X.drop(columns=list(_named(drop, X)))
    return X


def _named(options: list[str], X: pd.DataFrame) -> Iterator[str]:
    """Read column names with commas between them; a name that holds a comma stands alone."""
    for option in options:
        for name in [option] if option in X else option.split(","):
            yield check_choice(name if name in X else name.strip(), X.columns, "column")


def _options(cls: type, name: str, families: str | None, seed: int, jobs: int) -> dict[str, Any]:
    """Everything an estimator might want to know."""
    from spinney.copulas.pair_copulas import PairCopulas
    from spinney.copulas.registry import FAMILIES

    if families is not None and "potentials" not in cls().get_params(deep=False):
        raise InputError(f"Estimator '{name}' uses no pair copulas. Leave --families out.")
    chosen: Any = "default"
    if families is not None:
        names = [part.strip().lower() for part in families.split(",")]
        chosen = [check_choice(part, FAMILIES, "copula family") for part in names]
    shared: dict[str, Any] = {"random_state": seed, "n_jobs": jobs, "progress": sys.stderr.isatty()}
    return {**shared, "potentials": PairCopulas(families=chosen, **shared)}


def _reading(
    cls: type, name: str, X: pd.DataFrame, kind: Names, missing: str, ties: str
) -> dict[str, Any]:
    """How the table is to be read, for the estimators that can be told."""
    chosen: dict[str, Any] = {"kinds": _kinds(kind, X), "missing": missing, "ties": ties}
    known = cls().get_params(deep=False)
    asked = {"kinds": kind, "missing": missing != "pairwise", "ties": ties != "auto"}
    for parameter, was_asked in asked.items():
        if was_asked and parameter not in known:
            option = {"kinds": "--kind"}.get(parameter, f"--{parameter}")
            raise InputError(
                f"Estimator '{name}' takes all columns as numbers. Leave {option} out."
            )
    return chosen


def _kinds(options: Names, X: pd.DataFrame) -> dict[str, str] | None:
    """Read ``age=ordinal``; names may hold an equals sign themselves."""
    kinds: dict[str, str] = {}
    for option in options or []:
        column, separator, kind = option.rpartition("=")
        if not separator:
            raise InputError(
                f"--kind needs a column and its kind, such as age=ordinal, not '{option}'."
            )
        kinds[check_choice(column, X.columns, "column")] = kind.strip()
    return kinds or None


def _write(folder: Path, model: Any, title: str) -> None:
    from spinney.io import write_edges, write_graphml
    from spinney.plotting import draw_graph_page

    with whole_folder(folder) as temporary:
        write_edges(temporary / "edges.csv", model)
        write_graphml(temporary / "graph.graphml", model)
        draw_graph_page(model, title=title).savefig(temporary / "graph.png")


def _summarise(
    path: Path, X: pd.DataFrame, estimator: str, model: Any, folder: Path, took_s: float
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from spinney._graph import edge_share, edge_table

    console = Console(highlight=False)
    edges = edge_table(model)
    n_alone = int((~model.adjacency_.any(axis=0)).sum())
    alone = f" ({n_alone} of them a column without edges)" if n_alone else ""
    lines = [
        f"{path.name}: {X.shape[0]} rows × {X.shape[1]} columns",
        *_what_was_read(model, len(X)),
        f"{estimator}: {_count(len(edges), 'edge')}, "
        f"{_count(int(model.n_components_), 'component')}{alone}, in {took_s:.1f} s",
    ]
    console.print(Text("\n".join(lines)), soft_wrap=True)
    if len(edges):
        share = edge_share(model)
        headings = {} if share is None else {share.column: share.label}
        shown = Table(box=None, padding=(0, 2), header_style="dim", pad_edge=False)
        shown.add_column("strongest edges")
        columns = [name for name in _FORMATS if name in edges]
        if "tau" in columns:
            columns.remove("sign")  # tau has it
        for name in columns:
            shown.add_column(
                headings.get(name, name), justify="left" if name == "family" else "right"
            )
        for row in edges.head(STRONGEST).to_dict("records"):
            cells = [_FORMATS[name](row) for name in columns]
            shown.add_row(*map(Text, [f"{row['source']} – {row['target']}", *cells]))
        console.print()
        console.print(shown)
    elif getattr(model, "why_no_edges_", ""):
        console.print()
        console.print(Text(model.why_no_edges_))
    console.print()
    width = max(len(str(folder / name)) for name in RESULTS)
    for name, meaning in RESULTS.items():
        # soft_wrap: a path must stay in one piece to be copied.
        console.print(Text(f"{folder / name!s:{width}}  {meaning}"), soft_wrap=True)


def _what_was_read(model: Any, n_rows: int) -> Iterator[str]:
    """Say what the columns were taken for, and what could not be judged."""
    from spinney.tables import describe_gaps, describe_kinds

    table = getattr(model, "table_", None)
    if table is None:
        return
    left_out = ", ".join(column.name for column in table.left_out)
    kinds = describe_kinds(table).partition(": ")[2]
    yield f"kinds: {kinds}" + (f"; left out: {left_out}" if left_out else "")
    if table.has_gaps:
        yield describe_gaps(table)
    elif len(table) < n_rows:
        yield f"gaps: {n_rows - len(table)} of {n_rows} rows have some and are dropped"
    unknown = model.unknown_pairs_
    if len(unknown):
        pairs = ", ".join(f"{u} – {v}" for u, v in unknown[["source", "target"]].to_numpy()[:3])
        more = " …" if len(unknown) > 3 else ""
        yield (
            f"not known, for want of rows that have both: {_count(len(unknown), 'pair')} "
            f"({pairs}{more})"
        )


_FORMATS: dict[str, Any] = {
    "probability": lambda row: f"{row['probability']:.2f}",
    "frequency": lambda row: f"{row['frequency']:.2f}",
    "weight": lambda row: f"{row['weight']:.3g}",
    "sign": lambda row: {1: "+", -1: "−"}.get(row["sign"], ""),
    "family": lambda row: f"{row['family']} {row['rotation'] or ''}".strip(),
    "tau": lambda row: "" if row["tau"] != row["tau"] else f"{row['tau']:+.2f}",
}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
