"""All that is known of a learned graph in one form, whatever learned it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from spinney._core.components import component_labels
from spinney._core.graph import edge_share
from spinney._core.pairs import PairIndex
from spinney.evidence import Evidence
from spinney.exceptions import InputError
from spinney.graph import LearnedGraph
from spinney.graph.plots.layout import GraphLayout, lay_out_labels
from spinney.graph.report.estimator_words import summarise_estimator
from spinney.graph.report.view_tables import edges_of, nodes_of, pairs_of
from spinney.judge import GraphLearner
from spinney.tables import Table

__all__ = ["GraphView", "view_of"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class GraphView:
    """A learned graph as every output needs it; made by :func:`view_of`.

    Attributes
    ----------
    title : str
        Title of pictures and pages.
    estimator : str
        What learned it, by its name on the command line.
    model : estimator
        The fitted estimator.
    learned : LearnedGraph or None
        The judge's graph, if it is one.
    score : str
        Column that ranks the pairs: ``"probability"`` (the judge's only), ``"share"`` (of forests),
        ``"frequency"`` (of fits to parts of the table) or ``"weight"``.
    score_label : str
        The same in words: "probability", "share of forests", …
    scores : array of shape (d, d)
        Its values; NaN where nothing is known. Weights are zero off the graph.
    stability, groups
        What was computed besides, or None.
    reading : tuple of str
        How the file was read, a decision each.
    warnings : tuple of str
        What was warned of.
    run : mapping or None
        How it was made.
    as_given : Table or None
        The table with its rows in the order of the file, for what only that order can tell.

    names : tuple of str
        The columns.
    edges : pandas.DataFrame
        The edges, best first: ``source``, ``target``, the score, ``sign``, ``strength`` (given the
        neighbours; other estimators than the judge: ``weight``), and where they are known
        ``family``, ``rotation``, ``parameters``, ``tau``, ``lower_tail``, ``upper_tail``, ``rows``
        and the comparisons. ``source`` comes before ``target`` in the table.
    listed : int array or None
        Numbers of the pairs that passed the screening of a wide table; None if all were judged.
    pairs : pandas.DataFrame
        Every pair that was judged, best first: ``rank`` (from 1), ``source``, ``target``, the
        score, ``edge``, ``sign`` (0: not known), ``strength`` or ``weight`` (of edges only),
        ``rows``, ``expected_fdr`` (of probabilities only: the share of this and all better pairs
        that is expected to be no edge) and the comparisons.
    nodes : pandas.DataFrame
        Every column, in the order of the table: ``name``, ``kind``, ``component``, ``degree``,
        ``rows``, ``betweenness``, ``closeness``, ``strength`` (sum over those of
        its edges that have one, signs left out).
    pair_positions : array of shape (n_pairs, 2)
        The columns of `pairs` by number, row by row.
    adjacency : bool array of shape (d, d)
        The edges.
    signs : int array of shape (d, d)
        1 where two columns rise together, -1 where one falls as the other rises, 0 unknown.
    strengths : array of shape (d, d)
        Strength or weight of each edge; NaN off the graph and where there is none.
    components : list of tuples of str
        Connected components, the largest first. Numbers in `nodes` are in order of first columns.
    n_expected_false, n_expected_missed : float or None
        Expected number of edges here that are none, and of edges that are not here.
    table, potentials, evidence
        The table as it was read, the fitted pair densities, what was measured; or None.
    layout : GraphLayout
        Where the nodes go, in points, with room for their names; the one layout of all outputs.
    positions : array of shape (d, 2)
        The same between 0 and 1, y upwards, in true proportion: the longer side is 1.
    notes : tuple of str
        What the numbers are not: such as centralities that are estimates.
    summary : str
        What was found, in words.
    """

    title: str
    estimator: str
    model: Any
    score: str
    score_label: str
    scores: Floats
    learned: LearnedGraph | None = None
    stability: Any = None
    groups: Any = None
    reading: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    run: Mapping[str, Any] | None = None
    as_given: Table | None = None

    # The graph

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(map(str, self.model.node_names_))

    @property
    def is_probability(self) -> bool:
        """Whether the score is a calibrated probability."""
        return self.score == "probability"

    @property
    def strength(self) -> str:
        """Name of the column with the strength of edges: ``"strength"`` or ``"weight"``."""
        return "weight" if self.learned is None else "strength"

    @property
    def adjacency(self) -> Bools:
        """The edges, shape (d, d)."""
        return np.asarray(self.model.adjacency_, dtype=bool)

    @cached_property
    def signs(self) -> NDArray[np.int64]:
        """Signs of the dependence, shape (d, d)."""
        signs = getattr(self.model, "edge_signs_", None)
        if signs is not None:
            return np.asarray(signs, dtype=np.int64)
        found = np.zeros(self.adjacency.shape, dtype=np.int64)
        if "sign" in self.edges:
            at = self.edge_positions
            found[at[:, 0], at[:, 1]] = found[at[:, 1], at[:, 0]] = self.edges["sign"].to_numpy()
        return found

    @cached_property
    def strengths(self) -> Floats:
        """Strength or weight of each edge, shape (d, d); NaN elsewhere."""
        return np.where(self.adjacency, np.asarray(self.model.edge_weights_, dtype=float), np.nan)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Component of each column, numbered from 0 in order of first columns."""
        return component_labels(self.adjacency)

    @property
    def components(self) -> list[tuple[str, ...]]:
        """Connected components, the largest first."""
        parts: dict[int, list[str]] = {}
        for name, label in zip(self.names, self.labels.tolist(), strict=True):
            parts.setdefault(label, []).append(name)
        return sorted(map(tuple, parts.values()), key=len, reverse=True)

    @cached_property
    def judged(self) -> PairIndex:
        """The pairs that were judged: all, or those that passed a screening."""
        return PairIndex.of_model(self.model, len(self.names))

    @property
    def n_expected_false(self) -> float | None:
        """Expected number of edges here that are none."""
        return None if self.learned is None else self.learned.n_expected_false

    @property
    def n_expected_missed(self) -> float | None:
        """Expected number of edges that are not here."""
        return None if self.learned is None else self.learned.n_expected_missed

    # Tables

    @cached_property
    def edges(self) -> pd.DataFrame:
        """The edges, best first; see the class."""
        return edges_of(self)

    @cached_property
    def edge_positions(self) -> NDArray[np.intp]:
        """The columns of `edges` by number, row by row, shape (n_edges, 2)."""
        place = {name: k for k, name in enumerate(self.names)}
        ends = self.edges[["source", "target"]].to_numpy()
        return np.array([[place[u], place[v]] for u, v in ends], dtype=np.intp).reshape(-1, 2)

    @property
    def pairs(self) -> pd.DataFrame:
        """Every pair that was judged, best first; see the class."""
        return self._ranked[0]

    @property
    def pair_positions(self) -> NDArray[np.intp]:
        """The columns of `pairs` by number, row by row."""
        return self._ranked[1]

    @cached_property
    def _ranked(self) -> tuple[pd.DataFrame, NDArray[np.intp]]:
        return pairs_of(self)

    @property
    def nodes(self) -> pd.DataFrame:
        """Every column of the table; see the class."""
        return self._described[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers are not."""
        return self._described[1]

    @cached_property
    def _described(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        return nodes_of(self)

    @cached_property
    def graph(self) -> nx.Graph:
        """The graph as it is drawn: columns by number, with names, kinds, scores and signs."""
        graph = nx.Graph()
        graph.graph[self.score] = self.score_label
        kinds = self.table.kinds if self.table is not None else [None] * len(self.names)
        for k, (name, kind) in enumerate(zip(self.names, kinds, strict=True)):
            graph.add_node(k, label=name, **({} if kind is None else {"kind": str(kind)}))
        for u, v in self.edge_positions.tolist():
            told = {self.score: float(self.scores[u, v]), "sign": int(self.signs[u, v])}
            graph.add_edge(u, v, **told)
        return graph

    # Where things come from

    @property
    def table(self) -> Table | None:
        """The table as it was read, if the estimator keeps it."""
        for model in (self.model, getattr(self.model, "estimator_", None)):
            table = getattr(model, "table_", None)
            if isinstance(table, Table):
                return table
        return None

    @property
    def potentials(self) -> Any:
        """The fitted pair densities, or None."""
        return getattr(self.model, "potentials_", None)

    @property
    def evidence(self) -> Evidence | None:
        """What was measured of every pair, or None."""
        return None if self.learned is None else self.learned.evidence

    # Where things go

    @cached_property
    def layout(self) -> GraphLayout:
        """Where the nodes go, in points."""
        return lay_out_labels(self.graph)

    @cached_property
    def positions(self) -> Floats:
        """Where the nodes go, between 0 and 1, y upwards, shape (d, 2)."""
        low, high = self.layout.corners
        span = max(float((high - low).max()), 1e-9)
        return (self.layout.positions - (low + high) / 2) / span + 0.5

    # Words

    @cached_property
    def summary(self) -> str:
        """What was found, in words."""
        return summarise_estimator(self) if self.learned is None else self.learned.summary()

    def __repr__(self) -> str:
        return f"<GraphView: {len(self.edges)} edges of {len(self.names)} columns, {self.title!r}>"


def view_of(
    found: Any,
    *,
    estimator: str,
    title: str,
    stability: Any = None,
    groups: Any = None,
    reading: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    run: Mapping[str, Any] | None = None,
    as_given: Table | None = None,
) -> GraphView:
    """Put all that is known of a learned graph into one form.

    Parameters
    ----------
    found : LearnedGraph or estimator
        What :func:`spinney.learn` returned, or a fitted estimator.
    estimator : str
        What learned it, by its name on the command line.
    title : str
        Title of pictures and pages.
    stability, groups
        What was computed besides.
    reading : tuple of str
        How the file was read, a decision each.
    warnings : tuple of str
        What was warned of; a LearnedGraph has its own, which come first.
    run : mapping, optional
        How it was made.
    as_given : Table, optional
        The table with its rows in the order of the file; fitted models keep an order of their own.

    Returns
    -------
    GraphView

    Examples
    --------
    >>> from spinney.models.baselines import ChowLiu
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> X[:, 2] -= X[:, 0]
    >>> view = view_of(ChowLiu().fit(X), estimator="chow-liu", title="three columns")
    >>> view.score, view.is_probability
    ('weight', False)
    >>> view.edges[["source", "target", "sign"]]
      source target  sign
    0     x0     x2    -1
    """
    learned = found if isinstance(found, LearnedGraph) else None
    if learned is None and isinstance(found, GraphLearner):
        check_is_fitted(found)
        learned = LearnedGraph(found)
    model = found if learned is None else learned.learner
    if not hasattr(model, "adjacency_"):
        raise InputError(f"A {type(model).__name__} has no learned graph. Fit it to a table first.")
    share = edge_share(model)
    if share is None:
        column, label, attribute = "weight", "weight", "edge_weights_"
    else:
        # Only the judge's number is a probability; forests give the share of those with the edge.
        forests = share.column == "probability" and learned is None
        column, label, attribute = "share" if forests else share.column, share.label, share[0]
    return GraphView(
        title=title,
        estimator=estimator,
        model=model,
        score=column,
        score_label=label,
        scores=np.asarray(getattr(model, attribute), dtype=float),
        learned=learned,
        stability=stability,
        groups=groups,
        reading=tuple(reading),
        warnings=(*(learned.warnings if learned is not None else ()), *warnings),
        run=run,
        as_given=as_given,
    )
