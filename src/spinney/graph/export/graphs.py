"""Learned graphs for other programs: a table of edges, GraphML, and AnnData objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.files import whole_file
from spinney._core.graph import edge_table, parameters_text
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.plots.graph import LOOKS, OPACITIES, between, edge_shares
from spinney.graph.plots.style import PALE


def write_edges(path: str | Path, found: Any) -> None:
    """Write the table of edges of a learned graph as comma-separated values.

    Of a :class:`spinney.LearnedGraph` they are its ``edges``, of a fitted estimator its ``edges_``,
    in which the parameters of a copula have spaces between them. Numbers have eight significant
    digits; names that a spreadsheet would run get an apostrophe in front (see
    :mod:`spinney.graph.export.spreadsheet`).

    Parameters
    ----------
    path : path
        Written whole or not at all.
    found : LearnedGraph or estimator
        An estimator must be fitted.
    """
    table = found.edges if hasattr(found, "edges") else edge_table(found)
    if "parameters" in table:
        table = table.assign(parameters=[parameters_text(values) for values in table["parameters"]])
    write_csv(path, table)


def write_graphml(path: str | Path, found: Any) -> None:
    """Write a graph as GraphML, which Cytoscape, Gephi, igraph and networkx read.

    Nodes and edges have the attributes of :func:`export_graph`. Nodes are identified by their
    names, which the attribute ``label`` has, too. Characters that XML cannot hold are replaced by
    their Unicode pictures (``␀``). Unknown values are left out.

    Parameters
    ----------
    path : path
        Written whole or not at all.
    found : LearnedGraph or estimator
        An estimator must be fitted.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from spinney.models.baselines import ChowLiu
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> path = Path(tempfile.mkdtemp()) / "graph.graphml"
    >>> write_graphml(path, ChowLiu().fit(x))
    >>> nx.read_graphml(path).edges
    EdgeView([('x0', 'x2')])
    """
    graph = export_graph(found)
    ids = node_ids([label for _, label in graph.nodes(data="label")])
    written = nx.relabel_nodes(graph, dict(enumerate(ids)))
    for values in (written.graph, *written.nodes.values(), *written.edges.values()):
        values.update({k: xml_text(v) for k, v in values.items() if isinstance(v, str)})
    with whole_file(path) as temporary:
        nx.write_graphml(written, temporary)


WIDTHS = (1.0, 8.0)
"""Widths of the weakest and the strongest edge."""


def export_graph(found: Any) -> nx.Graph:
    """Build a graph with all numbers of the tables, and attributes for drawing it.

    Nodes (by number) have the columns of ``nodes``, the name as ``label``, and ``x``, ``y`` (in
    points, y upwards), ``size`` and colour: ``color``, and ``r``, ``g``, ``b`` for Gephi. Edges
    have the columns of ``edges``, ``color`` (by sign), ``r``, ``g``, ``b``, ``width`` (by
    strength), ``opacity`` (by score), and a ``weight`` for programs that use one: the score, unless
    the edge already has a weight.
    """
    from spinney.graph.graph import LearnedGraph

    graph = LearnedGraph.of(found)
    about = {"name": graph.title, "estimator": graph.estimator, "score": graph.score}
    made = nx.Graph(**_plain(about))
    x, y = (graph.layout.positions - graph.layout.corners[0]).T
    nodes = graph.nodes.rename(columns={"name": "label"})
    nodes = nodes.assign(x=x, y=y, size=12.0 + 6.0 * np.sqrt(nodes["degree"]))
    for k, row in enumerate(nodes.to_dict("records")):
        made.add_node(k, **_plain(row), **_colour("#9BC7E4" if row["degree"] else PALE))
    pairs = graph.edge_positions.tolist()
    shares = edge_shares(graph.as_drawn, pairs)
    widths, opacities = between(WIDTHS, shares.width), between(OPACITIES, shares.ink).round(3)
    edges = graph.edges.drop(columns=["source", "target"]).assign(width=widths, opacity=opacities)
    for (u, v), row in zip(pairs, edges.to_dict("records"), strict=True):
        told = _plain(row)
        told.setdefault("weight", told.get(graph.score))
        made.add_edge(u, v, **told, **_colour(LOOKS[int(graph.signs[u, v])][0]))
    return made


def _colour(colour: str) -> dict[str, Any]:
    parts = {key: int(colour[k : k + 2], 16) for key, k in (("r", 1), ("g", 3), ("b", 5))}
    return {"color": colour, **parts}


def node_ids(names: Sequence[str]) -> list[str]:
    r"""Choose ids for nodes: names as XML can hold them, or numbers if some are equal or empty.

    Examples
    --------
    >>> node_ids(["Raf", "a\x00"]), node_ids(["a\x00", "a␀"])
    (['Raf', 'a␀'], ['n0', 'n1'])
    """
    ids = [xml_text(name) for name in names]
    return ids if len({"", *ids}) > len(ids) else [f"n{k}" for k in range(len(ids))]


def xml_text(text: str) -> str:
    r"""Replace characters that XML cannot hold by their Unicode pictures.

    Examples
    --------
    >>> xml_text("a\x00b\rc")
    'a␀b␍c'
    """
    return _NOT_XML.sub(lambda found: _PICTURES.get(ord(found[0]), "\ufffd"), text)


# Not allowed in XML 1.0, and the carriage return, which parsers turn into a line feed.
_NOT_XML = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)}


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


# AnnData


def to_anndata(graph: Any, adata: Any) -> None:
    """Write a graph into the AnnData object that it was learned from.

    ``varp["spinney_probabilities"]`` and ``varp["spinney_strengths"]`` are sparse matrices of all
    pairs of variables; variables that were left out have empty rows. ``uns["spinney"]`` has the
    table of edges, the number of rows and the version.

    Parameters
    ----------
    graph : LearnedGraph
        What :func:`spinney.learn` returns.
    adata : AnnData
        The object, which is changed.

    Raises
    ------
    InputError
        If a column of the graph is not a variable of the object.
    """
    from scipy.sparse import csr_matrix

    from spinney import __version__

    place = {str(name): k for k, name in enumerate(adata.var.index)}
    lacking = next((name for name in graph.names if name not in place), None)
    if lacking is not None:
        raise InputError(
            f"The AnnData object has no variable '{lacking}', which the graph has. Give the object "
            "that the graph was learned from."
        )
    where = np.array([place[name] for name in graph.names])
    size = (len(place), len(place))
    found = {"probabilities": graph.probabilities, "strengths": graph.known_strengths}
    for name, matrix in found.items():
        values = np.nan_to_num(np.asarray(matrix))
        rows, columns = np.nonzero(values)
        entries = values[rows, columns], (where[rows], where[columns])
        adata.varp[f"spinney_{name}"] = csr_matrix(entries, size)
    n_rows = 0 if graph.table is None else len(graph.table)
    adata.uns["spinney"] = {"edges": graph.edges, "rows": n_rows, "version": __version__}
