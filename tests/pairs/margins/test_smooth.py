from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from spinney.datasets import load_sachs
from spinney.pairs.margins.smooth import fit_smooth

KINDS = ["auto", "kernel", "parametric"]


def columns():
    rng = np.random.default_rng(7)
    z = rng.normal(size=120)
    zeros = rng.random(120)
    return {
        "four rows": np.array([1.0, 2.0, 3.0, 4.0]),
        "four rows, one of them different": np.array([0.0, 0.0, 0.0, 1.0]),
        "normal": z,
        "two values": np.repeat([-1.0, 1.0], 60),
        "counts": rng.poisson(1.0, size=120).astype(float),
        "six in ten zero": np.where(zeros < 0.6, 0.0, np.abs(z)),
        "nine in ten zero": np.where(zeros < 0.9, 0.0, np.exp(z)),
        "all but one zero": np.append(np.zeros(99), 1.0),
        "1e300": z * 1e300,
        "1e-300": z * 1e-300,
        "positive 1e300": np.exp(z) * 1e300,
        "positive 1e-300": np.exp(z) * 1e-300,
        "near the largest float": np.clip(z, -1, 1) * 1.7e308,
        "subnormal": np.round(z * 100) * 5e-324,
        "two hundred orders of magnitude": np.exp(200 * z),
        "and of both signs": np.sign(z) * np.exp(np.abs(200 * z)),
        "skew": np.exp(5 * z),
        "outlier": np.append(z, 1e12),
        "wild outlier": np.append(z, -1e300),
        "large offset": 1e15 + np.round(10 * z),
        "long, skew": np.exp(3 * rng.normal(size=5000)),
        "long, heavy": rng.standard_cauchy(size=5000),
    }


COLUMNS = columns()
TAIL = np.geomspace(1e-12, 0.5, 150)
U = np.concatenate([TAIL, 1 - TAIL[-2::-1]])


@pytest.mark.parametrize("smooth", KINDS)
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_gets_finite_monotone_quantiles_and_no_nan(name, smooth):
    x = COLUMNS[name]
    marginal = fit_smooth(x, smooth)
    quantiles = marginal.ppf(U)
    assert np.isfinite(quantiles).all()
    assert (np.diff(quantiles) >= 0).all()
    far = np.concatenate([x, [-1.7e308, -1.0, 0.0, 5e-324, 1.0, 1.7e308]])
    assert not np.isnan(marginal.logpdf(far)).any()
    cdf = marginal.cdf(np.sort(far))
    assert (np.diff(cdf) >= -1e-15).all()
    assert cdf.min() >= 0
    assert cdf.max() <= 1
    assert np.isfinite(marginal.logpdf(x)).all()
    assert np.isfinite(marginal.log_likelihood)
    assert marginal.log_likelihood == pytest.approx(marginal.logpdf(x).sum(), rel=1e-9)


SMOOTH = [
    name
    for name in COLUMNS
    if name
    not in ("near the largest float", "subnormal", "large offset", "wild outlier")  # too coarse
    and "orders" not in name
    and "signs" not in name
]


@pytest.mark.parametrize("smooth", KINDS)
@pytest.mark.parametrize("name", SMOOTH)
def test_quantile_undoes_cdf(name, smooth):
    marginal = fit_smooth(COLUMNS[name], smooth)
    back = marginal.cdf(marginal.ppf(U))
    np.testing.assert_allclose(back, U, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(1 - back, 1 - U, rtol=1e-3, atol=1e-14)


def consistent_columns():
    names = ["four rows", "normal", "counts", "six in ten zero", "skew", "long, skew"]
    chosen = {name: COLUMNS[name] for name in names}
    sachs = load_sachs().X
    return chosen | {name: sachs[name].to_numpy() for name in ("PIP3", "Akt", "PKC")}


@pytest.mark.parametrize("smooth", KINDS)
@pytest.mark.parametrize("name", consistent_columns())
def test_density_is_the_slope_of_the_cdf_and_integrates_to_one(name, smooth):
    marginal = fit_smooth(consistent_columns()[name], smooth)
    u = np.linspace(0.01, 0.99, 25)
    x = marginal.ppf(u)
    # A step that is small on the scale of the column, wherever it lies.
    step = 0.01 * (marginal.ppf(u + 1e-3) - x)
    slope = (marginal.cdf(x + step) - marginal.cdf(x - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(marginal.logpdf(x)), slope, rtol=1e-4)
    # The integral between two quantiles, panel by panel, is the difference of their levels.
    knots = stats.norm.cdf(marginal.scores)
    edges = np.concatenate([[1e-7], np.linspace(0.001, 0.999, 41), [1 - 1e-7]])
    edges = np.union1d(edges, knots[(knots > 1e-7) & (knots < 1 - 1e-7)])
    limits = marginal.ppf(edges)
    total = sum(
        quad(lambda t: float(np.exp(marginal.logpdf(t))), a, b, limit=200, epsrel=1e-7)[0]
        for a, b in pairwise(limits)
    )
    assert total == pytest.approx(edges[-1] - edges[0], abs=2e-6)


def test_the_spline_takes_the_shape_of_the_column(rng):
    x = np.concatenate([rng.normal(-3, 0.5, 800), rng.normal(2, 1, 1200)])
    new = np.concatenate([rng.normal(-3, 0.5, 800), rng.normal(2, 1, 1200)])
    spline, kernel, normal = (fit_smooth(x, kind).logpdf(new).mean() for kind in KINDS)
    assert (fit_smooth(x, "auto").name, fit_smooth(x, "kernel").name) == ("spline", "kernel")
    assert spline > normal + 0.3
    assert kernel > normal + 0.1


def test_kernel_and_normal_are_scipys(rng):
    x = rng.gamma(2.0, size=200)
    at = np.linspace(0.1, 6.0, 20)
    kernel, normal = fit_smooth(x, "kernel"), fit_smooth(x, "parametric")
    np.testing.assert_allclose(np.exp(kernel.logpdf(at)), stats.gaussian_kde(x)(at), rtol=0.01)
    exact = stats.norm(x.mean(), x.std())
    np.testing.assert_allclose(normal.logpdf(at), exact.logpdf(at), rtol=1e-12)
    np.testing.assert_allclose(normal.ppf(U), exact.ppf(U), rtol=1e-9)
    assert normal.parameters == pytest.approx({"mean": x.mean(), "sd": x.std()})


def test_few_positive_rows_do_not_make_a_positive_column():
    # All ten are positive by chance in most of these draws; the next may be negative.
    for seed in range(20):
        x = np.random.default_rng(seed).normal(3, 1.5, size=10)
        assert np.isfinite(fit_smooth(x, "auto").logpdf(-0.5))
    # Here zero is a boundary beyond doubt, in any unit.
    for unit in (1.0, 1e-300, 1e300):
        x = unit * np.random.default_rng(0).lognormal(sigma=2, size=50)
        assert np.isneginf(fit_smooth(x, "auto").logpdf(-unit))


def test_shapes_are_kept():
    marginal = fit_smooth(COLUMNS["normal"], "auto")
    assert marginal.cdf(0.3).shape == ()
    assert marginal.ppf([[0.1, 0.2]]).shape == (1, 2)
    assert marginal.logpdf(np.zeros((2, 3, 4))).shape == (2, 3, 4)


def test_order_of_rows_and_unit_of_measurement_do_not_matter(rng):
    x = rng.gamma(2.0, size=100)
    marginal = fit_smooth(x, "auto")
    shuffled = fit_smooth(rng.permutation(x), "auto")
    assert shuffled.name == marginal.name
    np.testing.assert_array_equal(shuffled.ppf(U), marginal.ppf(U))
    metres = fit_smooth(1e-6 * x, "auto")
    assert metres.name == marginal.name
    np.testing.assert_allclose(metres.ppf(U), 1e-6 * marginal.ppf(U), rtol=1e-9)
