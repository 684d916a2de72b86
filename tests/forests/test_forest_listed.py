"""Forests on listed pairs, components apart: against enumeration, networkx and all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney.exceptions import InputError
from spinney.forests import PairNetwork, forest_posterior
from spinney.forests import posterior as module


def on_all(values, pairs, d):
    """Log-weights of all pairs, -inf where none is listed."""
    whole = np.full(n_pairs(d), -np.inf)
    whole[pairs] = values
    return whole


@st.composite
def networks(draw, most=6, scales=(1.0, 30.0, 800.0)):
    d = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < draw(st.sampled_from([0.0, 0.3, 0.6, 1.0])))
    return d, pairs, draw(st.sampled_from(scales)) * rng.normal(size=(3, len(pairs)))


@given(networks(), st.sampled_from([0.3, 1.0, 5.0]))
def test_listed_pairs_equal_enumeration(case, root):
    d, pairs, rows = case
    solved = PairNetwork(d, pairs).solve(rows, root)
    for row, found, total in zip(rows, solved.probabilities, solved.log_partition, strict=True):
        weights = to_matrix(on_all(row, pairs, d)) if d > 1 else np.zeros((1, 1))
        if d > 1:
            np.fill_diagonal(weights, -np.inf)
        every = forests.enumerate(weights, root, log=True)
        expected = every.edge_marginals[pair_nodes(d)][pairs]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
        exact = forests.log_partition(weights, root, log=True, engine="log")
        assert total == pytest.approx(exact, rel=1e-11, abs=1e-11)


@given(networks(most=30, scales=(3.0, 400.0)))
def test_listed_pairs_equal_all_pairs(case):
    d, pairs, rows = case
    found = forest_posterior(rows, network=PairNetwork(d, pairs))
    for k, row in enumerate(rows):
        whole = forest_posterior(on_all(row, pairs, d))
        np.testing.assert_allclose(
            found.probabilities[k], whole.probabilities[pairs], rtol=0, atol=2e-10
        )
        assert found.log_partition[k] == pytest.approx(whole.log_partition, rel=1e-10, abs=2e-10)


@pytest.mark.parametrize("together", [2, 8, 1000])
def test_how_components_are_grouped_changes_nothing(rng, monkeypatch, together):
    # Blocks of 2, 3, … 9 nodes, each complete.
    sizes = np.arange(2, 10)
    block = np.repeat(np.arange(len(sizes)), sizes)
    d = len(block)
    first, second = pair_nodes(d)
    pairs = np.flatnonzero(block[first] == block[second])
    rows = 5.0 * rng.normal(size=(2, len(pairs)))
    rows[1] += 700.0  # no double holds these
    expected = np.stack([forest_posterior(on_all(row, pairs, d)).probabilities for row in rows])
    monkeypatch.setattr(module, "TOGETHER", together)
    monkeypatch.setattr(module, "MOST_GROUPS", d)
    network = PairNetwork(d, pairs)
    held = np.sort(np.concatenate([pattern.columns for _, pattern in network.groups]))
    np.testing.assert_array_equal(held, np.arange(len(pairs)))
    found = forest_posterior(rows, network=network).probabilities
    np.testing.assert_allclose(found, expected[:, pairs], rtol=0, atol=2e-10)


def test_a_crowded_component(rng):
    d = 140
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < 0.3)
    network = PairNetwork(d, pairs)
    rows = rng.normal(loc=-4.0, size=(3, len(pairs)))
    found = forest_posterior(rows, network=network).probabilities
    whole = forest_posterior(np.stack([on_all(row, pairs, d) for row in rows]))
    np.testing.assert_allclose(found, whole.probabilities[:, pairs], rtol=0, atol=1e-12)


def test_pairs_that_cannot_be_edges_do_not_join_components():
    possible = np.array([True, False, True])  # a - b, not b - c, c - d
    network = PairNetwork(4, [0, 3, 5], possible)
    assert [pattern.columns.tolist() for _, pattern in network.groups] == [[0, 2]]
    rows = np.array([[1.0, -np.inf, 1.0]])
    assert forest_posterior(rows, network=network).probabilities[0, 1] == 0.0


def test_threads_change_no_bit(rng):
    d = 40
    pairs = np.flatnonzero(rng.random(n_pairs(d)) < 0.1)
    rows, network = rng.normal(size=(20, len(pairs))), PairNetwork(d, pairs)
    one, two = (forest_posterior(rows, network=network, threads=k) for k in (1, 2))
    np.testing.assert_array_equal(one.probabilities, two.probabilities)


def test_log_weights_must_be_those_of_the_network():
    with pytest.raises(InputError, match="2 pairs are listed, but log_weights has 3"):
        forest_posterior(np.zeros(3), network=PairNetwork(3, [0, 2]))


@pytest.mark.parametrize("pairs", [[0, 3], [-1], [1, 0], [[0, 1]], [0.5]])
def test_wrong_pairs_are_refused(pairs):
    with pytest.raises(InputError, match="pair"):
        PairNetwork(3, pairs)
