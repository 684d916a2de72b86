"""Probabilities of rectangles and strips against mpmath, pyvinecopulib and each other."""

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
import pyvinecopulib as pv
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pairs.copulas.cases import EXTREME, MODERATE, ROTATIONS, name
from tests.pairs.copulas.test_against_mpmath import PLAIN, t_cdf, t_quantile, turned

from spinney.pairs.copulas import (
    BB1,
    FAMILIES,
    Clayton,
    Frank,
    Gaussian,
    Gumbel,
    Independence,
    Joe,
    Student,
    rectangles,
)

# Even levels; lopsided and narrow ones, with neighbours 1e-6 apart; and both ends of (0, 1).
THRESHOLDS = ([0.2, 0.4, 0.6, 0.8], [1e-4, 0.3, 0.300001, 0.9999], [1e-6, 1e-5, 1 - 1e-6])


def clayton(u, v, theta):
    return (u**-theta + v**-theta - 1) ** (-1 / theta)


def gumbel(u, v, theta):
    return mp.exp(-(((-mp.log(u)) ** theta + (-mp.log(v)) ** theta) ** (1 / theta)))


def frank(u, v, theta):
    return -mp.log(1 + mp.expm1(-theta * u) * mp.expm1(-theta * v) / mp.expm1(-theta)) / theta


def joe(u, v, theta):
    x, y = (1 - u) ** theta, (1 - v) ** theta
    return 1 - (x + y - x * y) ** (1 / theta)


def bb1(u, v, theta, delta):
    a = ((u**-theta - 1) ** delta + (v**-theta - 1) ** delta) ** (1 / delta)
    return (1 + a) ** (-1 / theta)


CDF = {"clayton": clayton, "gumbel": gumbel, "frank": frank, "joe": joe, "bb1": bb1}

CLOSED = [
    *(Clayton(theta, r) for theta in (1e-3, 0.4, 3.0, 50.0) for r in ROTATIONS),
    *(Gumbel(theta, r) for theta in (1.0, 1.001, 1.4, 3.0, 50.0) for r in ROTATIONS),
    *(Frank(theta) for theta in (-100.0, -2.0, 1e-3, 4.0, 100.0)),
    *(Joe(theta, r) for theta in (1.0, 1.001, 1.4, 3.0, 50.0) for r in ROTATIONS),
    *(BB1(theta, delta, r) for theta in (1e-3, 2.0) for delta in (1.0, 3.0) for r in (0, 180)),
]


def exact_volumes(copula, a, b):
    """Log-volumes of all cells from a plain cdf at 500 digits, and rotations by hand."""
    theta = [mp.mpf(abs(p)) for p in copula.parameters]
    flip_u, flip_v = copula._flips

    def cdf(u, v):
        if u == 0 or v == 0:
            return mp.mpf(0)
        return v if u == 1 else u if v == 1 else CDF[copula.family](u, v, *theta)

    with mp.workdps(500):
        ends_u, ends_v = ([mp.mpf(0), *map(mp.mpf, t), mp.mpf(1)] for t in (a, b))
        ends_u = [1 - u for u in ends_u] if flip_u else ends_u
        ends_v = [1 - v for v in ends_v] if flip_v else ends_v
        C = [[cdf(u, v) for v in ends_v] for u in ends_u]
        return np.array(
            [
                [
                    float(mp.log(abs(C[i + 1][j + 1] - C[i][j + 1] - C[i + 1][j] + C[i][j])))
                    for j in range(len(b) + 1)
                ]
                for i in range(len(a) + 1)
            ]
        )


def volumes(copula, a, b):
    """Log-volumes of all cells between thresholds."""
    u, v = np.concatenate([[0], a, [1]]), np.concatenate([[0], b, [1]])
    return copula.log_rectangle(u[:-1, None], u[1:, None], v[:-1], v[1:])


@pytest.mark.parametrize("copula", CLOSED, ids=name)
def test_closed_forms_against_mpmath(copula):
    for a, b in ((THRESHOLDS[0], THRESHOLDS[1]), (THRESHOLDS[1], THRESHOLDS[1]), THRESHOLDS[1:]):
        with np.errstate(all="raise", under="ignore"):
            got = volumes(copula, a, b)
        expected = exact_volumes(copula, a, b)
        np.testing.assert_allclose(got, np.maximum(expected, rectangles.LOG_FLOOR), atol=1e-8)


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


@pytest.mark.parametrize("copula", [Gaussian(0.6), Gaussian(-0.97), Gaussian(0.99)], ids=name)
@pytest.mark.parametrize(
    "cell",
    [
        (0.2, 0.4, 0.4, 0.7),
        (0.05, 0.1, 0.8, 0.95),
        (0.3, 0.300001, 0.45, 0.450001),
        (1e-4, 2e-4, 0.999, 0.9999),
        (1e-6, 2e-6, 1e-6, 3e-6),
    ],
)
def test_gaussian_against_mpmath(copula, cell):
    expected = max(by_quadrature(copula, *cell), rectangles.LOG_FLOOR)
    # Far below 1e-12 the integral from complete dependence has fewer digits: 1e-7 in the log.
    slack = 1e-8 if expected > np.log(1e-12) else 1e-7
    assert float(copula.log_rectangle(*cell)) == pytest.approx(expected, abs=slack)


@pytest.mark.parametrize(
    ("copula", "cell"),
    [
        (Student(0.6, 3.0), (0.2, 0.4, 0.4, 0.7)),
        (Student(-0.9, 0.7), (0.2, 0.4, 0.1, 0.3)),
        (Student(0.99, 20.0), (0.2, 0.3, 0.6, 0.7)),
        (Student(0.3, 5.0), (0.3, 0.300001, 0.4, 0.400001)),
        (Student(0.0, 1.5), (0.0001, 0.0002, 0.4, 0.7)),
    ],
    ids=["moderate", "heavy", "off-diagonal", "narrow", "corner"],
)
def test_student_against_mpmath(copula, cell):
    expected = by_quadrature(copula, *cell)
    assert float(copula.log_rectangle(*cell)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("rho", [-0.9, 0.25, 0.7])
def test_quarters_of_elliptical_copulas(rho):
    # Sheppard (1899): also for Student, whatever its degrees of freedom.
    expected = np.log(0.25 + np.arcsin(rho) / (2 * np.pi))
    for copula in (Gaussian(rho), Student(rho, 0.7), Student(rho, 12.0)):
        assert float(copula.log_rectangle(0, 0.5, 0, 0.5)) == pytest.approx(expected, abs=1e-11)


STRIPS = [
    *(Gaussian(rho) for rho in (-0.99, 0.3, 0.9999)),
    *(Clayton(theta, r) for theta in (1e-3, 1.0, 30.0) for r in ROTATIONS),
    *(Gumbel(theta, r) for theta in (1.001, 1.5, 20.0) for r in ROTATIONS),
    *(Frank(theta) for theta in (1e-3, 2.0, 40.0)),
    *(Joe(theta, r) for theta in (1.001, 1.5, 20.0) for r in ROTATIONS),
    *(BB1(theta, delta) for theta in (1e-2, 5.0) for delta in (1.0, 2.5)),
]


@pytest.mark.parametrize("copula", STRIPS, ids=name)
def test_strips_against_mpmath(copula):
    ends = [1e-6, 0.003, 0.4, 0.401, 0.9, 1 - 1e-6]
    parameters = [mp.mpf(p) for p in copula.parameters]
    for u in (1e-6, 0.3, 0.999):
        with mp.workdps(400):
            h = [
                turned(
                    lambda a, b: PLAIN[copula.family](a, b, *parameters),
                    mp.mpf(u),
                    mp.mpf(v),
                    copula.rotation,
                )[1]
                for v in ends
            ]
            h = [mp.mpf(0), *h, mp.mpf(1)]
            exact = np.array([float(mp.log(max(b - a, 1e-400))) for a, b in pairwise(h)])
        got = copula.log_strip(u, [0, *ends], [*ends, 1])
        seen = exact > -900  # the oracle's digits
        np.testing.assert_allclose(got[seen], exact[seen], rtol=1e-10, atol=1e-8)
        assert (got[~seen] < -900).all()


@pytest.mark.parametrize("df", [0.7, 4.5, 50.0])
@pytest.mark.parametrize("rho", [-0.95, 0.2, 0.999])
def test_student_strips_against_mpmath(rho, df):
    copula = Student(rho, df)
    for u, low, high in [(1e-6, 0.3, 0.4), (0.3, 1e-6, 1e-4), (0.6, 0.97, 0.99), (0.2, 0.6, 0.7)]:
        with mp.workdps(200):
            nu, r = mp.mpf(df), mp.mpf(rho)
            x, *y = (mp.mpf(float(t)) for t in copula._coordinate(np.array([u, low, high]), False))
            scale = mp.sqrt((nu + x * x) * (1 - r**2) / (nu + 1))
            at_low, at_high = (t_cdf((t - r * x) / scale, nu + 1) for t in y)
            exact = float(mp.log(at_high - at_low))
        # Far out, y - ρx has few digits of y: as many are lost as the strip is narrow beside ρx.
        slack = 1e-11 + 1e-15 * float(abs(r * x) / (y[1] - y[0]))
        assert float(copula.log_strip(u, low, high)) == pytest.approx(exact, rel=1e-12, abs=slack)


@pytest.mark.parametrize("copula", MODERATE, ids=name)
def test_against_the_discrete_copulas_of_pyvinecopulib(copula):
    family = getattr(pv.BicopFamily, copula.family.replace("independence", "indep"))
    parameters = np.array(copula.parameters).reshape(-1, 1)

    def theirs(kinds):
        return pv.Bicop(family, copula.rotation, parameters, var_types=kinds)

    t = np.array([0.02, 0.1, 0.3, 0.55, 0.8, 0.97])
    i, j = np.indices((5, 5)).reshape(2, -1)
    width_u, width_v = t[i + 1] - t[i], t[j + 1] - t[j]
    # Their masses are divided by those of the levels, and are differences of their cdf.
    if copula.family == "frank" and abs(copula.theta) > 15:
        return  # there they are off by 1e-7, see test_against_pyvinecopulib
    if copula.family != "student" or copula.df == int(copula.df):  # they round it in the cdf
        mass = theirs(["d", "d"]).pdf(np.column_stack([t[i + 1], t[j + 1], t[i], t[j]]))
        mine = np.exp(copula.log_rectangle(t[i], t[i + 1], t[j], t[j + 1]))
        np.testing.assert_allclose(mine, mass * width_u * width_v, rtol=1e-8, atol=1e-11)
    u = np.linspace(0.02, 0.98, 5)[i]
    strip = theirs(["c", "d"]).pdf(np.column_stack([u, t[j + 1], u, t[j]])) * width_v
    mine = np.exp(copula.log_strip(u, t[j], t[j + 1]))
    np.testing.assert_allclose(mine, strip, rtol=1e-8, atol=1e-11)
    strip = theirs(["d", "c"]).pdf(np.column_stack([t[j + 1], u, t[j], u])) * width_v
    mine = np.exp(copula.log_strip(u, t[j], t[j + 1], given="v"))
    np.testing.assert_allclose(mine, strip, rtol=1e-8, atol=1e-11)


rotation = st.sampled_from(ROTATIONS)
copulas = st.one_of(
    st.builds(Independence),
    st.builds(Gaussian, st.floats(-0.9999, 0.9999)),
    st.builds(Student, st.floats(-0.9999, 0.9999), st.floats(0.7, 50.0)),
    st.builds(Clayton, st.floats(1e-3, 50.0), rotation),
    st.builds(Gumbel, st.floats(1.0, 50.0), rotation),
    st.builds(Frank, st.floats(-100.0, 100.0)),
    st.builds(Joe, st.floats(1.0, 50.0), rotation),
    st.builds(BB1, st.floats(1e-3, 7.0), st.floats(1.0, 7.0), rotation),
)
# Masses of 2 to 10 levels, some of them tiny.
masses = st.lists(st.floats(1e-4, 1.0), min_size=2, max_size=10)


def interior(weights):
    return np.cumsum(weights)[:-1] / np.sum(weights)


@given(copulas, masses, masses)
@settings(max_examples=60)
def test_cells_sum_to_the_masses(copula, first, second):
    a, b = interior(first), interior(second)
    cells = volumes(copula, a, b)
    assert np.isfinite(cells).all()
    assert (cells <= 0).all()
    cells = np.exp(cells)
    np.testing.assert_allclose(cells.sum(), 1.0, rtol=1e-11)
    for axis, ends in ((1, a), (0, b)):
        expected = np.diff(np.concatenate([[0], ends, [1]]))
        np.testing.assert_allclose(cells.sum(axis=axis), expected, rtol=1e-8)


@given(copulas, st.floats(1e-6, 1 - 1e-6), masses, st.sampled_from(["u", "v"]))
def test_strips_sum_to_one(copula, u, weights, known):
    ends = np.concatenate([[0], interior(weights), [1]])
    strips = copula.log_strip(u, ends[:-1], ends[1:], given=known)
    assert np.isfinite(strips).all()
    assert float(np.exp(strips).sum()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("copula", EXTREME, ids=name)
def test_extreme_parameters_and_thresholds_are_finite(copula):
    ends = np.array([1e-12, 1e-6, 0.3, 0.3000001, 0.7, 1 - 1e-9])
    cells = volumes(copula, ends, ends)
    assert np.isfinite(cells).all()
    assert ((cells >= rectangles.LOG_FLOOR) & (cells <= 0)).all()
    assert np.exp(cells).sum() == pytest.approx(1.0, abs=1e-9)
    strips = copula.log_strip(
        ends[:, None], np.concatenate([[0], ends]), np.concatenate([ends, [1]])
    )
    assert np.isfinite(strips).all()
    np.testing.assert_allclose(np.exp(strips).sum(axis=1), 1.0, atol=1e-12)


def test_the_whole_and_its_sides_are_exact():
    for copula in MODERATE:
        assert float(copula.log_rectangle(0, 1, 0, 1)) == 0.0
        assert float(copula.log_rectangle(0.2, 0.5, 0, 1)) == pytest.approx(np.log(0.3), abs=1e-15)
        assert float(copula.log_rectangle(0, 1, 0.2, 0.5)) == pytest.approx(np.log(0.3), abs=1e-15)
        assert float(copula.log_strip(0.3, 0, 1)) == 0.0


@pytest.mark.parametrize("copula", [c for c in MODERATE if c.family in CDF], ids=name)
def test_what_a_family_without_a_formula_gets(copula):
    # The default of the base class, with its strips for narrow cells.
    t = np.array([0, 0.1, 0.3, 0.300001, 0.6, 1])
    i, j = np.indices((5, 5)).reshape(2, -1)
    keep = ~((i == 0) & (j == 4) | (i == 4) & (j == 0))
    ends = [t[k][keep] for k in (i, i + 1, j, j + 1)]
    got = rectangles.by_differences(copula, *ends)
    expected = copula._log_rectangle(*ends)
    near = expected > np.log(1e-12)
    np.testing.assert_allclose(got[near], expected[near], atol=1e-8)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_copulas_side_by_side(family):
    alike = [c for c in MODERATE if c.family == family and c.rotation == 0]
    cls, parameters = type(alike[0]), np.array([c.parameters for c in alike]).T
    one = np.ones(len(alike))
    for flips in ((False, False), (True, False), (False, True), (True, True)):
        many = cls.side_by_side(*parameters, mirrored=flips)
        cells = many.log_rectangle(0.1 * one, 0.3, 0.2, 0.7)
        strips = many.log_strip(0.4 * one, 0.3, 0.7)
        for k, copula in enumerate(alike):
            alone = cls.side_by_side(*map(np.float64, copula.parameters), mirrored=flips)
            cell = float(alone.log_rectangle(0.1, 0.3, 0.2, 0.7))
            strip = float(alone.log_strip(0.4, 0.3, 0.7))
            assert (cells[k], strips[k]) == pytest.approx((cell, strip), rel=1e-12)
