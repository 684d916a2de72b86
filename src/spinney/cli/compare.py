"""``spinney compare``: what graphs share, and what only some have."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spinney._core.files import whole_folder
from spinney._core.text import listed
from spinney.cli._options import (
    DebugOption,
    ForceOption,
    JsonOption,
    QuietOption,
    clean,
    dump,
    opt,
)
from spinney.cli._print import console, print_edges, print_files, say_on
from spinney.exceptions import InputError
from spinney.graph.report.folder import check_files

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from spinney.graph.report.comparing import GraphComparison

RESULTS = {
    "compare.csv": "every edge of any graph, with the numbers of all",
    "compare.svg": "the picture, editable",
    "compare.png": "the picture",
}
"""The files written, and what they hold."""
MOST_EDGES = 12
"""Edges of a kind printed; compare.csv has all."""
FEW = 3
"""Up to so many graphs, columns are headed by names; beyond, by numbers."""


def compare(
    graphs: Annotated[
        list[Path],
        typer.Argument(
            metavar="GRAPH",
            help="Result folders, edges.csv, .graphml or .spinney files, in any mixture.",
        ),
    ],
    out: Annotated[Path, opt("DIR", "Folder of the results.", "--out", "-o")] = Path("comparison"),
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Compare graphs: which edges they share, and which only some have.

    Of two graphs, the first counts as the earlier one: edges only in the second
    are gained, edges only in the first are lost. Writes compare.csv and a picture.

    Example: [bold]spinney compare control-graph treated-graph[/bold]
    """
    for path in graphs:
        if not path.exists():
            raise InputError(f"There is no file or folder '{path}'. Check the path.")
    check_files(out, RESULTS, force=force)

    # From here on it takes a moment: these bring in everything else.
    from spinney.graph.export.spreadsheet import write_csv
    from spinney.graph.report.comparing import compare_graphs, read_graph

    found = compare_graphs([read_graph(path) for path in graphs])
    page = found.draw(clean(listed([graph.label for graph in found.graphs], most=4)))
    with whole_folder(out) as temporary:
        write_csv(temporary / "compare.csv", found.table)
        page.savefig(temporary / "compare.svg")
        page.savefig(temporary / "compare.png")
    if as_json:
        dump({**found.to_dict(), "files": [str(out / name) for name in RESULTS]})
    elif not quiet:
        _show(found, out)


def _show(found: GraphComparison, folder: Path) -> None:
    from spinney.graph.plots.comparison import GAINED, LOST, OTHER_SIGN, SHARED

    out = console()
    sentences = found.sentences(numbered=len(found.graphs) > FEW)
    say_on(out, *(" ".join(sentence.split()) for sentence in sentences))
    state = found.table["state"]
    if len(found.graphs) == 2:
        first, second = (clean(graph.label) for graph in found.graphs)
        _print(out, found, state == GAINED, f"gained: only in {second}")
        _print(out, found, state == LOST, f"lost: only in {first}")
        _print(out, found, state == OTHER_SIGN, "opposite signs")
    else:
        _print(out, found, state != SHARED, "not in all")
    print_files(out, {str(folder / name): meaning for name, meaning in RESULTS.items()})


def _print(out: Console, found: GraphComparison, which: pd.Series[bool], title: str) -> None:
    """Print the first edges of a kind, with the score that each graph gives them."""
    edges = found.table[which]
    if edges.empty:
        return
    shown = edges.head(MOST_EDGES).copy()
    for column in ("source", "target"):
        shown[column] = [clean(name) for name in shown[column]]
    # There is no room for many names; the sentences above list them in the same order.
    few = len(found.graphs) <= FEW
    columns = {
        clean(graph.label) if few else str(k): partial(_cell, graph.label, graph.score or "score")
        for k, graph in enumerate(found.graphs, 1)
    }
    print_edges(out, title, shown, columns)
    if len(edges) > len(shown):
        say_on(out, f"and {len(edges) - len(shown)} more in compare.csv", style="dim")


def _cell(label: str, score: str, row: Any) -> str:
    """Write whether a graph has an edge, its sign and its score."""
    sign = {1: "+", -1: "−"}.get(row[f"sign_{label}"], "")
    value = row[f"{score}_{label}"]
    number = "" if value != value else f"{value:.2f}"
    return f"{(sign or 'yes') if row[f'edge_{label}'] else 'no'} {number}".strip()
