"""Connected components against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._core.component_kernels import pair_component_labels
from spinney._core.components import component_labels
from spinney._core.pairs import to_pairs


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
    np.testing.assert_array_equal(pair_component_labels(to_pairs(adjacency) > 0, d), labels)


@pytest.mark.parametrize("d", [0, 1, 300])
def test_chains(d):
    chain = np.eye(d, k=1) + np.eye(d, k=-1)
    assert (component_labels(chain) == 0).all()
    assert (pair_component_labels(to_pairs(chain) > 0, d) == 0).all()
