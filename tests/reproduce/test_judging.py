"""Judging: what a method ranks by, and what is not defined for it."""

from types import SimpleNamespace

import numpy as np
import pytest

from reproduce.judging import judge, ranking_scores
from spinney.simulate import gaussian, independent

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
