"""Pairs with gaps: each is fitted as the table of its own rows would be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from tests.pairs.copulas.levels_cases import pseudo, sub_table

from spinney._core.pairs import PairIndex, pair_nodes
from spinney.pairs.copulas import Clayton, Gaussian, PairCopulas, Student, pair_copulas
from spinney.pairs.copulas.blocks import MIN_COMMON_ROWS, common_rows
from spinney.pairs.copulas.kendall import kendall_tau, kendall_tau_of_pairs

LEVELS = [0, 0, 4, 3, 0, 2]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(4)
    blocks = [
        Gaussian(-0.6).sample(220, rng),
        Clayton(1.5, 180).sample(220, rng),
        Student(0.5, 2.0).sample(220, rng),
    ]
    X = np.hstack(blocks)
    X[:, 2] += 0.5 * X[:, 0]
    X[:, 4] = np.round(X[:, 4] - 0.3 * X[:, 3], 2)  # a few ties
    return X


@pytest.fixture(scope="module")
def gaps(numbers):
    gaps = np.random.default_rng(0).uniform(size=numbers.shape) < 0.15
    gaps[:, 1] = gaps[:, 2] = False
    return gaps


@pytest.fixture(scope="module")
def table(numbers, gaps):
    return pseudo(numbers, LEVELS, gaps)


@pytest.fixture(scope="module")
def fitted(table):
    return PairCopulas().fit(table)


@pytest.mark.parametrize("pair", range(15))
def test_a_pair_is_fitted_as_the_table_of_its_rows(table, fitted, pair, monkeypatch):
    i, j = (int(nodes[pair]) for nodes in pair_nodes(6))
    rows = np.flatnonzero(table.present[:, [i, j]].all(axis=1))
    folds = fitted.fold_of_row_[rows]
    monkeypatch.setattr(pair_copulas, "draw_folds", lambda *_: folds)
    two = table.take(rows)
    two = type(table)(
        two.u[:, [i, j]], two.codes[:, [i, j]], (two.masses[i], two.masses[j]),
        two.nominal[[i, j]], ("a", "b"),
    )  # fmt: skip
    alone = PairCopulas().fit(sub_table(two, np.arange(len(rows))))
    assert fitted.n_rows_[pair] == len(rows)
    assert fitted.family_[pair] == alone.family_[0]
    assert fitted.rotation_[pair] == alone.rotation_[0]
    np.testing.assert_allclose(fitted.parameters_[pair], alone.parameters_[0], rtol=1e-5)
    np.testing.assert_allclose(fitted.fold_parameters_[pair], alone.fold_parameters_[0], rtol=1e-5)
    np.testing.assert_allclose(fitted.log_likelihood_[pair], alone.log_likelihood_[0], atol=1e-6)
    np.testing.assert_allclose(fitted.held_out_[pair], alone.held_out_[0], atol=5e-5)
    whole = np.zeros((2, len(table)))
    whole[0, rows] = alone.fitted_log_density_[:, 0]
    whole[1, rows] = alone.cross_fitted_log_density_[:, 0]
    np.testing.assert_allclose(fitted.fitted_log_density_[:, pair], whole[0], atol=1e-5)
    np.testing.assert_allclose(fitted.cross_fitted_log_density_[:, pair], whole[1], atol=1e-5)


def test_columns_without_gaps_or_levels_are_as_in_an_array(numbers, gaps):
    plain = PairCopulas().fit(stats.rankdata(numbers, axis=0) / (len(numbers) + 1))
    same = PairCopulas().fit(pseudo(numbers, [0] * 6))
    for name in ("family_", "parameters_", "fold_parameters_", "criterion_", "log_likelihood_"):
        np.testing.assert_array_equal(getattr(same, name), getattr(plain, name))
    np.testing.assert_array_equal(same.fitted_log_density_, plain.fitted_log_density_)
    np.testing.assert_array_equal(same.cross_fitted_log_density_, plain.cross_fitted_log_density_)
    np.testing.assert_array_equal(plain.fitted_log_density_, plain.log_density(plain._table.u))
    # The first column has gaps, pairs of the others do not.
    only = gaps & (np.arange(6) == 0)
    partly = PairCopulas().fit(pseudo(numbers, [0] * 6, only))
    np.testing.assert_array_equal(partly.parameters_[5:], plain.parameters_[5:])
    np.testing.assert_array_equal(partly.criterion_[5:], plain.criterion_[5:])


def test_new_rows_keep_the_margins_that_they_bring(table, fitted):
    rows = np.arange(40)
    part = fitted.log_density(table.take(rows))
    np.testing.assert_allclose(part, fitted.log_density(table)[rows], atol=1e-12)
    first, second = pair_nodes(6)
    missing = ~(table.present[:, first] & table.present[:, second])
    assert (fitted.log_density(table)[missing] == 0.0).all()
    assert (fitted.fitted_log_density_[missing] == 0.0).all()
    pair, u = 0, table.take(np.flatnonzero(table.present[:, :2].all(axis=1)))
    exact = fitted.copula(0, 1).logpdf(u.u[:, 0], u.u[:, 1])
    np.testing.assert_allclose(fitted.log_density(u)[:, pair], exact, atol=1e-9)


def test_pairs_with_too_few_common_rows_are_not_known(numbers):
    gaps = np.zeros(numbers.shape, dtype=bool)
    gaps[MIN_COMMON_ROWS - 1 :, 0] = True
    gaps[MIN_COMMON_ROWS + 4 :, 2] = True
    table = pseudo(numbers, LEVELS, gaps)
    fitted = PairCopulas().fit(table)
    first, _ = pair_nodes(6)
    assert (~fitted.known_ == (first == 0)).all()
    assert (fitted.family_[first == 0] == "independence").all()
    assert (fitted.n_parameters_[first == 0] == 0).all()
    assert (fitted.fitted_log_density_[:, first == 0] == 0.0).all()
    assert np.isfinite(fitted.cross_fitted_log_density_).all()


def test_a_level_that_does_not_occur_among_the_common_rows_is_left_out(numbers):
    gaps = np.zeros(numbers.shape, dtype=bool)
    whole = pseudo(numbers, LEVELS)
    gaps[whole.codes[:, 2] == 1, 3] = True
    gaps[whole.codes[:, 5] == 1, 0] = True  # leaves one level
    fitted = PairCopulas().fit(pseudo(numbers, LEVELS, gaps))
    assert np.isfinite(fitted.fitted_log_density_).all()
    assert fitted.family_[4] == "independence"


def test_tau_on_common_rows_equals_scipy(table):
    values = np.where(table.codes >= 0, table.codes, table.u)
    first, second = pair_nodes(6)
    found = kendall_tau_of_pairs(values, first, second)
    for tau, i, j in zip(found, first, second, strict=True):
        both = ~np.isnan(values[:, [i, j]]).any(axis=1)
        assert tau == pytest.approx(stats.kendalltau(*values[both][:, [i, j]].T).statistic)
    assert (
        common_rows(table.present, PairIndex(6))
        == table.present.astype(int).T.dot(table.present)[first, second]
    ).all()


# Kendall's tau of all pairs


@given(
    arrays.arrays(
        np.float64, st.tuples(st.integers(2, 40), st.just(3)), elements=st.integers(-4, 4)
    )
)
def test_tau_b_equals_scipy(table):
    if (table == table[0]).all(axis=0).any():
        return  # a constant column has no tau, and validation refuses it
    expected = [
        stats.kendalltau(table[:, i], table[:, j]).statistic
        for i, j in zip(*np.triu_indices(3, 1), strict=True)
    ]
    np.testing.assert_allclose(kendall_tau(table), expected, atol=1e-14)


@pytest.mark.parametrize("n", [5, 11, 12, 64, 65, 500])
def test_both_ways_agree(n, rng, monkeypatch):
    table = rng.normal(size=(n, 4)).round(1)
    table[1:, 0][rng.random(n - 1) < 0.1] = np.nan
    by_rows = kendall_tau(table)
    monkeypatch.setattr("spinney.pairs.copulas.kendall.FEW_ROWS", 0)
    np.testing.assert_allclose(kendall_tau(table), by_rows, atol=1e-14)


def test_order_is_all_that_matters(rng):
    table = rng.normal(size=(60, 3))
    np.testing.assert_array_equal(kendall_tau(table), kendall_tau(np.exp(table)))
    mirrored = kendall_tau(table * [1, 1, -1])
    np.testing.assert_allclose(mirrored[1:], -kendall_tau(table)[1:], atol=1e-14)
