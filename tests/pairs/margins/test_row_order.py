"""Rows have an order of their own, whatever stands first, and whatever sign a column has."""

import numpy as np
import pytest

from spinney.pairs.margins import canonical_order, order_rows


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_are_equally_far_out_are_told_apart(seed):
    rng = np.random.default_rng(seed)
    U = rng.integers(1, 6, size=(60, 3)) / 6  # five values: hundreds of rows at equal distances
    U = np.unique(U, axis=0)
    distance = np.sort(np.abs(U - 0.5).round(10), axis=1)
    assert len(np.unique(distance, axis=0)) < len(U)
    rows, columns = rng.permutation(len(U)), rng.permutation(3)
    sign = rng.choice([-1.0, 1.0], size=3)
    other = 0.5 + (U[rows][:, columns] - 0.5) * sign
    back = (other - 0.5)[canonical_order(other)] * sign
    expected = (U - 0.5)[canonical_order(U)][:, columns]
    np.testing.assert_allclose(back, expected, atol=1e-12)


def test_gaps_count_as_farthest_and_have_no_sign():
    z = np.array([[np.nan, 0.1], [0.4, 0.1], [0.1, np.nan], [-0.2, 0.3]])
    raw = np.nan_to_num(z, nan=9.0)
    order = order_rows(z, raw)
    assert (order[0], order[3]) == (1, 3)  # by the smallest number, then by the next
    negated = order_rows(z * [1.0, -1.0], raw * [1.0, -1.0])
    np.testing.assert_array_equal(order, negated)
