"""Edge probabilities of one forest with log-weights of any size, against exact answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.forests import PairNetwork, forest_posterior

ROUNDING = 1e-12


def scales(rng, d, n_scales, spread):
    """Log-weights on a few scales: some far apart, some close, some edges missing."""
    centres = rng.uniform(-spread, spread, n_scales)
    n_pairs = d * (d - 1) // 2
    log_weights = rng.choice(centres, n_pairs) + rng.normal(scale=3.0, size=n_pairs)
    log_weights[rng.random(n_pairs) < 0.2] = -np.inf
    return log_weights


@given(
    st.integers(2, 5),
    st.sampled_from([1.0, 30.0, 1000.0]),
    st.sampled_from([1e-3, 1.0, 50.0]),
    st.integers(0, 10_000),
)
def test_equals_enumeration(d, spread, root_weight, seed):
    rng = np.random.default_rng(seed)
    log_weights = rng.uniform(-spread, spread, d * (d - 1) // 2)
    log_weights[rng.random(len(log_weights)) < 0.2] = -np.inf
    listed = forests.enumerate(to_matrix(log_weights), root_weight, log=True)
    result = forest_posterior(log_weights, root_weight=root_weight)
    expected = to_pairs(listed.edge_marginals)
    # Enumeration adds up logarithms of up to 4000, and loses that much.
    np.testing.assert_allclose(result.probabilities, expected, rtol=0, atol=4e-12)
    np.testing.assert_allclose(result.log_partition, listed.log_partition, rtol=1e-12, atol=1e-12)


@given(st.integers(2, 30), st.sampled_from([5.0, 60.0, 700.0, 5000.0]), st.integers(0, 10_000))
def test_equals_edge_marginals(d, spread, seed):
    log_weights = scales(np.random.default_rng(seed), d, 4, spread)
    exact = to_pairs(forests.edge_marginals(to_matrix(log_weights), log=True, engine="log"))
    result = forest_posterior(log_weights).probabilities
    np.testing.assert_allclose(result, exact, rtol=0, atol=ROUNDING)
    assert result.min() >= 0
    assert result.max() <= 1


def test_a_chain_of_weights_far_beyond_doubles():
    # A chain of 200 links, 20 apart.
    d = 200
    matrix = np.full((d, d), -np.inf)
    links = 20.0 * np.arange(1, d)
    matrix[np.arange(d - 1), np.arange(1, d)] = links
    matrix = np.maximum(matrix, matrix.T)
    matrix[0, 2] = matrix[2, 0] = 20.0
    log_weights = matrix[pair_nodes(d)]
    exact = to_pairs(forests.edge_marginals(matrix, log=True, engine="log"))
    result = forest_posterior(log_weights)
    np.testing.assert_allclose(result.probabilities, exact, rtol=0, atol=1e-10)
    assert result.log_partition == pytest.approx(forests.log_partition(matrix, log=True), rel=1e-13)


def test_networks_do_not_see_each_other(rng):
    rows = np.stack(
        [scales(rng, 12, 3, spread) for spread in (2, 900, 30, 4000, 5, 5, 2, 80, 9, 1)]
    )
    together = forest_posterior(rows)
    for row, probabilities, log_z in zip(
        rows, together.probabilities, together.log_partition, strict=True
    ):
        alone = forest_posterior(row)
        np.testing.assert_allclose(alone.probabilities, probabilities, rtol=0, atol=1e-10)
        assert alone.log_partition == pytest.approx(log_z, rel=1e-10)


@pytest.mark.parametrize("n_pairs", [0, 1])
def test_smallest_networks(n_pairs):
    result = forest_posterior(np.full(n_pairs, -np.inf))
    assert result.probabilities.tolist() == [0.0] * n_pairs
    assert result.log_partition == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([0.0, 1.0], {}, "2 is not"),
        ([[[0.0]]], {}, "shape"),
        ([0.0, np.nan, 1.0], {}, r"log_weights\[0, 1\] is NaN"),
        ([0.0, np.inf, 1.0], {}, r"log_weights\[0, 1\] is infinite"),
        ([0.0], {"root_weight": 0.0}, "root_weight"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(InputError, match=message):
        forest_posterior(arguments, **options)


@pytest.mark.parametrize("scale", [1.0, 30.0, 2000.0])
def test_log_partitions_alone_are_those_of_the_posterior(rng, scale):
    rows = rng.normal(scale=scale, size=(19, 45))
    rows[rng.random(rows.shape) < 0.2] = -np.inf
    alone = PairNetwork(10).solve(rows, 0.3, want="partition").log_partition
    np.testing.assert_array_equal(alone, forest_posterior(rows, root_weight=0.3).log_partition)
    assert forest_posterior(rows[0], root_weight=0.3).log_partition == alone[0]
