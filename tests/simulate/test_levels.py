"""Columns cut into levels: order, shares, kinds, and probabilities of pairs."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from spinney.exceptions import InputError
from spinney.simulate import gaussian_mrf, ising_forest, threshold, with_gaps


def test_levels_are_intervals_of_the_values_behind_them():
    data = gaussian_mrf(2000, 6, 2, random_state=3)
    cut = threshold(data, "ordinal", levels=5)
    for x, codes in zip(data.X.T, cut.X.T, strict=True):
        assert set(codes) == {0, 1, 2, 3, 4}
        assert (np.diff(codes[np.argsort(x)]) >= 0).all()
    np.testing.assert_array_equal(cut.adjacency, data.adjacency)
    assert cut.kinds == ("ordinal",) * 6


def test_shares_are_unequal_and_none_is_rare():
    n = 20_000
    cut = threshold(gaussian_mrf(n, 25, 2, random_state=1))
    shares = np.array([np.bincount(x.astype(int), minlength=5) / n for x in cut.X.T])
    assert shares.min() > 0.05 - 4 * np.sqrt(0.05 * 0.95 / n)
    assert shares.min() < 0.06
    assert shares.max() > 0.4
    ones = threshold(gaussian_mrf(n, 25, 2, random_state=1), "binary").X.mean(axis=0)
    assert (abs(ones - 0.5) < 0.25 + 4 * np.sqrt(0.25 / n)).all()
    assert np.ptp(ones) > 0.3


def test_binary_pairs_have_the_probability_of_the_normal_quadrant():
    """P(both ones) of two cut columns, from scipy's bivariate normal distribution."""
    n = 40_000
    data = gaussian_mrf(n, 4, 1.5, random_state=5)
    cut = threshold(data, "binary")
    correlation = np.linalg.inv(data.precision)
    ones = cut.X.mean(axis=0)
    for u, v in zip(*np.triu_indices(4, 1), strict=True):
        r = correlation[u, v]
        # P(Z_u > a, Z_v > b) = P(Z_u < -a, Z_v < -b)
        expected = stats.multivariate_normal(cov=[[1, r], [r, 1]]).cdf(
            stats.norm.ppf([ones[u], ones[v]])
        )
        found = (cut.X[:, u] * cut.X[:, v]).mean()
        assert found == pytest.approx(expected, abs=4 * np.sqrt(expected / n))


def test_a_third_of_each_kind_by_the_seed():
    first = threshold(gaussian_mrf(10, 25, 2, random_state=1), "mixed")
    other = threshold(gaussian_mrf(10, 25, 2, random_state=2), "mixed")
    assert Counter(first.kinds) == {"continuous": 9, "ordinal": 8, "binary": 8}
    assert Counter(first.kinds) == Counter(other.kinds)
    assert first.kinds != other.kinds
    continuous = [kind == "continuous" for kind in first.kinds]
    whole = gaussian_mrf(10, 25, 2, random_state=1).X
    np.testing.assert_array_equal(first.X[:, continuous], whole[:, continuous])


def test_another_seed_cuts_elsewhere():
    data = gaussian_mrf(200, 5, 1.6, random_state=1)
    assert not np.array_equal(threshold(data).X, threshold(data, random_state=2).X)
    np.testing.assert_array_equal(threshold(data).X, threshold(data, random_state=1).X)


def test_kinds_may_be_given_column_by_column():
    data = gaussian_mrf(200, 3, 1, random_state=1)
    cut = threshold(data, ["binary", "continuous", "ordinal"], levels=3)
    assert [len(np.unique(x)) for x in cut.X.T] == [2, 200, 3]


def test_gaps_stay_gaps():
    data = with_gaps(gaussian_mrf(100, 5, 1.6, random_state=1), 0.3)
    np.testing.assert_array_equal(np.isnan(threshold(data).X), np.isnan(data.X))


def test_wrong_wishes_get_one_sentence():
    data = gaussian_mrf(10, 3, 1, random_state=1)
    with pytest.raises(InputError, match="levels must be at most 15, got 16"):
        threshold(data, levels=16)
    with pytest.raises(InputError, match="no kind of levels 'nominal'"):
        threshold(data, "nominal")
    with pytest.raises(InputError, match="2 kinds for 3 columns"):
        threshold(data, ["ordinal", "binary"])
    with pytest.raises(InputError, match="cuts continuous columns"):
        threshold(ising_forest(10, 3, random_state=1))
