"""Learned graphs as files: a table of edges, and GraphML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx

from spinney._core.files import whole_file
from spinney._core.graph import edge_graph, edge_table, parameters_text
from spinney.graph.export.spreadsheet import write_csv

__all__ = ["export_graphml", "node_ids", "write_edges", "write_graphml", "xml_text"]

LONGEST_ID = 200
"""Longest name that may identify its node in a file."""


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
    """Write the graph of a fitted model as GraphML, which Cytoscape, Gephi and networkx read.

    Nodes have a ``component`` and edges the numbers of :func:`write_edges`; see
    :func:`export_graphml` for the names of nodes.

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
    export_graphml(path, found.to_networkx() if hasattr(found, "edges") else edge_graph(found))


def export_graphml(path: str | Path, graph: nx.Graph) -> None:
    """Write a graph with plain attributes as GraphML.

    Nodes are identified by their names, or by ``n`` and a number if a name has control characters
    or more than 200 letters; the attribute ``label`` always has the full name. Characters that XML
    cannot hold are replaced by their Unicode pictures (``␀``). Unknown values and NaN are left out.

    Parameters
    ----------
    path : path
        Written whole or not at all.
    graph : networkx.Graph
        Numbers, truth values and text. Nodes may have a ``label``.
    """
    names = {node: str(data.get("label", node)) for node, data in graph.nodes(data=True)}
    ids = node_ids(list(names.values()))
    renamed = dict(zip(names, ids, strict=True))
    written = nx.Graph(**_for_xml(graph.graph))
    for node, data in graph.nodes(data=True):
        # The id is usually the name, but some readers show only a label.
        written.add_node(renamed[node], **_for_xml({**data, "label": names[node]}))
    for u, v, data in graph.edges(data=True):
        written.add_edge(renamed[u], renamed[v], **_for_xml(data))
    with whole_file(path) as temporary:
        nx.write_graphml(written, temporary)


def node_ids(names: Sequence[str]) -> list[str]:
    r"""Choose ids for nodes: their names, or numbers where a name is unsuitable.

    Examples
    --------
    >>> node_ids(["Raf", "two\nlines", "n1"])
    ['Raf', 'n1_', 'n1']
    """
    ids = [name if _is_id(name) else "" for name in names]
    taken = set(ids)
    for k in [k for k, chosen in enumerate(ids) if not chosen]:
        ids[k] = f"n{k}"
        while ids[k] in taken:
            ids[k] += "_"
        taken.add(ids[k])
    return ids


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


def _is_id(name: str) -> bool:
    """Whether a name survives as an XML attribute and is short enough."""
    plain = 0 < len(name) <= LONGEST_ID and name == xml_text(name)
    return plain and not any(letter in name for letter in "\t\n")


def _for_xml(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out empty text and NaN, which not all readers accept."""
    known = {str(k): v for k, v in values.items() if v is not None and v != "" and v == v}
    return {k: xml_text(v) if isinstance(v, str) else v for k, v in known.items()}
