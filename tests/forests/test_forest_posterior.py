"""The evidence of sets of rows, and the profile over their size."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.forests import PairNetwork, forest_posterior
from spinney.forests import posterior as module
from spinney.forests.posterior import Ladder, default_sizes, draw_subsets, ladder, log_evidence
from spinney.pairs.densities import PairDensities


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


# Log-weights of any size, against exact answers


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
def test_bad_log_weights(arguments, options, message):
    with pytest.raises(InputError, match=message):
        forest_posterior(arguments, **options)


@pytest.mark.parametrize("scale", [1.0, 30.0, 2000.0])
def test_log_partitions_alone_are_those_of_the_posterior(rng, scale):
    rows = rng.normal(scale=scale, size=(19, 45))
    rows[rng.random(rows.shape) < 0.2] = -np.inf
    alone = PairNetwork(10).solve(rows, 0.3, want="partition").log_partition
    np.testing.assert_array_equal(alone, forest_posterior(rows, root_weight=0.3).log_partition)
    assert forest_posterior(rows[0], root_weight=0.3).log_partition == alone[0]


# Networks of listed pairs, components apart: against enumeration, networkx and all pairs


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
