"""Layouts of large graphs: as good as the slow way, quick, and without labels on labels."""

import networkx as nx
import numpy as np
import pytest

from spinney.graph.plots import graph_layout
from spinney.graph.plots.graph_layout import lay_out_graph


def stress(graph, positions):
    """What Kamada and Kawai minimise, at the best scale."""
    distances = dict(nx.all_pairs_shortest_path_length(graph))
    order = list(graph)
    u, v = np.triu_indices(len(order), 1)
    D = np.array([distances[order[i]][order[j]] for i, j in zip(u, v, strict=True)], dtype=float)
    apart = np.linalg.norm(positions[u] - positions[v], axis=1)
    share = apart / D
    scale = share.sum() / (share**2).sum()
    return float(((scale * share - 1) ** 2).sum())


@pytest.mark.parametrize("seed", range(4))
def test_relaxed_springs_are_as_relaxed_as_those_of_networkx(seed):
    graph = nx.connected_watts_strogatz_graph(40, 4, 0.2, seed=seed)
    order = list(graph)
    found = stress(graph, graph_layout._relax(graph, order))
    slow = nx.kamada_kawai_layout(graph, weight=None)
    assert found < 1.1 * stress(graph, np.array([slow[node] for node in order]))


@pytest.mark.parametrize("d", [190, 300])
def test_no_label_covers_another(d):
    graph = nx.gnm_random_graph(d, int(1.2 * d), seed=1)
    sizes = np.column_stack([np.linspace(20.0, 120.0, d), np.full(d, 15.0)])
    found = lay_out_graph(graph, sizes)
    assert max(map(len, nx.connected_components(graph))) > graph_layout.MANY
    u, v = np.triu_indices(d, 1)
    gap = np.abs(found.positions[u] - found.positions[v]) - (sizes[u] + sizes[v]) / 2
    assert (gap > -1e-6).any(axis=1).all()
    again = lay_out_graph(graph, sizes)
    np.testing.assert_array_equal(again.positions, found.positions)
