"""Comparison of graphs from disc: shared edges, edges of some graphs only, and opposite signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.files import load_model
from spinney._core.text import counted, listed
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import read_columns
from spinney.graph.graph import LearnedGraph
from spinney.graph.plots.comparison import (
    GAINED,
    LOST,
    OTHER_SIGN,
    SHARED,
    EdgeLook,
    class_picture,
    two_graph_looks,
)

SCORES = ("probability", "frequency", "share", "weight")
"""Columns that may hold the score of an edge; the first present is used."""
READABLE = "a result folder, a table of edges (.csv), .graphml or a .spinney model"
SOME = "in some"
"""State of an edge that some, but not all, of more than two graphs have."""
IN_ORDER = (GAINED, LOST, OTHER_SIGN, SOME, SHARED)


# Graphs


@dataclass(frozen=True, eq=False)
class EdgeList:
    """The edges of a graph, for comparison with others.

    Attributes
    ----------
    label : str
        Its name.
    names : tuple of str
        Its columns.
    pairs : pandas.DataFrame
        The edges, and other pairs whose score is known, by the names of both columns in the order
        of the alphabet: ``edge``, ``score``, ``strength`` (both NaN if unknown) and ``sign`` (1, -1
        or 0, unknown).
    score : str
        The kind of score, such as ``"probability"``; empty if there is none.
    whole : bool
        Whether `names` are all columns; a table of edges lacks those without an edge.
    """

    label: str
    names: tuple[str, ...]
    pairs: pd.DataFrame
    score: str = ""
    whole: bool = True

    @classmethod
    def of(
        cls,
        label: str,
        names: Sequence[str] | None,
        edges: pd.DataFrame,
        others: pd.DataFrame | None = None,
    ) -> EdgeList:
        """Collect the numbers of a graph.

        Parameters
        ----------
        label : str
            Its name.
        names : list of str, optional
            Its columns; by default those that have an edge, which need not be all.
        edges : data frame
            ``source`` and ``target``, and what is known of ``sign``, ``strength``, ``tau`` and a
            score.
        others : data frame, optional
            The same of other pairs; those in `edges` count as edges.
        """
        score = next((name for name in SCORES if name in edges), "")
        found = _numbers(edges, score).assign(edge=True)
        if others is not None and score not in ("", "weight"):
            others = _numbers(others, score).drop(found.index, errors="ignore")
            found = pd.concat([found, others.assign(edge=False, strength=np.nan, sign=0)])
        listed = edges[["source", "target"]].to_numpy().ravel().tolist()
        return cls(label, tuple(dict.fromkeys(names or listed)), found, score, names is not None)


def _numbers(table: pd.DataFrame, score: str) -> pd.DataFrame:
    """Take score, strength and sign from a table of pairs."""
    table = table[table["source"] != table["target"]]
    known = table.reindex(columns=["sign", "strength", "tau", score])
    known = known.apply(pd.to_numeric, errors="coerce").astype(float)
    signs = np.sign(known[["sign", "strength", "tau"]].bfill(axis=1)["sign"].fillna(0.0))
    ends = np.sort(table[["source", "target"]].to_numpy(dtype=object), axis=1).T
    found = known.assign(score=known[score], sign=signs.astype(int))
    found = found[["score", "strength", "sign"]].set_axis(pd.MultiIndex.from_arrays(list(ends)))
    return found[~found.index.duplicated(keep="last")]


def edge_list(model: Any, label: str) -> EdgeList:
    """List the edges of a learned graph or a fitted estimator."""
    graph = LearnedGraph.of(model)
    return EdgeList.of(label, graph.names, graph.edges, graph.pairs)


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
    >>> list(read_graph(path).pairs.index)
    [('Mek', 'Raf')]
    """
    path = Path(path)
    label = _label(path) if label is None else label
    if not path.exists():
        raise InputError(f"There is no file or folder '{path}'. Check the path.")
    if path.is_dir():
        tables = [path / name for name in ("edges.csv", "truth.csv") if (path / name).exists()]
        if not tables:
            raise InputError(
                f"'{path}' holds no edges.csv, so it is not a result folder. Give {READABLE}."
            )
        path = tables[0]
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_edges(path, label)
    if suffix == ".graphml":
        return EdgeList.of(label, *_read_graphml(path))
    if suffix == ".spinney":
        return edge_list(load_model(path), label)
    raise InputError(f"spinney cannot read a graph from '{path}'. Give {READABLE}.")


def _read_edges(path: Path, label: str) -> EdgeList:
    """Read a table of edges, with the tables beside it if spinney wrote them."""
    names, others = None, None
    nodes, pairs = path.parent / "nodes.csv", path.parent / "pairs.csv"
    if path.name == "edges.csv" and nodes.exists():
        names = read_columns(nodes, "name")["name"].tolist()
    if path.name == "edges.csv" and pairs.exists():
        others = read_columns(pairs, "source", "target")
    if path.name == "truth.csv" and (path.parent / "table.csv").exists():
        names = pd.read_csv(path.parent / "table.csv", nrows=0).columns.tolist()
    return EdgeList.of(label, names, read_columns(path, "source", "target"), others)


def _read_graphml(path: Path) -> tuple[list[str], pd.DataFrame]:
    """Read the names of the nodes, and the table of edges."""
    try:
        graph = nx.read_graphml(path)
    except (ParseError, nx.NetworkXError, KeyError, ValueError) as error:
        raise InputError(f"'{path}' is not valid GraphML: {error}.") from error
    names = {
        node: str(data.get("name") or data.get("label") or node)
        for node, data in graph.nodes(data=True)
    }
    if len(set(names.values())) < len(names):  # names that repeat are not names
        names = {node: str(node) for node in graph}
    edges = nx.to_pandas_edgelist(graph)
    return list(names.values()), edges.replace({"source": names, "target": names})


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


# Comparisons


@dataclass(frozen=True, eq=False)
class GraphComparison:
    """Comparison of several graphs, on the columns that all of them have.

    Attributes
    ----------
    graphs : tuple of EdgeList
        The graphs, with unique labels.
    names : tuple of str
        Columns that all of them have.
    left_out : dict of str to tuple of str
        By label, columns that some graphs lack; they are not compared.
    table : pandas.DataFrame
        One row per edge of any graph, differences first: ``source``, ``target``, ``state``
        (``"shared"``, ``"gained"``: only in the second, ``"lost"``: only in the first,
        ``"other sign"``; of more than two graphs ``"in some"``), ``graphs``, their number,
        and for each graph ``edge_…``, its number (``probability_…``), ``strength_…`` and
        ``sign_…``.
    jaccard : array of shape (k, k)
        Shared edges of two graphs over all edges of either; 1 where neither has any.
    """

    graphs: tuple[EdgeList, ...]
    names: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per edge of any graph; see the class."""
        columns = ["edge", "score", "strength", "sign"]
        known = pd.concat([graph.pairs[columns] for graph in self.graphs], axis=1)
        place = pd.Index(self.names)  # -1: not compared
        sides = [place.get_indexer(known.index.get_level_values(k)) for k in (0, 1)]
        ends = np.sort(np.column_stack(sides), axis=1)
        numbers = {name: known[name].to_numpy(dtype=object) for name in columns}
        edges = numbers["edge"] == True  # noqa: E712  # neither False nor missing
        signs = np.where(edges, numbers["sign"], 0).astype(int)
        scores = numbers["score"].astype(float)
        count = edges.sum(axis=1)
        if len(self.graphs) > 2:
            state = np.where(count == len(self.graphs), SHARED, SOME)
        else:
            opposite = signs.prod(axis=1) < 0
            one = np.where(edges[:, 0], LOST, GAINED)
            state = np.where(count < 2, one, np.where(opposite, OTHER_SIGN, SHARED))
        best = np.nan_to_num(np.abs(scores)).max(axis=1, initial=0.0)
        rank = np.array([IN_ORDER.index(each) for each in state.tolist()])
        rows = np.lexsort((ends[:, 1], ends[:, 0], -best, -count, rank))
        rows = rows[(ends[rows, 0] >= 0) & (count[rows] > 0)]
        names = np.array(self.names, dtype=object)
        found = {"source": names[ends[:, 0]], "target": names[ends[:, 1]]}
        found |= {"state": state.astype(object), "graphs": count}
        for k, graph in enumerate(self.graphs):
            strength = numbers["strength"][:, k].astype(float)
            values = (edges[:, k], scores[:, k], strength, signs[:, k])
            found |= zip(_columns_of(graph), values, strict=True)
        return pd.DataFrame(found).iloc[rows].reset_index(drop=True)

    @cached_property
    def edges(self) -> NDArray[np.bool_]:
        """Whether each row of the table is an edge of each graph, shape (n_edges, k)."""
        return self.table[[_columns_of(graph)[0] for graph in self.graphs]].to_numpy(dtype=bool)

    @cached_property
    def jaccard(self) -> NDArray[np.float64]:
        """Shared edges of two graphs over all edges of either, shape (k, k)."""
        both = self.edges.T.astype(float) @ self.edges
        either = np.add.outer(both.diagonal(), both.diagonal()) - both
        return np.where(either > 0.0, both / np.maximum(either, 1.0), 1.0)

    def count(self, state: str) -> int:
        """Count the edges of a state."""
        return int((self.table["state"] == state).sum())

    @property
    def union(self) -> nx.Graph:
        """All edges of all graphs on the compared columns, with their ``state`` and ``share``."""
        scores = self.table[[_columns_of(graph)[1] for graph in self.graphs]].to_numpy()
        widths = np.where(self.edges, np.nan_to_num(scores), 0.0).max(axis=1, initial=0.0)
        if any(graph.score in ("weight", "") for graph in self.graphs):
            widths[:] = 0.45  # a score is not a share, so all lines are of one width
        state = self.table["graphs" if len(self.graphs) > 2 else "state"].astype(str)
        drawn = nx.empty_graph(self.names)
        looks = {"state": state, "share": widths}
        drawn.update(nx.from_pandas_edgelist(self.table.assign(**looks), edge_attr=[*looks]))
        return drawn

    def draw(self, title: str | None = None) -> Any:
        """Draw all edges in one layout, on a new page."""
        labels = [graph.label for graph in self.graphs]
        looks = two_graph_looks(*labels) if len(labels) == 2 else _looks_by_count(len(labels))
        return class_picture(self.union, looks).page(title)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and text, for JSON."""
        sizes = self.edges.sum(axis=0).tolist()
        graphs = [
            {"label": g.label, "columns": len(g.names), "edges": size, "score": g.score or None}
            for g, size in zip(self.graphs, sizes, strict=True)
        ]
        return {
            "graphs": graphs,
            "columns": self.names,
            "left_out": self.left_out,
            "counts": self.table["state"].value_counts().to_dict(),
            "jaccard": self.jaccard.tolist(),
            "edges": self.table.astype(object).where(self.table.notna(), None).to_dict("records"),
        }

    def sentences(self, numbered: bool = False) -> Iterator[str]:
        """Say in plain words what the graphs share and where they differ.

        `numbered` numbers more than two graphs, so that headings can refer to them.
        """
        labels = [graph.label for graph in self.graphs]
        sizes = zip(labels, self.edges.sum(axis=0).tolist(), strict=True)
        told = ", ".join(f"{label}: {counted(size, 'edge')}" for label, size in sizes)
        yield f"{told} among {counted(len(self.names), 'column')}."
        for label, names in self.left_out.items():
            yield (
                f"Not compared, because not all graphs have them: {counted(len(names), 'column')} "
                f"of {label} ({listed(names)})."
            )
        if len(labels) == 2:
            yield from self._tell_two(*labels)
        else:
            yield from self._tell_many(labels, numbered)
        for graph in self.graphs:
            if not graph.whole:
                yield (
                    f"{graph.label} names only columns that have an edge. The other columns of the "
                    "table are taken to have none."
                )

    def _tell_two(self, first: str, second: str) -> Iterator[str]:
        opposite = self.count(OTHER_SIGN)
        both = self.count(SHARED) + opposite
        yield (
            f"{counted(both, 'edge')} in both, {self.count(GAINED)} only in {second} (gained), "
            f"{self.count(LOST)} only in {first} (lost): Jaccard index {self.jaccard[0, 1]:.2f}."
        )
        if opposite:
            rows = self.table[self.table["state"] == OTHER_SIGN]
            pairs = [f"{u} – {v}" for u, v in rows[["source", "target"]].to_numpy()]
            yield f"Opposite signs in {counted(opposite, 'shared edge')}: {listed(pairs)}."

    def _tell_many(self, labels: list[str], numbered: bool) -> Iterator[str]:
        everywhere = self.count(SHARED)
        yield f"{counted(everywhere, 'edge')} in all {len(labels)}, {self.count(SOME)} in some."
        alone = self.edges[self.edges.sum(axis=1) == 1].sum(axis=0).tolist()
        likeness = self.jaccard - 2.0 * np.eye(len(labels))
        for k, nearest in enumerate(likeness.argmax(axis=1).tolist()):
            number = f"({k + 1}) " if numbered else ""
            yield (
                f"{number}{labels[k]}: {counted(alone[k], 'edge')} of its own; most like "
                f"{labels[nearest]} (Jaccard index {self.jaccard[k, nearest]:.2f})."
            )


def compare_graphs(graphs: Sequence[EdgeList]) -> GraphComparison:
    """Compare two or more graphs on the columns that all of them have.

    Parameters
    ----------
    graphs : sequence of EdgeList
        At least two. The first of two counts as the earlier one: edges only in the second are
        gained. Equal labels are numbered.

    Returns
    -------
    GraphComparison

    Raises
    ------
    InputError
        If there are fewer than two, or if they have fewer than two columns in common.

    Examples
    --------
    >>> edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    >>> before = EdgeList.of("before", ["a", "b", "c"], edges[:1])
    >>> after = EdgeList.of("after", ["a", "b", "c", "d"], edges[1:])
    >>> found = compare_graphs([before, after])
    >>> found.table[["source", "target", "state"]]
      source target   state
    0      b      c  gained
    1      a      b    lost
    >>> found.left_out
    {'after': ('d',)}
    """
    if len(graphs) < 2:
        raise InputError("Comparing needs two graphs or more.")
    graphs = _told_apart(graphs)
    whole = [graph for graph in graphs if graph.whole] or list(graphs)
    everything = list(dict.fromkeys(name for graph in graphs for name in graph.names))
    by_whole = set().union(*(graph.names for graph in whole))
    known = [set(graph.names) if graph.whole else set(graph.names) | by_whole for graph in graphs]
    common = set.intersection(*known)
    names = tuple(name for name in everything if name in common)
    if len(names) < 2:
        raise InputError(
            f"{graphs[0].label} and {graphs[-1].label} have {counted(len(names), 'column')} in "
            "common, so there is nothing to compare. Are these graphs of the same table?"
        )
    left_out = {
        graph.label: tuple(name for name in graph.names if name not in common) for graph in graphs
    }
    return GraphComparison(tuple(graphs), names, {k: v for k, v in left_out.items() if v})


def _columns_of(graph: EdgeList) -> list[str]:
    """Name the columns of a graph in the table."""
    keys = ("edge", graph.score or "score", "strength", "sign")
    return [f"{key}_{graph.label}" for key in keys]


def _told_apart(graphs: Sequence[EdgeList]) -> list[EdgeList]:
    """Make labels unique by numbering equal ones."""
    labels = [graph.label for graph in graphs]
    numbered = [
        f"{label} ({labels[: k + 1].count(label)})" if labels.count(label) > 1 else label
        for k, label in enumerate(labels)
    ]
    return [replace(graph, label=label) for graph, label in zip(graphs, numbered, strict=True)]


def _looks_by_count(n_graphs: int) -> dict[str, EdgeLook]:
    """Choose how edges look by the number of graphs with them: the more, the darker."""
    looks = {}
    for k in range(1, n_graphs + 1):
        share = (k - 1) / (n_graphs - 1)
        grey = round(200 - 160 * share)
        dashes: Any = "solid" if k > n_graphs / 2 else (0, (2.6, 1.3))
        label = f"in all {k}" if k == n_graphs else f"in {k} of {n_graphs}"
        looks[str(k)] = EdgeLook(label, f"#{grey:02X}{grey:02X}{grey:02X}", dashes)
    return looks
