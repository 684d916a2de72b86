"""Rooted forests against the list of all forests, each tree counted once for every root."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chisquare

from spinney import forests
from spinney._core.pairs import to_matrix
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.models.unrooted import Trees
from spinney.pairs.densities import PairDensities


def all_forests(d):
    """Incidence of every forest of the complete graph, and the product of its trees' sizes."""
    first, second = np.triu_indices(d, 1)
    incidence, roots = [], []
    for code in range(2 ** len(first)):
        chosen = [k for k in range(len(first)) if code >> k & 1]
        labels = list(range(d))
        for k in chosen:
            a, b = labels[first[k]], labels[second[k]]
            if a == b:
                break
            labels = [a if x == b else x for x in labels]
        else:
            sizes = [labels.count(x) for x in set(labels)]
            incidence.append([code >> k & 1 for k in range(len(first))])
            roots.append(np.prod(sizes))
    return np.array(incidence), np.array(roots, dtype=float)


FORESTS = {d: all_forests(d) for d in (2, 3, 4, 5)}


def enumerated(d, log_weights):
    """Log-partition and edge probabilities of rows of log-weights."""
    incidence, roots = FORESTS[d]
    terms = np.array([np.where(incidence == 1, row, 0.0).sum(axis=1) for row in log_weights])
    terms += np.log(roots)
    log_z = logsumexp(terms, axis=1)
    return log_z, np.exp(terms - log_z[:, None]) @ incidence


def test_the_list_of_forests_is_complete():
    # Labelled forests: 2, 7, 38, 291 (OEIS A001858).
    assert [len(FORESTS[d][0]) for d in (2, 3, 4, 5)] == [2, 7, 38, 291]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(2, 5),
    spread=st.sampled_from([0.5, 3.0, 30.0]),
)
def test_values_and_probabilities(seed, d, spread):
    rng = np.random.default_rng(seed)
    n_pairs = d * (d - 1) // 2
    beta = np.exp(rng.normal(scale=spread / 3, size=n_pairs))
    log_density = rng.normal(scale=spread, size=(4, n_pairs))
    ensemble = Rooted(d)
    log_z, probability = enumerated(d, np.log(beta) + log_density)
    found = ensemble.evaluate(beta, log_density, log=True, per_sample=True)
    np.testing.assert_allclose(found.log_partition, log_z, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(beta * found.gradient, probability, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(
        ensemble.posterior_edge_probabilities(beta, log_density), probability, rtol=1e-9
    )
    prior, expected = enumerated(d, np.log(beta)[None])
    np.testing.assert_allclose(ensemble.edge_probabilities(beta), expected[0], rtol=1e-9)
    np.testing.assert_allclose(
        ensemble.log_likelihood_ratio(beta, log_density), log_z - prior, rtol=1e-10, atol=1e-10
    )


def test_gradient_is_that_of_finite_differences(rng):
    evidence = PairDensities(rng.normal(size=(7, 10)))
    objective = NegativeLogLikelihood(Rooted(5), evidence)
    beta = rng.uniform(0.1, 2.0, 10)
    _, gradient = objective.evaluate(beta)
    step = 1e-6
    for e in range(10):
        shift = step * np.eye(10)[e]
        high, low = objective.evaluate(beta + shift)[0], objective.evaluate(beta - shift)[0]
        assert gradient[e] == pytest.approx((high - low) / (2 * step), rel=1e-6, abs=1e-8)


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
    incidence, roots = FORESTS[4]
    weights = roots * np.prod(np.where(incidence == 1, beta, 1.0), axis=1)
    powers = 2 ** np.arange(6)
    codes, counts = np.unique(edges @ powers, return_counts=True)
    seen = dict(zip(codes, counts, strict=True))
    observed = np.array([seen.get(code, 0) for code in incidence @ powers])
    assert observed.sum() == n  # nothing but forests
    assert chisquare(observed, n * weights / weights.sum()).pvalue > 1e-3


def test_matrix_and_pairs_agree(rng):
    beta = rng.uniform(0.5, 2.0, 10)
    expected = forests.log_partition(to_matrix(beta))
    assert Rooted(5).evaluate_prior(beta).log_partition[0] == pytest.approx(expected)
