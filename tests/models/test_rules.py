"""The rules by which estimators choose, charge and settle, one test each.

The table has Student and Gumbel pairs, so that copulas have one parameter or two, and what is
judged out of sample differs from what is judged in sample.
"""

import numpy as np
import pytest
from scipy.special import comb

from spinney import ForestsLambda, PairCopulas, RootedForests, SharedForest
from spinney._core.pairs import pair_index, to_pairs
from spinney.forests.posterior import Ladder
from spinney.models.objectives import NegativeLogLikelihood
from spinney.models.paper.search import Canonical, drop_independent, keep_edges
from spinney.models.rooted_forests import read_knowledge
from spinney.models.selection import extended_bic
from spinney.models.unrooted import FewTrees, InducedTrees, Trees
from spinney.pairs.copulas import Gumbel, Student
from spinney.pairs.densities import PairDensities
from spinney.simulate import independent

N, D = 80, 6
CHARGED = PairCopulas(families=["student", "gumbel"], criterion="bic")


@pytest.fixture(scope="module")
def table():
    """Columns 0 and 1 are a Student pair, 2 and 3 a Gumbel pair, 4 and 5 weakly Student."""
    rng = np.random.default_rng(5)
    blocks = [
        Student(0.6, 2.0).sample(N, rng),
        Gumbel(1.8).sample(N, rng),
        Student(0.1, 1.5).sample(N, rng),
    ]
    return np.hstack(blocks)


def ranking(model, required=()):
    """Pairs in the order in which they were fitted."""
    score = to_pairs(model.edge_ranking_)
    order = [k for k in np.argsort(-score, kind="stable") if score[k] > 0 and k not in required]
    return np.array([*required, *order])


# What k edges cost


@pytest.mark.parametrize("gamma", [0.0, 0.8])
def test_rooted_forests_charge_parameters_and_search(table, gamma):
    model = RootedForests(CHARGED, gamma=gamma).fit(table)
    parameters = model.potentials_.n_parameters_
    order = ranking(model)
    assert {1, 2} <= set(parameters[order])
    sizes = model.refits_.n_edges.to_numpy()
    own = np.append(0.0, np.cumsum(parameters[order]))[sizes] * np.log(N)
    search = 2 * gamma * np.log(comb(15, np.minimum(sizes, 7)))
    charged = model.refits_.criterion + 2 * N * model.refits_.log_likelihood
    np.testing.assert_allclose(charged, own + search, atol=1e-8)
    best = model.refits_.criterion.idxmin()
    assert np.count_nonzero(to_pairs(model.edge_weights_)) <= sizes[best]


def test_what_was_not_searched_for_is_not_charged(table):
    required, forbidden = [(0, 5), (1, 3)], [(0, 2), (0, 3), (0, 4)]
    model = RootedForests(CHARGED, required=required, forbidden=forbidden).fit(table)
    first = sorted(pair_index(i, j, D) for i, j in required)
    order = ranking(model, first)
    sizes = model.refits_.n_edges.to_numpy()
    assert sizes.min() == 2
    own = np.append(0.0, np.cumsum(model.potentials_.n_parameters_[order]))[sizes] * np.log(N)
    search = 2 * np.log(comb(10, np.minimum(sizes - 2, 5)))  # 15 pairs, five of them known
    charged = model.refits_.criterion + 2 * N * model.refits_.log_likelihood
    np.testing.assert_allclose(charged, own + search, atol=1e-8)


def test_required_edges_are_edges_even_where_their_weight_is_none():
    rng = np.random.default_rng(0)
    log_density = rng.normal(size=(40, 6)) + 0.3
    log_density[:, 2] = -5.0  # the pair (0, 3), against which every row speaks
    model = RootedForests(required=[(0, 3)]).fit(PairDensities(log_density))
    assert model.edge_weights_[0, 3] == 1e-8
    assert model.adjacency_[0, 3]


def test_known_pairs_have_their_penalties():
    known = read_knowledge(("a", "b", "c", "d"), [("a", "b")], [("d", "a")], None)
    np.testing.assert_array_equal(known.penalty_factors, [0, 1, np.inf, 1, 1, 1])
    assert known.required.tolist() == [0]


def test_the_paths_criterion_is_the_extended_bic(table):
    model = ForestsLambda([0.1, 0.03, 0.01], gamma=0.2, potentials=CHARGED).fit(table)
    path = model.path_
    expected = [
        extended_bic(N * gain, k, N, D, gamma=0.2)
        for gain, k in zip(path.log_likelihood, path.n_edges, strict=True)
    ]
    np.testing.assert_allclose(path.criterion, expected)
    assert len(set(expected)) > 1
    assert model.penalty_ == path.penalty[int(np.argmin(expected))]


def test_a_copy_does_not_push_the_path_out_of_reach(table):
    copied = np.column_stack([table, table[:, 0] + 1e-9])
    model = RootedForests(CHARGED, n_penalties=4).fit(copied)
    np.testing.assert_allclose(model.path_.penalty, 5.0 * 0.01 ** (np.arange(1, 5) / 4))


# The shared forest's prior and its cut


def test_the_prior_weight_of_an_edge_is_learned():
    d = 12
    model = SharedForest(CHARGED).fit(independent(60, d, 300_001).X)
    k = int(model.adjacency_.sum()) // 2
    assert k == 0
    assert model.edge_weight_ == pytest.approx(0.25 / (2 * d**2))
    fixed = SharedForest(CHARGED, edge_weight=1 / d).fit(independent(60, d, 300_001).X)
    assert fixed.edge_weight_ == 1 / d


def test_a_table_with_many_edges_keeps_the_prior_weight():
    X = np.random.default_rng(0).normal(size=(100, 4)).cumsum(axis=1)
    model = SharedForest(CHARGED).fit(X)
    assert model.edge_weight_ == 1 / 4


def test_an_edge_passes_the_cut():
    profile = Ladder(np.array([4, 9]), np.array([1, 1]), np.array([[0.25, 0.5], [1.0, 1.0]]), 9)
    assert profile.select(0.25).tolist() == [False, True]


# Which weights count as edges


def weights_of(d, edges):
    """Pair weights from a dictionary of edges."""
    beta = np.zeros(d * (d - 1) // 2)
    for (u, v), weight in edges.items():
        beta[pair_index(u, v, d)] = weight
    return beta


def test_a_weight_is_compared_with_the_smaller_of_the_largest_at_its_nodes():
    edges = {(0, 1): 8.0, (1, 2): 1.0, (2, 3): 100.0, (0, 2): 0.5}
    beta = weights_of(4, edges)
    for unit in (1.0, 2.0**-20, 2.0**20):
        kept = keep_edges(unit * beta, InducedTrees(4), 1 / 8)
        np.testing.assert_array_equal(kept, unit * weights_of(4, edges | {(0, 2): 0.0}))
    fewer = keep_edges(beta, InducedTrees(4), float(np.nextafter(1 / 8, 1.0)))
    np.testing.assert_array_equal(fewer, weights_of(4, {(0, 1): 8.0, (2, 3): 100.0}))


def test_equal_weights_in_a_clique_all_pass():
    ensemble, beta = InducedTrees(6), np.ones(15)
    assert ensemble.edge_probabilities(beta).max() < 0.5
    assert keep_edges(beta, ensemble, 1.0).all()


def test_zero_is_no_edge_at_any_tolerance():
    beta = weights_of(4, {(0, 1): 1.0})
    np.testing.assert_array_equal(keep_edges(beta, InducedTrees(4), 0.0), beta)


def test_edges_are_put_back_the_most_probable_first():
    # A chain of six columns in which two edges are small. With at most two trees one is enough.
    strong = {(0, 1): 50.0, (2, 3): 50.0, (4, 5): 50.0}
    for first, second in ((1.0, 2.0), (2.0, 1.0)):
        weak = {(1, 2): first, (3, 4): second}
        kept = keep_edges(weights_of(6, strong | weak), FewTrees(6, 2), 0.5)
        better = max(weak, key=weak.get)
        np.testing.assert_array_equal(kept, weights_of(6, strong | {better: weak[better]}))


def test_what_has_come_apart_is_joined_by_the_most_probable_edges():
    strong = {(0, 1): 100.0, (2, 3): 100.0}
    beta = weights_of(4, strong | {(1, 2): 2.0, (0, 3): 1.0, (0, 2): 0.9, (1, 3): 0.8})
    kept = keep_edges(beta, Trees(4), 0.5)
    np.testing.assert_array_equal(kept, weights_of(4, strong | {(1, 2): 2.0}))


def test_edges_that_tie_are_put_back_together():
    beta = weights_of(4, {(0, 1): 100.0, (2, 3): 100.0, (1, 2): 2.0, (0, 3): 2.0, (0, 2): 1.0})
    kept = keep_edges(beta, Trees(4), 0.5)
    np.testing.assert_array_equal(kept > 0, beta > 1.0)


def test_the_criterion_counts_the_edges_that_pass():
    X = np.random.default_rng(2).normal(size=(80, 6)).cumsum(axis=1)
    all_of_them = ForestsLambda(0.01, potentials=CHARGED, edge_tolerance=0.0).fit(X)
    weights = all_of_them.edge_weights_
    largest = np.minimum.outer(weights.max(axis=0), weights.max(axis=0))
    passing = (weights > 0) & (weights >= 0.2 * largest)
    assert 0 < passing.sum() < (weights > 0).sum()
    assert all_of_them.edge_probabilities_[weights > 0].min() > 0.2  # another rule, other edges
    model = ForestsLambda(0.01, potentials=CHARGED, edge_tolerance=0.2).fit(X)
    np.testing.assert_array_equal(model.adjacency_, passing)
    np.testing.assert_array_equal(model.edge_weights_, np.where(passing, weights, 0.0))
    (row,) = model.path_.itertuples()
    assert row.n_edges == passing.sum() // 2
    assert row.log_likelihood == pytest.approx(model.log_likelihood_, rel=1e-9)
    cost = model.pair_fit_.densities_.edge_cost(to_pairs(passing) > 0)
    expected = extended_bic(80 * row.log_likelihood, row.n_edges, 80, 6, 0.5, parameter_cost=cost)
    assert row.criterion == pytest.approx(expected, rel=1e-9)


def test_independent_pairs_stay_where_they_are_needed():
    # In a tree of three columns the third hangs on by an independent pair, or by one that loses.
    log_density = np.zeros((20, 3))
    log_density[:, 0] = 1.0
    log_density[:, 2] = -1.0
    objective = NegativeLogLikelihood(Trees(3), PairDensities(log_density))
    beta = np.array([1.0, 1.0, 0.1])
    np.testing.assert_array_equal(drop_independent(beta, objective), beta)
    # Among forests nobody misses it.
    among_forests = NegativeLogLikelihood(FewTrees(3, 2), PairDensities(log_density))
    alone = np.array([1.0, 0.0, 0.0])
    kept = drop_independent(np.array([1.0, 1e-9, 0.0]), among_forests)
    np.testing.assert_array_equal(kept, alone)


# Threads


def test_copulas_are_fitted_on_as_many_threads_as_the_model(table):
    model = RootedForests(CHARGED, n_penalties=3, n_jobs=1).fit(table)
    assert model.potentials_.n_jobs == 1


# Nothing of an earlier fit, and no last digits


def test_margins_of_an_earlier_fit_are_forgotten(table):
    model = RootedForests(CHARGED, n_penalties=3).fit(table)
    before = model.score(table)
    again = model.fit(1000.0 * table).score(1000.0 * table)
    assert again == pytest.approx(before - D * np.log(1000.0), abs=0.05)


def test_last_digits_do_not_reach_the_search():
    rng = np.random.default_rng(3)
    log_density = rng.normal(size=(20, 10)).round(6)
    one = Canonical(PairDensities(log_density))
    other = Canonical(PairDensities(log_density + 1e-13 * rng.normal(size=(20, 10))))
    np.testing.assert_array_equal(other.nodes, one.nodes)
    np.testing.assert_array_equal(other.evidence.log_density, one.evidence.log_density)
