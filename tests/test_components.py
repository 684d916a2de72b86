"""Connected components against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._components import component_labels


@given(seed=st.integers(0, 2**32), d=st.integers(1, 40), density=st.floats(0.0, 0.2))
def test_against_networkx(seed, d, density):
    upper = np.triu(np.random.default_rng(seed).random((d, d)) < density, 1)
    adjacency = upper | upper.T
    labels = component_labels(adjacency * 0.5)
    found = {frozenset(np.flatnonzero(labels == k).tolist()) for k in range(labels.max() + 1)}
    expected = nx.connected_components(nx.from_numpy_array(adjacency))
    assert found == {frozenset(nodes) for nodes in expected}
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered in order of first nodes


@pytest.mark.parametrize("d", [0, 1, 300])
def test_chains(d):
    assert (component_labels(np.eye(d, k=1) + np.eye(d, k=-1)) == 0).all()
