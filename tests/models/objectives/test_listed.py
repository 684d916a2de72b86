"""Rooted forests on listed pairs: the same sums as on all pairs, found in another way."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.models.unrooted import Trees
from spinney.pairs.densities import PairDensities


@st.composite
def problems(draw):
    d = draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < draw(st.sampled_from([0.3, 0.7, 1.0])))
    listed = draw(st.sampled_from([0.5, 2.0])) * rng.normal(size=(5, len(pairs)))
    evidence = PairDensities(listed, pairs=pairs, n_nodes=d)
    beta = np.where(rng.random(len(pairs)) < 0.4, rng.exponential(size=len(pairs)), 0.0)
    return Rooted(d, pairs), Rooted(d), evidence, beta


def on_all(values, evidence):
    whole = np.zeros(evidence.n_pairs)
    whole[evidence.pairs] = values
    return whole


@given(problems())
def test_values_are_those_of_all_pairs(case):
    few, whole, evidence, beta = case
    everywhere = on_all(beta, evidence)
    found = NegativeLogLikelihood(few, evidence.alone())
    expected = NegativeLogLikelihood(whole, evidence)
    value, gradient = found.evaluate(beta)
    expected_value, expected_gradient = expected.evaluate(everywhere)
    assert value == pytest.approx(expected_value, rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient[evidence.pairs], rtol=1e-9, atol=1e-11)
    prior, plain = few.evaluate_prior(beta), whole.evaluate_prior(everywhere)
    np.testing.assert_allclose(prior.log_partition, plain.log_partition, rtol=1e-11, atol=1e-12)


@given(problems())
def test_probabilities_are_those_of_all_pairs(case):
    few, whole, evidence, beta = case
    everywhere, pairs = on_all(beta, evidence), evidence.pairs
    np.testing.assert_allclose(
        few.edge_probabilities(beta), whole.edge_probabilities(everywhere)[pairs], atol=1e-12
    )
    np.testing.assert_allclose(
        few.posterior_edge_probabilities(beta, evidence.listed),
        whole.posterior_edge_probabilities(everywhere, evidence.log_density)[:, pairs],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        few.log_likelihood_ratio(beta, evidence.listed),
        whole.log_likelihood_ratio(everywhere, evidence.log_density),
        rtol=1e-10,
        atol=1e-12,
    )


@given(problems())
def test_components_are_those_of_networkx(case):
    few, _, evidence, beta = case
    edges = np.flatnonzero(beta)
    nodes = np.stack(pair_nodes(few.n_nodes), axis=1)[evidence.pairs]
    graph = nx.Graph(nodes[edges].tolist())
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    found = few.components(edges)
    assert {frozenset(nodes[part].ravel().tolist()) for part in found} == expected
    np.testing.assert_array_equal(np.sort(np.concatenate([*found, np.empty(0)])), edges)


def test_forests_are_drawn_by_their_weight(rng):
    """Chi-squared against the probabilities of edges, in two components and a node alone."""
    pairs = np.array([0, 1, 5, 12])  # 0-1, 0-2, 1-2 and 3-4
    beta, few = np.array([1.0, 2.0, 0.5, 3.0]), Rooted(6, pairs=pairs)
    parents = few.sample(beta, 4000, rng)
    weights = np.zeros(15)
    weights[pairs] = beta
    expected = forests.edge_marginals(to_matrix(weights))
    for u, v in ((0, 1), (0, 2), (1, 2), (3, 4)):
        share = np.mean((parents[:, u] == v) | (parents[:, v] == u))
        p = expected[u, v]
        assert abs(share - p) < 4.5 * np.sqrt(p * (1 - p) / 4000)
    assert (parents[:, 5] == -1).all()


def test_no_pair_at_all():
    few = Rooted(3, pairs=[])
    evidence = PairDensities(np.zeros((4, 0)), pairs=[], n_nodes=3)
    value, gradient = NegativeLogLikelihood(few, evidence.alone()).evaluate(np.empty(0))
    assert value == few.evaluate_prior(np.empty(0)).log_partition[0] == 0.0
    assert gradient.shape == (0,)


def test_restricting_counts_within_the_list():
    few = Rooted(5, pairs=[1, 4, 8]).restrict([2, 0])
    np.testing.assert_array_equal(few.pairs, [8, 1])
    np.testing.assert_array_equal(few.nodes, [[2, 4], [0, 2]])
    assert few.n_solved == 3


# Rooted forests on all pairs


def test_heavy_edges_give_trees_and_faint_ones_independence(rng):
    beta = rng.uniform(0.5, 2.0, 10)
    log_density = rng.normal(size=(6, 10))
    trees = Trees(5).log_likelihood_ratio(beta, log_density)
    rooted = Rooted(5).log_likelihood_ratio(1e9 * beta, log_density)
    np.testing.assert_allclose(rooted, trees, rtol=1e-7)
    np.testing.assert_allclose(
        Rooted(5).edge_probabilities(1e9 * beta), Trees(5).edge_probabilities(beta), rtol=1e-7
    )
    ratio = Rooted(5).log_likelihood_ratio(1e-9 * beta, log_density)
    np.testing.assert_allclose(ratio, 0.0, atol=1e-6)
