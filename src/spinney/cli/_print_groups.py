"""What ``spinney learn --group`` prints: a line per group, and where groups differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from spinney._core.text import counted, probability_text
from spinney.cli._print import Row, count_edges, print_edges, print_files
from spinney.cli._print_judged import DIGITS
from spinney.cli._settings import Job

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from spinney.graph import GroupedGraphs, Stability
    from spinney.graph.report import Output

__all__ = ["beside_groups", "group_folders", "print_grouped"]

MOST_DIFFERENCES = 15
"""Pairs that are printed; groups.csv has all."""
UNLIKELY = 0.1
"""Probability of a difference below which it is not worth a line."""


def print_grouped(
    console: Console,
    grouped: GroupedGraphs,
    job: Job,
    took: str,
    outputs: tuple[Output, ...],
    stability: Mapping[str, Stability] | None = None,
) -> None:
    """Say what was found in each group, and what differs."""
    from rich.text import Text

    console.print(Text("\n".join(_lines(grouped, took))), soft_wrap=True)
    table = grouped.differences
    shown = table[table["differs"] >= UNLIKELY].head(MOST_DIFFERENCES)
    if shown.empty:
        console.print()
        console.print(Text("No pair of columns is likely to be an edge in one group only."))
    else:
        columns: dict[str, Callable[[Row], str]] = {"differs": partial(_cell, "differs")}
        for name in table.columns:
            if name.startswith("probability_"):
                columns[name.removeprefix("probability_")] = partial(_cell, name)
        print_edges(console, "most different pairs", shown, columns)
        console.print()
        legend = "differs: probability that just one of two groups has the edge"
        console.print(Text(legend, style="dim"), soft_wrap=True)
    if stability:
        n_fits = min(found.n_fits for found in stability.values())
        told = (
            "stability: how often each edge is found again in halves of its group's rows, over "
            f"{n_fits} fits, stands in the report of the group"
        )
        console.print()
        console.print(Text(told), soft_wrap=True)
    print_files(console, _files(grouped, job.folder, outputs))


def _lines(grouped: GroupedGraphs, took: str) -> Iterator[str]:
    for (name, graph), size in zip(grouped.graphs.items(), grouped.sizes, strict=True):
        false = f"{graph.n_expected_false:.1f} of the edges expected to be false"
        yield f"{grouped.by} {name}: {counted(size, 'row')}, {count_edges(graph.learner)}; {false}"
    yield (
        f"expected: {grouped.n_expected_differences:.1f} differences between groups, over all "
        f"pairs of columns{took}"
    )


def _cell(name: str, row: Row) -> str:
    return probability_text(row[name], DIGITS)


def beside_groups() -> tuple[Output, ...]:
    """List the files that stand beside the folders of groups."""
    from spinney.graph.report.groups import GROUP_FILES

    return GROUP_FILES


def group_folders(grouped: GroupedGraphs, folder: Path) -> dict[str, Path]:
    """Find the folder of each group's results."""
    from spinney.graph.report.groups import folder_names

    names = folder_names(grouped.names, [output.name for output in beside_groups()])
    return {group: folder / name for group, name in names.items()}


def _files(grouped: GroupedGraphs, folder: Path, outputs: tuple[Output, ...]) -> dict[str, str]:
    files = {str(folder / output.name): output.meaning for output in beside_groups()}
    for group, place in group_folders(grouped, folder).items():
        files[f"{place}/"] = f"{counted(len(outputs), 'file')} of group {group}, its report first"
    return files
