"""Relabelling, negating and reordering a table does to the graph what it should, and no more."""

import numpy as np
import pytest
from sklearn.base import clone

from spinney import PairCopulas
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)
from tests.models.baselines.cases import chain

WITHOUT_CHANCE = [
    GraphicalLasso(selection="ebic"),
    GraphicalLasso(selection=0.2, dependence="shrinkage"),
    GraphicalLasso(selection="ebic", dependence="spearman"),
    NeighbourhoodSelection(selection=0.2),
    NeighbourhoodSelection(selection=0.2, rule="and", dependence="kendall"),
    ChowLiu(),
    ChowLiu(criterion=None, dependence="kendall"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"], criterion="bic")),
    PartialCorrelation(),
    PartialCorrelation(threshold="none", dependence="shrinkage", shrink=True),
]
# Their subsamples, folds and rotations are drawn by position, so the order of rows matters.
DRAW_ROWS = [
    GraphicalLasso(selection=Stars(0.3)),
    GraphicalLasso(selection="cv", dependence="shrinkage"),
    GraphicalLasso(selection="ric", dependence="kendall"),
    NeighbourhoodSelection(selection=Stars(0.3)),
]
ESTIMATORS = WITHOUT_CHANCE + DRAW_ROWS
SIGNS = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
ORDER = np.array([3, 0, 5, 1, 4, 2])


def name_of(estimator):
    return " ".join(str(estimator).split())


@pytest.fixture(scope="module")
def table():
    return chain(np.random.default_rng(11), 150, 6) * [1, 1, -1, 1, 1, 1]


def fit(estimator, X):
    return clone(estimator).fit(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_permuting_columns_permutes_the_graph(table, estimator):
    one, other = fit(estimator, table), fit(estimator, table[:, ORDER])
    where = np.ix_(ORDER, ORDER)
    assert one.adjacency_.any()
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_[where])
    np.testing.assert_array_equal(other.edge_signs_, one.edge_signs_[where])
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_[where], atol=1e-4)
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_[where], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_negating_columns_turns_signs_and_nothing_else(table, estimator):
    one, other = fit(estimator, table), fit(estimator, table * SIGNS)
    turned = np.outer(SIGNS, SIGNS)
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_array_equal(other.edge_signs_, one.edge_signs_ * turned)
    np.testing.assert_allclose(
        np.abs(other.edge_weights_), np.abs(one.edge_weights_), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("estimator", WITHOUT_CHANCE, ids=name_of)
def test_the_order_of_rows_does_not_matter(table, estimator):
    one = fit(estimator, table)
    other = fit(estimator, np.random.default_rng(0).permutation(table))
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("estimator", DRAW_ROWS, ids=name_of)
def test_rules_that_draw_rows_are_repeatable(table, estimator):
    one, other = fit(estimator, table), fit(estimator, table)
    np.testing.assert_array_equal(one.criterion_, other.criterion_)
    np.testing.assert_array_equal(one.edge_weights_, other.edge_weights_)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
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


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
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
