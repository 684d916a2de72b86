"""Kernels for strips and rectangles against the family classes, which are the reference."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from tests.pairs.copulas.cases import name

from spinney._core.compile import address_of, kernel
from spinney.pairs.copulas import BB1, FAMILIES, Clayton, Frank, Gaussian, Gumbel, Joe, Student
from spinney.pairs.copulas import _math as fast
from spinney.pairs.copulas._elliptical import log_tail, tail_table
from spinney.pairs.copulas.addresses import _ARRAY, _NUMBER
from spinney.pairs.copulas.kernels.elliptical import replace_by_log_tail
from spinney.pairs.copulas.student import DF_GRID

EMPTY = np.empty(0)
EVEN, LOPSIDED = np.array([0.2, 0.4, 0.6, 0.8]), np.array([1e-4, 0.3, 0.3001, 0.9999])
BINARY, MANY = np.array([0.37]), np.linspace(0.06, 0.91, 9)

CASES = [
    *(Gaussian(rho) for rho in (-0.9999, -0.86, -0.5, 0.0, 0.3, 0.85, 0.97, 0.9999)),
    *(Student(rho, df) for rho in (-0.9999, -0.5, 0.0, 0.8) for df in (0.7, 1.7, 8.0, 40.0)),
    *(Clayton(theta) for theta in (1e-3, 0.4, 3.0, 50.0)),
    *(Gumbel(theta) for theta in (1.001, 1.4, 3.0, 50.0)),
    *(Frank(theta) for theta in (1e-3, 4.0, 100.0)),
    *(Joe(theta) for theta in (1.001, 1.4, 3.0, 50.0)),
]
cases = pytest.mark.parametrize("copula", CASES, ids=name)


def coordinate(copula, u):
    """Coordinates as the batch fit has them."""
    batch = copula.batch
    return batch.coordinate(u, False) if batch.profile is None else copula._coordinate(u, False)


def parameters(copula):
    """Theta and the second parameter, which other families ignore."""
    return copula.parameters if len(copula.parameters) == 2 else (*copula.parameters, np.nan)


def kernel_cells(copula, a, b):
    out = np.full((a.size + 1, b.size + 1), np.nan)
    x, y = coordinate(copula, a), coordinate(copula, b)
    copula.batch.cells(a, b, x, y, *parameters(copula), out.reshape(-1))
    return out


def kernel_strips(copula, u, thresholds, codes):
    batch, out = copula.batch, np.full(u.size, np.nan)
    theta, second = parameters(copula)
    table = EMPTY if batch.profile is None else batch.profile.table(second)
    x, t = coordinate(copula, u), coordinate(copula, thresholds)
    batch.strip(x, t, codes, theta, second, table, out)
    return out


def reference_cells(copula, a, b):
    u, v = np.concatenate([[0], a, [1]]), np.concatenate([[0], b, [1]])
    return copula.log_rectangle(u[:-1, None], u[1:, None], v[:-1], v[1:])


@cases
@pytest.mark.parametrize(("a", "b"), [(EVEN, MANY), (EVEN, LOPSIDED), (BINARY, MANY)])
def test_cells(copula, a, b):
    got, expected = kernel_cells(copula, a, b), reference_cells(copula, a, b)
    # The rule of 40 nodes for elliptical copulas is good for 2e-11, which is felt in volumes of
    # 1e-4 and narrow rows; in cells below 1e-12 it has fewer digits.
    tight = copula.family not in ("gaussian", "student")
    usual = tight | (expected > np.log(1e-12))
    mass = np.outer(np.diff(a, prepend=0, append=1), np.diff(b, prepend=0, append=1))
    slack = np.where(usual, 1e-9 + (0.0 if tight else 2e-10) / mass, 1e-3)
    assert (np.abs(got - expected) <= slack).all()


@cases
@pytest.mark.parametrize("thresholds", [EVEN, LOPSIDED, BINARY])
def test_strips(copula, thresholds):
    # Rows that do and do not fill the last vector register, and both ends of (0, 1).
    u = np.concatenate([np.random.default_rng(3).uniform(size=34), [1e-6, 0.5, 1 - 1e-6]])
    ends = np.concatenate([[0], thresholds, [1]])
    total = np.zeros(u.size)
    for level in range(thresholds.size + 1):
        codes = np.full(u.size, level)
        got = kernel_strips(copula, u, thresholds, codes)
        expected = copula.log_strip(u, ends[level], ends[level + 1])
        # With few degrees of freedom ends may be 1e8, and strips between them narrow: some 1e-15 of
        # probability is lost, in either way of its own.
        heavy = copula.family == "student" and copula.df < 1
        slack = 1e-9 * (1 - expected) + (4e-15 * np.exp(-expected) if heavy else 0.0)
        assert (np.abs(got - expected) <= slack).all()
        total += np.exp(got)
    np.testing.assert_allclose(total, 1.0, atol=1e-11)


def test_strips_look_levels_up_row_by_row(rng):
    u, codes = rng.uniform(size=50), rng.integers(0, 5, 50)
    ends = np.concatenate([[0], EVEN, [1]])
    for copula in CASES:
        got = kernel_strips(copula, u, EVEN, codes)
        expected = copula.log_strip(u, ends[codes], ends[codes + 1])
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


levels = st.lists(st.floats(1e-4, 1.0), min_size=2, max_size=10)


@given(st.sampled_from(sorted({c.family for c in CASES})), st.floats(0, 1), levels, levels)
def test_cells_sum_to_the_masses_at_every_parameter(family, where, first, second):
    cls = FAMILIES[family]
    (low, high), *_ = cls.fit_bounds.values()
    low = cls.batch.weakest or low
    theta = low * (high / low) ** where if low > 0 else low + (high - low) * where
    more = [DF_GRID[int(where * 97) % len(DF_GRID)]] if family == "student" else []
    a, b = (np.cumsum(w)[:-1] / np.sum(w) for w in (first, second))
    cells = kernel_cells(cls(theta, *more), a, b)
    assert np.isfinite(cells).all()
    np.testing.assert_allclose(np.exp(cells).sum(axis=1), np.diff([0, *a, 1]), rtol=1e-7)
    np.testing.assert_allclose(np.exp(cells).sum(axis=0), np.diff([0, *b, 1]), rtol=1e-7)


def test_every_family_that_is_searched_has_kernels_of_the_declared_types():
    strip = (_ARRAY, _ARRAY, types.int64[::1], _NUMBER, _NUMBER, _ARRAY, _ARRAY)
    cells = (_ARRAY, _ARRAY, _ARRAY, _ARRAY, _NUMBER, _NUMBER, _ARRAY)
    searched = [cls.batch for cls in FAMILIES.values() if cls.batch and cls.batch.density]
    addresses = [address_of(batch.strip.kernel, strip) for batch in searched]
    addresses += [address_of(batch.cells.kernel, cells) for batch in searched]
    assert len(set(addresses)) == 12
    assert 0 not in addresses
    assert BB1.batch is None


@kernel
def _apply(which: int, x: np.ndarray, out: np.ndarray) -> None:
    for k in range(x.size):
        if which == 0:
            out[k] = fast.expm1(x[k])
        elif which == 1:
            out[k] = fast.log1p(x[k])
        elif which == 2:
            out[k] = fast.softplus(x[k])
        else:
            out[k] = fast.scaled_tail(x[k])


def ulps(which, x, exact):
    out = np.empty(1)
    _apply(which, np.array([x]), out)
    with mp.workdps(60):
        value = exact(mp.mpf(x))
        return float(abs(mp.mpf(out[0]) - value)) / np.spacing(abs(float(value)))


@given(st.one_of(st.floats(-700, 700), st.floats(-1e-3, 1e-3)))
def test_expm1_against_mpmath(x):
    if abs(x) > 1e-290:
        assert ulps(0, x, mp.expm1) < 2.5


@given(st.one_of(st.floats(-0.999, 1e300), st.floats(-1e-3, 1e-3)))
def test_log1p_against_mpmath(x):
    if abs(x) > 1e-290:
        assert ulps(1, x, mp.log1p) < 2.5


@given(st.floats(-600, 600))
def test_softplus_against_mpmath(x):
    assert ulps(2, x, lambda t: mp.log1p(mp.exp(t))) < 3.5


@given(st.one_of(st.floats(0, 8), st.floats(8, 1e5)))
def test_scaled_tail_against_mpmath(z):
    def exact(t):
        with mp.workdps(60):
            if t < 100:
                return mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / 2
            terms = ((-1) ** k * mp.fac2(2 * k - 1) / t ** (2 * k) for k in range(12))
            return sum(terms) / (t * mp.sqrt(2 * mp.pi))

    assert ulps(3, z, exact) < 6


@pytest.mark.parametrize("df", [1.5, 1.7, 2.0, 9.0, 51.0])
def test_tail_of_t_against_mpmath(df):
    z = np.concatenate([[0.0], np.geomspace(1e-6, 1e12, 40)])
    with mp.workdps(60):
        nu = mp.mpf(df)
        exact = [
            float(mp.log(mp.betainc(nu / 2, 0.5, 0, nu / (nu + mp.mpf(t) ** 2), True) / 2))
            for t in z
        ]
    np.testing.assert_allclose(log_tail(df, z), exact, rtol=2e-15)
    assert log_tail(df, np.array(np.inf)) == -np.inf


@kernel
def _look_up(z: np.ndarray, df: float, table: np.ndarray) -> None:
    replace_by_log_tail(z, df, table)


@pytest.mark.parametrize("df", [1.7, 4.0, 51.0])
def test_table_of_the_tail_of_t(df):
    z = np.concatenate([np.linspace(0, 20, 3001), np.geomspace(20, 1e14, 2000)])
    got = z.copy()
    _look_up(got, df, tail_table(df))
    np.testing.assert_allclose(got, log_tail(df, z), rtol=1e-13, atol=2e-12)
