"""Graphs in the JSON of Cytoscape and Cytoscape.js, with positions and a style."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx

from spinney._core.files import whole_file

__all__ = ["write_cyjs"]


def write_cyjs(
    path: str | Path,
    graph: nx.Graph,
    *,
    positions: Mapping[Any, Sequence[float]],
    style: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write a graph as Cytoscape exports it: data, elements and positions in one JSON object.

    Cytoscape opens it by File, Import, Network from File; Cytoscape.js takes the whole object, the
    `style` included; :func:`networkx.cytoscape_graph` reads it, too.

    Parameters
    ----------
    path : path
        Where to; written whole or not at all.
    graph : networkx.Graph
        Numbers, truth values and text; what is None, NaN or empty is left out. Nodes may have a
        ``label``, and the graph a ``name``.
    positions : mapping of nodes to pairs of numbers
        In pixels, y downwards.
    style : list
        A style sheet of Cytoscape.js: a selector and a style each.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "graph.cyjs"
    >>> write_cyjs(path, nx.path_graph(["a", "b"]), positions={"a": (0, 0), "b": (50, 0)})
    >>> nx.cytoscape_graph(json.loads(path.read_text())).edges
    EdgeView([('n0', 'n1')])
    """
    ids = {node: f"n{k}" for k, node in enumerate(graph)}
    nodes = []
    for node, data in graph.nodes(data=True):
        name = str(data.get("label", node))
        x, y = (float(value) for value in positions[node])
        # networkx wants a value, Cytoscape a shared name.
        own = {"id": ids[node], "value": ids[node], "name": name, "shared_name": name}
        nodes.append({"data": {**_known(data), **own}, "position": {"x": x, "y": y}})
    edges = []
    for k, (u, v, data) in enumerate(graph.edges(data=True)):
        name = f"{_name(graph, u)} – {_name(graph, v)}"
        own = {"id": f"e{k}", "source": ids[u], "target": ids[v], "name": name}
        own |= {"shared_name": name, "interaction": "edge"}
        edges.append({"data": {**_known(data), **own}})
    title = str(graph.graph.get("name", ""))
    found = {
        "format_version": "1.0",
        "generated_by": "spinney",
        "target_cytoscapejs_version": "~3.0",
        "directed": False,
        "multigraph": False,
        "data": {**_known(graph.graph), "name": title, "shared_name": title},
        "elements": {"nodes": nodes, "edges": edges},
        "style": [dict(part) for part in style],
    }
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1)
    with whole_file(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n", errors="replace")


def _name(graph: nx.Graph, node: Any) -> str:
    """Name of a node for readers."""
    return str(graph.nodes[node].get("label", node))


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        str(key): value
        for key, value in values.items()
        if value is not None and value != "" and value == value
    }
