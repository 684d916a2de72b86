import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._core.component_kernels import pair_component_labels
from spinney._core.components import component_labels
from spinney._core.pairs import (
    PairIndex,
    n_nodes,
    n_pairs,
    pair_ends,
    pair_index,
    pair_nodes,
    pair_numbers,
    to_matrix,
    to_pairs,
)
from spinney.exceptions import InputError

sizes = st.integers(2, 30)


@given(sizes)
def test_pairs_are_those_of_itertools_in_order(d):
    first, second = pair_nodes(d)
    expected = list(itertools.combinations(range(d), 2))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert len(first) == n_pairs(d) == nx.complete_graph(d).number_of_edges()
    assert [pair_index(u, v, d) for u, v in expected] == list(range(n_pairs(d)))
    assert [pair_index(v, u, d) for u, v in expected] == list(range(n_pairs(d)))


@given(st.integers(2, 60))
def test_ends_and_numbers_of_pairs_are_those_of_the_list(d):
    first, second = pair_ends(np.arange(n_pairs(d)), d)
    np.testing.assert_array_equal((first, second), pair_nodes(d))
    assert pair_numbers(first, second, d).tolist() == list(range(n_pairs(d)))
    assert pair_numbers(second, first, d).tolist() == list(range(n_pairs(d)))


@given(st.integers(2, 100_000), st.data())
def test_ends_of_single_pairs_of_wide_tables_are_exact(d, data):
    u = data.draw(st.integers(0, d - 2))
    v = data.draw(st.integers(u + 1, d - 1))
    number = pair_index(u, v, d)
    # Where a variable's pairs begin and end is where a rounded root would be off by one.
    around = [pair_index(u, u + 1, d), number, pair_index(u, d - 1, d)]
    first, second = pair_ends(around, d)
    assert first.tolist() == [u, u, u]
    assert second.tolist() == [u + 1, v, d - 1]
    assert pair_numbers(first, second, d).tolist() == around


@pytest.mark.parametrize("d", [99_999, 100_000])
def test_ends_are_exact_where_each_variable_begins_and_ends(d):
    u = np.arange(d - 1)
    first = u * (2 * d - u - 1) // 2
    last = first + d - 2 - u
    np.testing.assert_array_equal(pair_ends(first, d), (u, u + 1))
    np.testing.assert_array_equal(pair_ends(last, d), (u, np.full(d - 1, d - 1)))


@given(st.integers(1, 10**9))
def test_number_of_nodes_undoes_number_of_pairs(d):
    assert n_nodes(n_pairs(d)) == d


@given(st.integers(2, 10**6))
def test_other_numbers_of_pairs_are_refused(d):
    for wrong in {-1, n_pairs(d) - 1, n_pairs(d) + 1} - {0, 1, 3}:
        with pytest.raises(InputError, match=f"{wrong} is not d"):
            n_nodes(wrong)


@given(sizes, st.sampled_from([(), (3,), (2, 4)]), st.integers(0, 1000))
def test_matrix_and_pairs_undo_each_other(d, batch, seed):
    values = np.random.default_rng(seed).normal(size=(*batch, n_pairs(d)))
    matrix = to_matrix(values, diagonal=7.0)
    assert matrix.shape == (*batch, d, d)
    assert np.array_equal(matrix, np.swapaxes(matrix, -1, -2))
    assert (np.diagonal(matrix, axis1=-2, axis2=-1) == 7.0).all()
    assert np.array_equal(to_pairs(matrix), values)
    for k, (u, v) in enumerate(itertools.combinations(range(d), 2)):
        assert np.array_equal(matrix[..., v, u], values[..., k])


def test_only_the_upper_triangle_is_read():
    assert to_pairs([[9, 1, 2], [8, 9, 3], [8, 8, 9]]).tolist() == [1, 2, 3]


@pytest.mark.parametrize(("u", "v"), [(1, 1), (0, 5), (-1, 2), (5, 0)])
def test_what_is_no_pair_is_refused(u, v):
    with pytest.raises(InputError, match="is not a pair of distinct variables among 0 … 4"):
        pair_numbers([0, u], [1, v], 5)


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 3, 4)])
def test_matrices_must_be_square(shape):
    with pytest.raises(InputError, match="square matrices"):
        to_pairs(np.zeros(shape))


def test_values_must_fill_a_triangle():
    with pytest.raises(InputError, match="4 is not"):
        to_matrix([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(InputError, match="at least one dimension"):
        to_matrix(3.0)


# A list of pairs


@pytest.mark.parametrize("absent", [0.0, -np.inf])
def test_matrices_hold_what_is_listed(rng, absent):
    index = PairIndex(4, [1, 4, 5])
    values = rng.normal(size=(2, 3))
    whole = index.spread(values, absent)
    assert np.count_nonzero(whole == absent) == 6
    np.testing.assert_array_equal(
        index.matrix(values, absent, diagonal=2.0), to_matrix(whole, diagonal=2.0)
    )


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_pairs_are_looked_up_by_number(d, seed):
    rng = np.random.default_rng(seed)
    listed = np.flatnonzero(rng.random(n_pairs(d)) < 0.5)
    index = PairIndex(d, listed)
    values = rng.normal(size=len(listed))
    known = dict(zip(listed.tolist(), values.tolist(), strict=True))
    wanted = rng.integers(n_pairs(d), size=12)
    found = index.look_up(values, wanted, missing=-9.0)
    assert found.tolist() == [known.get(number, -9.0) for number in wanted.tolist()]
    everything = index.spread(values, -9.0)
    np.testing.assert_array_equal(index.look_up(everything, wanted), found)
    assert [number in index for number in wanted] == [number in known for number in wanted.tolist()]


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_a_list_of_all_pairs_is_the_same_as_none(d, seed):
    every, none = PairIndex(d, np.arange(n_pairs(d))), PairIndex(d)
    assert every == none
    assert len(every) == len(none) == n_pairs(d)
    np.testing.assert_array_equal(every.ends, none.ends)
    wanted = np.random.default_rng(seed).integers(-2, n_pairs(d) + 2, size=9)
    np.testing.assert_array_equal(every.places_of(wanted), none.places_of(wanted))
    values = np.random.default_rng(seed).normal(size=n_pairs(d))
    np.testing.assert_array_equal(every.matrix(values), none.matrix(values))
    np.testing.assert_array_equal(none.matrix(values, diagonal=3.0), to_matrix(values, 3.0))
    np.testing.assert_array_equal(every.spread(values), none.spread(values))


def test_lists_are_sorted():
    index = PairIndex.sorted(4, [5, 0, 3, 5])
    assert index == PairIndex(4, [0, 3, 5])
    assert index != PairIndex(4)
    assert index != PairIndex(5)


@pytest.mark.parametrize(
    ("numbers", "match"),
    [
        ([0, 3], "There is no pair 3: pairs are numbered from 0 to 2"),
        ([-1, 1], "There is no pair -1"),
        ([1, 1], "pairs must rise, each number once; 1 follows 1"),
        ([2, 0], "pairs must rise"),
        ([0.5], "list of pair numbers; got type float64"),
        ([[0]], "shape"),
    ],
)
def test_lists_that_are_no_lists_are_refused(numbers, match):
    with pytest.raises(InputError, match=match):
        PairIndex(3, numbers)


# Connected components against networkx


@given(seed=st.integers(0, 2**32), d=st.integers(1, 40), density=st.floats(0.0, 0.2))
def test_against_networkx(seed, d, density):
    upper = np.triu(np.random.default_rng(seed).random((d, d)) < density, 1)
    adjacency = upper | upper.T
    labels = component_labels(adjacency * 0.5)
    found = {frozenset(np.flatnonzero(labels == k).tolist()) for k in range(labels.max() + 1)}
    expected = nx.connected_components(nx.from_numpy_array(adjacency))
    assert found == {frozenset(nodes) for nodes in expected}
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered in order of first nodes
    np.testing.assert_array_equal(pair_component_labels(to_pairs(adjacency) > 0, d), labels)


@pytest.mark.parametrize("d", [0, 1, 300])
def test_chains(d):
    chain = np.eye(d, k=1) + np.eye(d, k=-1)
    assert (component_labels(chain) == 0).all()
    assert (pair_component_labels(to_pairs(chain) > 0, d) == 0).all()
