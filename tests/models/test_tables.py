"""From a table to a graph: names, orders, odd tables."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from spinney import EnsembleOfTrees, ForestsLambda, PairCopulas
from spinney.exceptions import DataWarning, InputError
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import canonical_order, pseudo_observations
from spinney.pairs.pair_fit import PairFit
from spinney.tables import read_table
from tests.models.cases import ESTIMATORS, FOUR, PAIRS, frame, make


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture(scope="module")
def fitted(table):
    return {name: make(name).fit(table) for name in ESTIMATORS}


def mean_margins(model, X):
    return model.marginals_.log_density(X).to_numpy().sum(axis=1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fitted_attributes_agree_with_each_other(fitted, table, name):
    model = fitted[name]
    A, P = model.adjacency_, model.edge_probabilities_
    np.testing.assert_array_equal(A, model.edge_weights_ > 0)
    assert ((P >= 0) & (P <= 1)).all()
    assert (P[~A] == 0).all()
    graph = model.graph_
    np.testing.assert_array_equal(nx.to_numpy_array(graph, weight="weight"), model.edge_weights_)
    np.testing.assert_array_equal(nx.to_numpy_array(graph, weight="probability"), P)
    assert model.n_features_in_ == 5
    # The expected number of edges of a forest is the number of nodes less that of trees.
    edges = P.sum() / 2
    if name in ("trees", "lambda"):
        assert edges == pytest.approx(5 - model.n_components_)
    else:
        assert edges <= 4 + 1e-9
    # The fitted rows under ranks, not under smooth marginals.
    ranks = model.potentials_.log_density(pseudo_observations(table))
    ratio = model._ensemble().log_likelihood_ratio(model._beta, ranks)
    assert model.log_likelihood_ == pytest.approx(ratio.mean())
    posterior = model.edge_probabilities(table.iloc[:7])
    assert posterior.shape == (7, 5, 5)
    assert ((posterior >= 0) & (posterior <= 1)).all()
    np.testing.assert_array_equal(posterior, posterior.transpose(0, 2, 1))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_names_are_everywhere(fitted, table, name):
    model = fitted[name]
    drawn = model.sample(4, random_state=0)
    assert list(drawn.columns) == list(table.columns)
    assert [column.name for column in model.marginals_.columns_] == list(table.columns)
    assert model.potentials_.copula("gene 0", "gene 1") is not None
    for method in (model.score_samples, model.edge_probabilities):
        with pytest.raises(ValueError, match="feature names"):
            method(table[table.columns[::-1]])
    bare = make(name).fit(table.to_numpy())
    assert isinstance(bare.sample(4, random_state=0), np.ndarray)
    np.testing.assert_array_equal(bare.sample(4, random_state=0), drawn.to_numpy())
    np.testing.assert_array_equal(bare.edge_weights_, model.edge_weights_)
    assert list(bare.graph_.nodes) == [f"x{k}" for k in range(5)]


@pytest.mark.parametrize("name", FOUR)
def test_given_densities_have_no_units(name):
    densities = PairDensities(np.random.default_rng(0).normal(scale=0.3, size=(30, 6)))
    model = make(name).fit(densities)
    for method in (model.score_samples, model.score):
        with pytest.raises(InputError, match=r"no density in the units.*log_likelihood_ratio"):
            method(densities)
    ratio = model.log_likelihood_ratio(densities)
    assert ratio.mean() == pytest.approx(model.log_likelihood_)
    for other in (densities.listed, PairDensities(np.zeros((5, 10)))):
        with pytest.raises(InputError, match="scores PairDensities of the same 4 columns"):
            model.log_likelihood_ratio(other)


@pytest.mark.parametrize("name", FOUR)
def test_given_densities_give_the_same_graph(fitted, table, name):
    model = fitted[name]
    U = pseudo_observations(table)
    # As a table's rows are taken; given densities stay where they are.
    log_density = model.potentials_.log_density(U.iloc[canonical_order(U.to_numpy())])
    densities = PairDensities(log_density)
    again = make(name).fit(densities)
    np.testing.assert_array_equal(again.edge_weights_, model.edge_weights_)
    assert again.log_likelihood_ == model.log_likelihood_
    ratio = again.log_likelihood_ratio(densities)
    assert ratio.mean() == pytest.approx(again.log_likelihood_)
    assert again.potentials_ is None
    with pytest.raises(ValueError, match="cannot draw rows"):
        again.sample()
    with pytest.raises(ValueError, match="knows no marginals"):
        again.marginals_  # noqa: B018  (a property)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("dependent", [True, False])
def test_two_columns(name, dependent):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 2))
    X[:, 1] += 2 * X[:, 0] * dependent
    model = make(name).fit(X)
    assert model.adjacency_[0, 1] == (dependent or name.startswith("trees"))
    assert np.isfinite(model.score_samples(X)).all()
    assert model.sample(3, random_state=1).shape == (3, 2)


@pytest.mark.filterwarnings("ignore:.* are few for .* of columns")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_four_rows(name):
    X = np.random.default_rng(5).normal(size=(4, 4))
    model = make(name).fit(X)
    assert np.isfinite(model.edge_probabilities_).all()
    assert np.isfinite(model.score_samples(X)).all()


@pytest.mark.parametrize("name", FOUR)
def test_ties_are_told_by_the_name_of_the_column(table, name):
    rounded = {"ties": "average", "kind": dict.fromkeys(table, "continuous")}
    with pytest.warns(DataWarning, match="Column 'gene 0'") as caught:
        model = make(name, **rounded).fit(table.round())
    assert len([w for w in caught if w.category is DataWarning]) == 1
    assert np.isfinite(model.score(table.round()))  # without a second warning


@pytest.mark.parametrize("name", ESTIMATORS)
def test_columns_that_are_functions_of_each_other(name):
    rng = np.random.default_rng(6)
    x, z = rng.normal(size=(2, 120))
    X = pd.DataFrame({"x": x, "2x": 2 * x, "-x": -(x**3), "z": z})
    model = make(name).fit(X)
    assert np.isfinite(model.edge_probabilities_).all()
    assert np.isfinite(model.score_samples(X)).all()
    assert model.adjacency_[:3, :3].sum() >= 4  # at least two edges hold the three together
    U = pseudo_observations(X)
    assert np.abs(model.potentials_.log_density(U)).max() > 3.0  # densities far from one


@pytest.mark.parametrize("name", ESTIMATORS)
def test_independent_columns(name):
    X = pd.DataFrame(np.random.default_rng(8).normal(size=(200, 5)), columns=list("abcde"))
    model = make(name).fit(X)
    assert (model.potentials_.family_ == "independence").all()
    np.testing.assert_allclose(model.score_samples(X), mean_margins(model, X), rtol=1e-12)
    assert model.log_likelihood_ == pytest.approx(0.0, abs=1e-12)
    if name in ("exact", "lambda"):
        assert model.n_components_ == 5
        assert not model.adjacency_.any()
    elif name.startswith("trees"):
        assert model.n_components_ == 1
    assert np.isfinite(model.sample(3, random_state=0).to_numpy()).all()


def test_components_by_labels_and_by_columns(table):
    labels = [0, 0, 1, 1, 1]
    ways = [
        labels,
        np.array(labels),
        ["left", "left", "right", "right", "right"],
        [[0, 1], [2, 3, 4]],
        [["gene 0", "gene 1"], ("gene 4", "gene 2", 3)],
        [np.array([0, 1]), np.array([2, 3, 4])],
    ]
    models = [EnsembleOfTrees(PAIRS, components=way).fit(table) for way in ways]
    for model in models:
        np.testing.assert_array_equal(model.edge_weights_, models[0].edge_weights_)
        assert model.labels_.tolist() == labels
        assert model.edge_probabilities_.sum() / 2 == pytest.approx(3.0)
        left = EnsembleOfTrees(PAIRS).fit(table.iloc[:, :2])
        right = EnsembleOfTrees(PAIRS).fit(table.iloc[:, 2:])
    assert models[0].log_likelihood_ == pytest.approx(
        left.log_likelihood_ + right.log_likelihood_, abs=2e-3
    )
    alone = EnsembleOfTrees(PAIRS, components=[0, 1, 2, 3, 4]).fit(table)
    assert alone.n_components_ == 5
    assert alone.log_likelihood_ == 0.0


def test_smooth_marginals_may_be_asked_for(table):
    from spinney.pairs.margins import Margins

    model = make("lambda", marginals=Margins(transform_by="smooth")).fit(table)
    U = model.marginals_.cdf(table)
    ratio = model.score_samples(table) - mean_margins(model, table)
    assert model.log_likelihood_ == pytest.approx(ratio.mean(), rel=1e-9)
    assert ((U > 0) & (U < 1)).all().all()


def test_the_path_tells_what_happened(table):
    model = ForestsLambda([0.01, 0.3, 0.05], potentials=PAIRS, max_iter=30, gamma=0.5).fit(table)
    path = model.path_
    assert path["penalty"].tolist() == [0.3, 0.05, 0.01]
    assert model.penalty_ == path["penalty"][path["criterion"].idxmin()]
    weights = model.path_weights_.toarray()
    np.testing.assert_array_equal((weights > 0).sum(axis=1), path["n_edges"])
    chosen = weights[path["criterion"].idxmin()]
    np.testing.assert_array_equal(chosen, model._beta)
    one = ForestsLambda(0.05, potentials=PAIRS, max_iter=30).fit(table)
    np.testing.assert_array_equal(one._beta, weights[1])  # each penalty starts afresh


def test_default_penalties_are_the_papers():
    from spinney.models.paper.forests_lambda import DEFAULT_PENALTIES

    np.testing.assert_allclose(-np.log(DEFAULT_PENALTIES), np.arange(2.0, 5.05, 0.1))


def test_cuts_of_the_model_are_the_smallest_at_its_end():
    # In one piece: between independent parts all cuts weigh next to nothing, and which are the
    # smallest is a matter of rounding.
    model = make("cuts", max_renewals=20).fit(frame(components=1))
    assert model.cuts_stable_
    assert model.cuts_.shape == (4, 5)
    assert not model.cuts_[0].any()
    assert model.cut_probabilities_.sum() == pytest.approx(1.0)
    assert model.n_components_ <= 2


def test_exact_forests_of_one_tree_are_the_ensemble_of_trees(table):
    one = make("exact", max_trees=1).fit(table)
    other = make("trees").fit(table)
    ranks = one.potentials_.log_density(pseudo_observations(table))
    for beta in (one.result_.beta, other.result_.beta):
        by_subsets = one._ensemble().log_likelihood_ratio(beta, ranks)
        by_determinants = other._ensemble().log_likelihood_ratio(beta, ranks)
        np.testing.assert_allclose(by_subsets, by_determinants, rtol=1e-8, atol=1e-8)
    # Two solvers: the paper's for trees stops early, the other one goes on to a minimum.
    assert one.result_.value <= other.result_.value + 1e-4


def test_exact_forests_tell_their_progress(table, bars):
    model = make("exact", tol=0.1).fit(table)
    _, *steps = (number for label, number in bars.told if label == "sums over all forests")
    # The last two sums compare the weights with and without independent pairs.
    assert steps == [1] * (model.result_.n_evaluations + 2)


def test_exact_forests_stop_when_interrupted(table, bars, monkeypatch):
    def interrupt(label, steps):
        if label == "sums over all forests":
            raise KeyboardInterrupt

    model = make("exact").fit(table)
    monkeypatch.setattr(bars, "advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table)
    with pytest.raises(NotFittedError):
        model.score(table)


@pytest.mark.parametrize("name", ["exact-2", "exact", "cuts"])
@pytest.mark.parametrize("tolerance", [0.5, 1.0])
def test_a_forest_is_left_whatever_is_dropped(table, name, tolerance):
    model = make(name, edge_tolerance=tolerance).fit(table)
    assert np.isfinite(model.log_likelihood_)
    assert np.isfinite(model.edge_probabilities_).all()


def test_pair_copulas_of_every_family_may_be_used(table):
    model = make("lambda", potentials=PairCopulas(), penalties=0.05).fit(table)
    assert len(set(model.potentials_.family_)) > 1
    assert np.isfinite(model.score(table))


# Among scikit-learn's own tools


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickles_and_clones(fitted, table, name):
    model = fitted[name]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.edge_weights_, model.edge_weights_)
    np.testing.assert_array_equal(again.score_samples(table), model.score_samples(table))
    pd.testing.assert_frame_equal(again.sample(5, 3), model.sample(5, 3))
    fresh = clone(model)
    assert not hasattr(fresh, "edge_weights_")
    np.testing.assert_array_equal(fresh.fit(table).edge_weights_, model.edge_weights_)


def test_pipeline_with_a_scaler(table):
    pipeline = make_pipeline(StandardScaler(), make("lambda")).fit(table)
    plain = make("lambda").fit(table)
    np.testing.assert_array_equal(pipeline[-1].adjacency_, plain.adjacency_)  # ranks are the same
    np.testing.assert_allclose(pipeline[-1].edge_weights_, plain.edge_weights_)
    # The density is in scaled units: a factor for each column. Smooth marginals are not wholly
    # free of units, so that the two fits differ a little.
    shift = np.log(pipeline[0].scale_).sum()
    assert pipeline.score(table) == pytest.approx(plain.score(table) + shift, abs=0.02)


def test_grid_search_over_penalties(table):
    search = GridSearchCV(
        ForestsLambda(potentials=PAIRS, max_iter=20), {"penalties": [0.5, 0.02]}, cv=2
    ).fit(table)
    assert search.best_params_["penalties"] == 0.02  # 0.5 cuts all edges of a dependent table
    assert search.best_estimator_.penalty_ == 0.02
    assert len(search.best_estimator_.path_) == 1
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("name", FOUR)
def test_fitted_densities_are_taken_as_they_are(fitted, table, name):
    fit = PairFit(PAIRS).fit(read_table(table))
    model = make(name).fit(fit)
    np.testing.assert_array_equal(model.adjacency_, fitted[name].adjacency_)
    assert model.pair_fit_ is fit
    assert model.potentials_ is fit.copulas_
    assert np.isfinite(model.score(table))
    assert model.sample(3, 0).shape == (3, 5)
    with pytest.raises(NotFittedError):
        make(name).fit(PairFit(PAIRS))


def test_potentials_are_cloned(table):
    pairs = PairCopulas(families=["gaussian"], criterion="bic")
    model = make("trees", potentials=pairs, n_jobs=2).fit(table)
    assert not hasattr(pairs, "family_")
    assert (pairs.n_jobs, model.potentials_.n_jobs) == (None, 2)
