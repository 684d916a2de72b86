"""Learned graphs to disc: a table of edges, and GraphML for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import networkx as nx
import pandas as pd

from spinney._files import whole_file
from spinney._graph import edge_graph, edge_table, parameters_text
from spinney.exceptions import InputError

__all__ = ["write_edges", "write_graphml"]


@runtime_checkable
class _WholeGraph(Protocol):
    """A graph that tells all its numbers itself, such as :class:`spinney.LearnedGraph`."""

    def to_frame(self) -> pd.DataFrame:
        """Return the edges, one row each."""

    def to_networkx(self) -> nx.Graph:
        """Return the graph, edges with their numbers."""


def write_edges(path: str | Path, model: Any, names: Sequence[str] | None = None) -> None:
    """Write the table of edges of a learned graph as comma-separated values.

    Of a fitted model, its ``edges_``: ``source, target, weight``, and where the model knows them
    ``sign``, ``probability`` (models over forests: the share of their forests that hold the edge)
    or ``frequency`` (the share of fits to parts of the table that select it), and of the pair's
    copula ``family, rotation, parameters`` (with spaces between them), ``tau, lower_tail,
    upper_tail``. Of a :class:`spinney.LearnedGraph`, its ``edges``, comparisons included. The first
    in the ranking comes first. Numbers have eight significant digits.

    Parameters
    ----------
    path : path
        Where to; written whole or not at all.
    model : estimator or LearnedGraph
        An estimator must be fitted.
    names : list of str, optional
        The variables; by default as the model was fitted with. A LearnedGraph has its own.
    """
    table = model.to_frame() if _is_whole(model, names) else edge_table(model, names)
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
    model : estimator or LearnedGraph
        An estimator must be fitted.
    names : list of str, optional
        The variables; by default as the model was fitted with. A LearnedGraph has its own.

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
    graph = model.to_networkx() if _is_whole(model, names) else edge_graph(model, names)
    # The id is the name already, but some readers show only what is called a label.
    nx.set_node_attributes(graph, {node: node for node in graph}, "label")
    for _, _, values in graph.edges(data=True):
        # Not all readers know empty text and NaN: what is not known is no attribute.
        for key in [key for key, value in values.items() if value == "" or value != value]:
            del values[key]
    with whole_file(path) as temporary:
        nx.write_graphml(graph, temporary)


def _is_whole(model: Any, names: Sequence[str] | None) -> bool:
    whole = isinstance(model, _WholeGraph)
    if whole and names is not None:
        raise InputError(f"A {type(model).__name__} names its columns itself. Leave names out.")
    return whole
