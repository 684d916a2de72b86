"""What ``spinney learn`` prints: what was read, what was found, and where the files are."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney import __version__
from spinney._core.command_line import for_command_line
from spinney._core.text import about, counted, probability_text, signed
from spinney.cli._learning import Found
from spinney.cli._options import dump
from spinney.cli._record import counts_of
from spinney.cli._settings import Job, LearnSettings

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from spinney.cli._inputs import Inputs
    from spinney.graph import GroupedGraphs, LearnedGraph
    from spinney.graph.report import Output


MOST_LEFT_OUT = 20
"""Most columns left out that are named."""
STRONGEST = 8
"""Edges shown of an estimator other than the judge."""
MOST_EDGES = 25
"""Edges shown of the judge's graph; edges.csv has all."""
DIGITS = 2
"""Digits of a printed probability."""
ANY_WIDTH = 100_000
"""Width of lines where there is no terminal."""
LEFT = ("family",)
"""Columns of words, which begin below their heading."""
CONFIRMED = ("rows-in-units", "rows-weighted")
"""Notes that confirm what an option did."""
INTERVAL = "95 % interval"
"""Heading of the interval of a strength."""

Row = Mapping[Any, Any]
Cell = Callable[[Row], str]


def console() -> Console:
    """Make a console for standard output; a pipe or a file takes lines of any length."""
    from rich.console import Console

    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if has_width else ANY_WIDTH)


def say_on(out: Console, *lines: str, style: str = "") -> None:
    """Print lines verbatim: column names may look like markup, and paths must not wrap."""
    from rich.text import Text

    for line in lines:
        out.print(Text(line, style=style), soft_wrap=True)


def print_edges(out: Console, title: str, edges: pd.DataFrame, columns: Mapping[str, Cell]) -> None:
    """Print a line per edge; each heading has a function that writes its cell.

    Names that are too long for the terminal go on in the next line.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="dim")
    table.add_column(Text(title), overflow="fold")
    for heading in columns:
        table.add_column(Text(heading), justify="left" if heading in LEFT else "right")
    for row in edges.to_dict("records"):
        cells = [f"{row['source']} – {row['target']}", *(cell(row) for cell in columns.values())]
        table.add_row(*map(Text, cells))
    out.print()
    out.print(table)


def print_files(out: Console, files: Mapping[str, str]) -> None:
    """List the files and what they hold."""
    width = max(map(len, files))
    say_on(out, "", *(f"{path:{width}}  {meaning}" for path, meaning in files.items()))


# What was read


def print_head(inputs: Inputs) -> None:
    """Say what was read, and every decision made in reading."""
    table, n = inputs.table, len(inputs.file)
    lines = [
        f"{inputs.name}: {n:,} rows × {len(inputs.file.names):,} columns",
        *(f"read: {decision}" for decision in inputs.decisions),
    ]
    lines += _kinds_and_gaps(table, n if inputs.keep is None else len(inputs.keep))
    if table.drawn is not None:
        lines.append(f"rows: {table.drawn.sentence()}")
    elif inputs.keep is not None:
        lines.append(f"rows: {len(inputs.keep):,} of {n:,} drawn at random")
    say_on(console(), *lines)


def _kinds_and_gaps(table: Any, n_rows: int) -> Iterator[str]:
    """Say which kinds the columns have, and where values are missing."""
    from spinney.tables import describe_gaps, describe_kinds

    names = [column.name for column in table.left_out]
    more = len(names) - MOST_LEFT_OUT
    left_out = ", ".join(names[:MOST_LEFT_OUT]) + (f" and {more:,} more" if more > 0 else "")
    kinds = describe_kinds(table).partition(": ")[2]
    yield f"kinds: {kinds}" + (f"; left out: {left_out}" if left_out else "")
    if table.has_gaps:
        yield describe_gaps(table)
    elif len(table) < n_rows:
        dropped = n_rows - len(table)
        yield f"missing: {dropped:,} of {n_rows:,} rows lack a value and are dropped"


# What was found


def print_found(
    settings: LearnSettings, job: Job, found: Found, time_s: float, outputs: Sequence[Output]
) -> None:
    """Say what was found, and where the files are."""
    out = console()
    took = f", in {time_s:.1f} s"
    if found.grouped is not None:
        first, *others = found.grouped.sentences()
        say_on(out, f"{settings.estimator}{took}: {first}", *others)
        files = _group_files(found.grouped, job, len(outputs))
    else:
        say_on(out, f"{settings.estimator}: {_count_edges(found.graphs[''])}{took}")
        print_graph(out, found.graphs[""])
        files = {str(job.folder / output.name): output.meaning for output in outputs}
    for name, graph in found.graphs.items():
        told = found.stability[name].sentences() if name in found.stability else []
        told += [] if graph.checked is None else [graph.checked.summary()]
        if told:
            say_on(out, "", *([f"{settings.group} {name}:"] if name else []), *told)
    print_files(out, files)


def _count_edges(graph: LearnedGraph) -> str:
    """Count edges and components."""
    n_alone = int((~graph.joined.any(axis=0)).sum())
    alone = f" ({n_alone:,} of them without edges)" if n_alone else ""
    components = counted(int(graph.learner.n_components_), "component")
    return f"{counted(graph.n_edges, 'edge')}, {components}{alone}"


def _interval(row: Row) -> str:
    from spinney.graph.words import strength_number

    low, high = (strength_number(row, f"strength_{end}") for end in ("low", "high"))
    return "" if row["strength_low"] != row["strength_low"] else f"{low} to {high}"


_CELLS: dict[str, Cell] = {
    "probability": lambda row: probability_text(row["probability"], DIGITS),
    "share": lambda row: f"{row['share']:.2f}",
    "frequency": lambda row: f"{row['frequency']:.2f}",
    "weight": lambda row: f"{row['weight']:.3g}",
    "strength": lambda row: signed(row["strength"], "").lstrip("" if row["sign"] else "+−"),
    "strength_low": _interval,
    "tau": lambda row: signed(row["tau"], ""),
    "sign": lambda row: {1: "+", -1: "−"}.get(row["sign"], ""),
    "family": lambda row: f"{row['family']} {row['rotation'] or ''}".strip(),  # in degrees
}
"""What is printed of an edge, by column of its table."""


def print_graph(out: Console, graph: LearnedGraph) -> None:
    """Say how certain the graph is, then list its edges."""
    from spinney.graph.checks import sequence
    from spinney.graph.words import judged_pairs, judges_a_pair, verdicts_in_words

    edges, most, title = graph.edges, STRONGEST, "strongest edges"
    if graph.is_probability:
        left_out = graph.learner.left_out_ if len(edges) else None  # else it is the reason
        told = (
            _expected(graph) if judges_a_pair(graph) else "",
            f"verdicts: {verdicts_in_words(graph, brief=True)}",
            *(for_command_line(each) for each in sequence(graph) if each.code in CONFIRMED),
            judged_pairs(graph),
            for_command_line(left_out) if left_out else "",
        )
        say_on(out, *filter(None, told))
        most = MOST_EDGES
        title = "edges" if len(edges) <= most else f"{most} most probable edges"
    why_none = getattr(graph.learner, "why_no_edges_", "")
    if len(edges):
        labels = {graph.score: graph.score_label, "strength_low": INTERVAL}
        columns = {
            labels.get(name, name): cell
            for name, cell in _CELLS.items()
            if name in edges and not (name == "sign" and "tau" in edges)  # tau shows the sign
        }
        first = edges.head(most)
        print_edges(out, title, first, columns)
        if graph.is_probability:
            say_on(out, *_legend(graph, columns), style="dim")
        say_on(out, *_directions(graph, first), style="dim")
    elif why_none:
        say_on(out, "", for_command_line(why_none))


def _expected(graph: LearnedGraph) -> str:
    """Say how many edges are expected to be wrong."""
    false, missed = (about(float(n or 0)) for n in (graph.expected_false, graph.expected_missed))
    false = f"{false} false, " if graph.n_edges else ""
    return f"expected: {false}{missed} missing (of those these rows can show)"


def _legend(graph: LearnedGraph, shown: Collection[str]) -> Iterator[str]:
    """Explain the columns shown."""
    more = graph.n_edges - MOST_EDGES
    if more > 0:
        yield f"and {more} more in edges.csv"
    yield ""
    rule = f"probability above {graph.learner.cut:g}"
    if graph.learner.fdr is not None:
        rule = f"expected share of false ones at most {graph.learner.fdr:g}"
    yield f"edges: {rule}"
    open_sign = ", without + or − if the sign is open" if (graph.edges["sign"] == 0).any() else ""
    parts = [f"strength: given the neighbours{open_sign}"] if "strength" in shown else []
    alone = ", ".join(name for name in ("tau", "family") if name in shown)
    parts += [f"{alone}: of the two columns alone"] if alone else []
    if parts:
        yield "; ".join(parts)


def _directions(graph: LearnedGraph, edges: pd.DataFrame) -> Iterator[str]:
    """Say which of two words is up, of the columns of some edges."""
    from spinney._core.graph import in_words

    ends = {*edges["source"], *edges["target"]}
    columns = () if graph.table is None else graph.table.columns
    worded = [own for own in columns if in_words(own) and own.name in ends]
    if worded:
        first, *others = worded
        more = "".join(f", {own.levels[1]} of {own.name}" for own in others)
        yield f"signs: {first.levels[1]} counts as the higher value of {first.name}{more}"


# Groups


def _group_folders(grouped: GroupedGraphs, folder: Path) -> dict[str, Path]:
    """Find the folder of each group's results."""
    from spinney.graph.report.folder import names_of
    from spinney.graph.report.groups import GROUP_FILES, folder_names

    names = folder_names(grouped.names, names_of(GROUP_FILES))
    return {group: folder / name for group, name in names.items()}


def _beside(job: Job) -> Sequence[Output]:
    """List the files beside the folders of groups: no page where these have none."""
    from spinney.graph.report.folder import without_report
    from spinney.graph.report.groups import GROUP_FILES

    return GROUP_FILES if job.report else without_report(GROUP_FILES)


def _group_files(grouped: GroupedGraphs, job: Job, count: int) -> dict[str, str]:
    files = {str(job.folder / output.name): output.meaning for output in _beside(job)}
    for group, place in _group_folders(grouped, job.folder).items():
        files[f"{place}/"] = f"{counted(count, 'file')} of group {group}"
    return files


# For other programs


def print_json(
    inputs: Inputs,
    job: Job,
    found: Found,
    views: Mapping[str, LearnedGraph],
    warned: Sequence[str],
    outputs: Sequence[Output],
) -> None:
    """Print one JSON object: files, edges, counts, warnings, decisions."""
    told: dict[str, Any] = {
        "spinney_version": __version__,
        "data": inputs.describe_data(job.data),
        "folder": str(job.folder),
    }

    def files(folder: Path, outputs: Sequence[Output]) -> dict[str, str]:
        return {output.name: str(folder / output.name) for output in outputs}

    def graph(name: str, folder: Path) -> dict[str, Any]:
        stability, checked = found.stability.get(name), found.graphs[name].checked
        return {
            **counts_of(found.graphs[name]),
            "edges": views[name].edges,
            "n_edges": len(views[name].edges),
            "files": files(folder, outputs),
            "check": None if checked is None else checked.found,
            "stability": None
            if stability is None
            else {
                "n_fits": stability.n_fits,
                "pairs": stability.pairs,
                "cs": getattr(stability, "cs", {}),
            },
        }

    if found.grouped is None:
        told |= graph("", job.folder)
    else:
        folders = _group_folders(found.grouped, job.folder)
        told["files"] = files(job.folder, _beside(job))
        told["groups"] = {name: graph(name, folder) for name, folder in folders.items()}
        told["differences"] = found.grouped.differences
        told["tests"] = [asdict(test) for test in found.grouped.tests.values()]
    told["left_out"] = [column.name for column in inputs.table.left_out]
    told["decisions"] = inputs.decisions
    told["warnings"] = list(warned)
    dump(told)
