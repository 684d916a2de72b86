"""PairDensities: pairs that are absent, that have rows of their own, and densities out of range."""

import numpy as np
import pytest

from spinney.exceptions import InputError
from spinney.models.objectives import NegativeLogLikelihood, Rooted
from spinney.pairs.densities import PairDensities


def test_absent_pairs_are_independent():
    rng = np.random.default_rng(0)
    listed = rng.normal(size=(7, 3))
    evidence = PairDensities(listed, [1, 2, 1], pairs=[0, 3, 5], n_nodes=4)
    whole = np.zeros((7, 6))
    whole[:, [0, 3, 5]] = listed
    np.testing.assert_array_equal(evidence.log_density, whole)
    np.testing.assert_array_equal(evidence.W, np.exp(whole))
    np.testing.assert_array_equal(evidence.n_parameters, [1, 0, 0, 2, 0, 1])
    beta = rng.random(6)
    dense = NegativeLogLikelihood(Rooted(4), PairDensities(whole)).evaluate(beta)
    sparse = NegativeLogLikelihood(Rooted(4), evidence).evaluate(beta)
    assert sparse[0] == dense[0]
    np.testing.assert_array_equal(sparse[1], dense[1])


def test_each_pair_is_charged_by_its_own_rows():
    evidence = PairDensities(np.ones((20, 3)), [1, 2, 0], [20, 10, 20])
    np.testing.assert_allclose(evidence.costs, [np.log(20), 2 * np.log(10), 0.0])


def test_by_default_a_pair_that_says_anything_has_one_parameter():
    evidence = PairDensities(np.array([[0.0, 0.1, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_array_equal(evidence.n_parameters, [0, 1, 0])
    np.testing.assert_array_equal(evidence.n_rows, [2, 2, 2])


@pytest.mark.parametrize("largest", [299.0, 301.0])
def test_logarithms_are_kept_where_numbers_end(largest):
    log_density = np.array([[largest, -largest, 0.0]])
    evidence = PairDensities(log_density)
    assert evidence.log == (largest > 300)
    np.testing.assert_array_equal(evidence.W, log_density if evidence.log else np.exp(log_density))
    assert not PairDensities(np.empty((0, 3))).log


def test_parts_are_taken_with_all_that_belongs_to_them():
    rng = np.random.default_rng(1)
    evidence = PairDensities(400.0 * rng.normal(size=(5, 6)), np.arange(6), 5 - np.arange(6) % 2)
    part = evidence.take(np.array([4, 1]))
    np.testing.assert_array_equal(part.W, evidence.W[:, [4, 1]])
    np.testing.assert_array_equal(part.n_parameters, [4, 1])
    np.testing.assert_array_equal(part.n_rows, [5, 4])
    assert part.log is evidence.log is True
    assert part.n_nodes == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"log_density": np.ones(3)}, "a row per sample"),
        ({"log_density": np.ones((2, 3)), "n_parameters": [1, 1]}, "n_parameters must hold"),
        ({"log_density": np.ones((2, 3)), "n_rows": [2]}, "n_rows must hold"),
        ({"log_density": np.ones((2, 1)), "pairs": [0]}, "n_nodes must be given"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        PairDensities(**arguments)


def test_listed_pairs_take_no_memory_for_the_others(rng):
    """A million columns, whose pairs no machine could hold."""
    d = 1_000_000
    pairs = np.array([0, 5, d * (d - 1) // 2 - 1])
    evidence = PairDensities(rng.normal(size=(4, 3)), [1, 2, 1], pairs=pairs, n_nodes=d)
    assert evidence.n_pairs == d * (d - 1) // 2
    assert not evidence.log
    sums = evidence.subset_sums([np.array([0, 2]), np.array([1, 3])])
    np.testing.assert_allclose(sums[0], evidence.listed[[0, 2]].sum(axis=0), rtol=1e-14)
    assert evidence.alone().n_pairs == 3
    assert evidence.alone().listed is evidence.listed
    np.testing.assert_array_equal(evidence.index.ends, [[0, 0, d - 2], [1, 6, d - 1]])


def test_pairs_must_rise(rng):
    with pytest.raises(InputError, match="must rise"):
        PairDensities(rng.normal(size=(4, 2)), pairs=[3, 1], n_nodes=4)
    with pytest.raises(InputError, match="no pair 6"):
        PairDensities(rng.normal(size=(4, 2)), pairs=[3, 6], n_nodes=4)


def test_what_is_not_finite_is_named():
    listed = np.zeros((3, 2))
    listed[1, 1] = np.inf
    with pytest.raises(InputError, match=r"log_density\[1, 1\] is inf"):
        PairDensities(listed, pairs=[0, 2], n_nodes=3).subset_sums([np.arange(3)])


# What a whole and its parts must share


def test_parts_of_what_is_out_of_range_stay_logarithms():
    # The second and third pair alone would be in range; but W is prepared once, for all.
    log_density = np.array([[400.0, 0.5, -0.2], [1.0, 0.1, 0.3]])
    whole = PairDensities(log_density)
    columns = np.array([1, 2])
    part = whole.take(columns)
    beta = np.array([0.0, 0.7, 1.3])
    restricted = NegativeLogLikelihood(Rooted(3).restrict(columns), part).evaluate(beta[columns])
    expected = NegativeLogLikelihood(Rooted(3), whole).evaluate(beta)
    np.testing.assert_allclose(restricted[0], expected[0])
    np.testing.assert_allclose(restricted[1], expected[1][columns])


def test_absent_pairs_are_independent_in_logarithms_too():
    evidence = PairDensities([[400.0, 0.5]], [1, 1], [1, 1], pairs=[0, 2], n_nodes=3)
    assert evidence.log
    np.testing.assert_array_equal(evidence.W, [[400.0, 0.0, 0.5]])
    np.testing.assert_array_equal(evidence.n_rows, [1, 1, 1])
    np.testing.assert_array_equal(evidence.costs, [0, 0, 0])
