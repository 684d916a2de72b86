"""Graphs read from disc: folders of results, tables, GraphML, models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.model_files import load_model
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_columns
from spinney.graph.graph import LearnedGraph

__all__ = ["EdgeList", "EdgeNumbers", "Pair", "edge_list", "pair_of", "read_graph"]

Pair = tuple[str, str]

SCORES = ("probability", "frequency", "share", "weight")
"""Columns that may hold the score of an edge; the first present is used."""
KINDS = "a result folder, a table of edges (.csv), .graphml or a .spinney model"


class EdgeNumbers(NamedTuple):
    """Numbers of a pair in a graph.

    Attributes
    ----------
    score : float
        Probability, frequency or weight; NaN if unknown.
    strength : float
        Partial correlation given the neighbours; NaN if unknown.
    sign : int
        1 where two columns rise together, -1 where one falls as the other rises, 0 unknown.
    """

    score: float = math.nan
    strength: float = math.nan
    sign: int = 0


@dataclass(frozen=True, eq=False)
class EdgeList:
    """The edges of a graph, for comparison with others.

    Attributes
    ----------
    label : str
        Its name.
    names : tuple of str
        Its columns.
    whole : bool
        Whether these are all columns; a table of edges lacks those without an edge.
    score : str
        The kind of score, such as ``"probability"``; empty if there is none.
    edges : dict
        The edges: their numbers by pairs of names.
    others : dict
        Known scores of pairs without an edge.
    """

    label: str
    names: tuple[str, ...]
    whole: bool = True
    score: str = ""
    edges: Mapping[Pair, EdgeNumbers] = field(default_factory=dict)
    others: Mapping[Pair, float] = field(default_factory=dict)


def pair_of(u: str, v: str) -> Pair:
    """Sort two names, so that a pair has one key.

    Examples
    --------
    >>> pair_of("b", "a")
    ('a', 'b')
    """
    return (u, v) if u <= v else (v, u)


def read_graph(path: str | Path, label: str | None = None) -> EdgeList:
    r"""Read a graph in any format that the package writes.

    Parameters
    ----------
    path : path
        A result folder, a table of edges (``edges.csv``, ``truth.csv``: columns ``source`` and
        ``target``), GraphML, or a stored model (``.spinney``).
    label : str, optional
        Its name; by default that of the file.

    Raises
    ------
    InputError
        If there is no such file, or no graph in it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = path.write_text("source,target\nRaf,Mek\n")
    >>> read_graph(path).edges
    {('Mek', 'Raf'): EdgeNumbers(score=nan, strength=nan, sign=0)}
    """
    path = Path(path)
    label = _label(path) if label is None else label
    if not path.exists():
        raise InputError(f"There is no file or folder '{path}'. Check the path.")
    if path.is_dir():
        tables = [path / name for name in ("edges.csv", "truth.csv") if (path / name).exists()]
        if not tables:
            raise InputError(
                f"'{path}' holds no edges.csv, so it is not a result folder. Give {KINDS}."
            )
        return _read_edges(tables[0], label)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_edges(path, label)
    if suffix == ".graphml":
        return _of_networkx(_read_graphml(path), label)
    if suffix == ".spinney":
        return edge_list(load_model(path), label)
    raise InputError(f"spinney cannot read a graph from '{path}'. Give {KINDS}.")


def edge_list(model: LearnedGraph | Any, label: str) -> EdgeList:
    """List the edges of a learned graph or a fitted estimator.

    Parameters
    ----------
    model : LearnedGraph or estimator
        Fitted.
    label : str
        Its name.

    Raises
    ------
    InputError
        If it has no graph.
    """
    graph = LearnedGraph.of(model)
    edges, _ = _edges_of(_by_pair(graph.edges))
    others = {} if graph.score == "weight" else _scores(graph.pairs, graph.score, edges)
    return EdgeList(label, graph.names, True, graph.score, edges, others)


def _by_pair(table: pd.DataFrame) -> list[tuple[Pair, dict[Any, Any]]]:
    return [(pair_of(row["source"], row["target"]), row) for row in table.to_dict("records")]


def _scores(table: pd.DataFrame, score: str, edges: Mapping[Pair, Any]) -> dict[Pair, float]:
    """Return the scores of pairs without an edge."""
    rows = _by_pair(table)
    return {pair: _number(row.get(score)) for pair, row in rows if pair not in edges}


def _read_edges(path: Path, label: str) -> EdgeList:
    """Read a table of edges, with the tables beside it if spinney wrote them."""
    edges, score = _edges_of(_by_pair(read_columns(path, "source", "target")))
    names, whole, others = [], False, {}
    stem = {"edges.csv": "graph", "truth.csv": "truth"}.get(path.name, "")
    nodes, graph, pairs = (path.parent / n for n in ("nodes.csv", f"{stem}.graphml", "pairs.csv"))
    if stem == "graph" and nodes.exists():
        names, whole = read_columns(nodes, "name")["name"].tolist(), True
    elif stem and graph.exists():
        names, whole = list(_of_networkx(_read_graphml(graph), "").names), True
    if stem == "graph" and pairs.exists() and score:
        others = _scores(read_columns(pairs, "source", "target"), score, edges)
    listed = dict.fromkeys([*names, *(name for pair in edges for name in pair)])
    return EdgeList(label, tuple(listed), whole, score, edges, others)


def _edges_of(
    rows: Iterable[tuple[Pair, Mapping[Any, Any]]],
) -> tuple[dict[Pair, EdgeNumbers], str]:
    """Read the numbers of edges, and the name of their score."""
    rows = list(rows)
    known = {key for _, row in rows for key in row}
    score = next((name for name in SCORES if name in known), "")
    edges: dict[Pair, EdgeNumbers] = {}
    for pair, row in rows:
        values = [_number(row.get(key)) for key in ("sign", "strength", "tau")]
        sign = int(np.sign(next((value for value in values if not math.isnan(value)), 0.0)))
        edges[pair] = EdgeNumbers(_number(row.get(score)), _number(row.get("strength")), sign)
    return edges, score


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _read_graphml(path: Path) -> nx.Graph:
    try:
        return nx.read_graphml(path)
    except (ParseError, nx.NetworkXError, KeyError, ValueError) as error:
        raise InputError(f"'{path}' is not valid GraphML: {error}.") from error


def _of_networkx(graph: nx.Graph, label: str) -> EdgeList:
    names = {
        node: str(data.get("name") or data.get("label") or node)
        for node, data in graph.nodes(data=True)
    }
    if len(set(names.values())) < len(names):  # names that repeat are not names
        names = {node: str(node) for node in graph}
    rows = [(pair_of(names[u], names[v]), data) for u, v, data in graph.edges(data=True) if u != v]
    edges, score = _edges_of(rows)
    return EdgeList(label, tuple(names.values()), True, score, edges)


def _label(path: Path) -> str:
    """Name a graph after its folder or file.

    Examples
    --------
    >>> _label(Path("cells-graph/edges.csv")), _label(Path("runs/b.graphml")), _label(Path("x"))
    ('cells-graph', 'b', 'x')
    """
    path = Path(path).absolute() if str(path) in (".", "..") else Path(path)
    if path.name in ("edges.csv", "graph.graphml", "graph.spinney"):
        return path.absolute().parent.name
    return path.name if path.is_dir() else path.stem
