"""Relabelling, negating and reordering a table does to the graph what it should, and no more."""

import numpy as np
import pytest
from sklearn.base import clone

from spinney.models.baselines import ChowLiu, PartialCorrelation
from spinney.models.baselines.scores import correlation_of
from tests.models.baselines.cases import ESTIMATORS, WITHOUT_CHANCE, chain, each

SIGNS = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
ORDER = np.array([3, 0, 5, 1, 4, 2])


@pytest.fixture(scope="module")
def table():
    return chain(np.random.default_rng(11), 150, 6) * [1, 1, -1, 1, 1, 1]


def fit(estimator, X):
    return clone(estimator).fit(X)


@each()
def test_permuting_columns_permutes_the_graph(table, estimator):
    one, other = fit(estimator, table), fit(estimator, table[:, ORDER])
    where = np.ix_(ORDER, ORDER)
    assert one.adjacency_.any()
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_[where])
    np.testing.assert_array_equal(other.edge_signs_, one.edge_signs_[where])
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_[where], atol=1e-4)
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_[where], rtol=1e-4, atol=1e-4)


@each()
def test_negating_columns_turns_signs_and_nothing_else(table, estimator):
    one, other = fit(estimator, table), fit(estimator, table * SIGNS)
    turned = np.outer(SIGNS, SIGNS)
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_array_equal(other.edge_signs_, one.edge_signs_ * turned)
    np.testing.assert_allclose(
        np.abs(other.edge_weights_), np.abs(one.edge_weights_), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_, rtol=1e-4, atol=1e-4)


@each(WITHOUT_CHANCE)
def test_the_order_of_rows_does_not_matter(table, estimator):
    one = fit(estimator, table)
    other = fit(estimator, np.random.default_rng(0).permutation(table))
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-6, atol=1e-9)


@each()
def test_signs_are_those_of_the_chain(table, estimator):
    model = fit(estimator, table)
    for k in range(5):
        assert model.adjacency_[k, k + 1]
        assert model.edge_signs_[k, k + 1] == (-1 if k in (1, 2) else 1)
    assert (model.edge_signs_[~model.adjacency_] == 0).all()
    edges = model.edges_
    assert set(edges["sign"]) == {-1, 1}
    if not isinstance(model, ChowLiu):  # whose weights are information, not correlations
        np.testing.assert_array_equal(np.sign(edges["weight"]), edges["sign"])
        np.testing.assert_array_equal(np.sign(model.edge_weights_), model.edge_signs_)


@each()
def test_strong_negative_edges_rank_before_weak_positive_ones(table, estimator):
    model = fit(estimator, table)
    assert (model.edge_ranking_ >= 0).all()
    if isinstance(model, PartialCorrelation):
        order = np.argsort(-np.abs(model.edge_weights_[model.adjacency_]), kind="stable")
        ranked = model.edge_ranking_[model.adjacency_][order]
        assert (np.diff(ranked) <= 1e-12).all()
    strengths = [model.edge_ranking_[k, k + 1] for k in range(5)]
    rest = model.edge_ranking_[np.triu_indices(6, 2)]
    assert min(strengths) > rest.max()


# Units and offsets in which a column is written


UNITS = np.array([1e-100, 1e-30, 1.0, 1e50, 1e100, 1e-3])


@pytest.fixture(scope="module")
def small():
    X = chain(np.random.default_rng(5), 120, 6)
    return X / np.abs(X).max()


@each()
def test_graphs_do_not_depend_on_units(small, estimator):
    one = clone(estimator).fit(small)
    other = clone(estimator).fit(small * UNITS)
    assert one.adjacency_.any()
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-6)
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_, rtol=1e-6)


@pytest.mark.parametrize("offset", [1e6, -1e11])
@each()
def test_graphs_do_not_depend_on_offsets(small, estimator, offset):
    rounded = np.round(small * 2.0**20) / 2.0**10  # both tables can be written without rounding
    one, other = (clone(estimator).fit(X) for X in (rounded, rounded + offset))
    np.testing.assert_array_equal((rounded + offset) - offset, rounded)
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-9, atol=1e-12)


@each([x for x in ESTIMATORS if hasattr(x, "score_samples")])
def test_log_densities_fall_by_the_logarithm_of_the_unit(small, estimator):
    one, other = clone(estimator).fit(small), clone(estimator).fit(small * UNITS)
    rows = small[:30]
    ratio = one.log_likelihood_ratio(rows)
    np.testing.assert_allclose(
        other.log_likelihood_ratio(rows * UNITS), ratio, rtol=1e-3, atol=1e-3
    )
    expected = one.score_samples(rows) - np.log(UNITS).sum()
    np.testing.assert_allclose(other.score_samples(rows * UNITS), expected, atol=1e-2)


def test_columns_far_from_zero_keep_their_correlation(rng):
    X = rng.integers(-1000, 1000, size=(50, 3)).astype(float)
    X[:, 1] += X[:, 0]
    expected = np.corrcoef(X.T)
    far = X + np.array([2.0**52, -(2.0**51), 0.0])
    np.testing.assert_allclose(correlation_of(far, "pearson"), expected, atol=1e-13)
