"""log_partition and edge_marginals against enumeration, mpmath and each other."""

import warnings
from functools import cache

import networkx as nx
import numpy as np
import pytest
from forest_oracles import mp_forest, mp_weights, random_weights
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spinney import forests
from spinney.exceptions import DataWarning, InputError
from spinney.forests.reference import (
    eliminate,
    greens_function,
    grounded_network,
    log_partition_reference,
    resistances,
)

ENGINES = ["dense", "sparse", "log", "auto"]
SHAPES = [graph for graph in nx.graph_atlas_g() if 1 <= len(graph) <= 6]


@pytest.fixture(scope="module")
def listed():
    """Every graph shape on up to six nodes, with random weights, and all its forests."""
    rng = np.random.default_rng(3)
    cases = []
    for graph in SHAPES:
        d = len(graph)
        W = nx.to_numpy_array(graph, nodelist=range(d)) * random_weights(rng, d, spread=2)
        grounds = [1.0, np.append(rng.uniform(0.1, 3, d - 1), 0.5)]
        if nx.is_connected(graph):
            grounds += [0.0, np.eye(d)[rng.integers(d)]]
        cases += [(W, ground, forests.enumerate(W, ground)) for ground in grounds]
    return cases


@pytest.mark.parametrize(
    "engine", ["dense", "sparse", "log", pytest.param("auto", marks=pytest.mark.slow)]
)
def test_enumeration_of_every_graph_shape(listed, engine):
    assert len(SHAPES) == 208
    for W, ground, expected in listed:
        log_z = forests.log_partition(W, ground, engine=engine)
        marginals = forests.edge_marginals(W, ground, engine=engine)
        assert log_z == pytest.approx(expected.log_partition, rel=1e-12, abs=1e-13)
        np.testing.assert_allclose(marginals, expected.edge_marginals, rtol=0, atol=1e-12)


def test_reference_agrees_with_enumeration(listed):
    for W, ground, expected in listed:
        roots = np.broadcast_to(ground, len(W)).astype(float)
        log_z = log_partition_reference(W, roots)
        assert log_z == pytest.approx(expected.log_partition, rel=1e-12, abs=1e-13)
        R = resistances(*eliminate(grounded_network(W, roots)))[: len(W), : len(W)]
        np.testing.assert_allclose(W * R, expected.edge_marginals, rtol=0, atol=1e-12)


def test_greens_function_inverts_the_grounded_laplacian(rng):
    W = random_weights(rng, 8)
    g = rng.uniform(0.1, 1, 8)
    G = greens_function(*eliminate(grounded_network(W, g)))
    np.testing.assert_allclose(G @ (np.diag(g + W.sum(axis=1)) - W), np.eye(8), atol=1e-12)


@cache
def over_24_decades(d, ground):
    W = random_weights(np.random.default_rng(20261115), d, spread=12, density=0.6)
    W[np.arange(d - 1), np.arange(1, d)] = W[np.arange(1, d), np.arange(d - 1)] = 1e-12
    return W, *mp_forest(mp_weights(W), np.full(d, ground), digits=120)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ground", [0.0, 1.0, 1e-9])
@pytest.mark.parametrize("d", [12, 40])
def test_mpmath_with_weights_over_24_decades(engine, ground, d):
    W, log_z, marginals = over_24_decades(d, ground)
    assert forests.log_partition(W, ground, engine=engine) == pytest.approx(log_z, rel=1e-12)
    found = forests.edge_marginals(W, ground, engine=engine)
    np.testing.assert_allclose(found, marginals, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ground", [0.0, 1.0])
@pytest.mark.parametrize(
    ("d", "reach"), [(12, 1000), pytest.param(40, 1000, marks=pytest.mark.slow), (8, 10_000)]
)
def test_mpmath_with_huge_log_weights(rng, ground, d, reach):
    W = rng.uniform(-reach, reach, (d, d))
    W = np.triu(W, 1) + np.triu(W, 1).T
    digits = 100 + int(reach * 0.9)
    log_z, marginals = mp_forest(mp_weights(W, log=True), np.full(d, ground), digits)
    assert forests.log_partition(W, ground, log=True) == pytest.approx(log_z, rel=1e-12)
    found = forests.edge_marginals(W, ground, log=True)
    np.testing.assert_allclose(found, marginals, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ground", [0.0, 1.0, 1e-310, 1e300])
@pytest.mark.parametrize("weights", [(1e300, 1e-300), (5e-324, 1e308), (1e-310, 2e-310), (1e300,)])
def test_mpmath_at_the_ends_of_the_number_range(rng, ground, weights):
    d = 7
    W = rng.choice(weights, (d, d))
    W = np.triu(W, 1) + np.triu(W, 1).T
    log_z, marginals = mp_forest(mp_weights(W), np.full(d, ground), digits=2600)
    assert forests.log_partition(W, ground) == pytest.approx(log_z, rel=1e-12)
    np.testing.assert_allclose(forests.edge_marginals(W, ground), marginals, rtol=0, atol=1e-12)


def test_weak_edges_keep_relative_accuracy(rng):
    """What subtracting entries of an inverse loses: a faint edge beside strong ones."""
    W = random_weights(rng, 10, spread=12)
    _, marginals = mp_forest(mp_weights(W), np.ones(10), digits=120)
    off = ~np.eye(10, dtype=bool)
    assert marginals[off].min() < 1e-16
    np.testing.assert_allclose(forests.edge_marginals(W)[off], marginals[off], rtol=1e-12)


def test_marginals_sum_to_expected_number_of_edges(rng):
    W = random_weights(rng, 17, 2)
    expected = 17 - forests.tree_count_distribution(W, 0.7) @ np.arange(18)
    assert forests.edge_marginals(W, 0.7).sum() / 2 == pytest.approx(expected, rel=1e-12)


@given(data=st.data(), d=st.integers(1, 9), ground=st.sampled_from([0.25, 1.0]))
def test_relabelling_permutes_and_log_agrees_with_plain(data, d, ground):
    weights = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))
    upper = np.triu(data.draw(arrays(float, (d, d), elements=weights)), 1)
    W = upper + upper.T
    order = np.array(data.draw(st.permutations(range(d))))
    moved = W[np.ix_(order, order)]
    log_z = forests.log_partition(W, ground)
    marginals = forests.edge_marginals(W, ground)
    assert forests.log_partition(moved, ground) == pytest.approx(log_z, rel=1e-11, abs=1e-13)
    np.testing.assert_allclose(
        forests.edge_marginals(moved, ground), marginals[np.ix_(order, order)], atol=1e-12
    )
    with np.errstate(divide="ignore"):
        log_W = np.log(W)
    assert forests.log_partition(log_W, ground, log=True) == pytest.approx(
        log_z, rel=1e-11, abs=1e-13
    )
    assert (marginals >= 0).all()
    assert (marginals <= 1).all()


def test_stack_is_its_matrices_one_by_one(rng):
    stack = np.array([[random_weights(rng, 6, 2, 0.7) for _ in range(5)] for _ in range(3)])
    values = forests.log_partition(stack)
    marginals = forests.edge_marginals(stack)
    assert values.shape == (3, 5)
    assert marginals.shape == (3, 5, 6, 6)
    for i, j in np.ndindex(3, 5):
        assert values[i, j] == pytest.approx(forests.log_partition(stack[i, j]), rel=1e-13)
        np.testing.assert_allclose(marginals[i, j], forests.edge_marginals(stack[i, j]), atol=1e-14)


def test_wild_matrix_in_a_tame_stack(rng):
    stack = np.array([random_weights(rng, 6, 1) for _ in range(20)])
    stack[13] *= 1e200
    values = forests.log_partition(stack)
    assert values[13] == pytest.approx(forests.log_partition(stack[13], engine="log"), rel=1e-14)
    assert values[12] == pytest.approx(log_partition_reference(stack[12], np.ones(6)), rel=1e-13)


def test_weight_from_one_upward_counts_trees():
    for d in range(1, 9):
        trees = d ** max(d - 2, 0)
        assert np.exp(forests.log_partition(np.ones((d, d)), 0.0)) == pytest.approx(trees)
        assert np.exp(forests.log_partition(np.ones((d, d)))) == pytest.approx((d + 1) ** (d - 1))


@pytest.mark.parametrize("engine", ENGINES)
def test_no_spanning_tree(engine):
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    with pytest.warns(DataWarning, match="do not connect all nodes"):
        assert forests.log_partition(W, 0.0, engine=engine) == -np.inf
    with pytest.raises(InputError, match="no spanning tree"):
        forests.edge_marginals(W, 0.0, engine=engine)
    assert forests.log_partition(W, engine=engine) == pytest.approx(2 * np.log(3))
    with pytest.warns(DataWarning, match="positive root weight"):
        assert forests.log_partition(W, [1.0, 0, 0, 0], engine=engine) == -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forests.log_partition(W, [1.0, 0, 2.0, 0], engine=engine)


@pytest.mark.parametrize(
    ("W", "options", "message"),
    [
        ([[0, np.nan], [np.nan, 0]], {}, r"W\[0, 1\] is NaN"),
        ([[0, -1], [-1, 0]], {}, r"W\[0, 1\] is negative.*log=True"),
        ([[0, np.inf], [np.inf, 0]], {}, r"W\[0, 1\] is infinite"),
        ([[0, np.inf], [np.inf, 0]], {"log": True}, "infinite"),
        ([[0, 1], [2, 0]], {}, r"not symmetric: W\[0, 1\] = 1.0 but W\[1, 0\] = 2.0"),
        ([[[0, 1], [1, 0]], [[0, 1], [3, 0]]], {}, "matrix 1 is not symmetric"),
        ([[0, 1, 1], [1, 0, 1]], {}, "square"),
        ([0, 1], {}, "square"),
        ([["a", "b"], ["c", "d"]], {}, "array of numbers"),
        ([[0, 1j], [1j, 0]], {}, "complex"),
        ([[0, 1], [1, 0]], {"ground": -1.0}, "ground holds a root weight that is negative"),
        ([[0, 1], [1, 0]], {"ground": [1, 2, 3]}, "one per node: 2"),
        ([[0, 1], [1, 0]], {"engine": "magic"}, "engine must be one of"),
    ],
)
def test_bad_input_is_named(W, options, message):
    with pytest.raises(InputError, match=message):
        forests.log_partition(W, **options)


def test_diagonal_and_minus_zero_are_ignored():
    assert forests.log_partition([[9.0, 2.0], [2.0, -7.0]]) == pytest.approx(np.log(5))
    assert forests.log_partition([[0.0, -0.0], [-0.0, 0.0]]) == 0.0


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
def test_a_share_that_underflows_takes_the_wide_path(order):
    # a + c is what counts, a / b is below the range of doubles, and a b / (a + b) is not.
    a, b, c = 1e-175, 1e173, 2e-175
    W = np.zeros((3, 3))
    W[0, 1], W[0, 2], W[1, 2] = a, b, c
    W = (W + W.T)[np.ix_(order, order)]
    assert forests.log_partition(W, 0.0) == pytest.approx(np.log(b) + np.log(a + c), abs=1e-12)
    place = order.index(0), order.index(1)
    assert forests.edge_marginals(W, 0.0)[place] == pytest.approx(1 / 3, rel=1e-13)
