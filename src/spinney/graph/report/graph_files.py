"""Graphs as they lie on disc: folders of results, tables, GraphML, Cytoscape's JSON, models."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.state import load_model
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import undo_defuse
from spinney.graph.report.view import view_of

__all__ = ["EdgeNumbers", "KnownGraph", "Pair", "known_graph", "pair_of", "read_graph"]

Pair = tuple[str, str]

SCORES = ("probability", "frequency", "share", "weight")
"""What may say how sure an edge is, the first of them that is there."""
KINDS = "a result folder, a table of edges (.csv), .graphml, .cyjs or a .spinney model"


class EdgeNumbers(NamedTuple):
    """What a graph knows of a pair.

    Attributes
    ----------
    score : float
        Probability, frequency or weight; NaN where it is not known.
    strength : float
        Partial correlation given the neighbours; NaN where it is not known.
    sign : int
        1 where two columns rise together, -1 where one falls as the other rises, 0 unknown.
    """

    score: float = math.nan
    strength: float = math.nan
    sign: int = 0


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """A graph to be compared with others.

    Attributes
    ----------
    label : str
        What to call it.
    names : tuple of str
        Columns that it knows of.
    whole : bool
        Whether these are all; a table of edges does not name columns without an edge.
    score : str
        Which number it has of each edge: ``"probability"``, …; empty if it has none.
    edges : dict
        The edges: numbers by pairs of names.
    others : dict
        Scores of pairs that are no edges, as far as they are known.
    """

    label: str
    names: tuple[str, ...]
    whole: bool = True
    score: str = ""
    edges: Mapping[Pair, EdgeNumbers] = field(default_factory=dict)
    others: Mapping[Pair, float] = field(default_factory=dict)


def pair_of(u: str, v: str) -> Pair:
    """Two names in an order of their own, so that a pair has one name.

    Examples
    --------
    >>> pair_of("b", "a")
    ('a', 'b')
    """
    return (u, v) if u <= v else (v, u)


def read_graph(path: str | Path, label: str | None = None) -> KnownGraph:
    r"""Read a graph in any of the forms that the package writes.

    Parameters
    ----------
    path : path
        A result folder, a table of edges (``edges.csv``, ``truth.csv``: columns ``source`` and
        ``target``), GraphML, Cytoscape's JSON (``.cyjs``), or a stored model (``.spinney``).
    label : str, optional
        What to call it; by default after the file.

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
        return _read_folder(path, label)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_edges(path, label)
    if suffix == ".graphml":
        return _of_networkx(_read_graphml(path), label)
    if suffix in (".cyjs", ".json"):
        return _of_networkx(_read_cyjs(path), label)
    if suffix == ".spinney":
        return known_graph(load_model(path), label)
    raise InputError(f"'{path}' is no graph that can be read. Give {KINDS}.")


def known_graph(model: Any, label: str) -> KnownGraph:
    """Take what is needed from a learned graph or a fitted estimator.

    Parameters
    ----------
    model : LearnedGraph or estimator
        Fitted.
    label : str
        What to call it.

    Raises
    ------
    InputError
        If it has no graph.
    """
    view = view_of(model, estimator="", title=label)
    edges, _ = _edges_of(_by_pair(view.edges))
    others = {
        pair: _number(row[view.score])
        for pair, row in _by_pair(view.pairs)
        if view.score != "weight" and pair not in edges
    }
    return KnownGraph(label, view.names, True, view.score, edges, others)


def _by_pair(table: pd.DataFrame) -> list[tuple[Pair, dict[Any, Any]]]:
    return [(pair_of(row["source"], row["target"]), row) for row in table.to_dict("records")]


def _read_folder(folder: Path, label: str) -> KnownGraph:
    """Read the table of edges of a result folder, and what stands beside it."""
    edges = folder / "edges.csv"
    if edges.exists():
        return _read_edges(edges, label)
    truth = folder / "truth.csv"
    if truth.exists():
        return _read_edges(truth, label)
    raise InputError(f"'{folder}' holds no edges.csv, so it is no result folder. Give {KINDS}.")


def _read_edges(path: Path, label: str) -> KnownGraph:
    rows = _read_csv(path, "source", "target")
    edges, score = _edges_of([(_pair(row), row) for row in rows])
    others: dict[Pair, float] = {}
    names, whole = _names_beside(path)
    pairs = path.parent / "pairs.csv"
    if path.name == "edges.csv" and pairs.exists() and score:
        for row in _read_csv(pairs, "source", "target"):
            pair = _pair(row)
            if pair not in edges:
                others[pair] = _number(row.get(score))
    listed = dict.fromkeys([*names, *(name for pair in edges for name in pair)])
    return KnownGraph(label, tuple(listed), whole, score, edges, others)


def _names_beside(path: Path) -> tuple[list[str], bool]:
    """Find all columns in the files beside a table of edges, if it is one of ours."""
    nodes, graph = path.parent / "nodes.csv", path.parent / "graph.graphml"
    if path.name == "truth.csv":
        nodes, graph = path.parent / "none", path.parent / "truth.graphml"
    elif path.name != "edges.csv":
        return [], False
    if nodes.exists():
        return [undo_defuse(row.get("name") or "") for row in _read_csv(nodes, "name")], True
    if graph.exists():
        return list(_of_networkx(_read_graphml(graph), "").names), True
    return [], False


def _read_csv(path: Path, *columns: str) -> list[dict[str, str]]:
    """Read a table as text, and refuse it if it has not these columns."""
    # Not by pandas: a column may be called "NA" or "1.0", and must come back so.
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            missing = set(columns) - set(table.fieldnames or ())
            rows = [dict(row) for row in table]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"'{path}' cannot be read as a table: {error}.") from error
    if missing:
        raise InputError(
            f"'{path}' has no column called {min(missing)}, so it is no table that spinney wrote."
        )
    return rows


def _edges_of(
    rows: Sequence[tuple[Pair, Mapping[Any, Any]]],
) -> tuple[dict[Pair, EdgeNumbers], str]:
    """Read the numbers of edges, and say which of them tells how sure they are."""
    known = {key for _, row in rows for key in row}
    score = next((name for name in SCORES if name in known), "")
    edges: dict[Pair, EdgeNumbers] = {}
    for pair, row in rows:
        signs = (_sign(row.get(key)) for key in ("sign", "strength", "tau"))
        sign = next((value for value in signs if value), 0)
        edges[pair] = EdgeNumbers(_number(row.get(score)), _number(row.get("strength")), sign)
    return edges, score


def _pair(row: Mapping[str, Any]) -> Pair:
    """Two columns of a line of a table of ours."""
    return pair_of(undo_defuse(row["source"] or ""), undo_defuse(row["target"] or ""))


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _sign(value: Any) -> int:
    number = _number(value)
    return 0 if math.isnan(number) else int(np.sign(number))


def _read_graphml(path: Path) -> nx.Graph:
    from xml.etree.ElementTree import ParseError

    try:
        return nx.read_graphml(path)
    except (ParseError, nx.NetworkXError, KeyError, ValueError) as error:
        raise InputError(f"'{path}' is no GraphML that can be read: {error}.") from error


def _read_cyjs(path: Path) -> nx.Graph:
    """Read Cytoscape's JSON; networkx asks for more than Cytoscape itself writes."""
    graph = nx.Graph()
    try:
        elements = json.loads(path.read_text(encoding="utf-8"))["elements"]
        for node in elements["nodes"]:
            graph.add_node(str(node["data"]["id"]), **_attributes(node["data"]))
        for edge in elements.get("edges", ()):
            ends = str(edge["data"]["source"]), str(edge["data"]["target"])
            graph.add_edge(*ends, **_attributes(edge["data"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"'{path}' holds no graph as Cytoscape writes them (.cyjs).") from error
    return graph


def _attributes(data: Mapping[str, Any]) -> dict[str, Any]:
    return {str(k): v for k, v in data.items() if k not in ("id", "source", "target")}


def _of_networkx(graph: nx.Graph, label: str) -> KnownGraph:
    names = {
        node: str(data.get("name") or data.get("label") or node)
        for node, data in graph.nodes(data=True)
    }
    if len(set(names.values())) < len(names):  # no names, then
        names = {node: str(node) for node in graph}
    rows = [(pair_of(names[u], names[v]), data) for u, v, data in graph.edges(data=True) if u != v]
    edges, score = _edges_of(rows)
    return KnownGraph(label, tuple(names.values()), True, score, edges)


def _label(path: Path) -> str:
    """Name a graph after its folder or file.

    Examples
    --------
    >>> _label(Path("cells-graph/edges.csv")), _label(Path("runs/b.graphml")), _label(Path("x"))
    ('cells-graph', 'b', 'x')
    """
    path = Path(path).absolute() if str(path) in (".", "..") else Path(path)
    if path.name in ("edges.csv", "graph.graphml", "graph.cyjs", "graph.spinney"):
        return path.absolute().parent.name
    return path.name if path.is_dir() else path.stem
