"""Gaps: how many, where, and what they depend on."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from spinney.exceptions import InputError
from spinney.simulate import gaussian_mrf, potts_forest, with_gaps
from spinney.simulate.levels import SLOPE, _intercept


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


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.95])
def test_the_intercept_makes_the_mean_the_share(share):
    """Against quadrature of the logistic over all ranks."""
    mean, _ = integrate.quad(lambda u: special.expit(_intercept(share) + SLOPE * (2 * u - 1)), 0, 1)
    assert mean == pytest.approx(share, rel=1e-9)


def test_dependent_gaps_follow_a_whole_neighbour_by_the_logistic():
    n, share = 20_000, 0.4
    data = gaussian_mrf(n, 25, 2, 1, 4)
    missing = np.isnan(with_gaps(data, share, "depends").X)
    holey = np.flatnonzero(missing.any(axis=0))
    whole = np.flatnonzero(~missing.any(axis=0))
    assert len(holey) == 12
    found = missing[:, holey].mean(axis=0)
    assert (abs(found - share) < 4 * np.sqrt(share * (1 - share) / n)).all()
    ranks = stats.norm.cdf(data.X)
    signs = []
    for column in holey:
        association = [np.corrcoef(missing[:, column], ranks[:, k])[0, 1] for k in whole]
        strongest = int(np.argmax(np.abs(association)))
        near = data.adjacency[column, whole]
        assert near[strongest] or not near.any()
        sign = np.sign(association[strongest])
        signs.append(sign)
        tenth = (10 * ranks[:, whole[strongest]]).astype(int)
        rates = np.array([missing[tenth == k, column].mean() for k in range(10)])
        middle = (np.arange(10) + 0.5) / 10
        expected = special.expit(_intercept(share) + sign * SLOPE * (2 * middle - 1))
        # 0.012: what the mean over a tenth differs from the value in its middle.
        np.testing.assert_allclose(rates, expected, atol=0.012 + 4 * np.sqrt(0.25 / (n / 10)))
    assert {-1.0, 1.0} == set(signs)


def test_wrong_wishes_get_one_sentence():
    data = gaussian_mrf(10, 3, 1, random_state=1)
    with pytest.raises(InputError, match=r"share must lie in \[0, 1\), got 1"):
        with_gaps(data, 1)
    with pytest.raises(InputError, match="mechanism must be 'random' or 'depends'"):
        with_gaps(data, 0.1, "mnar")
    with pytest.raises(InputError, match="by standard normal columns only"):
        with_gaps(potts_forest(10, 3, random_state=0), 0.1, "depends")
    with pytest.raises(InputError, match="has missing values already"):
        with_gaps(with_gaps(data, 0.5), 0.1, "depends")
    with pytest.raises(InputError, match="only one"):
        with_gaps(gaussian_mrf(10, 1, 0, random_state=1), 0.1, "depends")
