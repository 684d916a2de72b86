"""Numbers of listed pairs, against numpy's own order of a triangle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._listed import listed_matrix, listed_nodes, listed_numbers, spread_listed
from spinney._pairs import n_pairs, to_matrix


@given(st.integers(1, 40))
def test_nodes_and_numbers_are_those_of_the_triangle(d):
    first, second = np.triu_indices(d, 1)
    numbers = np.arange(n_pairs(d))
    found = listed_nodes(numbers, d)
    np.testing.assert_array_equal(found[0], first)
    np.testing.assert_array_equal(found[1], second)
    np.testing.assert_array_equal(listed_numbers(second, first, d), numbers)


def test_wide_tables_keep_exact_numbers():
    d = 200_000  # 2 · 10^10 pairs: beyond what a 32-bit number or a square root can count
    first, second = np.array([0, 99_999, d - 2]), np.array([1, 150_000, d - 1])
    numbers = listed_numbers(first, second, d)
    assert numbers[-1] == n_pairs(d) - 1
    np.testing.assert_array_equal(listed_nodes(numbers, d), [first, second])


@pytest.mark.parametrize("absent", [0.0, -np.inf])
def test_matrices_hold_what_is_listed(rng, absent):
    pairs = np.array([1, 4, 5])
    values = rng.normal(size=3)
    whole = spread_listed(values, pairs, 4, absent)
    assert np.count_nonzero(whole == absent) == 3
    np.testing.assert_array_equal(
        listed_matrix(values, pairs, 4, absent, diagonal=2.0), to_matrix(whole, diagonal=2.0)
    )
