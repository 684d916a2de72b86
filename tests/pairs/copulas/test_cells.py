"""Kernels for strips and rectangles against mpmath: plain formulas at hundreds of digits."""

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pairs.copulas.cases import name
from tests.pairs.copulas.test_against_mpmath import PLAIN, t_cdf, t_quantile

from spinney._core.compile import kernel
from spinney.pairs.copulas import FAMILIES, Clayton, Frank, Gaussian, Gumbel, Joe, Student, kernels
from spinney.pairs.copulas import _math as fast
from spinney.pairs.copulas.elliptical import DF_GRID, log_tail, tail_table
from spinney.pairs.copulas.kernels import NAMES, replace_by_log_cdf
from spinney.pairs.copulas.rectangles import LOG_FLOOR, softplus

EMPTY = np.empty(0)
EVEN, LOPSIDED = np.array([0.2, 0.4, 0.6, 0.8]), np.array([1e-4, 0.3, 0.3001, 0.9999])

CLOSED = [
    *(Clayton(theta) for theta in (1e-3, 0.4, 3.0, 50.0)),
    *(Gumbel(theta) for theta in (1.001, 1.4, 3.0, 50.0)),
    *(Frank(theta) for theta in (1e-3, 4.0, 100.0)),
    *(Joe(theta) for theta in (1.001, 1.4, 3.0, 50.0)),
]


def coordinate(copula, u):
    """Coordinates as the batch fit has them."""
    return copula._coordinate(u, False)


def parameters(copula):
    """Theta and the second parameter, which other families ignore."""
    return copula.parameters if len(copula.parameters) == 2 else (*copula.parameters, np.nan)


def kernel_cells(copula, a, b):
    out = np.full((a.size + 1, b.size + 1), np.nan)
    x, y = coordinate(copula, a), coordinate(copula, b)
    number = NAMES.index(copula.family)
    kernels.cells(number, a, b, x, y, False, False, *parameters(copula), out.reshape(-1))
    return out


def kernel_strips(copula, u, thresholds, codes):
    out, (theta, second) = np.full(u.size, np.nan), parameters(copula)
    table = tail_table(second + 1) if copula.family == "student" else EMPTY
    x, t = coordinate(copula, u), coordinate(copula, thresholds)
    number = NAMES.index(copula.family)
    kernels.strip(number, x, t, codes, False, theta, second, table, out)
    return out


def clayton(u, v, theta):
    return (u**-theta + v**-theta - 1) ** (-1 / theta)


def gumbel(u, v, theta):
    return mp.exp(-(((-mp.log(u)) ** theta + (-mp.log(v)) ** theta) ** (1 / theta)))


def frank(u, v, theta):
    return -mp.log(1 + mp.expm1(-theta * u) * mp.expm1(-theta * v) / mp.expm1(-theta)) / theta


def joe(u, v, theta):
    x, y = (1 - u) ** theta, (1 - v) ** theta
    return 1 - (x + y - x * y) ** (1 / theta)


CDF = {"clayton": clayton, "gumbel": gumbel, "frank": frank, "joe": joe}


@pytest.mark.parametrize("copula", CLOSED, ids=name)
@pytest.mark.parametrize(("a", "b"), [(EVEN, LOPSIDED), (LOPSIDED, LOPSIDED)])
def test_cells_against_mpmath(copula, a, b):
    def cdf(u, v):
        if u == 0 or v == 0:
            return mp.mpf(0)
        return v if u == 1 else u if v == 1 else CDF[copula.family](u, v, mp.mpf(copula.theta))

    with mp.workdps(500):
        C = [[cdf(mp.mpf(u), mp.mpf(v)) for v in (0, *b, 1)] for u in (0, *a, 1)]
        volumes = [
            [high[j + 1] - low[j + 1] - high[j] + low[j] for j in range(len(b) + 1)]
            for low, high in pairwise(C)
        ]
        expected = np.array([[float(mp.log(value)) for value in row] for row in volumes])
    found = kernel_cells(copula, a, b)
    np.testing.assert_allclose(found, np.maximum(expected, LOG_FLOOR), atol=1e-8)


def by_quadrature(copula, u_low, u_high, v_low, v_high):
    """Log-volume under a Gaussian or Student copula: strips, in t quantiles, by mpmath."""
    with mp.workdps(30):
        rho = mp.mpf(copula.rho)
        if isinstance(copula, Student):
            nu = mp.mpf(copula.df)

            def quantile(p):
                return t_quantile(mp.mpf(p), nu, mp.mpf(float(copula._coordinate(p, False))))

            def strip(x, y):
                scale = mp.sqrt((nu + x * x) * (1 - rho**2) / (nu + 1))
                return t_cdf((y - rho * x) / scale, nu + 1)

            constant = mp.gamma((nu + 1) / 2) / (mp.sqrt(nu * mp.pi) * mp.gamma(nu / 2))

            def density(x):
                return constant * (1 + x * x / nu) ** (-(nu + 1) / 2)
        else:

            def quantile(p):
                return mp.sqrt(2) * mp.erfinv(2 * mp.mpf(p) - 1)

            def strip(x, y):
                return mp.ncdf((y - rho * x) / mp.sqrt(1 - rho**2))

            density = mp.npdf
        x = [quantile(p) for p in np.linspace(u_low, u_high, 6)]
        low, high = quantile(v_low), quantile(v_high)
        # From the side on which the distribution function is small.
        sign = 1 if strip(x[2], low) < 0.5 else -1
        value = mp.quad(
            lambda t: density(t) * abs(strip(sign * t, sign * high) - strip(sign * t, sign * low)),
            x,
            maxdegree=5,
        )
        return float(mp.log(value))


@pytest.mark.parametrize(
    ("copula", "cell"),
    [
        (Gaussian(0.6), (0.2, 0.4, 0.4, 0.7)),
        (Gaussian(-0.97), (0.05, 0.1, 0.8, 0.95)),
        (Gaussian(0.99), (0.3, 0.35, 0.4, 0.45)),
        (Student(0.6, 3.0), (0.2, 0.4, 0.4, 0.7)),
        (Student(-0.9, 0.7), (0.2, 0.4, 0.1, 0.3)),
        (Student(0.99, 20.0), (0.2, 0.3, 0.6, 0.7)),
        (Student(0.0, 1.5), (0.0001, 0.0002, 0.4, 0.7)),
    ],
)
def test_elliptical_cells_against_mpmath(copula, cell):
    found = kernel_cells(copula, np.array(cell[:2]), np.array(cell[2:]))[1, 1]
    # The rule of 40 nodes is good for 2e-11, which is felt in narrow rows.
    slack = 1e-8 + 2e-10 / ((cell[1] - cell[0]) * (cell[3] - cell[2]))
    assert found == pytest.approx(by_quadrature(copula, *cell), abs=slack)


@pytest.mark.parametrize("rho", [-0.9, 0.25, 0.7])
def test_quarters_of_elliptical_copulas(rho):
    # Sheppard (1899): also for Student, whatever its degrees of freedom.
    expected, half = np.log(0.25 + np.arcsin(rho) / (2 * np.pi)), np.array([0.5])
    for copula in (Gaussian(rho), Student(rho, 0.7), Student(rho, 12.0)):
        assert kernel_cells(copula, half, half)[0, 0] == pytest.approx(expected, abs=1e-10)


STRIPS = [*CLOSED, *(Gaussian(rho) for rho in (-0.99, 0.3, 0.9999)), Frank(40.0)]


@pytest.mark.parametrize("copula", STRIPS, ids=name)
def test_strips_against_mpmath(copula):
    ends = np.array([1e-6, 0.003, 0.4, 0.401, 0.9, 1 - 1e-6])
    theta, codes = mp.mpf(copula.parameters[0]), np.arange(7)
    for u in (1e-6, 0.3, 0.999):
        with mp.workdps(400):
            h = [PLAIN[copula.family](mp.mpf(u), mp.mpf(v), theta)[1] for v in ends]
            gaps = [b - a for a, b in pairwise([mp.mpf(0), *h, mp.mpf(1)])]
            exact = np.array([float(mp.log(max(gap, mp.mpf("1e-400")))) for gap in gaps])
        found = kernel_strips(copula, np.full(7, u), ends, codes)
        seen = exact > -600  # below, the kernels round to 0
        np.testing.assert_allclose(found[seen], exact[seen], rtol=1e-9, atol=1e-8)
        assert (found[~seen] < -500).all()


@pytest.mark.parametrize("df", [0.7, 4.8, 40.0])
@pytest.mark.parametrize("rho", [-0.95, 0.2, 0.999])
def test_student_strips_against_mpmath(rho, df):
    copula, middle = Student(rho, df), np.array([1])
    for u, low, high in [(1e-6, 0.3, 0.4), (0.3, 1e-6, 1e-4), (0.6, 0.97, 0.99), (0.2, 0.6, 0.7)]:
        with mp.workdps(200):
            nu, r = mp.mpf(df), mp.mpf(rho)
            x, *y = (mp.mpf(float(t)) for t in copula._coordinate(np.array([u, low, high]), False))
            scale = mp.sqrt((nu + x * x) * (1 - r**2) / (nu + 1))
            at_low, at_high = (t_cdf((t - r * x) / scale, nu + 1) for t in y)
            exact = float(mp.log(at_high - at_low))
        found = kernel_strips(copula, np.array([u]), np.array([low, high]), middle)[0]
        # Far out, y - ρx has few digits of y: as many are lost as the strip is narrow beside ρx.
        slack = 1e-9 + 1e-15 * float(abs(r * x) / (y[1] - y[0])) + 4e-15 * np.exp(-exact)
        assert found == pytest.approx(exact, rel=1e-9, abs=slack)


FITTED = ["clayton", "frank", "gaussian", "gumbel", "joe", "student"]
levels = st.lists(st.floats(1e-4, 1.0), min_size=2, max_size=10)


@given(st.sampled_from(FITTED), st.floats(0, 1), levels, levels)
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


_softplus = fast.formula(softplus)


@kernel
def _apply(which: int, x: np.ndarray, out: np.ndarray) -> None:
    for k in range(x.size):
        if which == 0:
            out[k] = fast.expm1(x[k])
        elif which == 1:
            out[k] = fast.log1p(x[k])
        elif which == 2:
            out[k] = _softplus(x[k])
        elif which == 3:
            out[k] = fast.scaled_tail(x[k])
        else:
            out[k] = fast.exp(x[k]) if which == 4 else fast.log(x[k])


def applied(which, *x):
    out = np.empty(len(x))
    _apply(which, np.array(x), out)
    return out


def ulps(which, x, exact):
    with mp.workdps(60):
        value = exact(mp.mpf(x))
        return float(abs(mp.mpf(applied(which, x)[0]) - value)) / np.spacing(abs(float(value)))


@given(st.floats(-700, 700))
def test_exp_against_mpmath(x):
    assert ulps(4, x, mp.exp) < 1.5


def test_exp_far_below_underflows_gently():
    out = applied(4, -800.0, -1e6)
    assert (out > 0).all()
    assert (out < 1e-300).all()


@given(st.one_of(st.floats(1e-300, 1e300), st.floats(0.9, 1.1)))
def test_log_against_mpmath(x):
    assert applied(5, x) == 0 if x == 1 else ulps(5, x, mp.log) < 1.5


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
    replace_by_log_cdf(z, df, table)


@pytest.mark.parametrize("df", [1.7, 4.0, 51.0])
def test_table_of_the_tail_of_t(df):
    z = np.concatenate([np.linspace(0, 20, 3001), np.geomspace(20, 1e14, 2000)])
    below, above = -z, z.copy()
    _look_up(below, df, tail_table(df))
    _look_up(above, df, tail_table(df))
    np.testing.assert_allclose(below, log_tail(df, z), rtol=1e-13, atol=2e-12)
    np.testing.assert_allclose(
        above[1:], np.log1p(-np.exp(log_tail(df, z[1:]))), rtol=1e-11, atol=1e-300
    )
