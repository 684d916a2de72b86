"""Refits: the best number of edges, as if every number had been fitted, and to its optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import comb

from spinney import PairCopulas
from spinney._core.pairs import n_pairs, pair_index
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.models.selection import (
    extended_bic,
    fit_apart,
    fit_edges,
    follow_path,
    largest_penalty,
    ranking_costs,
    refit_ranking,
)
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import gaussian_mrf
from tests.models.selection.test_path import kkt_violation, problem

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))]


def table(seed, d=5, n=60):
    U = pseudo_observations(gaussian_mrf(n, d, 2, 1, seed).X)
    pairs = PairCopulas(families=["gaussian", "student"], criterion="bic").fit(U)
    evidence = PairDensities(pairs.log_density(U), pairs.n_parameters_)
    order = np.argsort(-evidence.log_density.sum(axis=0), kind="stable")
    return evidence, order


def log_likelihood_by_lbfgs(evidence, columns, starts):
    """Climb from several starts by another solver; return the best that is found."""
    n = evidence.n_samples
    ensemble = Rooted(evidence.n_nodes).restrict(columns)
    objective = NegativeLogLikelihood(ensemble, evidence.take(columns))

    def value(log_weights):
        value, gradient = objective.evaluate(np.exp(log_weights))
        return n * value, n * gradient * np.exp(log_weights)

    bounds = [(-18.4, 18.4)] * len(columns)
    ends = [
        minimize(value, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13})
        for start in starts
    ]
    return -min(end.fun for end in ends)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_refit_is_short_of_its_optimum(seed):
    # Refits that were 1 to 7 nats short, unevenly in k, changed a third of all choices.
    evidence, order = table(seed)
    rng = np.random.default_rng(0)
    for k in range(1, 11):
        found = fit_edges(Rooted(5), evidence, order[:k], np.ones(k))
        assert found.converged
        reached = -evidence.n_samples * found.value
        own = np.log(np.clip(found.beta, 1e-7, 1e8))
        assert reached >= log_likelihood_by_lbfgs(evidence, order[:k], [own]) - 0.05
        # The likelihood is not concave: elsewhere there may be a little more.
        elsewhere = [np.zeros(k), *rng.normal(scale=2.0, size=(6, k))]
        assert reached >= log_likelihood_by_lbfgs(evidence, order[:k], elsewhere) - 0.5


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gamma", [0.0, 1.0])
def test_the_choice_is_that_of_fitting_every_size(seed, gamma):
    evidence, order = table(seed, d=6)
    n = evidence.n_samples
    costs = ranking_costs(evidence, order, gamma=gamma, n_candidates=15)
    refits = refit_ranking(Rooted(6), evidence, order, costs)
    criterion = [0.0]
    for size in range(1, len(order) + 1):
        found = fit_edges(Rooted(6), evidence, order[:size], np.ones(size))
        criterion.append(2.0 * n * found.value + costs[size])
    # Half a nat is what other valleys may make of it.
    assert refits.table.criterion.min() == pytest.approx(min(criterion), abs=1.0)
    assert len(refits.table) <= len(criterion)


def test_edges_with_nothing_to_say_get_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[:, 1] += 2.0 * X[:, 0]
    U = pseudo_observations(X)
    evidence = PairDensities(
        PairCopulas(families=["gaussian"], criterion="aic").fit(U).log_density(U)
    )
    # Against its density: wherever the pair has weight, the likelihood falls.
    worse = PairDensities(
        np.column_stack([evidence.log_density[:, 0], -np.abs(X[:, 2]), -np.abs(X[:, 0])])
    )
    found = fit_edges(Rooted(3), worse, np.arange(3), np.ones(3))
    assert found.beta[0] > 1.0
    assert (found.beta[1:] == 0.0).all()


def test_required_edges_are_never_left_out():
    evidence, order = table(1)
    costs = ranking_costs(evidence, order, first=3, n_candidates=7)
    assert refit_ranking(Rooted(5), evidence, order, 1e6 * costs, first=3).table.n_edges.min() == 3


def test_costs_count_parameters_rows_and_graphs():
    evidence = PairDensities(np.ones((50, 6)), [1, 2, 1, 2, 1, 1], [50, 40, 50, 50, 30, 50])
    order = np.array([3, 4, 1, 0, 2, 5])
    costs = ranking_costs(evidence, order, gamma=0.7, n_candidates=6)
    own = np.array([2 * np.log(50), np.log(30), 2 * np.log(40)])
    expected = [np.cumsum(own)[k - 1] + 1.4 * np.log(comb(6, k)) for k in (1, 2, 3)]
    np.testing.assert_allclose(costs[1:4], expected)
    assert costs[0] == 0.0
    assert (np.diff(costs) > 0).all()  # beyond half of the pairs too
    free = ranking_costs(evidence, order, gamma=0.7, first=2, n_candidates=4)
    assert free[2] == pytest.approx(own[:2].sum())


# The rules of paths and refits, one test each; most by pair densities made for the purpose


def chain(d=5, n=40, seed=0, gain=0.6):
    """Pair densities in which neighbours gain, each pair by a draw per row."""
    first, second = np.triu_indices(d, 1)
    mean = np.where(second == first + 1, gain, -0.1)
    rng = np.random.default_rng(seed)
    evidence = PairDensities(mean + 0.5 * rng.normal(size=(n, len(first))))
    order = np.argsort(-evidence.log_density.sum(axis=0), kind="stable")
    return evidence, order


def test_parameters_may_be_counted_apart_from_edges():
    # 3 Student edges: six parameters, but three edges that were searched for.
    found = extended_bic(-10.0, 3, 50, 8, gamma=0.5, parameter_cost=6 * np.log(50))
    assert found == pytest.approx(20.0 + 6 * np.log(50) + 6 * np.log(8))


def test_the_search_costs_by_the_number_of_graphs():
    # Without parameters the search alone is left, and it never gets cheaper.
    evidence = PairDensities(np.ones((9, 6)), n_parameters=np.zeros(6))
    costs = ranking_costs(evidence, np.arange(6), gamma=0.5, n_candidates=6)
    np.testing.assert_allclose(costs, np.log([comb(6, k) for k in (0, 1, 2, 3, 3, 3, 3)]))
    costs = ranking_costs(evidence, np.arange(6), gamma=0.5, first=2, n_candidates=4)
    np.testing.assert_allclose(costs, np.log([comb(4, k) for k in (0, 0, 0, 1, 2, 2, 2)]))


@pytest.mark.parametrize("size", [3, 5, 6])
def test_a_best_size_within_a_range_is_found(size):
    # Each of six edges gains far more than it costs, but from `size` on they are dear: both ends of
    # the range that holds the best look bad.
    evidence, order = chain(d=7, gain=1.0)
    order = order[:8]
    costs = 0.1 * np.arange(9) + np.where(np.arange(9) <= size, 0.0, 1e4)
    refits = refit_ranking(Rooted(7), evidence, order, costs)
    assert {0, 8} <= set(refits.table.n_edges)
    assert len(refits.weights) == size
    whole = fit_edges(Rooted(7), evidence, order[:size], np.ones(size))
    expected = 2 * evidence.n_samples * whole.value + costs[size]
    assert refits.table.criterion.min() == pytest.approx(expected, abs=0.1)


def test_edges_that_were_none_among_others_get_a_chance():
    # The pair (3, 4) gains, but (0, 4) gains more in every row: with both, it is none.
    d, n = 5, 40
    rng = np.random.default_rng(1)
    columns = [pair_index(i, j, d) for i, j in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]]
    log_density = np.full((n, 10), -2.0)
    log_density[:, columns[:3]] = 3.0 + 0.1 * rng.normal(size=(n, 3))
    log_density[:, columns[4]] = 1.0 + rng.normal(size=n)
    log_density[:, columns[3]] = log_density[:, columns[4]] - 0.8
    evidence = PairDensities(log_density)
    rest = np.setdiff1d(np.arange(10), columns)
    order = np.concatenate([columns, rest[:3]]).astype(np.int64)
    eight = fit_edges(Rooted(d), evidence, order, np.ones(8))
    assert eight.beta[3] == 0.0
    assert eight.beta[4] > 0.0
    # Four edges are fitted after eight, from the weights they had there.
    costs = np.where(np.arange(9) <= 4, 0.0, 1e4)
    refits = refit_ranking(Rooted(d), evidence, order, costs)
    assert len(refits.weights) == 4
    four = fit_edges(Rooted(d), evidence, order[:4], np.ones(4))
    assert four.beta[3] > 0.0
    assert refits.table.set_index("n_edges").log_likelihood[4] == pytest.approx(
        -four.value, abs=1e-4
    )


def test_the_criterion_weighs_gains_against_costs():
    evidence, order = chain()
    n = evidence.n_samples
    costs = np.linspace(0.0, 40.0, 11)
    refits = refit_ranking(Rooted(5), evidence, order, costs)
    expected = -2 * n * refits.table.log_likelihood + costs[refits.table.n_edges]
    np.testing.assert_allclose(refits.table.criterion, expected)
    assert len(refits.weights) == refits.table.n_edges[np.argmin(expected)]


def test_certain_edges_stop_growing():
    evidence, order = chain(gain=1.5)
    assert refit_ranking(Rooted(5), evidence, order, np.zeros(11)).weights.max() == 1e8


def test_pairs_that_are_copies_enter_late_and_all_the_same():
    # Slopes of -e^200 and -e^100: the second enters when the first has weight, and a step of
    # fixed length along its slope could never be taken back far enough.
    evidence, _ = chain(d=4)
    log_density = evidence.log_density.copy()
    log_density[:, 0] = 200.0
    log_density[:, 5] = 100.0
    evidence = PairDensities(log_density)
    assert not evidence.log
    (point,) = follow_path(Rooted(4), evidence, np.array([0.5]), np.ones(6))
    assert point.max_kkt_violation <= 0.01
    assert (point.beta[[0, 5]] > 0.1).all()


def test_each_pair_has_its_own_penalty():
    ensemble, evidence = problem(7)
    factors = np.linspace(0.0, 3.0, 15)[np.random.default_rng(0).permutation(15)]
    penalty = 0.1 * largest_penalty(evidence, factors)
    (point,) = follow_path(ensemble, evidence, np.array([penalty]), factors, tol=1e-3)
    assert np.count_nonzero(point.beta) > 3
    assert kkt_violation(ensemble, evidence, point.beta, penalty * factors) <= 1.01e-3 * penalty


def test_first_steps_from_a_solution_nearby_are_short():
    # Steps of the length that the slope suggests mostly have to be taken back: a sixth more work.
    n_evaluations = 0
    for seed in range(6):
        ensemble, evidence = problem(seed, d=8, n=60)
        penalties = largest_penalty(evidence, np.ones(28)) * np.geomspace(0.9, 0.01, 20)
        points = follow_path(ensemble, evidence, penalties, np.ones(28))
        n_evaluations += sum(point.n_evaluations for point in points)
    assert n_evaluations < 950


# The extended BIC


def test_the_extended_bic_by_hand():
    # 2·120 + 7·log 50 + 4·7·½·log 25 = 240 + 7·3.912023 + 14·3.218876
    found = extended_bic(-120.0, 7, n_samples=50, n_nodes=25, gamma=0.5)
    assert found == pytest.approx(240 + 27.384161 + 45.064262, abs=2e-6)
    assert found == extended_bic(-120.0, 7, 50, 25)  # ½ is the default


@given(st.floats(-1e6, 1e6), st.integers(0, 500), st.integers(1, 10_000), st.integers(1, 100))
def test_without_gamma_it_is_the_bic(log_likelihood, n_edges, n, d):
    bic = n_edges * np.log(n) - 2 * log_likelihood
    assert extended_bic(log_likelihood, n_edges, n, d, gamma=0.0) == pytest.approx(bic)


@given(st.integers(1, 500), st.integers(2, 100), st.floats(0.0, 1.0), st.floats(0.01, 1.0))
def test_gamma_makes_edges_dearer(n_edges, d, gamma, more):
    low, high = (extended_bic(-1.0, n_edges, 100, d, g) for g in (gamma, gamma + more))
    assert high - low == pytest.approx(4 * n_edges * more * np.log(d))
    assert extended_bic(-1.0, 0, 100, d, gamma) == 2.0


# Paths and refits on listed pairs, against those on all pairs


@pytest.fixture
def evidence(rng):
    """Twelve columns in three chains of four; every second pair between chains is listed."""
    d, n = 12, 60
    first, second = np.triu_indices(d, 1)
    inside = first // 4 == second // 4
    pairs = np.flatnonzero(inside | (np.arange(n_pairs(d)) % 2 == 0))
    near = (second - first == 1) & inside
    mean = np.where(near, 0.4, np.where(inside, 0.15, -0.02))[pairs]
    spread = np.where(near, 0.7, np.where(inside, 0.5, 0.2))[pairs]
    listed = mean + spread * rng.normal(size=(n, len(pairs)))
    return PairDensities(listed, np.ones(len(pairs)), pairs=pairs, n_nodes=d)


def test_a_path_ends_when_it_has_enough_edges(evidence):
    few, own = Rooted(12, pairs=evidence.pairs), evidence.alone()
    factors = np.ones(few.n_pairs)
    penalties = largest_penalty(own, factors) * np.geomspace(0.7, 0.05, 5)
    counts = [np.count_nonzero(point.beta) for point in follow_path(few, own, penalties, factors)]
    most = counts[2]
    assert counts[1] <= most < counts[3]
    short = list(follow_path(few, own, penalties, factors, most_edges=most))
    assert [np.count_nonzero(point.beta) for point in short] == counts[:4]


def test_components_are_fitted_as_the_whole(evidence):
    columns = np.flatnonzero(evidence.listed.mean(axis=0) > 0.1)[::-1].copy()
    few, own = Rooted(12, pairs=evidence.pairs), evidence.alone()
    assert len(few.components(np.sort(columns))) > 1
    start = np.ones(len(columns))
    apart = fit_apart(few, own, columns, start, fitted={})
    together = fit_edges(few, own, columns, start)
    assert apart.converged
    # Components leave less of a gap than the whole, whose slopes are flat at the end.
    assert -0.1 < evidence.n_samples * (apart.value - together.value) < 1e-3
    value = NegativeLogLikelihood(few.restrict(columns), own.take(columns)).evaluate(apart.beta)[0]
    assert apart.value == pytest.approx(value, rel=1e-9)


def test_components_that_are_known_are_not_fitted_again(evidence, monkeypatch):
    columns = np.flatnonzero(evidence.listed.mean(axis=0) > 0.1)
    few, own, fitted = Rooted(12, pairs=evidence.pairs), evidence.alone(), {}
    first = fit_apart(few, own, columns, np.ones(len(columns)), fitted=fitted)
    assert len(fitted) == len(few.components(columns))

    def never(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr("spinney.models.selection.log_newton", never)
    again = fit_apart(few, own, columns, np.ones(len(columns)), fitted=fitted)
    np.testing.assert_array_equal(again.beta, first.beta)
    with pytest.raises(AssertionError):
        fit_apart(few, own, columns, np.ones(len(columns)), fitted=fitted, again=True)


def test_refits_choose_as_those_of_all_pairs(evidence):
    pairs, own = evidence.pairs, evidence.alone()
    order = np.argsort(-own.listed.mean(axis=0), kind="stable")[:20]
    few, whole = Rooted(12, pairs=pairs), Rooted(12)
    # Screened pairs were searched among, too: the cost is that of all pairs of the table.
    costs = ranking_costs(own, order, n_candidates=n_pairs(12))
    np.testing.assert_array_equal(
        costs, ranking_costs(evidence, pairs[order], n_candidates=n_pairs(12))
    )
    found = refit_ranking(few, own, order, costs)
    expected = refit_ranking(whole, evidence, pairs[order], costs)
    assert found.converged
    assert len(found.weights) == len(expected.weights) > 0
    assert found.table.criterion.min() == pytest.approx(expected.table.criterion.min(), abs=0.01)
