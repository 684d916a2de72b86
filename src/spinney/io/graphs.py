"""Learned graphs to disc: a table of edges, and GraphML for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx

from spinney._files import whole_file
from spinney._graph import edge_graph, edge_table, parameters_text

__all__ = ["write_edges", "write_graphml"]


def write_edges(path: str | Path, model: Any, names: Sequence[str] | None = None) -> None:
    """Write the table of edges of a fitted model, its ``edges_``, as comma-separated values.

    Columns: ``source, target, weight``, and where the model knows them ``sign``, ``probability``
    (models over forests: the share of their forests that hold the edge) or ``frequency`` (the share
    of fits to parts of the table that select it), and of the pair's copula ``family, rotation,
    parameters`` (with spaces between them), ``tau, lower_tail, upper_tail``. The first in the
    model's ranking comes first. Numbers have eight significant digits.

    Parameters
    ----------
    path : path
        Where to; written whole or not at all.
    model : estimator
        Fitted.
    names : list of str, optional
        The variables; by default as the model was fitted with.
    """
    table = edge_table(model, names)
    if "parameters" in table:
        table["parameters"] = [parameters_text(values) for values in table["parameters"]]
    with whole_file(path) as temporary:
        # One kind of line end on every system, so that results can be compared byte by byte.
        table.to_csv(temporary, index=False, float_format="%.8g", lineterminator="\n")


def write_graphml(path: str | Path, model: Any, names: Sequence[str] | None = None) -> None:
    """Write the graph of a fitted model as GraphML, which Cytoscape, Gephi and networkx read.

    Nodes have a ``component``, edges the numbers of :func:`write_edges`.

    Parameters
    ----------
    path : path
        Where to; written whole or not at all.
    model : estimator
        Fitted.
    names : list of str, optional
        The variables; by default as the model was fitted with.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from spinney.baselines import ChowLiu
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> path = Path(tempfile.mkdtemp()) / "graph.graphml"
    >>> write_graphml(path, ChowLiu().fit(x), ["a", "b", "c"])
    >>> nx.read_graphml(path).edges
    EdgeView([('a', 'c')])
    """
    graph = edge_graph(model, names)
    # The id is the name already, but some readers show only what is called a label.
    nx.set_node_attributes(graph, {node: node for node in graph}, "label")
    for _, _, values in graph.edges(data=True):
        # Some readers lose empty text, others do not: no parameters are no attribute.
        for key in [key for key, value in values.items() if value == ""]:
            del values[key]
    with whole_file(path) as temporary:
        nx.write_graphml(graph, temporary)
