"""Statistics against their exact distributions."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.scale.screening.cases import standard

from spinney.scale.score_tests import (
    FEATURES,
    HANDICAP,
    PRODUCTS,
    Block,
    features_of,
    join,
    scale_of,
    straighten,
    threshold,
    unbend,
    z_of_chi_square,
)


def block(values, present=None):
    """A block of one column with one feature."""
    there = np.ones_like(values) if present is None else present.astype(float)
    return Block(
        columns=np.array([0]),
        values=values[None, :, None].astype(np.float32),
        skewness=np.array([[(values**3).sum() / there.sum()]], dtype=np.float32),
        present=None if present is None else present[:, None].astype(np.float32),
        counts=np.array([there.sum()], dtype=np.float32),
    )


def shuffles(values, present):
    """All orders of the values that are there, 0 in the other rows."""
    rows = np.flatnonzero(present)
    for order in itertools.permutations(values[rows]):
        row = np.zeros(len(values))
        row[rows] = order
        yield row


def test_scale_and_skewness_are_those_of_all_shuffles():
    f, g = standard(np.log([1, 2, 3, 4, 5, 6, 7.0])), standard(np.array([0, 0, 1, 3, 4, 9, 20.0]))
    sums = np.array([f @ row for row in shuffles(g, np.ones(7, dtype=bool))])
    scale = scale_of(block(f), block(g))
    assert scale.factor == pytest.approx(1 / sums.std(), rel=1e-12)
    expected = (f**3).mean() * (g**3).mean() * scale.skewness
    assert expected == pytest.approx(stats.skew(sums), rel=1e-9)
    assert scale.rows == 7


def test_scale_with_gaps_is_that_of_all_shuffles():
    here = np.ones((2, 13), dtype=bool)
    here[0, :3] = here[1, 10:] = False  # each lacks three; together they have seven
    here = np.vstack([here, here])[:, :]
    rng = np.random.default_rng(3)
    f, g = np.zeros((2, 13))
    f[here[0]], g[here[1]] = standard(rng.normal(size=10)), standard(rng.exponential(size=10))
    # Only which value stands in which row matters: draw, as 10! squared are too many.
    draws = np.zeros((2, 200_000, 13))
    draws[0][:, here[0]] = rng.permuted(np.tile(f[here[0]], (200_000, 1)), axis=1)
    draws[1][:, here[1]] = rng.permuted(np.tile(g[here[1]], (200_000, 1)), axis=1)
    sums = (draws[0] * draws[1]).sum(axis=1)
    expected = np.sqrt(7 * (1 + 6 / 81))
    assert sums.std() == pytest.approx(expected, rel=0.01)
    # Of fewer than ten common rows nothing is said.
    assert scale_of(block(f, here[0]), block(g, here[1])).factor[0, 0] == 0.0


def test_scale_with_gaps_is_the_formula():
    here = np.ones((2, 30), dtype=bool)
    here[0, :5] = here[1, 22:] = False
    f, g = np.zeros((2, 30))
    f[here[0]], g[here[1]] = standard(np.arange(25.0)), standard(np.arange(22.0))
    scale = scale_of(block(f, here[0]), block(g, here[1]))
    assert scale.factor[0, 0] == pytest.approx(1 / np.sqrt(17 * (1 + 16 / (24 * 21))), rel=1e-6)
    assert scale.skewness[0, 0] == pytest.approx(4.0 / 15.0, rel=1e-6)
    assert scale.rows[0, 0] == pytest.approx(1 / (1 / 25 + 1 / 22 - 1 / 17), rel=1e-4)


def test_a_table_without_gaps_is_scaled_as_one_whose_gaps_are_none():
    f, g = standard(np.arange(20.0)), standard(np.arange(20.0) ** 2)
    whole = np.ones(20, dtype=bool)
    plain, gaps = scale_of(block(f), block(g)), scale_of(block(f, whole), block(g, whole))
    for one, other in zip(plain, gaps, strict=True):
        assert other[0, 0] == pytest.approx(one, rel=1e-6)


@pytest.mark.parametrize("g", [-0.5, -0.2, 0.1, 0.4])
def test_straightened_gamma_variables_are_normal(g):
    z = np.linspace(-3.5, 3.5, 15)
    shape = 4 / g**2
    at = stats.norm.cdf(np.sign(g) * z)
    T = np.sign(g) * (stats.gamma.ppf(at, shape) - shape) / np.sqrt(shape)
    found = straighten(T.astype(np.float32), np.full(15, g, dtype=np.float32))
    np.testing.assert_allclose(found, z, atol=0.04)
    inner = np.abs(z) < 3
    np.testing.assert_allclose(found[inner], z[inner], atol=0.015)


def test_without_skewness_nothing_is_straightened():
    T = np.linspace(-6, 6, 9, dtype=np.float32)
    for g in (0.0, 1e-4, -1e-4):
        found = straighten(T, np.full(9, g, dtype=np.float32))
        np.testing.assert_array_equal(found, T)


@pytest.mark.parametrize("g", [1.5, 7.0, 30.0])
def test_a_large_skewness_makes_no_statistic_larger(g):
    T = np.linspace(-0.2, 30, 40, dtype=np.float32)
    found = straighten(T, np.full(40, g, dtype=np.float32))
    assert (np.abs(found) <= np.abs(T) + 1e-6).all()
    assert found[-1] < 0.5 * T[-1]


@pytest.mark.parametrize("n", [12, 30, 200])
def test_unbent_correlations_are_normal(n):
    z = np.linspace(0.2, 4.5, 12)
    t = stats.t.isf(stats.norm.sf(z), n - 2)
    r = t / np.sqrt(n - 2 + t**2)
    found = unbend((r * np.sqrt(n - 1)).astype(np.float32), float(n))
    np.testing.assert_allclose(found, z, atol=0.02)
    large = np.array([1.0, 7.0], dtype=np.float32)
    np.testing.assert_array_equal(unbend(large, np.array([np.inf, np.inf])), large)
    assert np.isfinite(unbend(np.float32([np.sqrt(n - 1)]), float(n))).all()


@pytest.mark.parametrize("freedom", [1, 3, 12])
def test_sums_of_squares_are_as_rare_as_their_normal_deviate(freedom):
    z = np.linspace(0.5, 6.0, 12)
    chi = stats.chi2.isf(2 * stats.norm.sf(z), freedom)
    np.testing.assert_allclose(z_of_chi_square(chi, float(freedom)), z, rtol=1e-9)


def test_tails_beyond_all_numbers_are_told_apart():
    chi = np.array([0.0, 1300.0, 1340.0, 1360.0, 2000.0, 1e5])
    found = z_of_chi_square(chi, 5.0)
    assert found[0] == 0.0
    assert np.isfinite(found).all()
    with mpmath.workdps(30):
        tail = mpmath.gammainc(2.5, 1000.0, regularized=True) / 2
        expected = mpmath.findroot(lambda z: mpmath.log(mpmath.ncdf(-z) / tail), 44.0)
    assert found[4] == pytest.approx(float(expected), rel=1e-5)
    assert (np.diff(found) > 0).all()


def test_other_statistics_bear_a_handicap():
    main, others = np.float32([2.0, 2.0, 2.0]), np.float32([1.0, 2.9, 5.0])
    expected = [2.0, 2.0, np.sqrt(25 - HANDICAP)]
    np.testing.assert_allclose(join(main, others), expected, rtol=1e-6)


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_the_threshold_is_that_of_jointly_normal_statistics(level):
    names = list(FEATURES)
    z = features_of((np.arange(2000) + 0.5)[:, None] / 2000).values[:, :, 0]
    rho = np.corrcoef(z)
    one, other = np.array([[names.index(name) for name in pair] for pair in PRODUCTS]).T
    C = rho[np.ix_(one, one)] * rho[np.ix_(other, other)]
    Z = np.random.default_rng(9).multivariate_normal(np.zeros(len(C)), C, 200_000, method="eigh")
    size = np.abs(Z).astype(np.float32)
    share = (join(size[:, 0], size[:, 1:].max(axis=1)) > threshold(level)).mean()
    assert share == pytest.approx(level, abs=3 * np.sqrt(level / 200_000))


def test_a_higher_threshold_lets_fewer_pass():
    levels = [0.2, 0.05, 0.01, 1e-3, 1e-5]
    assert np.all(np.diff([threshold(level) for level in levels]) > 0.3)
