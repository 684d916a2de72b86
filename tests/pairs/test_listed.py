"""Pair potentials of listed pairs: the same as where every pair has an entry."""

import numpy as np
import pandas as pd
import pytest

from spinney import PairCopulas
from spinney._core.pairs import n_pairs
from spinney.exceptions import InputError
from spinney.pairs.pair_fit import PairFit
from spinney.tables import read_table


def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 6)).cumsum(axis=1)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["b"] = pd.Categorical.from_codes((X[:, 1] > 0).astype(int), ["no", "yes"])
    colour = np.digitize(X[:, 3], [-1.0, 1.0])
    frame["d"] = pd.Categorical.from_codes(colour, ["red", "green", "blue"])
    frame.loc[:30, "e"] = np.nan
    return read_table(frame, kind={"d": "nominal"})


LISTED = np.array([0, 2, 5, 7, 9, 11, 14])


@pytest.fixture(scope="module")
def both():
    return PairFit().fit(table()), PairFit().fit(table(), pairs=LISTED)


def test_listed_pairs_are_fitted_as_all_are(both):
    whole, listed = both
    np.testing.assert_array_equal(listed.pairs_, LISTED)
    assert whole.pairs_ is None
    for name in ("n_parameters_", "n_rows_", "known_"):
        np.testing.assert_array_equal(getattr(listed, name), getattr(whole, name)[LISTED])
    np.testing.assert_array_equal(listed.fitted_log_density_, whole.fitted_log_density_[:, LISTED])
    np.testing.assert_array_equal(
        listed.cross_fitted_log_density_, whole.cross_fitted_log_density_[:, LISTED]
    )
    pd.testing.assert_frame_equal(listed.describe(LISTED), whole.describe(LISTED))
    pd.testing.assert_frame_equal(
        listed.describe().reset_index(drop=True), whole.describe(LISTED).reset_index(drop=True)
    )


def test_pairs_that_are_not_listed_are_independent(both):
    whole, listed = both
    asked = [1, 2, 13]
    assert listed.describe(asked)["family"].tolist()[0::2] == ["independence"] * 2
    expected = np.zeros((120, 3))
    expected[:, 1] = whole.log_density(whole.table_)[:, 2]
    np.testing.assert_array_equal(listed.log_density(listed.table_, asked), expected)
    with pytest.raises(InputError, match="no pair 15"):
        listed.describe([n_pairs(6)])


def test_densities_keep_to_listed_pairs(both):
    _, listed = both
    densities = listed.densities_
    np.testing.assert_array_equal(densities.pairs, LISTED)
    assert densities.n_nodes == 6
    np.testing.assert_array_equal(densities.listed, listed.fitted_log_density_)


def test_numbers_have_copulas():
    table = read_table(np.random.default_rng(4).normal(size=(80, 5)).cumsum(axis=1))
    whole, listed = PairFit().fit(table), PairFit().fit(table, pairs=[3, 8])
    assert isinstance(listed.potentials, PairCopulas)
    np.testing.assert_array_equal(listed.copulas_.parameters_, whole.copulas_.parameters_[[3, 8]])
    np.testing.assert_array_equal(listed.densities_.listed, whole.densities_.listed[:, [3, 8]])
