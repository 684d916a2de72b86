"""A learned graph with everything that can be said of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import column_position
from spinney._core.graph import edge_graph, edge_table
from spinney._core.pairs import n_pairs, pair_ends, pair_numbers, to_pairs
from spinney._core.state import load_model, save_model
from spinney._core.storable import storable
from spinney.evidence import Evidence
from spinney.exceptions import InputError
from spinney.graph.comparisons import Comparisons
from spinney.graph.html import learned_html
from spinney.graph.pair_words import tell_why
from spinney.graph.plots import plot_graph
from spinney.graph.words import summarise
from spinney.judge.density import DensityModel, density_on_graph
from spinney.judge.graph_learner import GraphLearner

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spinney.models import RootedForests, SharedForest

__all__ = ["LearnedGraph"]

Floats = NDArray[np.float64]


@storable("LearnedGraph")
@dataclass(frozen=True, eq=False, repr=False)
class LearnedGraph:
    """The graph of a table, as :func:`spinney.learn` finds it.

    Attributes
    ----------
    learner : GraphLearner
        The fitted estimator that everything comes from.
    comparisons : Comparisons
        What other methods say of all pairs; empty with ``compare=False``.
    warnings : tuple of str
        What was warned of on the way.

    edges : pandas.DataFrame
        One row per edge, the most probable first: ``source``, ``target``, ``probability``,
        ``sign`` and ``strength`` (given the neighbours), ``family``, ``rotation``, ``parameters``,
        ``tau``, ``lower_tail``, ``upper_tail`` (of the pair's copula, whatever the others), and
        ``rows``. With comparisons also, by method, ``…_kept`` (whether it has the edge; missing if
        it could not take the table) and ``…_share`` (the share of its forests that have it).
    pairs : pandas.DataFrame
        Every pair: ``source``, ``target``, ``probability`` (missing where fewer than ten rows have
        both values), ``edge`` (whether it is one), ``rows``, and the comparisons. Of a table with
        more than 300 columns only pairs that passed the screening and were judged are listed; all
        others have probability 0 (:attr:`GraphLearner.screened_` tells how many passed, and at what
        level).
    nodes : pandas.DataFrame
        Every column: ``name``, ``kind``, ``component``, ``degree`` and ``rows``, how many values
        there are.
    components : list of tuples of str
        Connected components, the largest first.
    probabilities, strengths : arrays of shape (d, d)
        Probability of each pair, and strength of each edge given the neighbours.
    adjacency : bool array of shape (d, d)
        The edges.
    n_expected_false, n_expected_missed : float
        Expected number of edges here that are none, and of edges that are not here.
    settings : dict
        How it was learned, the judge's name and fingerprint included.

    Examples
    --------
    >>> from spinney.graph import learn
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(300, 5, random_state=0).X, compare=False)
    >>> graph
    <LearnedGraph: 4 of 10 pairs of 5 columns are edges; expected 0.0 false, 0.0 missed>
    >>> print(graph.summary())
    4 edges among 10 pairs of 5 columns (300 rows): those with a probability above 0.5. ...
    """

    learner: GraphLearner
    comparisons: Comparisons = field(default_factory=Comparisons)
    warnings: tuple[str, ...] = ()

    # Numbers

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.learner.node_names_

    @property
    def probabilities(self) -> Floats:
        """Probability that each pair is an edge, shape (d, d)."""
        return self.learner.edge_probabilities_

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """The edges, shape (d, d)."""
        return self.learner.adjacency_

    @property
    def strengths(self) -> Floats:
        """Partial correlation of each edge given the neighbours, shape (d, d)."""
        return self.learner.edge_weights_

    @property
    def n_expected_false(self) -> float:
        """Expected number of edges here that are none."""
        return self.learner.expected_false_

    @property
    def n_expected_missed(self) -> float:
        """Expected number of edges that are not here."""
        return self.learner.expected_missed_

    @property
    def evidence(self) -> Evidence:
        """What was measured of every pair, or of those that passed the screening."""
        return self.learner.evidence_

    @property
    def settings(self) -> dict[str, Any]:
        """How it was learned."""
        settings = dict(self.learner.get_params(deep=False))
        settings["judge"] = self.learner.judge_
        settings["compare"] = tuple(self.comparisons.kept)
        return settings

    # Tables

    @property
    def edges(self) -> pd.DataFrame:
        """One row per edge, the most probable first; see the class."""
        table = edge_table(self.learner).rename(columns={"weight": "strength"})
        first = ["source", "target", "probability", "sign", "strength"]
        table = table[[*first, *(name for name in table.columns if name not in first)]]
        places = {name: k for k, name in enumerate(self.names)}
        d = len(places)
        u = np.array([places[name] for name in table["source"]], dtype=np.int64)
        v = np.array([places[name] for name in table["target"]], dtype=np.int64)
        pairs = pair_numbers(u, v, d)
        return pd.concat([table, self._compared(pairs)], axis=1)

    @property
    def pairs(self) -> pd.DataFrame:
        """Every pair that was judged, with its probability and the comparisons; see the class."""
        names = np.array(self.names, dtype=object)
        listed = getattr(self.learner.potentials_, "pairs_", None)
        pairs = np.arange(n_pairs(len(names))) if listed is None else listed
        first, second = pair_ends(pairs, len(names))
        table = pd.DataFrame(
            {
                "source": names[first],
                "target": names[second],
                "probability": self.probabilities[first, second],
                "edge": self.adjacency[first, second],
                "rows": np.asarray(self.learner.potentials_.n_rows_),
            }
        )
        return pd.concat([table, self._compared(pairs)], axis=1)

    @property
    def nodes(self) -> pd.DataFrame:
        """Every column of the table; see the class."""
        table = self.learner.table_
        return pd.DataFrame(
            {
                "name": list(self.names),
                "kind": list(table.kinds),
                "component": self.learner.labels_,
                "degree": self.adjacency.sum(axis=1),
                "rows": table.present.sum(axis=0),
            }
        )

    @property
    def components(self) -> list[tuple[str, ...]]:
        """Connected components as names, the largest first."""
        parts: dict[int, list[str]] = {}
        for name, label in zip(self.names, self.learner.labels_.tolist(), strict=True):
            parts.setdefault(label, []).append(name)
        return sorted(map(tuple, parts.values()), key=len, reverse=True)

    def _compared(self, pairs: NDArray[Any]) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        said = self.comparisons
        for name in said.kept:
            chosen = said.kept_of(name, pairs)
            columns[f"{name}_kept"] = pd.array(
                [pd.NA if np.isnan(value) else bool(value) for value in chosen], dtype="boolean"
            )
            if name in said.shares:
                columns[f"{name}_share"] = said.shares_of(name, pairs)
        return pd.DataFrame(columns, index=pd.RangeIndex(len(pairs)))

    # Other forms

    def to_frame(self) -> pd.DataFrame:
        """Return the edges as a table."""
        return self.edges

    def to_networkx(self) -> nx.Graph:
        """Return the graph for networkx, nodes by name, edges with the numbers of `edges`."""
        graph = edge_graph(self.learner)
        for name, kind in zip(self.names, self.learner.table_.kinds, strict=True):
            graph.nodes[name]["kind"] = kind
        for row in self.edges.to_dict("records"):
            edge = graph.edges[row["source"], row["target"]]
            edge["strength"] = edge.pop("weight")
            for key, value in row.items():
                if str(key).endswith(("_kept", "_share")) and not pd.isna(value):
                    edge[str(key)] = value
        return graph

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the graph, lines as wide as edges are sure; see :func:`spinney.graph.plots.plot_graph`.

        `options` are those of that function.
        """
        return plot_graph(self.learner, ax, **options)

    # Words

    def summary(self) -> str:
        """Tell in plain words what was found, how sure it is, and what to be careful about."""
        return summarise(self)

    def why(self, u: str | int, v: str | int) -> str:
        """Tell what speaks for and against an edge between two columns, by name or position.

        The numbers alone, as a table, are ``evidence.why(u, v)``.
        """
        names = self.names
        i, j = (column_position(column, names, "why") for column in (u, v))
        if i == j:
            raise InputError(f"why asks for two columns, not for {names[i]!r} and itself.")
        return tell_why(self, min(i, j), max(i, j))

    def __repr__(self) -> str:
        d = len(self.names)
        n_edges = int(to_pairs(self.adjacency).sum())
        return (
            f"<LearnedGraph: {n_edges:,} of {d * (d - 1) // 2:,} pairs of {d:,} columns are edges; "
            f"expected {self.n_expected_false:.1f} false, {self.n_expected_missed:.1f} missed>"
        )

    def _repr_html_(self) -> str:
        return learned_html(self)

    # A density

    def density(
        self, model: DensityModel = "RootedForests", **parameters: Any
    ) -> RootedForests | SharedForest:
        """Fit a density to the table that knows these edges only.

        It can score rows (``score_samples``), draw new ones (``sample``) and fill gaps
        (``impute``): a mixture of the forests that the graph contains. See
        :func:`spinney.judge.density_on_graph`.
        """
        return density_on_graph(self.learner, model, **parameters)

    # Files

    def save(self, path: str | Path) -> Path:
        """Write everything to one file, without pickle; :meth:`load` reads it back.

        The file holds the table (see docs/model-file.md), and of the judge its name only.
        """
        return save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> LearnedGraph:
        """Read what :meth:`save` wrote."""
        found = load_model(path)
        if not isinstance(found, cls):
            raise InputError(
                f"'{path}' holds a {type(found).__name__}, not a LearnedGraph. Use "
                "spinney.load_model."
            )
        return found
