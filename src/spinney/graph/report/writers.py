"""The files of a folder of results: page, tables, pictures, model; and the graph in a notebook."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from spinney._core.files import whole_file
from spinney._core.html import block, edges_html, graph_sentence, sentence
from spinney._core.text import counted, plain_line
from spinney.graph.export.graphs import write_edges as write_edges
from spinney.graph.export.graphs import write_graphml as write_graphml
from spinney.graph.export.graphs import xml_text
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.graph import LearnedGraph
from spinney.graph.plots.graph import graph_picture
from spinney.graph.plots.strengths import draw_stability, draw_strengths
from spinney.graph.plots.style import figure_bytes, save_figure
from spinney.graph.report.folder import write_run as write_run
from spinney.graph.words import cautions, expected, first_cautions, summary_paragraphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_report(path: str | Path, graph: LearnedGraph) -> None:
    """Write a learned graph as one self-contained page, whole or not at all."""
    from spinney.graph.report.content import build
    from spinney.graph.report.page import render

    text = render(build(graph))
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_paper(path: str | Path, graph: LearnedGraph) -> None:
    """Write the words for a paper, and the checklist of reporting standards, in Markdown."""
    from spinney.graph.methods import STANDARDS, markdown_table

    listing = "\n".join(f"- {standard}" for standard in STANDARDS)
    check = f"## Checklist\n\n{markdown_table(graph.checklist())}\n\n{listing}\n"
    Path(path).write_bytes(f"{graph.methods()}\n{check}".encode("utf-8", "replace"))


def write_model(path: Path, graph: LearnedGraph) -> None:
    """Write the model for :func:`spinney.load_model`; it includes the table."""
    graph.save(path)


def write_check(path: Path, graph: LearnedGraph) -> None:
    """Write every pair of the columns that were added to the table."""
    assert graph.checked is not None
    write_csv(path, graph.checked.pairs)


# Tables


def write_pairs(path: str | Path, graph: LearnedGraph) -> None:
    """Write every pair, best first."""
    write_csv(path, graph.pairs)


def write_nodes(path: str | Path, graph: LearnedGraph) -> None:
    """Write every column."""
    write_csv(path, graph.nodes)


def write_strengths(path: str | Path, graph: LearnedGraph) -> None:
    """Draw the strength of each edge with its interval, as SVG."""
    save_figure(draw_strengths(graph), path, "svg")


# Pictures

LONGEST_TITLE = 90
"""Longest title shown."""


def write_png(path: str | Path, graph: LearnedGraph) -> None:
    """Draw the graph as PNG, reproducible to the byte."""
    save_figure(_page(graph), path, "png")


def write_svg(path: str | Path, graph: LearnedGraph) -> None:
    """Write the picture of :func:`graph_svg`."""
    Path(path).write_text(graph_svg(graph), encoding="utf-8", newline="\n")


def graph_svg(graph: LearnedGraph) -> str:
    """Draw the graph as SVG, reproducible to the byte; text can be searched and edited.

    It has a title and a description for screen readers.
    """
    return _described(figure_bytes(_page(graph), "svg").decode("utf-8"), graph)


def _page(graph: LearnedGraph) -> Figure:
    title = replace(graph, title=plain_line(graph.title, LONGEST_TITLE)).heading
    return graph_picture(graph.as_drawn, graph.layout).page(title)


def _described(drawn: str, graph: LearnedGraph) -> str:
    """Add a title and a description to an SVG, for screen readers."""
    sentences = [text for told in summary_paragraphs(graph) for text in told]
    title, description = (escape(xml_text(text)) for text in (graph.heading, " ".join(sentences)))
    told = f'<title id="title">{title}</title><desc id="description">{description}</desc>'
    labelled = '<svg role="img" aria-labelledby="title description" '
    # Matplotlib begins every picture with metadata.
    return drawn.replace("<svg ", labelled, 1).replace("<metadata>", f"{told}<metadata>", 1)


# Stability


def write_stability(path: Path, graph: LearnedGraph) -> None:
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
    save_figure(draw_stability(graph.stability, what), path, "png")


draw_cases = partial(_draw, "case_dropping")
draw_edges = partial(_draw, "edges")
draw_edge_differences = partial(_draw, "edge_differences")
draw_column_differences = partial(_draw, "centrality_differences")


# Notebooks

MOST_DRAWN = 120
"""Most columns of a picture."""


def graph_html(graph: LearnedGraph) -> str:
    """Write a learned graph as HTML, with all names escaped."""
    edges = graph.edges
    told = graph_sentence(len(edges), graph.labels.tolist())
    if graph.is_probability:
        told += f" {expected(graph)}"
    parts = [sentence(told), _small_picture(graph)]
    why_none = str(getattr(graph.learner, "why_no_edges_", None) or "")
    parts.append(
        edges_html(edges, {graph.score: graph.score_label}) if len(edges) else sentence(why_none)
    )
    parts += [sentence(f"Careful: {each}") for each in first_cautions(cautions(graph))]
    return block(parts)


def _small_picture(graph: LearnedGraph) -> str:
    """Draw the graph as an image; none if it is very large."""
    if len(graph.names) > MOST_DRAWN or not graph.n_edges:
        return ""
    drawn = b64encode(graph_svg(graph).encode()).decode("ascii")
    told = f"{counted(graph.n_edges, 'edge')} among {counted(len(graph.names), 'column')}"
    return (
        f'<img alt="{told}" src="data:image/svg+xml;base64,{drawn}" '
        'style="max-width:min(100%,640px);display:block">'
    )
