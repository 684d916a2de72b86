"""What all baselines promise."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import PairCopulas
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)
from tests.models.baselines.cases import chain

ESTIMATORS = [
    GraphicalLasso(selection=Stars(0.2)),
    GraphicalLasso(selection=Stars(0.3), dependence="shrinkage"),
    GraphicalLasso(selection="ebic", dependence="shrinkage"),
    GraphicalLasso(selection="cv", dependence="kendall"),
    GraphicalLasso(selection="ric", dependence="spearman"),
    NeighbourhoodSelection(selection=Stars(0.2), rule="and"),
    NeighbourhoodSelection(selection="ric", dependence="shrinkage"),
    ChowLiu(),
    ChowLiu(criterion=None, dependence="kendall"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"], cv=3)),
    PartialCorrelation(),
    PartialCorrelation(threshold=0.1, dependence="spearman", shrink=True),
]
DENSITIES = [x for x in ESTIMATORS if hasattr(x, "score_samples")]


def name_of(estimator):
    return " ".join(str(estimator).split())


def expected_failures(estimator):
    return {
        "check_fit2d_1feature": "a graph needs two variables; the message says so in our words",
    }


@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")  # some checks round values
@parametrize_with_checks(
    [
        GraphicalLasso(),
        GraphicalLasso(selection="ebic", dependence="shrinkage"),
        NeighbourhoodSelection(rule="and"),
        ChowLiu(),
        PartialCorrelation(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def frame():
    X = chain(np.random.default_rng(7), 150, 6)
    return pd.DataFrame(X, columns=[f"gene {k}" for k in range(6)])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_fitted_attributes_agree_with_each_other(frame, estimator):
    model = clone(estimator).fit(frame)
    A = model.adjacency_
    assert A.any()
    assert A.dtype == bool
    assert not A.diagonal().any()
    np.testing.assert_array_equal(A, A.T)
    np.testing.assert_array_equal(model.edge_weights_ != 0, A)
    np.testing.assert_array_equal(model.edge_weights_, model.edge_weights_.T)
    np.testing.assert_array_equal(model.edge_signs_, model.edge_signs_.T)
    np.testing.assert_array_equal(model.edge_signs_ != 0, A)
    np.testing.assert_array_equal(model.edge_ranking_, model.edge_ranking_.T)
    assert list(model.graph_.nodes) == list(frame.columns)
    np.testing.assert_array_equal(nx.to_numpy_array(model.graph_, weight=None) > 0, A)
    assert model.n_components_ == nx.number_connected_components(model.graph_)
    for i, j in np.argwhere(A):
        assert model.labels_[i] == model.labels_[j]
    assert not hasattr(model, "edge_probabilities_")
    if hasattr(model, "edge_frequencies_"):
        assert (model.edge_frequencies_ >= 0).all()
        assert (model.edge_frequencies_ <= 1).all()
    edges = model.edges_
    assert len(edges) == A.sum() // 2
    assert ("frequency" in edges) == hasattr(model, "edge_frequencies_")
    at = [frame.columns.get_indexer(edges[end]) for end in ("source", "target")]
    order = model.edge_ranking_[at[0], at[1]].tolist()
    assert order == sorted(order, reverse=True)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_the_strongest_pairs_are_the_edges_of_the_chain(frame, estimator):
    ranking = np.triu(clone(estimator).fit(frame).edge_ranking_, 1)
    best = np.argsort(ranking, axis=None)[-5:]
    assert {divmod(int(k), 6) for k in best} == {(k, k + 1) for k in range(5)}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_frames_arrays_pickles_and_second_fits_agree(frame, estimator):
    model = clone(estimator).fit(frame)
    again = clone(estimator).fit(chain(np.random.default_rng(1), 80, 9)).fit(frame.to_numpy())
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(model.adjacency_, other.adjacency_)
        np.testing.assert_array_equal(model.edge_ranking_, other.edge_ranking_)


@pytest.mark.parametrize("selection", [Stars(0.2), "cv"])
def test_threads_change_nothing(frame, selection):
    one = GraphicalLasso(selection=selection, n_jobs=1).fit(frame)
    two = GraphicalLasso(selection=selection, n_jobs=2).fit(frame)
    np.testing.assert_array_equal(one.criterion_, two.criterion_)
    np.testing.assert_array_equal(one.precision_, two.precision_)


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
def test_scores_fit_new_rows_of_the_same_kind_best(frame, estimator):
    model = clone(estimator).fit(frame)
    rows = chain(np.random.default_rng(8), 400, 6)
    shuffled = np.column_stack([np.random.default_rng(k).permutation(rows[:, k]) for k in range(6)])
    names = list(frame.columns)
    like, unlike = (pd.DataFrame(x, columns=names) for x in (rows, shuffled))
    assert model.score(like) == pytest.approx(model.score_samples(like).mean())
    assert model.score(like) > model.score(unlike)
    ratio = model.log_likelihood_ratio(like)
    assert ratio.mean() > max(0.0, model.log_likelihood_ratio(unlike).mean())


@pytest.mark.parametrize("diagonal", [True, False])
def test_glasso_density_against_scipy(frame, diagonal):
    model = GraphicalLasso(selection=0.1, penalise_diagonal=diagonal).fit(frame)
    W = np.linalg.inv(model.precision_)
    np.testing.assert_allclose(np.diag(W), 1.1 if diagonal else 1.0, rtol=1e-5)
    deviation = frame.std(ddof=0).to_numpy()
    scale = deviation / np.sqrt(np.diag(W))
    covariance = W * np.outer(scale, scale)
    joint = multivariate_normal(frame.mean(), covariance).logpdf(frame)
    margins = norm(frame.mean(), deviation).logpdf(frame).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(frame), joint, rtol=1e-9)
    ratio = model.log_likelihood_ratio(frame)
    np.testing.assert_allclose(ratio, joint - margins, rtol=1e-9, atol=1e-9)


def test_stability_is_forgotten_by_a_fit_with_another_rule(frame):
    model = GraphicalLasso(selection=Stars(0.2)).fit(frame)
    assert model.path_frequencies_.shape == (10, 6, 6)
    at = np.flatnonzero(model.path_.penalties == model.penalty_)[0]
    np.testing.assert_array_equal(model.edge_frequencies_, model.path_frequencies_[at])
    model.set_params(selection="ebic").fit(frame)
    assert not hasattr(model, "edge_frequencies_")
    assert not hasattr(model, "path_frequencies_")
