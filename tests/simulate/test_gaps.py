"""Gaps: how many, and that they depend on nothing."""

import numpy as np
import pytest
from scipy import stats

from spinney.exceptions import InputError
from spinney.simulate import gaussian_mrf, potts_forest, with_gaps


def test_values_missing_by_chance_are_as_many_as_asked_for_and_depend_on_nothing():
    data = gaussian_mrf(5000, 6, 2, random_state=2)
    missing = np.isnan(with_gaps(data, 0.3).X)
    assert (abs(missing.mean(axis=0) - 0.3) < 4 * np.sqrt(0.21 / 5000)).all()
    for u in range(6):
        for v in range(6):
            x = data.X[:, v]
            assert stats.ks_2samp(x[missing[:, u]], x[~missing[:, u]]).pvalue > 1e-4


def test_what_is_left_is_as_it_was(rng):
    for data in (gaussian_mrf(50, 6, 2, random_state=2), potts_forest(50, 6, random_state=2)):
        holey = with_gaps(data, 0.3, random_state=rng)
        there = ~np.isnan(holey.X)
        np.testing.assert_array_equal(holey.X[there], data.X[there])
        assert holey.kinds == data.kinds
        np.testing.assert_array_equal(with_gaps(data, 0.0).X, data.X)


def test_a_share_of_one_is_refused():
    with pytest.raises(InputError, match=r"share must lie in \[0, 1\), got 1"):
        with_gaps(gaussian_mrf(10, 3, 1, random_state=1), 1)
