"""The files of a folder of results: page, tables, graphs for other programs, pictures, model."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.files import whole_file
from spinney._core.graph import parameters_text
from spinney._core.text import plain_line
from spinney.exceptions import InputError
from spinney.graph.export.graphs import export_graphml, xml_text
from spinney.graph.export.graphs import write_edges as write_edges
from spinney.graph.export.spreadsheet import read_columns, write_csv
from spinney.graph.graph import LearnedGraph
from spinney.graph.plots.graph import OPACITIES, between, draw_graph_page, edge_shares
from spinney.graph.plots.style import DATA, FALLING, LINES, PALE, save_figure
from spinney.graph.words import summary_paragraphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    *("export_graph", "graph_svg", "read_edges", "read_nodes", "read_pairs", "save_whole"),
    *("write_edges", "write_graphml", "write_model", "write_nodes", "write_pairs", "write_paper"),
    *("write_png", "write_report", "write_strengths", "write_svg"),
]


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
    with whole_file(path) as temporary:
        text = f"{graph.methods()}\n{check}".encode("utf-8", "replace")
        temporary.write_bytes(text)


def write_model(path: Path, graph: LearnedGraph) -> None:
    """Write the model for :func:`spinney.load_model`; it includes the table."""
    graph.save(path)


def write_check(path: Path, graph: LearnedGraph) -> None:
    """Write every pair of the columns that were added to the table."""
    assert graph.checked is not None
    write_csv(path, graph.checked.pairs)


def write_check_png(path: Path, graph: LearnedGraph) -> None:
    """Draw how many edges of the added columns were found."""
    assert graph.checked is not None
    figure: Any = graph.checked.plot().figure
    save_whole(figure, path, "png")


# Tables


def write_pairs(path: str | Path, graph: LearnedGraph) -> None:
    """Write every pair, best first."""
    write_csv(path, graph.pairs)


def write_nodes(path: str | Path, graph: LearnedGraph) -> None:
    """Write every column."""
    write_csv(path, graph.nodes)


def read_edges(path: str | Path) -> pd.DataFrame:
    """Read the edges of a folder of results, or of its ``edges.csv``; names are unchanged.

    Parameters
    ----------
    path : path
        The folder, or the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_csv(folder / "edges.csv", pd.DataFrame({"source": ["-a"], "target": ["b"]}))
    >>> read_edges(folder)
      source target
    0     -a      b
    """
    return _read(path, "edges.csv", ("source", "target"))


def read_pairs(path: str | Path) -> pd.DataFrame:
    """Read the pairs of a folder of results, or of its ``pairs.csv``; see :func:`read_edges`."""
    return _read(path, "pairs.csv", ("source", "target"))


def read_nodes(path: str | Path) -> pd.DataFrame:
    """Read the nodes of a folder of results, or of its ``nodes.csv``; see :func:`read_edges`."""
    return _read(path, "nodes.csv", ("name",))


def _read(path: str | Path, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
    path = Path(path)
    file = path / name if path.is_dir() else path
    if not file.is_file():
        where = f"'{path}' has no {name}" if path.is_dir() else f"There is no file '{path}'"
        raise InputError(f"{where}. Name a folder that 'spinney learn' wrote.")
    return read_columns(file, *columns)


def write_strengths(path: str | Path, graph: LearnedGraph) -> None:
    """Draw the strength of each edge with its interval, as SVG."""
    from spinney.graph.plots.strengths import AXIS_LABEL, draw_strengths, strength_table

    axis = AXIS_LABEL if graph.is_probability else "weight"
    save_whole(draw_strengths(strength_table(graph), graph.n_edges, axis), path, "svg")


# Graphs for other programs

COLOURS = {1: LINES, -1: FALLING, 0: DATA}
"""Colour of an edge by its sign."""
WIDTHS = (1.0, 8.0)
"""Widths of the weakest and the strongest edge."""


def export_graph(graph: LearnedGraph) -> nx.Graph:
    """Build a graph with all numbers of the tables, and attributes for drawing it.

    Nodes (by number) have the columns of ``nodes``, the name as ``label``, and ``x``, ``y`` (in
    points, y upwards), ``size`` and colour: ``color``, and ``r``, ``g``, ``b`` for Gephi. Edges
    have the columns of ``edges``, ``color`` (by sign), ``r``, ``g``, ``b``, ``width`` (by
    strength), ``opacity`` (by score), and a ``weight`` for programs that use one: the score, unless
    the edge already has a weight.
    """
    made = nx.Graph(name=graph.title, estimator=graph.estimator, score=graph.score)
    places = graph.layout.positions - graph.layout.corners[0]
    for k, row in enumerate(graph.nodes.to_dict("records")):
        told = {"label": row.pop("name"), **_plain(row)}
        told |= {"x": float(places[k, 0]), "y": float(places[k, 1])}
        told |= {"size": float(12.0 + 6.0 * np.sqrt(row["degree"]))}
        made.add_node(k, **told, **_colour("#9BC7E4" if row["degree"] else PALE))
    shares = edge_shares(graph.as_drawn, graph.edge_positions.tolist())
    widths, opacities = between(WIDTHS, shares.width), between(OPACITIES, shares.ink)
    for k, row in enumerate(graph.edges.to_dict("records")):
        u, v = graph.edge_positions[k].tolist()
        told = _plain({key: row[key] for key in row if key not in ("source", "target")})
        told.setdefault("weight", told.get(graph.score))
        colour = _colour(COLOURS[int(graph.signs[u, v])])
        look = {"width": float(widths[k]), "opacity": round(float(opacities[k]), 3)}
        made.add_edge(u, v, **told, **look, **colour)
    return made


def write_graphml(path: str | Path, graph: LearnedGraph) -> None:
    """Write the graph as GraphML; see :func:`spinney.graph.export.graphs.export_graphml`."""
    export_graphml(path, export_graph(graph))


def _colour(colour: str) -> dict[str, Any]:
    parts = {key: int(colour[k : k + 2], 16) for key, k in (("r", 1), ("g", 3), ("b", 5))}
    return {"color": colour, **parts}


def _plain(values: dict[Any, Any]) -> dict[str, Any]:
    """Return plain numbers and text; unknown values are left out."""
    told: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, tuple):
            value = parameters_text(value)
        elif isinstance(value, np.generic):
            value = value.item()
        if value is not None and value is not pd.NA and value == value and value != "":
            told[str(key)] = value
    return told


# Pictures

LONGEST_TITLE = 90
"""Longest title shown."""


def write_png(path: str | Path, graph: LearnedGraph) -> None:
    """Draw the graph as PNG, reproducible to the byte."""
    save_whole(_page(graph), path, "png")


def write_svg(path: str | Path, graph: LearnedGraph) -> None:
    """Write the picture of :func:`graph_svg`."""
    with whole_file(path) as temporary:
        temporary.write_text(graph_svg(graph), encoding="utf-8", newline="\n")


def graph_svg(graph: LearnedGraph) -> str:
    """Draw the graph as SVG, reproducible to the byte; text can be searched and edited.

    It has a title and a description for screen readers.
    """
    drawn = BytesIO()
    save_figure(_page(graph), drawn, "svg")
    return _described(drawn.getvalue().decode("utf-8"), graph)


def save_whole(figure: Figure, path: str | Path, kind: str) -> None:
    """Write a figure whole, reproducible to the byte; text in an SVG stays text."""
    with whole_file(path) as temporary:
        save_figure(figure, temporary, kind)


def _page(graph: LearnedGraph) -> Figure:
    """Draw the graph; the figure is kept for one more picture of another kind."""
    if (figure := vars(graph).pop("_page", None)) is None:
        title = replace(graph, title=plain_line(graph.title, LONGEST_TITLE)).heading
        figure = draw_graph_page(graph.as_drawn, title=title, layout=graph.layout)
        vars(graph)["_page"] = figure
    return figure


def _described(drawn: str, graph: LearnedGraph) -> str:
    """Add a title and a description to an SVG, for screen readers."""
    sentences = [text for told in summary_paragraphs(graph) for text in told]
    title, description = (escape(xml_text(text)) for text in (graph.heading, " ".join(sentences)))
    before, start, rest = drawn.partition("<svg ")
    attributes, end, inside = rest.partition(">")
    return (
        f'{before}{start}role="img" aria-labelledby="title description" {attributes}{end}'
        f'<title id="title">{title}</title><desc id="description">{description}</desc>{inside}'
    )
