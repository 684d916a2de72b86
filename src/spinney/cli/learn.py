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
from spinney.cli._estimators import DEFAULT, default, find, make, names
from spinney.cli._judged import JUDGE, print_judged
from spinney.cli._shell import say
from spinney.cli._summary import print_files, print_head, print_model
from spinney.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from spinney.learner import LearnedGraph

__all__ = ["RESULTS", "learn"]

RESULTS = {
    "edges.csv": "every edge with its numbers",
    "graph.graphml": "for Cytoscape, Gephi or networkx",
    "graph.png": "the picture",
}
"""The files that are written, and what they are."""
Names = list[str] | None


def learn(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="Text with commas, tabs or semicolons, and a header; may be .gz."
        ),
    ],
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            "-e",
            metavar="NAME",
            help="How to learn; 'spinney info' lists them.",
            show_default=DEFAULT,
        ),
    ] = None,
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
    fdr: Annotated[
        float | None,
        typer.Option(
            "--fdr",
            metavar="X",
            min=0.0,
            max=1.0,
            help="Largest expected share of false edges, in place of a probability above 1/2; "
            f"with {JUDGE} only.",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare/--no-compare",
            help=f"Say what the forests make of each edge; with {JUDGE} only. Takes longest.",
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn the graph of a table, and write it down.

    Writes edges.csv, graph.graphml and graph.png to a folder: all or none.
    Earlier ones are replaced only with --force; other files are left alone.
    """
    start = perf_counter()
    name = check_choice(default() if estimator is None else estimator, names(), "estimator")
    folder = Path(_stem(table) + "-graph") if out is None else out
    _check_folder(folder, force)
    _check_options(table, name, jobs, fdr, compare)

    # From here on it takes a moment: these bring in everything else.
    from rich.console import Console

    from spinney.io import read_table

    X = _choose_columns(read_table(table), columns, drop)
    cls = find(name)
    options = {
        **_options(cls, name, families, seed, jobs),
        **_reading(cls, name, X, kind, missing, ties),
        "target_fdr": fdr,
    }
    model = make(cls, options)
    if sys.stderr.isatty():
        say(f"Learning with {name}. A first run also compiles, for a minute or two.")
    title = f"{_stem(table)}: {name}"
    console = Console(highlight=False)
    if name == JUDGE:
        from spinney.learner import learn as learn_graph

        graph = learn_graph(X, compare=compare, **model.get_params(deep=False))
        _write(folder, graph.learner, title, graph)
        print_head(console, table, X, name, graph.learner, perf_counter() - start)
        print_judged(console, graph)
    else:
        model.fit(X)
        _write(folder, model, title)
        print_head(console, table, X, name, model, perf_counter() - start)
        print_model(console, model)
    print_files(console, folder, RESULTS)


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


def _check_options(table: Path, name: str, jobs: int, fdr: float | None, compare: bool) -> None:
    """Refuse at once what can be refused without a look at the table."""
    if not table.exists():
        raise InputError(f"There is no file '{table}'. Check the path.")
    if jobs == 0:
        raise InputError("--jobs must be a number of threads, or -1 for all cores; got 0.")
    if name != JUDGE and fdr is not None:
        raise InputError(
            f"Estimator '{name}' gives no probabilities that --fdr could go by. Leave it out, or "
            f"take --estimator {JUDGE}."
        )
    if name != JUDGE and not compare:
        raise InputError(f"Estimator '{name}' is compared with none. Leave --no-compare out.")


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

    if families is not None and name == JUDGE:
        raise InputError(
            f"Estimator '{name}' was trained with one set of copula families and always looks at "
            "these. Leave --families out."
        )
    if families is not None and "potentials" not in cls().get_params(deep=False):
        raise InputError(f"Estimator '{name}' uses no pair copulas. Leave --families out.")
    chosen: Any = "default"
    if families is not None:
        parts = [part.strip().lower() for part in families.split(",")]
        chosen = [check_choice(part, FAMILIES, "copula family") for part in parts]
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


def _write(folder: Path, model: Any, title: str, graph: LearnedGraph | None = None) -> None:
    from spinney.io import write_edges, write_graphml
    from spinney.plotting import draw_graph_page

    whole = model if graph is None else graph
    with whole_folder(folder) as temporary:
        write_edges(temporary / "edges.csv", whole)
        write_graphml(temporary / "graph.graphml", whole)
        draw_graph_page(model, title=title).savefig(temporary / "graph.png")
