"""Exact unrooted forests against enumeration and finite differences."""

import mpmath
import networkx as nx
import numpy as np
import pytest
from forest_oracles import random_weights
from scipy import stats
from test_forest_sampling import frequencies, p_value

from spinney import forests
from spinney._core.pairs import n_pairs, to_matrix, to_pairs
from spinney.exceptions import DataWarning, InputError


@pytest.mark.parametrize("max_trees", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("scale", [1.0, 1e40])
def test_enumeration(rng, max_trees, scale):
    """A scale of 1e40 goes through the wide numbers."""
    for d in range(1, 7):
        W = random_weights(rng, d, 2, density=0.8) * scale
        W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = scale
        expected = forests.enumerate(W, rooted=False, max_trees=max_trees)
        log_z = forests.log_partition_unrooted(W, max_trees)
        assert log_z == pytest.approx(expected.log_partition, rel=1e-12, abs=1e-13)
        found = forests.edge_marginals_unrooted(W, max_trees)
        np.testing.assert_allclose(found, expected.edge_marginals, atol=1e-12)


def test_one_tree_is_a_spanning_tree_and_all_forests_are_counted(rng):
    W = random_weights(rng, 9)
    assert forests.log_partition_unrooted(W, 1) == pytest.approx(
        forests.log_partition(W, 0.0), rel=1e-13
    )
    # OEIS A001858: labelled forests.
    counts = [1, 2, 7, 38, 291, 2932, 36961, 561948, 10026505]
    for d, count in enumerate(counts, start=1):
        found = np.exp(forests.log_partition_unrooted(np.ones((d, d))))
        assert found == pytest.approx(count, rel=1e-12)


def test_huge_log_weights_with_mpmath(rng):
    W = rng.uniform(-1000, 1000, (5, 5))
    W = np.triu(W, 1) + np.triu(W, 1).T
    listed = forests.enumerate(W, log=True, rooted=False)
    with mpmath.workdps(50):
        exact = [mpmath.exp(sum(mpmath.mpf(float(W[e])) for e in f)) for f in listed.forests]
        total = sum(exact)
        log_z = float(mpmath.log(total))
        marginals = np.zeros((5, 5))
        for weight, forest in zip(exact, listed.forests, strict=True):
            for u, v in forest:
                marginals[u, v] += float(weight / total)
    assert forests.log_partition_unrooted(W, log=True) == pytest.approx(log_z, rel=1e-13)
    found = forests.edge_marginals_unrooted(W, log=True)
    np.testing.assert_allclose(found, marginals + marginals.T, atol=1e-12)


def exact_unrooted(beta, log_w, max_trees):
    """Log-partition and gradient by enumeration in 60 digits; log-weights of any size."""
    d = len(to_matrix(log_w))
    listed = forests.enumerate(np.ones((d, d)), rooted=False, max_trees=max_trees)
    numbers = to_matrix(np.arange(len(log_w))).astype(int)
    with mpmath.workdps(60):
        w = [mpmath.exp(mpmath.mpf(float(x))) if x > -np.inf else mpmath.mpf(0) for x in log_w]
        b = [mpmath.mpf(float(x)) for x in beta]
        total, slopes = mpmath.mpf(0), [mpmath.mpf(0) for _ in w]
        for forest in listed.forests:
            edges = [numbers[e] for e in forest]
            total += mpmath.fprod(b[e] * w[e] for e in edges)
            for e in edges:
                slopes[e] += w[e] * mpmath.fprod(b[f] * w[f] for f in edges if f != e)
        gradient = [slope / total for slope in slopes]
        return float(mpmath.log(total)), np.array([float(x) for x in gradient])


@pytest.mark.parametrize("reach", [90.0, 150.0, 400.0, 700.0, 1000.0])
@pytest.mark.parametrize("max_trees", [None, 2])
def test_log_weights_of_any_range_with_mpmath(rng, reach, max_trees):
    d, n = 5, 6
    beta = rng.uniform(0.2, 2.0, n_pairs(d))
    beta[3] = 1e-30
    W = rng.uniform(-reach, reach, (n, n_pairs(d)))
    W[0] = np.abs(W[0])  # nothing but huge
    W[1] = -np.abs(W[1])  # nothing but tiny
    W[2, 2] = -np.inf
    found = forests.evaluate_unrooted(beta, W, max_trees, log=True, per_sample=True)
    for j in range(n):
        log_z, gradient = exact_unrooted(beta, W[j], max_trees)
        assert found.log_partition[j] == pytest.approx(log_z, rel=1e-13, abs=1e-13)
        np.testing.assert_allclose(found.gradient[j], gradient, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("log_w", [-900.0, -120.0, 120.0, 650.0])
def test_far_log_weights_where_beta_brings_them_back_or_is_zero(rng, log_w):
    beta = np.array([1.0, 0.0, np.exp(-log_w) if abs(log_w) < 700 else 1e300])
    W = np.array([[0.5, log_w, log_w]])
    found = forests.evaluate_unrooted(beta, W, log=True)
    log_z, gradient = exact_unrooted(beta, W[0], None)
    assert found.log_partition[0] == pytest.approx(log_z, rel=1e-13)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-11)


@pytest.mark.parametrize("scale", [1.0, 1e-30])
def test_absent_edges_have_a_gradient_too(rng, scale):
    beta = np.array([1.0, 0.0, 2.0])
    W = np.exp(rng.normal(size=(3, 3))) * scale
    gradient = forests.evaluate_unrooted(beta, W).gradient
    a, b, c = W.T * beta[:, None]
    z = 1 + a + b + c + a * b + a * c + b * c
    np.testing.assert_allclose(gradient[1], (W[:, 1] * (1 + a + c) / z).sum(), rtol=1e-13)


def test_threads_and_log_weights_agree(rng):
    beta = rng.uniform(0, 1, n_pairs(6))
    W = np.exp(rng.normal(size=(20, n_pairs(6))))
    one = forests.evaluate_unrooted(beta, W, 3, threads=1)
    two = forests.evaluate_unrooted(beta, np.log(W), 3, log=True, threads=2)
    np.testing.assert_allclose(two.log_partition, one.log_partition, rtol=1e-13)
    np.testing.assert_allclose(two.gradient, one.gradient, rtol=1e-12)


def test_too_few_trees_allowed():
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = 1.0
    with pytest.warns(DataWarning, match="more than 2 components"):
        assert forests.log_partition_unrooted(W, 2) == -np.inf
    assert forests.log_partition_unrooted(W, 3) == pytest.approx(0.0, abs=1e-15)
    assert forests.log_partition_unrooted(W) == pytest.approx(np.log(2))


def test_bad_requests_are_named():
    with pytest.raises(InputError, match="meant for 12 nodes; there are 13"):
        forests.log_partition_unrooted(np.ones((13, 13)))
    with pytest.raises(InputError, match=r"3 columns, one per pair; its shape is \(2, 4\)"):
        forests.evaluate_unrooted(np.ones(3), np.ones((2, 4)))
    with pytest.raises(InputError, match="one matrix"):
        forests.log_partition_unrooted(np.ones((2, 3, 3)))
    with pytest.raises(InputError, match=r"W\[0, 1\] is negative"):
        forests.evaluate_unrooted(np.ones(3), -to_pairs(np.eye(3))[None] - 1 + np.array([1, 0, 1]))


def test_twelve_nodes(rng):
    W = random_weights(rng, 12)
    marginals = forests.edge_marginals_unrooted(W, 1)
    np.testing.assert_allclose(marginals, forests.edge_marginals(W, 0.0), atol=1e-12)


# Samples


def symmetric(W):
    return np.triu(W, 1) + np.triu(W, 1).T


@pytest.mark.parametrize("d", [3, 4, 5])
@pytest.mark.parametrize("max_trees", [None, 1, 2, 3, 4])
def test_chi_squared_against_enumeration_over_six_seeds(d, max_trees):
    W = random_weights(np.random.default_rng(d), d, spread=0.7, density=0.9)
    W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = 1.0
    expected = forests.enumerate(W, rooted=False, max_trees=max_trees)
    values = []
    for seed in range(6):
        drawn = forests.sample_unrooted(W, max_trees, 4000, random_state=seed)
        assert drawn.n_trees.max() <= (max_trees or d)
        values.append(p_value(frequencies(drawn, expected), expected.probabilities))
    assert min(values) > 1e-3
    assert stats.combine_pvalues(values).pvalue > 1e-3


@pytest.mark.parametrize("max_trees", [None, 1, 2, 3])
def test_weights_far_beyond_doubles(max_trees):
    """Edges of e^±1000 that leave real choices among edges of like weight."""
    rng = np.random.default_rng(8)
    W = rng.normal(size=(5, 5))
    W[0, 1:3] += 1000.0
    W[1, 2] += 1000.0
    W[3, 4] -= 1000.0
    W[:3, 3:] -= 1000.0
    W = symmetric(W)
    expected = forests.enumerate(W, log=True, rooted=False, max_trees=max_trees)
    assert (expected.probabilities > 0.01).sum() > 2
    for seed in range(3):
        drawn = forests.sample_unrooted(W, max_trees, 4000, log=True, random_state=seed)
        assert p_value(frequencies(drawn, expected), expected.probabilities) > 1e-3


def test_uniform_log_weights_over_two_thousand_decades():
    W = symmetric(np.random.default_rng(1).uniform(-1000, 1000, (5, 5)))
    expected = forests.enumerate(W, log=True, rooted=False)
    drawn = forests.sample_unrooted(W, n_samples=500, log=True, random_state=0)
    assert frequencies(drawn, expected)[np.argmax(expected.probabilities)] == 500


def test_edge_frequencies_of_twelve_nodes():
    W = random_weights(np.random.default_rng(3), 12, spread=0.8)
    drawn = forests.sample_unrooted(W, 3, 20_000, random_state=4)
    expected = forests.edge_marginals_unrooted(W, 3)
    spread = np.sqrt(np.maximum(expected * (1 - expected), 1e-4) / 20_000)
    assert (np.abs(drawn.adjacency.mean(axis=0) - expected) / spread).max() < 4.5  # 66 edges


def test_samples_are_forests_that_point_to_roots():
    W = random_weights(np.random.default_rng(5), 9, density=0.5)
    drawn = forests.sample_unrooted(W, n_samples=50, random_state=0)
    for i in range(50):
        graph = nx.from_numpy_array(drawn.adjacency[i])
        assert nx.is_forest(graph)
        assert nx.number_connected_components(graph) == drawn.n_trees[i]
        assert all(W[u, v] > 0 for u, v in drawn.edges(i))


def test_log_weights_draw_the_same_forests():
    W = random_weights(np.random.default_rng(5), 6)
    plain = forests.sample_unrooted(W, 3, 100, random_state=1)
    with np.errstate(divide="ignore"):
        by_log = forests.sample_unrooted(np.log(W), 3, 100, log=True, random_state=1)
    np.testing.assert_array_equal(plain.parents, by_log.parents)


def test_one_seed_one_result_and_small_cases():
    W = np.ones((6, 6))
    one = forests.sample_unrooted(W, n_samples=50, random_state=3)
    assert one.method == "subsets"
    again = forests.sample_unrooted(W, n_samples=50, random_state=3)
    np.testing.assert_array_equal(one.parents, again.parents)
    other = forests.sample_unrooted(W, n_samples=50, random_state=4)
    assert (one.parents != other.parents).any()
    assert forests.sample_unrooted([[0.0]], n_samples=2).parents.tolist() == [[-1], [-1]]
    assert forests.sample_unrooted(W, n_samples=0).parents.shape == (0, 6)
    assert (forests.sample_unrooted(np.zeros((3, 3)), n_samples=4).n_trees == 3).all()


def test_bad_requests_of_samples_are_named():
    with pytest.raises(InputError, match="meant for 12 nodes; there are 13"):
        forests.sample_unrooted(np.ones((13, 13)))
    with pytest.raises(InputError, match="more than 2 components"):
        forests.sample_unrooted(np.zeros((3, 3)), 2)
    with pytest.raises(InputError, match="one matrix"):
        forests.sample_unrooted(np.ones((2, 3, 3)))
