"""What ``spinney learn`` prints of any graph: what was read, what was found, and where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from spinney._core.text import counted, signed
from spinney.cli._inputs import Inputs
from spinney.cli._learning import Found
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import in_options
from spinney.cli._times import Times

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.text import Text

    from spinney.graph import Stability
    from spinney.graph.report import Output
    from spinney.tables import Table

__all__ = [
    "Row",
    "count_edges",
    "family",
    "print_edges",
    "print_files",
    "print_found",
    "print_head",
    "print_model",
    "print_same",
    "print_stability",
]

MOST_LEFT_OUT = 20
"""Columns that were left out that are named."""
STRONGEST = 8
"""Edges that are shown of a model."""

Row = Mapping[Any, Any]


def print_head(inputs: Inputs) -> None:
    """Say what was read, and every decision on the way."""
    table, n = inputs.table, inputs.n_rows
    lines = [
        f"{inputs.name}: {n:,} rows × {len(inputs.file.names):,} columns",
        *(f"read: {decision}" for decision in inputs.decisions),
    ]
    if table is not None:
        lines += _kinds_and_gaps(table, n if inputs.keep is None else len(inputs.keep))
    lines += _drawn(inputs)
    _console().print(_text("\n".join(lines)), soft_wrap=True)


def print_found(
    settings: Settings,
    job: Job,
    found: Found,
    times: Times,
    outputs: Sequence[Output],
) -> None:
    """Say what was found, and where it lies."""
    from spinney.cli._print_judged import print_judged

    console = _console()
    took = f", in {times.total_s:.1f} s"
    if found.grouped is not None:
        from spinney.cli._print_groups import print_grouped

        print_grouped(console, found.grouped, job, took, tuple(outputs), found.stability)
        return
    graph = found.graphs[""]
    model = getattr(graph, "learner", graph)
    lines = [f"{settings.estimator}: {count_edges(model)}{took}", *_unknown_pairs(model)]
    console.print(_text("\n".join(lines)), soft_wrap=True)
    if model is graph:
        print_model(console, model)
    else:
        print_judged(console, graph)
    if "" in found.stability:
        print_stability(console, found.stability[""])
    print_files(console, {str(job.folder / output.name): output.meaning for output in outputs})


def print_same(is_same: bool) -> None:
    """Say whether a run that was done again came to the same."""
    told = "The tables are those of the earlier run, byte by byte."
    console = _console()
    console.print()
    console.print(_text(told if is_same else "The tables differ from those of the earlier run."))


def count_edges(model: Any) -> str:
    """Count edges and components."""
    n_edges = int(model.adjacency_.sum()) // 2
    n_alone = int((~model.adjacency_.any(axis=0)).sum())
    alone = f" ({n_alone:,} of them a column without edges)" if n_alone else ""
    components = counted(int(model.n_components_), "component")
    return f"{counted(n_edges, 'edge')}, {components}{alone}"


def print_stability(console: Console, stability: Stability) -> None:
    """Say how often edges are found again in half of the rows."""
    console.print()
    console.print(_text(stability.summary()), soft_wrap=True)


def print_model(console: Console, model: Any) -> None:
    """Show the strongest edges of an estimator, or say why there are none."""
    from spinney._core.graph import edge_share, edge_table

    edges = edge_table(model)
    if len(edges):
        share = edge_share(model)
        headings = {} if share is None else {share.column: share.label}
        columns = [name for name in _FORMATS if name in edges]
        if "tau" in columns:
            columns.remove("sign")  # tau has it
        shown = {headings.get(name, name): _FORMATS[name] for name in columns}
        print_edges(console, "strongest edges", edges.head(STRONGEST), shown)
    elif getattr(model, "why_no_edges_", ""):
        console.print()
        console.print(_text(in_options(model.why_no_edges_)), soft_wrap=True)


def print_edges(
    console: Console,
    title: str,
    edges: pd.DataFrame,
    columns: Mapping[str, Callable[[Row], str]],
    dispensable: Sequence[str] = (),
) -> list[str]:
    """Print a line per edge; under each heading, what its function makes of the edge's numbers.

    Where lines are too short for all of them, the `dispensable` columns go, one after another.
    Returned are the headings that stayed.
    """
    from rich.table import Table
    from rich.text import Text

    rows = edges.to_dict("records")

    def lay_out(columns: Mapping[str, Callable[[Row], str]]) -> Table:
        shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        shown.add_column(title)
        for heading in columns:
            justify: Literal["left", "right"] = "left" if heading == "family" else "right"
            shown.add_column(heading, justify=justify, no_wrap=True)  # only names are folded
        for row in rows:
            cells = [cell(row) for cell in columns.values()]
            shown.add_row(*map(Text, [f"{row['source']} – {row['target']}", *cells]))
        return shown

    without_end = console.options.update(max_width=10_000)
    for n_given_up in range(len(dispensable) + 1):
        gone = dispensable[:n_given_up]
        kept = {heading: cell for heading, cell in columns.items() if heading not in gone}
        table = lay_out(kept)
        if console.measure(table, options=without_end).maximum <= console.width:
            break
    console.print()
    console.print(table)
    return list(kept)


def print_files(console: Console, files: Mapping[str, str]) -> None:
    """Say where the results are, and what they are."""
    console.print()
    width = max(map(len, files))
    for path, meaning in files.items():
        # soft_wrap: a path must stay in one piece to be copied.
        console.print(_text(f"{path:{width}}  {meaning}"), soft_wrap=True)


def _kinds_and_gaps(table: Table, n_rows: int) -> Iterator[str]:
    """Say what the columns were taken for."""
    from spinney.tables import describe_gaps, describe_kinds

    names = [column.name for column in table.left_out]
    more = len(names) - MOST_LEFT_OUT
    left_out = ", ".join(names[:MOST_LEFT_OUT]) + (f" and {more:,} more" if more > 0 else "")
    kinds = describe_kinds(table).partition(": ")[2]
    yield f"kinds: {kinds}" + (f"; left out: {left_out}" if left_out else "")
    if table.has_gaps:
        yield describe_gaps(table)
    elif len(table) < n_rows:
        yield f"gaps: {n_rows - len(table):,} of {n_rows:,} rows have some and are dropped"


def _drawn(inputs: Inputs) -> Iterator[str]:
    """Say how many rows are learned from, if not all are."""
    if inputs.table is not None and inputs.table.drawn is not None:
        yield f"rows: {inputs.table.drawn.sentence()}"
    elif inputs.keep is not None:
        yield f"rows: {len(inputs.keep):,} of {inputs.n_rows:,} drawn at random"


def _unknown_pairs(model: Any) -> Iterator[str]:
    """Say what could not be judged."""
    unknown = getattr(model, "unknown_pairs_", None)
    if unknown is not None and len(unknown):
        pairs = ", ".join(f"{u} – {v}" for u, v in unknown[["source", "target"]].to_numpy()[:3])
        more = " …" if len(unknown) > 3 else ""
        yield (
            f"not known, for want of rows that have both: {counted(len(unknown), 'pair')} "
            f"({pairs}{more})"
        )


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _text(words: str) -> Text:
    """Take words as they are: names of columns may look like markup."""
    from rich.text import Text

    return Text(words)


def family(row: Row) -> str:
    """Name a copula, with its rotation in degrees."""
    return f"{row['family']} {row['rotation'] or ''}".strip()


_FORMATS: dict[str, Callable[[Row], str]] = {
    "probability": lambda row: f"{row['probability']:.2f}",
    "frequency": lambda row: f"{row['frequency']:.2f}",
    "weight": lambda row: f"{row['weight']:.3g}",
    "sign": lambda row: {1: "+", -1: "−"}.get(row["sign"], ""),
    "family": family,
    "tau": lambda row: signed(row["tau"]),
}
