"""The files of stability: tables and pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.graph import LearnedGraph
from spinney.graph.plots.stability import draw_stability
from spinney.graph.report.writers import save_whole

__all__ = [
    *("draw_cases", "draw_column_differences", "draw_edge_differences"),
    *("draw_edges", "write_differences", "write_cases", "write_pairs"),
]


def write_pairs(path: Path, graph: LearnedGraph) -> None:
    """Write how often each pair came, and the interval of its strength."""
    write_csv(path, graph.stability.pairs)


def write_cases(path: Path, graph: LearnedGraph) -> None:
    """Write the correlations by the share of cases dropped, each with its CS coefficient."""
    table = graph.stability.case_dropping
    write_csv(path, table.assign(cs=table["statistic"].map(graph.stability.cs)))


def write_differences(path: Path, graph: LearnedGraph) -> None:
    """Write the comparisons of each two edges and of each two columns."""
    edges = graph.stability.edge_differences.assign(of="edges")
    columns = graph.stability.centrality_differences.rename(columns={"centrality": "of"})
    both = pd.concat([part for part in (edges, columns) if len(part)] or [edges])
    write_csv(path, both[["of", *(name for name in both.columns if name != "of")]])


def _draw(what: str, path: Path, graph: LearnedGraph) -> None:
    save_whole(draw_stability(graph.stability, what), path, "png")


draw_cases = partial(_draw, "case_dropping")
draw_edges = partial(_draw, "edges")
draw_edge_differences = partial(_draw, "edge_differences")
draw_column_differences = partial(_draw, "centrality_differences")
