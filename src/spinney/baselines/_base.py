"""What all baselines share: a learned graph, with the names of the columns."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spinney._validation import Table, check_table, read_features

__all__ = ["GraphBaseline"]

Floats = NDArray[np.float64]


class GraphBaseline(BaseEstimator):
    """Base of the baselines: reads tables, keeps the graph, scores rows."""

    adjacency_: NDArray[np.bool_]
    edge_weights_: Floats
    edge_ranking_: Floats
    n_components_: int
    labels_: NDArray[np.int32]
    graph_: nx.Graph

    def _read(self, X: Any) -> Table:
        """Check the table that is to be learned from, and keep its columns."""
        table = check_table(X, min_columns=2)
        read_features(self, X, table, reset=True)
        return table

    def _read_rows(self, X: Any) -> Floats:
        """Check rows that are to be scored."""
        check_is_fitted(self)
        table = check_table(X, min_rows=1, allow_constant=True)
        read_features(self, X, table, reset=False)
        return table.values

    def _keep_graph(
        self,
        table: Table,
        adjacency: NDArray[np.bool_],
        weights: Floats,
        ranking: Floats,
    ) -> None:
        self.adjacency_ = adjacency
        self.edge_weights_ = np.where(adjacency, weights, 0.0)
        self.edge_ranking_ = ranking
        self.n_components_, self.labels_ = connected_components(adjacency)
        graph = nx.Graph()
        graph.add_nodes_from(table.names)
        graph.add_weighted_edges_from(
            (table.names[i], table.names[j], float(weights[i, j]))
            for i, j in np.argwhere(np.triu(adjacency))
        )
        self.graph_ = graph

    def _forget(self, *names: str) -> None:
        """Drop what an earlier fit with other parameters may have left."""
        for name in names:
            self.__dict__.pop(name, None)
