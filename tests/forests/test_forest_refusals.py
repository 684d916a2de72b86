"""Numbers and lists that make no sense are named in one sentence; odd but clear ones work."""

import numpy as np
import pytest

from spinney import forests
from spinney.exceptions import InputError

ONES = np.ones((3, 3))
NO_COUNTS = [2.5, -1, True, "2", [2], np.float64(2.0), np.array(2), float("nan")]


def evaluate(**options):
    return forests.evaluate(np.ones(3), np.ones((1, 3)), **options)


COUNTS = {
    "k": lambda k: forests.smallest_cuts(ONES, k),
    "max_trees": lambda k: forests.log_partition_unrooted(ONES, k),
    "max_trees ": lambda k: forests.edge_marginals_unrooted(ONES, k),
    "max_trees  ": lambda k: forests.evaluate_unrooted(np.ones(3), np.ones((1, 3)), k),
    "max_trees   ": lambda k: forests.sample_unrooted(ONES, k),
    "max_trees    ": lambda k: forests.enumerate(ONES, max_trees=k),
    "n_samples": lambda k: forests.sample(ONES, 1.0, k),
    "n_samples ": lambda k: forests.sample_unrooted(ONES, None, k),
    "n_nodes": lambda k: forests.evaluate([1.0], [[1.0]], n_nodes=k),
    "n_nodes ": lambda k: forests.evaluate([1.0], [[1.0]], pairs=[[0, 1]], n_nodes=k),
    "n_nodes  ": lambda k: forests.Evaluator([1.0], n_nodes=k),
    "threads": lambda k: evaluate(threads=k),
    "threads ": lambda k: forests.evaluate_unrooted(np.ones(3), np.ones((1, 3)), threads=k),
}


@pytest.mark.parametrize("engine", ["fast", None])
def test_an_engine_that_is_none_is_refused(engine):
    with pytest.raises(InputError, match=f"engine must be one of auto, .* log; it is {engine!r}"):
        evaluate(engine=engine)


@pytest.mark.parametrize("value", NO_COUNTS, ids=repr)
@pytest.mark.parametrize("name", COUNTS)
def test_what_is_no_count_is_refused(name, value):
    with pytest.raises(InputError, match=f"^{name.strip()} must be a whole number"):
        COUNTS[name](value)


@pytest.mark.parametrize("name", COUNTS)
def test_numpy_integers_are_counts(name):
    COUNTS[name](np.int32(2))


@pytest.mark.parametrize(
    "name", [name for name in COUNTS if name.strip() not in {"k", "n_samples"}]
)
def test_zero_is_too_small(name):
    with pytest.raises(InputError, match=f"^{name.strip()} must be a whole number, at least 1"):
        COUNTS[name](0)


@pytest.mark.parametrize("pairs", [None, np.empty((0, 2), dtype=int)])
def test_no_nodes(pairs):
    with pytest.raises(InputError, match="n_nodes must be a whole number, at least 1; it is 0"):
        forests.evaluate([], np.ones((1, 0)), pairs=pairs, n_nodes=0)


@pytest.mark.parametrize("pairs", [[], (), np.empty((0, 2)), np.empty((0, 2), dtype=int)])
def test_no_pairs_of_three_nodes(pairs):
    found = forests.evaluate([], np.ones((2, 0)), 2.0, pairs=pairs, n_nodes=3)
    np.testing.assert_allclose(found.log_partition, 3 * np.log(2.0))


@pytest.mark.parametrize(
    "partition",
    [
        [{0, 1}, {2}],
        (frozenset({0, 1}), {2}),
        [(0, 1), (2,)],
        [range(2), [2]],
        [{1, 0}, set(), {2}, []],
        [np.array([0, 1]), np.array([2])],
        ({i} if i == 2 else {0, 1} for i in (0, 2)),
    ],
    ids=["sets", "frozen sets", "tuples", "ranges", "empty sets", "arrays", "a generator"],
)
def test_partitions_in_all_clear_forms(partition):
    expected = evaluate(partition=[[0, 1], [2]])
    found = evaluate(partition=partition)
    np.testing.assert_array_equal(found.log_partition, expected.log_partition)
    np.testing.assert_array_equal(found.weighted_resistance, expected.weighted_resistance)


@pytest.mark.parametrize(
    "partition",
    [
        "abc",
        5,
        [0, 1, 2],
        [[0, 1], 2],
        [[0.5, 1], [2]],
        [[0.0, 1.0], [2.0]],
        [[True, False], [2]],
        [["0"], ["1", "2"]],
        [{"a"}, {0}],
        [[[0, 1]], [2]],
        [[0, [1]], [2]],
        [[0, 1], None],
    ],
    ids=repr,
)
def test_partitions_that_are_none(partition):
    with pytest.raises(InputError, match="partition must be sets of node numbers"):
        evaluate(partition=partition)


@pytest.mark.parametrize("pairs", ["abc", [[0, 1], [1], [2, 0]], [{0, 1}, {1, 2}, {0, 2}], 7])
def test_pairs_that_are_none(pairs):
    with pytest.raises(InputError, match="pairs must hold two node numbers per column"):
        evaluate(pairs=pairs)


@pytest.mark.parametrize("seed", ["a", 2.5, -1, np.array(2)])
@pytest.mark.parametrize("draw", [forests.sample, forests.sample_unrooted])
def test_seeds_that_are_none(draw, seed):
    with pytest.raises(InputError, match="random_state must be"):
        draw(ONES, random_state=seed)


def test_counts_of_trees_where_there_is_none():
    for W in (np.zeros((3, 3)), np.eye(4)[::-1]):
        with pytest.raises(InputError, match="no spanning tree"):
            forests.tree_count_distribution(W, 0.0)
    with pytest.raises(InputError, match="no rooted forest"):
        forests.tree_count_distribution(np.zeros((2, 2)), [1.0, 0.0])


def test_counts_of_the_smallest_graphs():
    for ground in (0.0, 2.0):
        assert forests.tree_count_distribution([[0.0]], ground).tolist() == [0.0, 1.0]
    found = forests.tree_count_distribution(np.zeros((3, 3)), 0.5)
    np.testing.assert_allclose(found, [0.0, 0.0, 0.0, 1.0], atol=1e-15)
    assert forests.tree_count_distribution(ONES, 0.0).tolist()[:2] == [0.0, 1.0]


def test_no_forest_has_no_trees(rng):
    assert forests.tree_count_distribution(ONES)[0] == 0.0  # an eigenvalue of 1 - 2e-16
    for _ in range(20):
        W = np.exp(rng.normal(size=(6, 6)))
        assert forests.tree_count_distribution(W + W.T, rng.uniform(0.1, 1, 6))[0] == 0.0
