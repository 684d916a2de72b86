"""Layouts of large graphs: no labels on labels, the same each time."""

import networkx as nx
import numpy as np
import pytest

from spinney.graph.plots.layout import MOST_BY_SPRINGS, lay_out_graph


@pytest.mark.parametrize("d", [200, pytest.param(300, marks=pytest.mark.slow)])
def test_no_label_covers_another(d):
    graph = nx.gnm_random_graph(d, int(1.2 * d), seed=1)
    sizes = np.column_stack([np.linspace(20.0, 120.0, d), np.full(d, 15.0)])
    found = lay_out_graph(graph, sizes)
    assert max(map(len, nx.connected_components(graph))) > MOST_BY_SPRINGS
    u, v = np.triu_indices(d, 1)
    gap = np.abs(found.positions[u] - found.positions[v]) - (sizes[u] + sizes[v]) / 2
    assert (gap > -1e-6).any(axis=1).all()
    again = lay_out_graph(graph, sizes)
    np.testing.assert_array_equal(again.positions, found.positions)
