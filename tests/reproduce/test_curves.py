"""Curves of rankings: ties against random orders, means against their definition."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduce.judging import (
    edges_at_fdr,
    judge,
    mean_curve,
    ranking_scores,
    true_edges_before_false,
    true_edges_by_rank,
)
from spinney._core.pairs import to_matrix
from spinney.metrics import true_edges_before_fdr
from spinney.simulate import gaussian, independent


def test_ties_are_averaged_over_their_orders(rng):
    scores = rng.integers(0, 4, size=10).astype(float)
    edges = np.arange(10) % 3 == 0
    by_rank, before_false = np.zeros(10), np.zeros(5)
    orders = 4000
    for _ in range(orders):
        ranked = edges[np.lexsort((rng.random(10), -scores))]
        by_rank += np.cumsum(ranked)
        before_false += np.cumsum(ranked)[~ranked][:5]
    found = true_edges_by_rank(to_matrix(scores), to_matrix(edges), 10)
    np.testing.assert_allclose(found, by_rank / orders, atol=0.06)
    found = true_edges_before_false(to_matrix(scores), to_matrix(edges), 4)
    np.testing.assert_allclose(found, before_false / orders, atol=0.06)


@given(seed=st.integers(0, 2**32), share=st.floats(0.05, 0.95))
def test_rankings_without_ties_are_counted(seed, share):
    rng = np.random.default_rng(seed)
    scores, edges = rng.permutation(28).astype(float), rng.random(28) < share
    ranked = edges[np.argsort(-scores)]
    expected = np.r_[np.cumsum(ranked)[~ranked], np.full(31, edges.sum())][:31]
    found = true_edges_before_false(to_matrix(scores), to_matrix(edges), 30)
    np.testing.assert_array_equal(found, expected)
    if edges.any():  # so few edges that 1 % of them is none
        assert found[0] == true_edges_before_fdr(to_matrix(scores), to_matrix(edges), 0.01)


def test_mean_curves_end_at_the_tolerated_share():
    first, second = np.r_[1:41], np.r_[1:31, np.full(10, 30)]
    false, true = mean_curve([first, second], fdr=0.05)
    assert false[-1] / (false[-1] + true[-1]) == pytest.approx(0.05)
    assert (np.diff(true) >= 0).all()
    assert edges_at_fdr([first, second], fdr=0.05) == true[-1]
    spotless = mean_curve([first, first], fdr=0.01)
    assert spotless[1][-1] == 40
    assert spotless[0].max() == 0


# What a method ranks by, and what is not defined for it


CHAIN = gaussian(50, np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1), random_state=0)


def fitted(**attributes):
    return SimpleNamespace(adjacency_=CHAIN.adjacency, **attributes)


def test_signed_weights_rank_by_their_size():
    weights = np.where(CHAIN.adjacency, -0.9, 0.1)
    judged = judge(fitted(edge_weights_=weights), CHAIN)
    assert judged["average_precision"] == pytest.approx(1.0)
    assert judged["edges_before_fdr_1"] == 3
    assert judged["best_cut_hamming"] == 0
    assert judged["calibration_error"] is None


def test_a_ranking_goes_before_probabilities_and_these_before_weights():
    names = ("edge_ranking_", "edge_probabilities_", "edge_weights_")
    values = {name: np.full((4, 4), k + 1.0) for k, name in enumerate(names)}
    for first in range(3):
        scores = ranking_scores(fitted(**{name: values[name] for name in names[first:]}))
        np.testing.assert_array_equal(scores, values[names[first]])
    assert ranking_scores(fitted()) is None


def test_rankings_of_a_truth_without_edges_are_not_defined():
    data = independent(50, 4, random_state=0)
    claimed = SimpleNamespace(adjacency_=data.adjacency, edge_weights_=np.ones((4, 4)))
    judged = judge(claimed, data)
    assert judged["hamming"] == 0
    assert judged["average_precision"] is judged["edges_before_fdr_10"] is None
    assert judged["best_cut_hamming"] == 0
