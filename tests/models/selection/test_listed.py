"""Paths and refits on listed pairs, against those on all pairs."""

import numpy as np
import pytest

from spinney._core.pairs import n_pairs
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.models.selection import (
    fit_apart,
    fit_edges,
    follow_path,
    largest_penalty,
    ranking_costs,
    refit_ranking,
)
from spinney.pairs.densities import PairDensities


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
