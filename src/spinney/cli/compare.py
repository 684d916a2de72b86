"""``spinney compare``: what graphs share, and what only some of them have."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spinney._core.choices import check_choice
from spinney._core.files import whole_folder
from spinney.cli._common import (
    DebugOption,
    ForceOption,
    JsonOption,
    QuietOption,
    clean,
    dump,
)
from spinney.cli._complete import complete_methods
from spinney.cli._estimators import JUDGE, find, make, names
from spinney.cli._shell import say
from spinney.exceptions import InputError
from spinney.graph.report.folder import check_files

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from spinney.graph.report.comparing import GraphComparison
    from spinney.graph.report.graph_files import EdgeList

__all__ = ["RESULTS", "compare"]

RESULTS = {
    "compare.csv": "every edge of any graph, with the numbers of all",
    "compare.svg": "the picture, to be edited",
    "compare.png": "the picture",
}
"""The files that are written, and what they are."""
MOST_EDGES = 12
"""Edges of a kind that are printed; compare.csv has all."""
FEW = 3
"""Graphs whose names stand over columns; those of more have numbers."""


def compare(
    graphs: Annotated[
        list[Path],
        typer.Argument(
            metavar="GRAPH",
            help="Result folders, edges.csv, .graphml, .cyjs or .spinney files, in any mixture; "
            "or one table, with --methods.",
        ),
    ],
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Learn the graph of one table by each of these, and compare: "
            "graph-learner,forests-lambda.",
            autocompletion=complete_methods,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the results.")
    ] = Path("comparison"),
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of all that is random; with --methods.")
    ] = 0,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Threads; -1 takes all cores; with --methods.")
    ] = -1,
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Compare graphs: which edges they share, and which only some have.

    Of two graphs the first is what was before: edges that only the second has
    are gained, edges that only the first has are lost. Writes compare.csv and
    a picture.

    Example: [bold]spinney compare control-graph treated-graph[/bold]
    """
    for path in graphs:
        if not path.exists():
            raise InputError(f"There is no file or folder '{path}'. Check the path.")
    wanted = _read_methods(graphs, methods)
    check_files(out, RESULTS, force=force)
    if jobs == 0:
        raise InputError("--jobs must be a number of threads, or -1 for all cores; got 0.")

    # From here on it takes a moment: these bring in everything else.
    from spinney.graph.report.comparing import compare_graphs, write_comparison
    from spinney.graph.report.graph_files import read_graph
    from spinney.tables.readers.wording import listed

    if wanted:
        known = _learn_each(graphs[0], wanted, seed, jobs, quiet or as_json)
        title = clean(f"{graphs[0].name}: {', '.join(wanted)}")
    else:
        known = [read_graph(path) for path in graphs]
        title = clean(listed([graph.label for graph in known]))
    found = compare_graphs(known)
    page = found.draw(title)
    with whole_folder(out) as temporary:
        write_comparison(temporary / "compare.csv", found)
        page.savefig(temporary / "compare.svg")
        page.savefig(temporary / "compare.png")
    if as_json:
        dump({**found.to_dict(), "files": [str(out / name) for name in RESULTS]})
    elif not quiet:
        _show(found, out)


def _read_methods(graphs: list[Path], methods: str | None) -> list[str]:
    """Say which methods are compared, if it is methods and not graphs."""
    if methods is None:
        if len(graphs) < 2:
            raise InputError(
                "One graph has nothing to be compared with. Give two or more; or a table and "
                "--methods, such as --methods graph-learner,forests-lambda."
            )
        return []
    if len(graphs) != 1:
        raise InputError(f"--methods learns from one table, but {len(graphs)} files were given.")
    asked = [part.strip() for part in methods.split(",") if part.strip()]
    wanted = list(dict.fromkeys(check_choice(part, names(), "method") for part in asked))
    if len(wanted) < 2:
        raise InputError("--methods needs two names or more, with commas between them.")
    return wanted


def _learn_each(
    path: Path, wanted: list[str], seed: int, jobs: int, silent: bool
) -> list[EdgeList]:
    """Learn the graph of a table by each method; pair densities are fitted once for all."""
    from sklearn.frozen import FrozenEstimator

    from spinney._core import registry as _registry
    from spinney.graph.report.graph_files import edge_list
    from spinney.pairs.copulas import PairCopulas
    from spinney.tables.readers import open_table

    file = open_table(path)
    X = file.frame
    if not silent:
        for decision in file.decisions:
            say(decision)
    shown = sys.stderr.isatty() and not silent
    shared: Any = PairCopulas(random_state=seed, n_jobs=jobs)
    entries = _registry.on_command_line()
    found: dict[str, EdgeList] = {}
    # The judge first: it always fits pair densities of its own, which the forests can take over.
    for name in sorted(wanted, key=lambda name: name != JUDGE):
        if not silent:
            say(f"Learning with {name}.")
        over_pairs = entries[name].package == "spinney.models" or name == JUDGE
        options = {"random_state": seed, "n_jobs": jobs, "progress": shown, "potentials": shared}
        if not over_pairs and isinstance(shared, FrozenEstimator):
            options["potentials"] = PairCopulas(random_state=seed, n_jobs=jobs)
        model = make(find(name), options)
        _fit(model, X, name)
        if over_pairs and not isinstance(shared, FrozenEstimator):
            shared = FrozenEstimator(model.potentials_)
        found[name] = edge_list(model, name)
    return [found[name] for name in wanted]


def _fit(model: Any, X: pd.DataFrame, name: str) -> None:
    """Fit a model; if it cannot take the table, say which."""
    try:
        model.fit(X)
    except InputError as error:
        raise InputError(f"Method '{name}' cannot take this table: {error}") from error


def _show(found: GraphComparison, folder: Path) -> None:
    from rich.console import Console
    from rich.text import Text

    from spinney.cli._print import print_files

    console = Console(highlight=False)
    for sentence in found.sentences(numbered=len(found.graphs) > FEW):
        console.print(Text(" ".join(sentence.split())), soft_wrap=True)
    if len(found.graphs) == 2:
        _show_two(console, found)
    else:
        _show_many(console, found)
    print_files(console, {str(folder / name): meaning for name, meaning in RESULTS.items()})


def _show_two(console: Console, found: GraphComparison) -> None:
    from spinney.graph.plots.comparison import GAINED, LOST, OTHER_SIGN

    first, second = (graph.label for graph in found.graphs)
    titles = {
        GAINED: f"gained: only in {clean(second)}",
        LOST: f"lost: only in {clean(first)}",
        OTHER_SIGN: "opposite signs",
    }
    for state, title in titles.items():
        _print(console, found, found.table[found.table["state"] == state], title)


def _show_many(console: Console, found: GraphComparison) -> None:
    from spinney.graph.plots.comparison import SHARED

    differing = found.table[found.table["state"] != SHARED]
    _print(console, found, differing, "not in all")


def _print(console: Console, found: GraphComparison, edges: pd.DataFrame, title: str) -> None:
    """Print the first edges of a kind, with the number that each graph has for them."""
    from rich.text import Text

    from spinney.cli._print import print_edges

    if edges.empty:
        return
    shown = edges.head(MOST_EDGES).copy()
    for column in ("source", "target"):
        shown[column] = [clean(name) for name in shown[column]]
    # Many names side by side find no room; the sentences above have them in the same order.
    few = len(found.graphs) <= FEW
    columns = {
        clean(graph.label) if few else str(k): _Cell(graph.label, graph.score)
        for k, graph in enumerate(found.graphs, 1)
    }
    print_edges(console, title, shown, columns)
    if len(edges) > len(shown):
        line = f"and {len(edges) - len(shown)} more in compare.csv"
        console.print(Text(line, style="dim"), soft_wrap=True)


class _Cell:
    """What is printed of an edge under the heading of a graph."""

    def __init__(self, label: str, score: str) -> None:
        self.label, self.score = label, score

    def __call__(self, row: Any) -> str:
        sign = {1: "+", -1: "−"}.get(row[f"sign_{self.label}"], "")
        value = row[f"{self.score or 'score'}_{self.label}"]
        number = "" if value != value else f"{value:.2f}"
        if row[f"edge_{self.label}"]:
            return f"{sign or 'yes'} {number}".strip()
        return f"no {number}".strip()
