"""What is known of listed pairs, put in its place."""

import numpy as np
import pytest

from spinney._listed import listed_matrix, spread_listed
from spinney._pairs import to_matrix


@pytest.mark.parametrize("absent", [0.0, -np.inf])
def test_matrices_hold_what_is_listed(rng, absent):
    pairs = np.array([1, 4, 5])
    values = rng.normal(size=3)
    whole = spread_listed(values, pairs, 4, absent)
    assert np.count_nonzero(whole == absent) == 3
    np.testing.assert_array_equal(
        listed_matrix(values, pairs, 4, absent, diagonal=2.0), to_matrix(whole, diagonal=2.0)
    )
