"""What holds of rooted forests alone; `test_ensembles` compares them with all forests."""

import numpy as np
import pytest
from scipy.stats import chisquare

from spinney import forests
from spinney._core.pairs import to_matrix
from spinney.models.objectives import Rooted
from spinney.models.unrooted import Trees
from tests.models.objectives.cases import rooted_forests
from tests.models.objectives.enumerated import acyclic_sets


def test_restriction_is_what_zero_weights_give(rng):
    columns = np.array([0, 3, 4, 8])
    beta = np.zeros(10)
    beta[columns] = rng.uniform(0.5, 2.0, 4)
    W = rng.lognormal(size=(6, 10))
    whole = Rooted(5).evaluate(beta, W)
    part = Rooted(5).restrict(columns).evaluate(beta[columns], W[:, columns])
    np.testing.assert_allclose(part.log_partition, whole.log_partition, rtol=1e-13)
    np.testing.assert_allclose(part.gradient, whole.gradient[columns], rtol=1e-12)


def test_heavy_edges_give_trees_and_faint_ones_independence(rng):
    beta = rng.uniform(0.5, 2.0, 10)
    log_density = rng.normal(size=(6, 10))
    trees = Trees(5).log_likelihood_ratio(beta, log_density)
    rooted = Rooted(5).log_likelihood_ratio(1e9 * beta, log_density)
    np.testing.assert_allclose(rooted, trees, rtol=1e-7)
    np.testing.assert_allclose(
        Rooted(5).edge_probabilities(1e9 * beta), Trees(5).edge_probabilities(beta), rtol=1e-7
    )
    ratio = Rooted(5).log_likelihood_ratio(1e-9 * beta, log_density)
    np.testing.assert_allclose(ratio, 0.0, atol=1e-6)


def test_samples_have_the_exact_distribution():
    rng = np.random.default_rng(11)
    beta = np.array([0.5, 2.0, 1.0, 0.3, 4.0, 1.5])
    n = 20_000
    parents = Rooted(4).sample(beta, n, rng)
    edges = forests.SampledForests(parents, "").adjacency[:, *np.triu_indices(4, 1)]
    incidence, roots = np.unique(rooted_forests(4), axis=0, return_counts=True)
    weights = roots * np.prod(np.where(incidence, beta, 1.0), axis=1)
    powers = 2 ** np.arange(6)
    codes, counts = np.unique(edges @ powers, return_counts=True)
    seen = dict(zip(codes, counts, strict=True))
    observed = np.array([seen.get(code, 0) for code in incidence @ powers])
    assert observed.sum() == n  # nothing but forests
    assert chisquare(observed, n * weights / weights.sum()).pvalue > 1e-3


def test_as_many_rooted_forests_as_there_are():
    # (d + 1)^(d - 1) by Cayley, of 2, 7, 38 and 291 labelled forests (OEIS A001858).
    assert [len(rooted_forests(d)) for d in (2, 3, 4, 5)] == [3, 16, 125, 1296]
    assert [len(acyclic_sets(d)[0]) for d in (2, 3, 4, 5)] == [2, 7, 38, 291]


def test_matrix_and_pairs_agree(rng):
    beta = rng.uniform(0.5, 2.0, 10)
    expected = forests.log_partition(to_matrix(beta))
    assert Rooted(5).evaluate_prior(beta).log_partition[0] == pytest.approx(expected)
