"""Covariances of edges in random rooted forests, against all forests listed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import to_matrix


def by_listing(weights, ground):
    """Covariance of all pairs of edges, from every forest and its probability."""
    d = len(weights)
    first, second = np.triu_indices(d, 1)
    position = {(int(i), int(j)): e for e, (i, j) in enumerate(zip(first, second, strict=True))}
    listed = forests.enumerate(weights, ground)
    present = np.zeros((len(listed.forests), len(first)))
    for row, forest in zip(present, listed.forests, strict=True):
        for edge in forest:
            row[position[tuple(sorted(edge))]] = 1.0
    p = listed.probabilities
    mean = p @ present
    return (present.T * p) @ present - np.outer(mean, mean)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(2, 5),
    ground=st.sampled_from([0.1, 1.0, 7.0]),
    spread=st.sampled_from([0.3, 3.0]),
)
def test_sum_over_samples_against_enumeration(seed, d, ground, spread):
    rng = np.random.default_rng(seed)
    m = d * (d - 1) // 2
    beta, W = rng.lognormal(sigma=spread, size=m), rng.lognormal(size=(3, m))
    nodes = np.column_stack(np.triu_indices(d, 1))
    found = forests.edge_covariance(beta, W, nodes, d, ground)
    expected = sum(by_listing(to_matrix(beta * row), ground) for row in W)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_some_edges_of_many_nodes_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    d, nodes = 9, np.array([[0, 1], [1, 2], [4, 8], [0, 2]])
    beta, W = rng.lognormal(size=4), rng.lognormal(size=(10, 4))
    whole = forests.edge_covariance(beta, W, nodes, d)
    monkeypatch.setattr("spinney.forests.evaluation.RESISTANCES_AT_ONCE", 80)
    np.testing.assert_allclose(forests.edge_covariance(beta, W, nodes, d), whole, rtol=1e-12)
    assert whole[2, 0] == pytest.approx(0.0, abs=1e-12)  # in another component
    one = forests.edge_covariance(beta, W, nodes, d, threads=1)
    np.testing.assert_allclose(one, whole, rtol=1e-12, atol=1e-15)


def test_no_edges_have_no_covariance():
    none = forests.edge_covariance(np.empty(0), np.empty((3, 0)), np.empty((0, 2), int), 4)
    assert none.shape == (0, 0)
