"""What is known of listed pairs, put in its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._core.listed import listed_matrix, spread_listed, values_of_pairs
from spinney._core.pairs import to_matrix


@pytest.mark.parametrize("absent", [0.0, -np.inf])
def test_matrices_hold_what_is_listed(rng, absent):
    pairs = np.array([1, 4, 5])
    values = rng.normal(size=3)
    whole = spread_listed(values, pairs, 4, absent)
    assert np.count_nonzero(whole == absent) == 3
    np.testing.assert_array_equal(
        listed_matrix(values, pairs, 4, absent, diagonal=2.0), to_matrix(whole, diagonal=2.0)
    )


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_pairs_are_looked_up_by_number(d, seed):
    rng = np.random.default_rng(seed)
    total = d * (d - 1) // 2
    listed = np.flatnonzero(rng.random(total) < 0.5)
    values = rng.normal(size=len(listed))
    known = dict(zip(listed.tolist(), values.tolist(), strict=True))
    wanted = rng.integers(total, size=12)
    found = values_of_pairs(values, wanted, listed, d, missing=-9.0)
    assert found.tolist() == [known.get(number, -9.0) for number in wanted.tolist()]
    everything = spread_listed(values, listed, d, -9.0)
    np.testing.assert_array_equal(values_of_pairs(everything, wanted, listed, d), found)
