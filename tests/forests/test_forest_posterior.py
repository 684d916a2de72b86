"""The evidence of sets of rows, and the profile over their size."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import PairCopulas, forests
from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.forests import forest_posterior
from spinney.forests.posterior import (
    Ladder,
    default_sizes,
    draw_subsets,
    ladder,
    log_evidence,
)
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import gaussian_mrf


def probabilities(*arguments, root_weight=1.0, **options):
    weights = log_evidence(*arguments, root_weight=root_weight, **options)
    return forest_posterior(weights, root_weight=root_weight).probabilities


@pytest.fixture
def table(rng):
    """Evidence of 40 rows and 6 columns, strong enough to matter."""
    n_parameters = rng.integers(0, 3, 15)
    log_density = rng.normal(loc=0.1, scale=1.0, size=(40, 15))
    log_density[:, n_parameters == 0] = 0.0
    return PairDensities(log_density, n_parameters)


def test_evidence_is_what_the_formula_says(table):
    log_density, k = table.listed, table.listed_parameters
    subsets = [[3, 1, 2], [39, 0, 7]]
    found = log_evidence(table, subsets, edge_weight=0.3)
    for subset, row in zip(subsets, found, strict=True):
        sums = sum(log_density[j] for j in subset)
        expected = np.where(k > 0, np.log(0.3) + sums - 0.5 * k * np.log(3), -np.inf)
        np.testing.assert_allclose(row, expected, rtol=1e-13)


def test_default_prior_expects_half_as_many_edges_as_nodes():
    d = 40
    nothing = np.zeros((1, d * (d - 1) // 2))
    prior = probabilities(PairDensities(nothing, np.ones(nothing.shape[1])))
    assert prior.sum() == pytest.approx((d - 1) / 2)


def test_posterior_equals_enumeration(rng):
    log_density, k = rng.normal(size=(7, 6)), np.array([1, 2, 1, 1, 1, 2])
    weights = log_density.sum(axis=0) - 0.5 * k * np.log(7) + np.log(0.4)
    listed = forests.enumerate(to_matrix(weights), 2.0, log=True)
    found = probabilities(PairDensities(log_density, k), edge_weight=0.4, root_weight=2.0)
    np.testing.assert_allclose(found, to_pairs(listed.edge_marginals), rtol=1e-11)


def test_last_rung_is_the_posterior_of_all_rows(table):
    rungs = ladder(table)
    assert rungs.sizes[-1] == 40
    assert rungs.n_subsets[-1] == 1
    np.testing.assert_array_equal(rungs.probabilities[-1], probabilities(table))


def test_rungs_average_over_subsets(rng):
    evidence = PairDensities(rng.normal(size=(5, 6)), np.ones(6))
    every = list(combinations(range(5), 2))
    expected = probabilities(evidence, every)
    count = 4000
    rungs = ladder(evidence, sizes=[2], n_subsets=count)
    error = expected.std(axis=0) / np.sqrt(count)  # at most: subsets that are dealt out vary less
    assert (np.abs(rungs.probabilities[0] - expected.mean(axis=0)) < 4 * error).all()


@given(st.integers(2, 60), st.integers(1, 50), st.integers(0, 1000))
def test_subsets_are_dealt_out(n, count, seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, n))
    chosen = draw_subsets(n, m, count, rng)
    assert len(chosen) == count
    per_deal = n // m
    for k in range(0, count, per_deal):
        dealt = np.concatenate(chosen[k : k + per_deal])
        assert len(np.unique(dealt)) == len(dealt)
    assert all(len(rows) == m and (np.diff(rows) > 0).all() for rows in chosen)


@pytest.mark.parametrize("threads", [1, 2])
def test_seed_decides_and_threads_do_not(table, threads):
    first = ladder(table, random_state=5)
    again = ladder(table, random_state=5, threads=threads)
    other = ladder(table, random_state=6)
    np.testing.assert_array_equal(first.probabilities, again.probabilities)
    assert (first.probabilities[0] != other.probabilities[0]).any()


def test_permuting_columns_permutes_the_ladder(rng):
    data = gaussian_mrf(60, 8, 2, 1, 3)
    U = pseudo_observations(data.X)
    order = rng.permutation(8)
    found = []
    for values in (U, U[:, order]):
        potentials = PairCopulas(families=["gaussian"]).fit(values)
        k = (potentials.family_ == "gaussian").astype(int)
        found.append(ladder(PairDensities(potentials.log_density(values), k)).probabilities)
    expected = to_matrix(found[0])[:, order][:, :, order]
    np.testing.assert_allclose(to_matrix(found[1]), expected, rtol=0, atol=1e-8)


def test_wild_tables(rng):
    # Sums beyond the range of doubles on the upper rungs, not on the lower ones.
    d, n = 10, 200
    log_density = rng.normal(loc=rng.uniform(-5, 12, d * (d - 1) // 2), size=(n, d * (d - 1) // 2))
    evidence = PairDensities(log_density)
    rungs = ladder(evidence)
    weights = log_evidence(evidence)
    assert weights.max() > 1000
    exact = forests.edge_marginals(to_matrix(weights), log=True, engine="log")
    np.testing.assert_allclose(to_matrix(rungs.probabilities[-1]), exact, rtol=0, atol=1e-10)
    assert (rungs.probabilities.sum(axis=1) < d).all()


def test_mean_and_maximum_leave_out_all_rows():
    profile = np.array([[0.1, 0.3], [0.3, 0.1], [0.9, 0.0]])
    rungs = Ladder(np.array([4, 8, 10]), np.array([40, 40, 1]), profile, 10)
    np.testing.assert_allclose(rungs.mean, [0.2, 0.2], rtol=1e-12)
    np.testing.assert_allclose(rungs.maximum, [0.3, 0.3], rtol=1e-12)
    assert rungs.select(0.25).tolist() == [True, True]
    assert rungs.select(0.3).tolist() == [False, False]
    only = Ladder(np.array([10]), np.array([1]), profile[2:], 10)
    np.testing.assert_allclose(only.mean, [0.9, 0.0], rtol=1e-12)


def test_ladder_finds_a_small_field():
    data = gaussian_mrf(500, 10, 2, 1, 1)
    U = pseudo_observations(data.X)
    potentials = PairCopulas(families=["gaussian"]).fit(U)
    k = (potentials.family_ == "gaussian").astype(int)
    kept = ladder(PairDensities(potentials.log_density(U), k)).select()
    assert (kept != (to_pairs(data.adjacency) > 0)).sum() <= 2


@given(st.integers(1, 3000))
def test_default_sizes_climb_to_n(n):
    sizes = default_sizes(n)
    assert sizes[-1] == n
    assert list(sizes) == sorted(set(sizes))
    assert n < 8 or sizes[-2] == int(0.8 * n)


def test_read_only_tables_are_read(table):
    expected = ladder(table).probabilities
    table.listed.flags.writeable = False
    np.testing.assert_array_equal(ladder(table).probabilities, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": [3]}, "1 to 2; it is 3"),
        ({"sizes": [1.5]}, "it is 1.5"),
        ({"sizes": []}, "at least one"),
        ({"n_subsets": 0}, "n_subsets"),
        ({"edge_weight": 0.0}, "edge_weight"),
        ({"root_weight": np.inf}, "root_weight"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(InputError, match=message):
        ladder(PairDensities(np.zeros((2, 3)), [1, 1, 1]), **change)


def test_bad_cut(table):
    with pytest.raises(InputError, match="probability"):
        ladder(table, sizes=[4]).select(1.5)


def test_pairs_are_in_the_usual_order():
    log_density = np.zeros((1, 6))
    log_density[0, 4] = 5.0
    found = to_matrix(probabilities(PairDensities(log_density, np.ones(6))))
    first, second = pair_nodes(4)
    assert found.argmax() == first[4] * 4 + second[4]


# Listed pairs


@pytest.fixture
def listed(rng):
    """Evidence of 9 of the 28 pairs of 8 columns, in two components, one pair without parameters.

    Beside it the same with all pairs, those that are not listed without parameters.
    """
    pairs = np.array([0, 1, 2, 7, 9, 22, 23, 25, 27])  # among 0 … 3 and 4 … 7
    parameters = np.array([1, 2, 1, 1, 1, 1, 0, 2, 1])
    rows = np.array([40.0, 30, 40, 40, 20, 40, 40, 40, 40])
    log_density = rng.normal(loc=0.2, scale=1.5, size=(40, 9))
    few = PairDensities(log_density, parameters, rows, pairs=pairs, n_nodes=8)
    return few, PairDensities(few.log_density, few.n_parameters, few.n_rows)


def test_a_ladder_of_listed_pairs_is_that_of_all(listed):
    few, whole = listed
    found, expected = ladder(few), ladder(whole)
    np.testing.assert_array_equal(found.pairs, few.pairs)
    assert expected.pairs is None
    assert found.probabilities.shape == (len(expected.sizes), 9)
    np.testing.assert_allclose(
        found.probabilities, expected.probabilities[:, few.pairs], rtol=0, atol=2e-10
    )
    others = np.setdiff1d(np.arange(28), few.pairs)
    assert (expected.probabilities[:, others] == 0).all()
    assert (found.probabilities[:, 6] == 0).all()


def test_a_list_without_pairs_has_an_empty_ladder():
    evidence = PairDensities(np.zeros((20, 0)), pairs=[], n_nodes=5)
    rungs = ladder(evidence)
    assert rungs.probabilities.shape == (len(default_sizes(20)), 0)
    assert rungs.select().shape == (0,)
