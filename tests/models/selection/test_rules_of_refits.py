"""The rules of paths and refits, one test each; most by pair densities made for the purpose."""

import numpy as np
import pytest
from scipy.special import comb

from spinney._core.pairs import pair_index
from spinney.models.objectives import Rooted
from spinney.models.selection import (
    extended_bic,
    fit_edges,
    follow_path,
    largest_penalty,
    ranking_costs,
    refit_ranking,
)
from spinney.pairs.densities import PairDensities
from tests.models.selection.test_path import kkt_violation, problem


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
