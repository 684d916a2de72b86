"""Chow–Liu against enumeration, networkx and scipy."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from spinney import PairCopulas
from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.models.baselines import ChowLiu
from spinney.models.baselines.chow_liu import best_forest
from spinney.pairs.copulas import Clayton
from spinney.pairs.margins import Margins, pseudo_observations
from tests.models.baselines.cases import chain


def forests(d):
    """All forests on d nodes, as arrays of pair positions."""
    pairs = list(zip(*pair_nodes(d), strict=True))
    for size in range(d):
        for chosen in combinations(range(len(pairs)), size):
            graph = nx.Graph()
            graph.add_nodes_from(range(d))
            graph.add_edges_from(pairs[k] for k in chosen)
            if nx.number_connected_components(graph) == d - size:
                yield np.array(chosen, dtype=int)


ALL_FORESTS = {d: list(forests(d)) for d in (2, 3, 4, 5)}


@given(d=st.integers(2, 5), seed=st.integers(0, 10**6), spanning=st.booleans())
def test_best_forest_against_enumeration(d, seed, spanning):
    gains = np.random.default_rng(seed).normal(size=d * (d - 1) // 2)
    candidates = [f for f in ALL_FORESTS[d] if not spanning or f.size == d - 1]
    best = max(candidates, key=lambda forest: gains[forest].sum())
    found = np.flatnonzero(to_pairs(best_forest(gains, spanning=spanning)))
    np.testing.assert_array_equal(found, best)


def test_there_are_as_many_forests_as_is_known():
    assert [len(ALL_FORESTS[d]) for d in (2, 3, 4, 5)] == [2, 7, 38, 291]


def test_tree_against_networkx(rng):
    X = rng.normal(size=(80, 15)) @ rng.normal(size=(15, 15))
    model = ChowLiu(criterion=None).fit(X)
    graph = nx.from_numpy_array(-np.log1p(-(np.corrcoef(X.T) ** 2 - np.eye(15))))
    expected = nx.to_numpy_array(nx.maximum_spanning_tree(graph), weight=None) > 0
    np.testing.assert_array_equal(model.adjacency_, expected)


def test_density_of_a_gaussian_chain_against_scipy(rng):
    X = chain(rng, 300, 4)
    model = ChowLiu().fit(X)
    np.testing.assert_array_equal(model.adjacency_, np.eye(4, k=1) + np.eye(4, k=-1) > 0)
    r = np.diag(model.correlation_, 1)
    implied = np.eye(4)
    for i, j in combinations(range(4), 2):  # along a chain, correlations multiply
        implied[i, j] = implied[j, i] = np.prod(r[i:j])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = multivariate_normal(np.zeros(4), implied).logpdf(Z) - norm.logpdf(Z).sum(axis=1)
    ratio = model.log_likelihood_ratio(X)
    np.testing.assert_allclose(ratio, expected, rtol=1e-9, atol=1e-9)
    gain = model.edge_weights_[np.triu_indices(4, 1)].sum()
    assert ratio.mean() == pytest.approx(gain, rel=1e-10)  # its maximum, at the sample's own r
    deviation = X.std(axis=0)
    joint = multivariate_normal(X.mean(axis=0), implied * np.outer(deviation, deviation))
    np.testing.assert_allclose(model.score_samples(X), joint.logpdf(X), rtol=1e-9)
    assert model.score(X) == pytest.approx(joint.logpdf(X).mean(), rel=1e-10)


def test_copula_potentials_find_what_correlation_finds_less_of(rng):
    U = Clayton(4.0).sample(200, random_state=1)
    X = np.column_stack([norm.ppf(U), rng.normal(size=(200, 2))])
    copulas = PairCopulas(criterion="bic")
    model = ChowLiu(potentials=copulas).fit(X)
    assert sorted(model.graph_.edges) == [("x0", "x1")]
    assert model.score(X) > ChowLiu(dependence="shrinkage").fit(X).score(X) + 0.1
    density = copulas.fit(pseudo_observations(X)).log_density(pseudo_observations(X))[:, 0]
    assert model.gains_[0] == pytest.approx(density.sum() - 0.5 * np.log(200), rel=1e-6)
    marginals = Margins().fit(X)
    density = copulas.log_density(marginals.cdf(X))[:, 0]
    np.testing.assert_allclose(model.log_likelihood_ratio(X), density, rtol=1e-9)
    expected = density + marginals.log_density(X).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-9)


def test_independent_columns_give_no_edges_with_bic_and_a_tree_without(rng):
    X = rng.normal(size=(500, 8))
    assert ChowLiu("bic").fit(X).n_components_ >= 7
    assert ChowLiu(None).fit(X).n_components_ == 1
    assert np.isfinite(ChowLiu().fit(np.column_stack([X, X[:, 0]])).gains_).all()  # a copy


def test_edges_of_the_forest_rank_above_stronger_pairs_that_close_a_cycle(rng):
    X = rng.normal(size=(400, 4))
    X[:, 1] = X[:, 0] + 0.2 * X[:, 1]
    X[:, 2] = X[:, 1] + 0.2 * X[:, 2]
    X[:, 3] += 0.5 * X[:, 2]
    model = ChowLiu().fit(X)
    assert sorted(model.graph_.edges) == [("x0", "x1"), ("x1", "x2"), ("x2", "x3")]
    gains = to_matrix(model.gains_)
    assert gains[0, 2] > gains[2, 3]
    ranking = model.edge_ranking_
    assert ranking[0, 2] < ranking[2, 3] < ranking[0, 1]
    assert ranking[0, 2] > ranking[0, 3]


def test_bad_parameters_are_refused(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(InputError, match="'criterion' parameter"):
        ChowLiu("cv").fit(X)
    with pytest.raises(InputError, match="'potentials' parameter"):
        ChowLiu(potentials="clayton").fit(X)
