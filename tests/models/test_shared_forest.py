"""One forest that rows share: the graph against the ladder, the density against enumeration."""

import pickle
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import spearmanr
from sklearn.base import clone

from spinney import PairCopulas, SharedForest, forests
from spinney._core.pairs import n_pairs, pair_index, pair_nodes, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.forests import PairNetwork, forest_posterior
from spinney.forests.posterior import ladder, log_evidence
from spinney.models.shared_forest import OneForest
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import canonical_order, pseudo_observations
from spinney.simulate import gaussian_mrf
from tests.models.cases import CROSS_FITTED


@pytest.fixture(scope="module")
def frame():
    X = gaussian_mrf(60, 6, 2, 1, random_state=3).X
    return pd.DataFrame(X, columns=[f"gene {k}" for k in range(6)])


@pytest.fixture(scope="module")
def model(frame):
    return SharedForest(CROSS_FITTED).fit(frame)


# The density, against every forest one by one


def brute_force(log_density, n_parameters, edge_weight, rows):
    """Log-densities and edge probabilities of new rows, by listing all forests."""
    n = len(log_density)
    weights = np.log(edge_weight) + log_density.sum(axis=0) - 0.5 * n_parameters * np.log(n)
    weights[n_parameters == 0] = -np.inf
    listed = forests.enumerate(to_matrix(weights), log=True)
    d = listed.n_nodes
    terms = np.array(
        [
            [sum(row[pair_index(u, v, d)] for u, v in forest) for forest in listed.forests]
            for row in rows
        ]
    )
    joint = listed.log_weights - listed.log_partition + terms
    log_ratio = logsumexp(joint, axis=1)
    given = np.exp(joint - log_ratio[:, None])
    holds = np.array(
        [[(u, v) in f for u, v in zip(*pair_nodes(d), strict=True)] for f in listed.forests]
    )
    return log_ratio, given @ holds, to_pairs(listed.edge_marginals)


@settings(max_examples=40)
@given(
    d=st.integers(2, 5),
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.1, 1.0, 30.0, 400.0]),
    edge_weight=st.sampled_from([None, 0.7, 3.0]),
)
def test_density_equals_enumeration(d, seed, spread, edge_weight):
    rng = np.random.default_rng(seed)
    log_density = rng.normal(scale=spread, size=(6, n_pairs(d)))
    k = rng.integers(0, 3, n_pairs(d))
    new = rng.normal(scale=spread, size=(3, n_pairs(d)))
    model = SharedForest(sizes=[2, 6], n_subsets=2, edge_weight=edge_weight).fit(
        PairDensities(log_density, k)
    )
    prior = model.edge_weight_ if edge_weight is None else edge_weight
    log_ratio, given_row, posterior = brute_force(log_density, k, prior, new)
    rows = PairDensities(new)
    np.testing.assert_allclose(model.log_likelihood_ratio(rows), log_ratio, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(to_pairs(model.edge_probabilities_), posterior, rtol=0, atol=1e-9)
    found = model.edge_probabilities(rows)
    np.testing.assert_allclose(to_pairs(found), given_row, rtol=0, atol=1e-9)
    own, _, _ = brute_force(log_density, k, prior, log_density)
    assert model.log_likelihood_ == pytest.approx(own.mean(), rel=1e-11, abs=1e-9)


def test_density_of_a_large_table_equals_the_log_engine(rng):
    # Sums of hundreds of rows fit no double, and there are too many forests to list.
    d, n = 12, 300
    log_density = rng.normal(loc=rng.uniform(-4, 10, n_pairs(d)), size=(n, n_pairs(d)))
    model = SharedForest(sizes=[n]).fit(PairDensities(log_density))
    weights = model.log_weights_
    assert weights[np.isfinite(weights)].max() > 1000
    new = rng.normal(scale=5.0, size=(20, n_pairs(d)))
    prior = forests.log_partition(weights, log=True, engine="log")
    tilted = np.where(np.eye(d), -np.inf, weights + to_matrix(new))
    expected = forests.log_partition(tilted, log=True, engine="log") - prior
    found = model.log_likelihood_ratio(PairDensities(new))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.* are few for .* of columns")
def test_samples_have_the_rank_correlations_of_the_mixture():
    """In a tree of Gaussian copulas correlations multiply along paths, and Spearman's is linear."""
    d, n = 4, 20_000
    X = gaussian_mrf(25, d, 2, 1, random_state=3).X
    model = SharedForest(PairCopulas(families=["gaussian"], margin=0.0)).fit(X)
    correlation = to_matrix(np.nan_to_num(model.potentials_.parameters_[:, 0]))
    listed = forests.enumerate(model.log_weights_, 1.0, log=True)
    expected = np.zeros((d, d))
    for forest, probability in zip(listed.forests, listed.probabilities, strict=True):
        tree = nx.Graph(forest)
        for u, path in nx.all_pairs_shortest_path(tree):
            for v, nodes in path.items():
                r = np.prod([correlation[a, b] for a, b in pairwise(nodes)])
                expected[u, v] += (u != v) * probability * 6 / np.pi * np.arcsin(r / 2)
    unsure = (model.edge_probabilities_ > 0.05) & (model.edge_probabilities_ < 0.95)
    assert unsure.all(where=~np.eye(d, dtype=bool))
    found = spearmanr(model.sample(n, random_state=0)).statistic
    np.fill_diagonal(found, 0.0)
    assert np.abs(expected).max() > 0.3
    assert np.abs(found - expected).max() < 4 / np.sqrt(n)


def test_ensemble_gradient_against_central_differences(rng):
    ensemble = OneForest(PairNetwork(4), rng.normal(scale=3.0, size=6))
    beta, W = rng.uniform(0.5, 2.0, 6), rng.uniform(0.1, 3.0, (3, 6))
    found = ensemble.evaluate(beta, W)
    step = 1e-5 * np.eye(6)
    numeric = [
        (
            ensemble.evaluate(beta + h, W).log_partition
            - ensemble.evaluate(beta - h, W).log_partition
        ).sum()
        / 2e-5
        for h in step
    ]
    np.testing.assert_allclose(found.gradient, numeric, rtol=1e-7)
    each = ensemble.evaluate(beta, np.log(W), log=True, per_sample=True)
    np.testing.assert_allclose(each.gradient.sum(axis=0), found.gradient, rtol=1e-12)


# The graph, against the ladder


def canonical(frame):
    """Pseudo-observations, in the order in which rows are taken."""
    U = pd.DataFrame(pseudo_observations(frame), columns=frame.columns)
    return U.iloc[canonical_order(U.to_numpy())]


def test_profile_is_the_ladder_and_its_last_row_the_posterior(frame, model):
    U = canonical(frame)
    log_density = model.potentials_.log_density(U)
    k = [len(FAMILIES[name].bounds) for name in model.potentials_.family_]
    assert model.edge_weight_ == 1 / 6
    evidence = PairDensities(log_density, k)
    profile = ladder(evidence)
    np.testing.assert_array_equal(model.profile_.probabilities, profile.probabilities)
    assert model.profile_.sizes.tolist() == [4, 8, 16, 32, 48, 60]
    whole = forest_posterior(log_evidence(evidence)).probabilities
    np.testing.assert_array_equal(to_pairs(model.edge_probabilities_), whole)
    np.testing.assert_array_equal(model.profile_.probabilities[-1], whole)


def test_a_larger_prior_weight_gives_more_edges(frame, model):
    bold = SharedForest(CROSS_FITTED, edge_weight=1.0).fit(frame)
    assert bold.edge_probabilities_.sum() > model.edge_probabilities_.sum()


def test_attributes_agree_with_each_other(frame, model):
    A = model.adjacency_
    np.testing.assert_array_equal(to_pairs(A) > 0, model.profile_.maximum > 0.25)
    np.testing.assert_array_equal(A, A.T)
    np.testing.assert_array_equal(model.edge_weights_[A], to_matrix(model.profile_.maximum)[A])
    assert not model.edge_weights_[~A].any()
    np.testing.assert_array_equal(to_pairs(model.edge_ranking_), model.profile_.mean)
    assert list(model.graph_.nodes) == list(frame.columns)
    np.testing.assert_array_equal(nx.to_numpy_array(model.graph_, weight=None) > 0, A)
    assert model.n_components_ == nx.number_connected_components(model.graph_)
    assert model.log_likelihood_ > 0
    assert np.isneginf(model.log_weights_.diagonal()).all()


def test_cut_decides_which_pairs_are_edges(frame, model):
    fewer, more = (
        SharedForest(CROSS_FITTED, cut=cut, edge_weight=1 / 6).fit(frame) for cut in (0.9, 0.0)
    )
    assert fewer.adjacency_.sum() < model.adjacency_.sum() < more.adjacency_.sum()
    possible = to_matrix(model.potentials_.family_ != "independence") > 0
    np.testing.assert_array_equal(more.adjacency_, possible)
    np.testing.assert_array_equal(fewer.score_samples(frame), model.score_samples(frame))


def test_finds_a_small_field_and_scores_new_rows_of_it():
    data = gaussian_mrf(800, 10, 2, 1, random_state=1)
    train, new = data.X[:500], data.X[500:]
    model = SharedForest(CROSS_FITTED).fit(train)
    assert (model.adjacency_ != data.adjacency).sum() // 2 <= 2
    shuffled = np.column_stack([np.random.default_rng(k).permutation(new[:, k]) for k in range(10)])
    assert model.score(new) > model.score(shuffled) + 1.0
    assert model.score(new) == model.score_samples(new).mean()


@pytest.mark.filterwarnings("ignore:.* are few for .* of columns")
def test_four_rows_and_two_columns_will_do():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 4.0]])
    model = SharedForest(CROSS_FITTED).fit(X)
    assert model.profile_.sizes.tolist() == [4]
    np.testing.assert_array_equal(model.edge_ranking_, model.edge_probabilities_)
    assert np.isfinite(model.score(X))


# Same numbers, whatever the container, the file, the seed and the threads


def assert_equal_models(one, other, X):
    names = ("adjacency_", "edge_weights_", "edge_probabilities_", "edge_ranking_", "log_weights_")
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.profile_.probabilities, other.profile_.probabilities)
    assert one.log_likelihood_ == other.log_likelihood_
    values = [
        np.asarray(m.score_samples(X if hasattr(m, "feature_names_in_") else X.to_numpy()))
        for m in (one, other)
    ]
    np.testing.assert_array_equal(*values)
    np.testing.assert_array_equal(*[np.asarray(m.sample(5, random_state=1)) for m in (one, other)])


def test_arrays_pickles_clones_and_second_fits_agree(frame, model):
    assert isinstance(model.sample(3, random_state=0), pd.DataFrame)
    assert list(model.sample(3).columns) == list(frame.columns)
    assert_equal_models(model, SharedForest(CROSS_FITTED).fit(frame.to_numpy()), frame)
    assert_equal_models(model, pickle.loads(pickle.dumps(model)), frame)
    assert_equal_models(model, clone(model).fit(frame.iloc[:30, :4]).fit(frame), frame)


def test_seed_decides_on_the_subsets(frame, model):
    assert_equal_models(model, SharedForest(CROSS_FITTED, random_state=0).fit(frame), frame)
    other = SharedForest(CROSS_FITTED, random_state=1).fit(frame)
    assert (other.profile_.probabilities[0] != model.profile_.probabilities[0]).any()
    np.testing.assert_array_equal(other.edge_probabilities_, model.edge_probabilities_)


def test_progress_bars_change_nothing(frame, model, capsys):
    shown = SharedForest(CROSS_FITTED, progress=True).fit(frame)
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(shown.edge_ranking_, model.edge_ranking_)


# Other potentials


def test_fitted_and_given_densities(frame, model):
    U = canonical(frame)
    again = SharedForest().fit(model.pair_fit_)
    np.testing.assert_array_equal(again.profile_.probabilities, model.profile_.probabilities)
    log_density = model.potentials_.log_density(U)
    # Gaussian pairs have one parameter and independent ones a density of one: the defaults.
    densities = PairDensities(log_density)
    bare = SharedForest().fit(densities)
    np.testing.assert_array_equal(bare.profile_.probabilities, model.profile_.probabilities)
    np.testing.assert_allclose(bare.log_likelihood_ratio(densities).mean(), model.log_likelihood_)
    dear = SharedForest().fit(PairDensities(log_density, np.full(15, 2)))
    assert dear.edge_probabilities_.sum() < bare.edge_probabilities_.sum()
    with pytest.raises(InputError, match="cannot draw rows"):
        bare.sample()


# What goes wrong


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cut": 1.5}, "'cut' parameter .* Got 1.5"),
        ({"n_subsets": 0}, "'n_subsets' parameter"),
        ({"edge_weight": 0.0}, "'edge_weight' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
        ({"sizes": [61]}, "1 to 60; it is 61"),
        ({"sizes": []}, "at least one"),
        ({"potentials": "gaussian"}, "must be an instance of .*PairCopulas"),
    ],
)
def test_bad_parameters(frame, change, message):
    with pytest.raises(InputError, match=message):
        SharedForest(**{"potentials": CROSS_FITTED, **change}).fit(frame)


def test_an_interrupt_ends_the_ladder(frame, monkeypatch):
    calls = []

    def interrupted(*args, **kwargs):
        calls.append(args)
        raise KeyboardInterrupt

    monkeypatch.setattr(PairNetwork, "solve", interrupted)
    model = SharedForest(CROSS_FITTED, n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(frame)
    assert len(calls) <= 2  # one on each thread, of 26
    assert not hasattr(model, "adjacency_")
