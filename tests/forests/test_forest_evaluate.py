"""evaluate against the reference, finite differences and itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import forests
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney.exceptions import DataWarning, InputError
from spinney.forests._layout import plan
from spinney.forests.reference import eliminate, grounded_network, resistances

ENGINES = ["dense", "sparse", "log", "auto"]


def expected(beta, W, ground):
    """Compute both answers with the plain reference, a sample at a time."""
    u, v = pair_nodes(to_matrix(beta).shape[0])
    log_z, total = [], np.zeros(len(beta))
    for w in W:
        network = grounded_network(to_matrix(beta * w), np.asarray(ground))
        totals, shares = eliminate(network)
        log_z.append(np.log(totals).sum())
        total += w * resistances(totals, shares)[u, v]
    return np.array(log_z), total


def problem(rng, n, d, density=1.0, spread=2.0):
    m = n_pairs(d)
    u, v = pair_nodes(d)
    keep = (rng.random(m) < density) | (v == u + 1)
    return np.exp(rng.normal(size=m)) * keep, np.exp(spread * rng.normal(size=(n, m)))


def assert_same(found, expected):
    np.testing.assert_array_equal(found.log_partition, expected.log_partition)
    np.testing.assert_array_equal(found.weighted_resistance, expected.weighted_resistance)
    assert (found.engine, found.n_wide) == (expected.engine, expected.n_wide)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ground", [0.0, 1.0, "vector"])
@pytest.mark.parametrize(("n", "d"), [(1, 2), (8, 3), (9, 4), (7, 5), (16, 8), (13, 23), (3, 50)])
def test_reference(rng, engine, ground, n, d):
    for density in (1.0, 0.2):
        beta, W = problem(rng, n, d, density)
        roots = rng.uniform(0, 2, d) if ground == "vector" else np.full(d, ground)
        log_z, total = expected(beta, W, roots)
        result = forests.evaluate(beta, W, roots, engine=engine)
        np.testing.assert_allclose(result.log_partition, log_z, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(result.weighted_resistance, total, rtol=1e-11)


@pytest.mark.parametrize("d", [131, 181])
def test_reference_where_blocks_are_strided(rng, d):
    """Dense blocks beyond the second-level cache take another loop order."""
    first, second = (x.astype(np.int64) for x in pair_nodes(d))
    assert plan(d, first, second, True).stride > 1
    beta, W = problem(rng, 3, d)
    log_z, total = expected(beta, W, np.ones(d))
    result = forests.evaluate(beta, W)
    np.testing.assert_allclose(result.log_partition, log_z, rtol=1e-12)
    np.testing.assert_allclose(result.weighted_resistance, total, rtol=1e-11)


@given(seed=st.integers(0, 10_000), d=st.integers(2, 24), density=st.floats(0, 1))
def test_engines_agree_on_any_pattern(seed, d, density):
    rng = np.random.default_rng(seed)
    beta, W = problem(rng, 3, d, density)
    if seed % 3:  # two times in three the pattern may fall apart
        beta *= rng.random(len(beta)) < 0.9
    dense = forests.evaluate(beta, W, engine="dense")
    for engine in ("sparse", "auto", "log"):
        other = forests.evaluate(beta, W, engine=engine)
        np.testing.assert_allclose(other.log_partition, dense.log_partition, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(other.weighted_resistance, dense.weighted_resistance, rtol=1e-11)


def test_pairs_may_be_listed(rng):
    d, n = 60, 10
    tree = np.array([(int(rng.integers(i)), i) for i in range(1, d - 1)])  # the last node is alone
    beta, W = rng.uniform(0.5, 2, len(tree)), rng.uniform(0.5, 2, (n, len(tree)))
    result = forests.evaluate(beta, W, pairs=tree[:, ::-1], n_nodes=d)
    assert result.engine == "sparse"
    full_beta, full_W = np.zeros((d, d)), np.ones((n, d, d))
    full_beta[tree[:, 0], tree[:, 1]] = beta
    full_W[:, tree[:, 0], tree[:, 1]] = W
    u, v = pair_nodes(d)
    log_z, total = expected(full_beta[u, v], full_W[:, u, v], np.ones(d))
    np.testing.assert_allclose(result.log_partition, log_z, rtol=1e-12)
    column = {(int(a), int(b)): k for k, (a, b) in enumerate(zip(u, v, strict=True))}
    places = [column[int(a), int(b)] for a, b in tree]
    np.testing.assert_allclose(result.weighted_resistance, total[places], rtol=1e-11)


@pytest.mark.parametrize("ground", [0.0, 0.5])
def test_partition_adds_components(rng, ground):
    beta, W = problem(rng, 5, 9)
    parts = [[0, 3, 4], [1, 2, 5, 8], [6], [7]]
    result = forests.evaluate(beta, W, ground, partition=parts)
    log_z, total = np.zeros(5), np.zeros((9, 9))
    for part in parts:
        own = np.ix_(part, part)
        stack = np.array([to_matrix(beta * w)[own] for w in W])
        log_z += forests.log_partition(stack, ground)
        marginal_sum = forests.edge_marginals(stack, ground).sum(axis=0)
        total[own] += marginal_sum / np.where(np.eye(len(part)), 1.0, to_matrix(beta)[own])
    np.testing.assert_allclose(result.log_partition, log_z, rtol=1e-12)
    u, v = pair_nodes(9)
    np.testing.assert_allclose(result.weighted_resistance, total[u, v], rtol=1e-11, atol=1e-300)
    mixed = [[7], [8, 2, 5, 1], [], [4, 0, 3], [6]]
    other = forests.evaluate(beta, W, ground, partition=mixed)
    np.testing.assert_allclose(other.log_partition, result.log_partition, rtol=1e-13)
    np.testing.assert_array_equal(other.weighted_resistance, result.weighted_resistance)


def test_nodes_alone_have_one_forest(rng):
    beta, W = problem(rng, 5, 4)
    alone = [[0], [1], [2], [3]]
    trees = forests.evaluate(beta, W, 0.0, partition=alone)
    np.testing.assert_array_equal(trees.log_partition, np.zeros(5))
    np.testing.assert_array_equal(trees.weighted_resistance, np.zeros(6))
    rooted = forests.evaluate(beta, W, 0.5, partition=alone)
    np.testing.assert_allclose(rooted.log_partition, np.full(5, 4 * np.log(0.5)), rtol=1e-14)


def test_wild_samples_take_the_wide_path(rng):
    beta, W = problem(rng, 30, 8)
    W[4] *= 1e-300
    W[20, 3] = 5e-324
    W[21, 5] = 0.0
    mixed = forests.evaluate(beta, W)
    assert mixed.n_wide == 2
    slow = forests.evaluate(beta, W, engine="log")
    assert slow.n_wide == 30
    np.testing.assert_allclose(mixed.log_partition, slow.log_partition, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(mixed.weighted_resistance, slow.weighted_resistance, rtol=1e-12)


@pytest.mark.parametrize("ground", [0.0, 1.0])
@pytest.mark.parametrize("log", [False, True])
def test_few_edges_all_resistances(rng, ground, log):
    """Large and sparse enough that only the edges are eliminated and resistances are spread.

    Weights beside the edges count in the sum of resistances, and are checked like others.
    """
    n, d = 130, 90
    beta, W = problem(rng, n, d, 0.01)
    result = forests.evaluate(beta, np.log(W) if log else W, ground, log=log)
    assert result.engine == "sparse"
    log_z, total = expected(beta, W, np.full(d, ground))
    np.testing.assert_allclose(result.log_partition, log_z, rtol=1e-12)
    np.testing.assert_allclose(result.weighted_resistance, total, rtol=1e-11)
    absent = int(np.flatnonzero(beta == 0)[7])
    for bad in (np.nan, np.inf) if log else (np.nan, np.inf, -1.0):
        wrong = W.copy()
        wrong[3, absent] = bad
        with pytest.raises(InputError, match=rf"W\[3, {absent}\]"):
            forests.evaluate(beta, wrong, ground, log=log)
    W[9] *= 1e-295  # this sample goes the wide way
    mixed = forests.evaluate(beta, np.log(W) if log else W, ground, log=log)
    assert mixed.n_wide == 1
    slow = forests.evaluate(beta, np.log(W) if log else W, ground, log=log, engine="log")
    np.testing.assert_allclose(mixed.weighted_resistance, slow.weighted_resistance, rtol=1e-11)


def test_few_edges_among_pairs_in_any_order_and_within_sets(rng):
    """Resistances are spread to the columns of the pairs, wherever those stand."""
    d = 24
    beta, W = problem(rng, 9, d, 0.05)
    order = rng.permutation(len(beta))
    pairs = np.transpose(pair_nodes(d))[order]
    sets = [np.arange(0, d, 3), np.setdiff1d(np.arange(d), np.arange(0, d, 3))]
    for partition in (None, sets):
        found, slow = (
            forests.evaluate(
                beta[order], W[:, order], pairs=pairs, partition=partition, engine=engine
            )
            for engine in ("sparse", "log")
        )
        np.testing.assert_allclose(found.log_partition, slow.log_partition, rtol=1e-12)
        np.testing.assert_allclose(
            found.weighted_resistance, slow.weighted_resistance, rtol=1e-11, atol=1e-300
        )


def test_weights_beside_the_edges_may_be_huge(rng):
    beta, W = problem(rng, 130, 90, 0.01)
    absent = int(np.flatnonzero(beta == 0)[7])
    W = np.log(W)
    W[3, absent] = 712.0  # beyond doubles, times a resistance of at most 2
    result = forests.evaluate(beta, W, log=True)
    assert np.isinf(result.weighted_resistance[absent])
    assert np.isfinite(np.delete(result.weighted_resistance, absent)).all()


def test_log_weights(rng):
    beta, W = problem(rng, 12, 7, 0.6)
    plain = forests.evaluate(beta, W)
    logged = forests.evaluate(beta, np.log(W), log=True)
    np.testing.assert_allclose(logged.log_partition, plain.log_partition, rtol=1e-13)
    np.testing.assert_allclose(logged.weighted_resistance, plain.weighted_resistance, rtol=1e-12)
    far = forests.evaluate(beta, np.log(W) - 2000.0, 0.0, log=True)
    near = forests.evaluate(beta, W, 0.0)
    np.testing.assert_allclose(far.log_partition, near.log_partition - 12_000, rtol=1e-13)
    np.testing.assert_allclose(far.weighted_resistance, near.weighted_resistance, rtol=1e-11)


def test_absent_edges_of_a_sample_are_in_range(rng):
    beta, W = problem(rng, 12, 7)
    W[3, 5] = 0.0
    with np.errstate(divide="ignore"):
        result = forests.evaluate(beta, np.log(W), log=True)
    assert result.n_wide == 0
    expected = forests.evaluate(beta, W)
    np.testing.assert_allclose(result.log_partition, expected.log_partition, rtol=1e-13)


def test_products_that_vanish_are_seen():
    result = forests.evaluate([1e-200, 1.0, 0.0], [[1e-200, 1.0, 1.0]], 0.0)
    assert result.log_partition[0] == pytest.approx(-400 * np.log(10.0), rel=1e-13)
    assert result.n_wide == 1


@pytest.mark.parametrize("ground", [1e-200, 1e200])
def test_root_weights_out_of_range(rng, ground):
    beta, W = problem(rng, 5, 6)
    result = forests.evaluate(beta, W, ground)
    assert (result.engine, result.n_wide) == ("log", 5)
    # One tree with any of six roots, or six nodes alone; the rest does not count.
    trees = forests.evaluate(beta, W, 0.0).log_partition
    expected = np.log(6) + np.log(ground) + trees if ground < 1 else np.full(5, 6 * np.log(ground))
    np.testing.assert_allclose(result.log_partition, expected, rtol=1e-13)


def test_no_spanning_tree_is_said(rng):
    beta = np.array([1.0, 0.0, 0.0])
    with pytest.warns(DataWarning, match="sample 0 the edges"):
        result = forests.evaluate(beta, np.ones((2, 3)), 0.0)
    assert (result.log_partition == -np.inf).all()
    assert np.isnan(result.weighted_resistance).all()
    W = np.ones((9, 3))
    W[8] = [1.0, 0.0, 0.0]
    with pytest.warns(DataWarning, match="sample 8"):
        result = forests.evaluate(np.ones(3), W, 0.0)
    assert np.isfinite(result.log_partition[:8]).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("partition", [None, [[0, 1], [2, 3]]])
def test_an_impossible_sample_is_alone_in_it(rng, engine, partition):
    beta, W = problem(rng, 11, 4)
    possible = forests.evaluate(beta, W, 0.0, per_sample=True, partition=partition, engine=engine)
    W[[2, 9]] = 0.0
    with pytest.warns(DataWarning, match="sample 2 "):
        found = forests.evaluate(beta, W, 0.0, per_sample=True, partition=partition, engine=engine)
    others = np.delete(np.arange(11), [2, 9])
    assert (found.log_partition[[2, 9]] == -np.inf).all()
    assert np.isnan(found.weighted_resistance[[2, 9]]).all()
    np.testing.assert_array_equal(found.log_partition[others], possible.log_partition[others])
    np.testing.assert_allclose(
        found.weighted_resistance[others], possible.weighted_resistance[others], rtol=1e-13
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a["W"].__setitem__((3, 1), np.nan), r"W\[3, 1\] is NaN"),
        (lambda a: a["W"].__setitem__((9, 2), -1.0), r"W\[9, 2\] is negative"),
        (lambda a: a["W"].__setitem__((0, 0), np.inf), r"W\[0, 0\] is infinite"),
        (lambda a: a.update(W=np.full((2, 3), np.nan), log=True), r"W\[0, 0\] is NaN"),
        (lambda a: a.update(W=np.full((2, 3), np.inf), log=True), r"W\[0, 0\] is infinite"),
        (lambda a: a["beta"].__setitem__(2, -1.0), r"beta\[2\] is negative"),
        (lambda a: a.update(beta=np.ones(6)), r"6 columns, .* shape is \(10, 3\)"),
        (lambda a: a.update(beta=np.ones(4), W=np.ones((2, 4))), "4 is not"),
        (lambda a: a.update(pairs=[[0, 1], [1, 1], [0, 2]]), r"pairs\[1\] = \[1, 1\]"),
        (lambda a: a.update(pairs=[[0, 1], [1, 0], [0, 2]]), "a pair twice"),
        (lambda a: a.update(pairs=[[0.5, 1], [1, 2], [0, 2]]), "two node numbers"),
        (lambda a: a.update(n_nodes=5), "5 nodes have 10 pairs"),
        (lambda a: a.update(partition=[[0, 1], [1, 2]]), "exactly one set"),
        (lambda a: a.update(partition=[[0, 1], [1]]), "exactly one set"),
        (lambda a: a.update(partition=[[0, 1], [-1]]), "exactly one set"),
        (lambda a: a.update(partition=[[0, 1], [3]]), "exactly one set"),
        (lambda a: a.update(threads=0), "at least 1"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"beta": np.ones(3), "W": np.ones((10, 3))}
    change(arguments)
    with pytest.raises(InputError, match=message):
        forests.evaluate(**arguments)


@pytest.mark.parametrize("options", [{}, {"partition": [[2, 0, 4], [1, 3]]}])
def test_one_evaluator_serves_many_tables(rng, options):
    beta, W = problem(rng, 20, 5)
    beta[3] = 0.0
    evaluator = forests.Evaluator(beta, 0.5, **options)
    for table in (W, np.ones((1, 10)), W[:3] ** 2):
        for per_sample in (False, True):
            once = forests.evaluate(beta, table, 0.5, per_sample=per_sample, **options)
            again = evaluator.evaluate(table, per_sample=per_sample)
            assert_same(again, once)
    with pytest.raises(InputError, match=r"W must have a row per sample and 10 columns"):
        evaluator.evaluate(np.ones((3, 9)))
    with pytest.raises(InputError, match=r"one weight per pair; its shape is \(2, 3\)"):
        forests.Evaluator(np.ones((2, 3)))


def test_no_samples_and_no_pairs():
    result = forests.evaluate(np.ones(3), np.ones((0, 3)))
    assert result.log_partition.shape == (0,)
    assert result.weighted_resistance.tolist() == [0, 0, 0]
    single = forests.evaluate(np.empty(0), np.empty((4, 0)), 2.0, n_nodes=1)
    np.testing.assert_allclose(single.log_partition, np.log(2.0))


# Samples, which are checked once


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("per_sample", [False, True])
def test_samples_say_what_the_array_says(rng, engine, log, per_sample):
    beta, W = problem(rng, 19, 6, 0.7)
    W[4] *= 1e200  # out of the range of plain numbers
    W = np.log(W) if log else W
    samples = forests.Samples(W, log=log)
    for options in ({}, {"partition": [[0, 4], [1, 2, 3, 5]]}):
        expected = forests.evaluate(
            beta, W, log=log, per_sample=per_sample, engine=engine, **options
        )
        for _ in range(2):
            found = forests.evaluate(beta, samples, per_sample=per_sample, engine=engine, **options)
            assert_same(found, expected)
        evaluator = forests.Evaluator(beta, engine=engine, **options)
        assert_same(evaluator.evaluate(samples, per_sample=per_sample), expected)


def test_an_array_in_order_is_not_copied(rng):
    _, W = problem(rng, 7, 5)
    samples = forests.Samples(W)
    assert np.shares_memory(samples.table, W)
    assert forests.Samples(W, log=True).plain is not W


def test_logarithms_are_taken_back_once(rng):
    beta, W = problem(rng, 7, 5)
    samples = forests.Samples(np.log(W), log=True)
    forests.evaluate(beta, samples)
    once = samples.plain
    forests.evaluate(beta, samples)
    assert samples.plain is once


def test_unrooted_forests_take_samples(rng):
    beta, W = problem(rng, 7, 5)
    expected = forests.evaluate_unrooted(beta, W, 2)
    for samples in (forests.Samples(W), forests.Samples(np.log(W), log=True)):
        found = forests.evaluate_unrooted(beta, samples, 2)
        np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-13)
        np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-12)


def test_an_impossible_one_of_samples_is_said(rng):
    W = np.ones((3, 3))
    W[1] = 0.0
    with pytest.warns(DataWarning, match="sample 1 the edges"):
        forests.evaluate(np.ones(3), forests.Samples(W), 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"W": [[1.0, np.nan]]}, r"W\[0, 1\] is NaN"),
        ({"W": [[1.0, -1.0]]}, r"W\[0, 1\] is negative"),
        ({"W": [[1.0, np.inf]], "log": True}, r"W\[0, 1\] is infinite"),
        ({"W": [1.0, 2.0]}, "its shape is"),
        ({"W": "abc"}, "W must be an array of numbers"),
    ],
)
def test_bad_samples_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        forests.Samples(**arguments)


def test_bad_uses_are_named():
    samples = forests.Samples(np.ones((2, 3)))
    with pytest.raises(InputError, match=r"6 columns, one per pair; its shape is \(2, 3\)"):
        forests.evaluate(np.ones(6), samples)
    with pytest.raises(InputError, match="the Samples hold plain weights"):
        forests.evaluate(np.ones(3), samples, log=True)


# Covariances of edges in random rooted forests, against all forests listed


def by_listing(weights, ground):
    """Covariance of all pairs of edges, from every forest and its probability."""
    d = len(weights)
    first, second = np.triu_indices(d, 1)
    position = {(int(i), int(j)): e for e, (i, j) in enumerate(zip(first, second, strict=True))}
    listed = forests.enumerate(weights, ground)
    present = np.zeros((len(listed.forests), len(first)))
    for row, forest in zip(present, listed.forests, strict=True):
        for edge in forest:
            row[position[tuple(sorted(edge))]] = 1.0
    p = listed.probabilities
    mean = p @ present
    return (present.T * p) @ present - np.outer(mean, mean)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(2, 5),
    ground=st.sampled_from([0.1, 1.0, 7.0]),
    spread=st.sampled_from([0.3, 3.0]),
)
def test_sum_over_samples_against_enumeration(seed, d, ground, spread):
    rng = np.random.default_rng(seed)
    m = d * (d - 1) // 2
    beta, W = rng.lognormal(sigma=spread, size=m), rng.lognormal(size=(3, m))
    nodes = np.column_stack(np.triu_indices(d, 1))
    found = forests.edge_covariance(beta, W, nodes, d, ground)
    expected = sum(by_listing(to_matrix(beta * row), ground) for row in W)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_some_edges_of_many_nodes_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    d, nodes = 9, np.array([[0, 1], [1, 2], [4, 8], [0, 2]])
    beta, W = rng.lognormal(size=4), rng.lognormal(size=(10, 4))
    whole = forests.edge_covariance(beta, W, nodes, d)
    monkeypatch.setattr("spinney.forests.evaluation.RESISTANCES_AT_ONCE", 80)
    np.testing.assert_allclose(forests.edge_covariance(beta, W, nodes, d), whole, rtol=1e-12)
    assert whole[2, 0] == pytest.approx(0.0, abs=1e-12)  # in another component
    one = forests.edge_covariance(beta, W, nodes, d, threads=1)
    np.testing.assert_allclose(one, whole, rtol=1e-12, atol=1e-15)


def test_no_edges_have_no_covariance():
    none = forests.edge_covariance(np.empty(0), np.empty((3, 0)), np.empty((0, 2), int), 4)
    assert none.shape == (0, 0)
