"""What ``spinney learn`` prints of any graph: what was read, what was found, and where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

__all__ = [
    "Row",
    "count",
    "family",
    "print_edges",
    "print_files",
    "print_head",
    "print_model",
    "signed",
]

STRONGEST = 8
"""Edges that are shown of a model."""

Row = Mapping[Any, Any]


def print_head(
    console: Console, path: Path, X: pd.DataFrame, estimator: str, model: Any, took_s: float
) -> None:
    """Say what was read, and how many edges and components were found."""
    from rich.text import Text

    n_edges = int(model.adjacency_.sum()) // 2
    n_alone = int((~model.adjacency_.any(axis=0)).sum())
    alone = f" ({n_alone} of them a column without edges)" if n_alone else ""
    lines = [
        f"{path.name}: {X.shape[0]} rows × {X.shape[1]} columns",
        *_what_was_read(model, len(X)),
        f"{estimator}: {count(n_edges, 'edge')}, "
        f"{count(int(model.n_components_), 'component')}{alone}, in {took_s:.1f} s",
    ]
    console.print(Text("\n".join(lines)), soft_wrap=True)


def print_model(console: Console, model: Any) -> None:
    """Show the strongest edges of an estimator, or say why there are none."""
    from rich.text import Text

    from spinney._graph import edge_share, edge_table

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
        console.print(Text(model.why_no_edges_))


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


def print_files(console: Console, folder: Path, files: Mapping[str, str]) -> None:
    """Say where the results are, and what they are."""
    from rich.text import Text

    console.print()
    width = max(len(str(folder / name)) for name in files)
    for name, meaning in files.items():
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
            f"not known, for want of rows that have both: {count(len(unknown), 'pair')} "
            f"({pairs}{more})"
        )


def signed(value: float) -> str:
    """Write a number between -1 and 1 with its sign; nothing where it is not known.

    Examples
    --------
    >>> signed(0.5), signed(-0.25), signed(float("nan"))
    ('+0.50', '-0.25', '')
    """
    return "" if value != value else f"{value:+.2f}"


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


def count(number: int, noun: str) -> str:
    """Count things.

    Examples
    --------
    >>> count(1, "edge"), count(0, "edge")
    ('1 edge', '0 edges')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
