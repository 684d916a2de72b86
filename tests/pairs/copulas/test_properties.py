"""What holds for every copula, whatever its formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats
from tests.pairs.copulas.cases import EXTREME, MODERATE, ROTATIONS, name

import spinney.pairs.copulas
from spinney.exceptions import InputError
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
    family_class,
)
from spinney.pairs.copulas.registry import family_names

moderate = pytest.mark.parametrize("copula", MODERATE, ids=name)

# Equal steps on the scale of normal scores, where densities are smooth and the edges far away:
# the trapezoidal rule then converges faster than any power of the step.
Z = np.linspace(-8, 8, 641)
NODES = special.ndtr(Z), (Z[1] - Z[0]) * stats.norm.pdf(Z)

unit = st.floats(1e-4, 1 - 1e-4)
rotation = st.sampled_from(ROTATIONS)
copulas = st.one_of(
    st.builds(Gaussian, st.floats(-0.99, 0.99)),
    st.builds(Student, st.floats(-0.99, 0.99), st.floats(0.6, 60.0)),
    st.builds(Clayton, st.floats(1e-3, 20.0), rotation),
    st.builds(Gumbel, st.floats(1.0, 20.0), rotation),
    st.builds(Frank, st.floats(-40.0, 40.0)),
    st.builds(Joe, st.floats(1.0, 20.0), rotation),
    st.builds(BB1, st.floats(0.01, 6.0), st.floats(1.0, 6.0), rotation),
)


def test_every_family_is_tested_and_can_be_imported():
    assert {copula.family for copula in MODERATE} == set(FAMILIES)
    assert {copula.family for copula in EXTREME} == set(FAMILIES) - {"independence"}
    for cls in FAMILIES.values():
        assert getattr(spinney.pairs.copulas, cls.__name__) is cls


@given(copulas, unit, unit, st.sampled_from(["u", "v"]))
def test_inverse_undoes_h_function(copula, u, v, given):
    p = float(copula.hfunc(u, v, given=given))
    # Where h is flat its inverse is not determined; elsewhere rounding is amplified by 1 / c.
    density = float(copula.pdf(u, v))
    if not 1e-12 < p < 1 - 1e-12 or density < 1e-3:
        return
    back = copula.hinv(*((u, p) if given == "u" else (p, v)), given=given)
    assert float(back) == pytest.approx(v if given == "u" else u, rel=1e-8, abs=1e-9 / density)


@given(copulas, unit, st.floats(1e-6, 1 - 1e-6))
def test_h_function_undoes_inverse(copula, u, p):
    v = copula.hinv(u, p)
    # v may be moved to the edge of the allowed range, or be so steep that one rounding of it shows
    if 1e-14 < v < 1 - 1e-14:
        slack = 1e-9 + float(copula.pdf(u, v)) * 1e-15
        assert float(copula.hfunc(u, v)) == pytest.approx(p, rel=1e-8, abs=slack)


@given(copulas, st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_density_is_the_slope_of_h_and_h_of_the_cdf(copula, u, v):
    step = 1e-6
    slope = (copula.hfunc(u, v + step) - copula.hfunc(u, v - step)) / (2 * step)
    assert float(slope) == pytest.approx(float(copula.pdf(u, v)), rel=1e-3, abs=1e-3)
    rise = (copula.cdf(u + step, v) - copula.cdf(u - step, v)) / (2 * step)
    assert float(rise) == pytest.approx(float(copula.hfunc(u, v)), rel=1e-3, abs=1e-4)


@given(copulas, unit, unit)
def test_exchanging_the_variables_exchanges_the_rotation(copula, u, v):
    turned = {90: 270, 270: 90}.get(copula.rotation, copula.rotation)
    other = copula.replace(rotation=turned) if turned != copula.rotation else copula
    assert float(copula.logpdf(u, v)) == pytest.approx(float(other.logpdf(v, u)), abs=1e-10)
    mirrored = float(other.hfunc(v, u, given="v"))
    assert float(copula.hfunc(u, v)) == pytest.approx(mirrored, abs=1e-12)


@given(copulas, unit, unit, unit)
def test_cdf_is_monotone_and_within_the_frechet_bounds(copula, u, v, w):
    low, high = sorted([v, w])
    at_low, at_high = copula.cdf(u, low), copula.cdf(u, high)
    assert at_low <= at_high + 1e-12
    assert max(u + v - 1, 0) - 1e-12 <= copula.cdf(u, v) <= min(u, v) + 1e-12


@moderate
def test_tau_is_its_integral(copula):
    # tau = 1 - 4 ∫∫ ∂C/∂u ∂C/∂v
    u, weights = NODES
    grid = u[:, None], u[None, :]
    product = copula.hfunc(*grid) * copula.hfunc(*grid, given="v")
    assert copula.tau == pytest.approx(1 - 4 * weights @ product @ weights, abs=1e-6)


@moderate
def test_spearman_rho_is_its_integral(copula):
    # rho = 12 E[UV] - 3 with E[V | u] = 1 - ∫ h(v | u) dv: no distribution function involved
    u, weights = NODES
    mean = 1 - copula.hfunc(u[:, None], u[None, :]) @ weights
    assert copula.spearman_rho == pytest.approx(12 * weights @ (u * mean) - 3, abs=1e-6)


@pytest.mark.parametrize("df", [0.5, 3.0, 1000.0])
def test_spearman_rho_of_student_has_the_sign_of_rho_and_tends_to_that_of_normal_pairs(df):
    for rho in (0.3, 0.999999):
        found = Student(rho, df).spearman_rho
        assert Student(-rho, df).spearman_rho == pytest.approx(-found, rel=1e-12)
        assert df < 1000 or found == pytest.approx(Gaussian(rho).spearman_rho, abs=1e-4)


@moderate
def test_samples_have_the_tau_of_the_parameters(copula):
    sample = copula.sample(4000, random_state=7)
    assert sample.shape == (4000, 2)
    tau = stats.kendalltau(*sample.T).statistic
    # The standard error of tau at n = 4000 is below 0.011 for every copula.
    assert tau == pytest.approx(copula.tau, abs=0.04)
    for column in sample.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4


def test_samples_repeat_with_the_seed():
    copula = Gumbel(2.0, rotation=90)
    np.testing.assert_array_equal(copula.sample(50, 3), copula.sample(50, 3))
    assert not np.array_equal(copula.sample(50, 3), copula.sample(50, 4))


@pytest.mark.parametrize(
    "copula",
    [Clayton(2.0), Gumbel(2.0), Joe(3.0), BB1(1.0, 2.0), Student(0.5, 2.0), Gumbel(1.5, 180)],
    ids=name,
)
def test_tail_dependence_is_a_limit(copula):
    q = 1e-7
    lower = float(copula.cdf(q, q) / q)
    upper = float((1 - 2 * (1 - q) + copula.cdf(1 - q, 1 - q)) / q)
    assert lower == pytest.approx(copula.tail_dependence.lower, abs=5e-3)
    assert upper == pytest.approx(copula.tail_dependence.upper, abs=5e-3)


def test_student_cdf_integrates_its_h_function():
    copula = Student(-0.4, 2.7)
    for u, v in [(0.1, 0.2), (0.7, 0.4), (0.95, 0.9)]:
        expected, _ = integrate.quad(lambda s, v=v: float(copula.hfunc(s, v)), 0, u, epsabs=1e-11)
        assert float(copula.cdf(u, v)) == pytest.approx(expected, abs=1e-9)


def test_student_tends_to_gaussian():
    u = np.array([0.01, 0.3, 0.9])
    limit = Gaussian(0.6).logpdf(u, u)
    np.testing.assert_allclose(Student(0.6, 1000.0).logpdf(u, u), limit, atol=0.01)


def test_bb1_has_clayton_and_gumbel_as_edges():
    u, v = np.array([0.01, 0.3, 0.9]), np.array([0.2, 0.5, 0.97])
    np.testing.assert_allclose(BB1(1.7, 1.0).logpdf(u, v), Clayton(1.7).logpdf(u, v), rtol=1e-10)
    np.testing.assert_allclose(BB1(1e-6, 1.7).logpdf(u, v), Gumbel(1.7).logpdf(u, v), atol=1e-4)


EDGES = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12])


@pytest.mark.parametrize("copula", EXTREME, ids=name)
def test_everything_is_finite_at_the_edges(copula):
    u, v = EDGES[:, None], EDGES[None, :]
    with np.errstate(all="raise", under="ignore"):
        log_density = copula.logpdf(u, v)
        for given in ("u", "v"):
            h, back = copula.hfunc(u, v, given), copula.hinv(u, v, given)
            assert ((h >= 0) & (h <= 1)).all()
            assert ((back > 0) & (back < 1)).all()
        cdf = copula.cdf(u, v)
    assert np.isfinite(log_density).all()
    assert ((cdf >= 0) & (cdf <= 1)).all()
    assert np.isfinite([copula.tau, copula.spearman_rho, *copula.tail_dependence]).all()
    assert np.isfinite(copula.sample(20, random_state=0)).all()


@pytest.mark.parametrize("copula", EXTREME, ids=name)
def test_gradients_are_finite_at_the_edges(copula):
    u, v = EDGES[:, None], EDGES[None, :]
    step = 1e-3 * np.minimum(EDGES, 1 - EDGES)
    rise = copula.logpdf(u + step[:, None], v) - copula.logpdf(u - step[:, None], v)
    assert np.isfinite(rise / step[:, None]).all()
    for parameter, (low, high) in copula.bounds.items():
        value = getattr(copula, parameter)
        small = 1e-6 * max(abs(value), 1e-3)
        up = copula.replace(**{parameter: min(value + small, high)})
        down = copula.replace(**{parameter: max(value - small, low)})
        width = getattr(up, parameter) - getattr(down, parameter)
        assert np.isfinite((up.logpdf(u, v) - down.logpdf(u, v)) / width).all()


@given(copulas, unit)
def test_scalars_and_arrays_agree(copula, u):
    array = copula.logpdf(np.full((2, 3), u), 0.3)
    assert array.shape == (2, 3)
    assert float(copula.logpdf(u, 0.3)) == pytest.approx(float(array[1, 2]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("family", sorted({copula.family for copula in MODERATE}))
def test_copulas_side_by_side_are_the_same_as_one_by_one(family):
    alike = [c for c in (*MODERATE, *EXTREME) if c.family == family]
    cls = type(alike[0])
    u, v = np.random.default_rng(2).uniform(size=(2, len(alike)))
    parameters = np.array([c.parameters for c in alike]).T
    for flips in ((False, False), (True, False), (False, True), (True, True)):
        many = cls.side_by_side(*parameters, mirrored=flips)
        cumulated, conditional = many.cdf(u, v), many.hfunc(u, v)
        for k, one in enumerate(alike):
            single = cls.side_by_side(*map(np.float64, one.parameters), mirrored=flips)
            alone = float(single.cdf(u[k], v[k])), float(single.hfunc(u[k], v[k]))
            both = pytest.approx((cumulated[k], conditional[k]), rel=1e-13, abs=1e-300)
            assert alone == both
            if flips == one._flips:
                assert alone == (float(one.cdf(u[k], v[k])), float(one.hfunc(u[k], v[k])))


# Fitting one family to one pair


TRUTHS = [
    Gaussian(-0.6),
    Student(0.5, 3.0),
    Clayton(1.5, 90),
    Clayton(0.8, 180),
    Gumbel(1.7, 270),
    Frank(-4.0),
    Joe(2.0, 0),
    BB1(0.7, 1.6, 180),
]


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda c: f"{c.family}-{c.rotation}")
class TestRecovery:
    @pytest.fixture
    def sample(self, truth):
        return truth.sample(1500, random_state=11)

    def test_mle_is_a_maximum_near_the_truth(self, truth, sample):
        fit = type(truth).fit(*sample.T)
        assert fit.rotation == truth.rotation
        top = fit.logpdf(*sample.T).sum()
        assert top >= truth.logpdf(*sample.T).sum()
        # Twice the likelihood ratio is chi-squared; 20 is beyond any doubt for two degrees.
        assert 2 * (top - truth.logpdf(*sample.T).sum()) < 20
        for parameter in fit.bounds:
            for factor in (0.999, 1.001):
                moved = fit.replace(**{parameter: getattr(fit, parameter) * factor})
                assert moved.logpdf(*sample.T).sum() < top + 1e-9

    @pytest.mark.parametrize("method", ["tau", "rho"])
    def test_rank_correlations_are_matched(self, truth, sample, method):
        fit = type(truth).fit(*sample.T, method=method, rotation=truth.rotation)
        if method == "tau":
            assert fit.tau == pytest.approx(stats.kendalltau(*sample.T).statistic, abs=1e-6)
        else:
            assert fit.spearman_rho == pytest.approx(stats.spearmanr(*sample.T).statistic, abs=1e-6)


def test_bounds_hold_where_the_scale_of_the_search_rounds_beyond_them(rng):
    # Which bounds do depends on numpy's sinh: with some versions Frank's own, 100, is one.
    bound = next(b for b in np.arange(100.0, 200.0) if np.sinh(np.arcsinh(b)) > b)

    class Bounded(Frank):
        bounds = fit_bounds = {"theta": (-bound, bound)}  # noqa: RUF012

    u = np.sort(rng.uniform(size=40))
    assert Bounded.fit(u, u).theta == pytest.approx(bound)


def test_a_rank_correlation_out_of_reach_gives_the_nearest_bound():
    u = np.linspace(0.01, 0.99, 50)
    assert Clayton.fit(u, 1 - u, method="tau", rotation=0).theta == Clayton.fit_bounds["theta"][0]
    assert Gumbel.fit(u, u, method="tau").theta == Gumbel.fit_bounds["theta"][1]


def test_independence_needs_no_data():
    assert Independence.fit([0.1, 0.9], [0.3, 0.2]) == Independence()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Clayton(-1.0), r"theta must lie in \[1e-10, 100\], got -1"),
        (lambda: Clayton(2.0, rotation=45), r"rotation must be one of \(0, 90, 180, 270\), got 45"),
        (lambda: Gaussian(float("nan")), "rho must lie in"),
        (lambda: Frank.fit([0.2, 0.5], [0.3, 1.0]), "v must lie strictly between 0 and 1.*row 1"),
        (lambda: Frank.fit([0.2, 0.5], [0.3]), "same length"),
        (lambda: Frank.fit([0.2, 0.5], [0.3, 0.4], method="lucky"), "method must be"),
        (lambda: Clayton(1.0).hfunc(0.2, 0.3, given="w"), "given must be 'u' or 'v'"),
        (lambda: family_class("vine"), "no copula family 'vine'. Choose from independence"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_copulas_are_immutable_values():
    copula = Clayton(2, rotation=90)
    assert copula == Clayton(2.0, 90)
    assert hash(copula) == hash(Clayton(2.0, 90))
    assert copula.replace(theta=3.0) == Clayton(3.0, 90)
    with pytest.raises(AttributeError):
        copula.theta = 3.0


def test_families_by_name_and_class():
    assert family_names("default") == (
        *("independence", "gaussian", "student"),
        *("clayton", "gumbel", "frank"),
    )
    assert family_names([Joe, "JOE"]) == ("independence", "joe")
    assert set(FAMILIES) == {cls.family for cls in map(family_class, FAMILIES)}
