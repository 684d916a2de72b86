"""The mixture kernels against plain formulas, mpmath and each other."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from spinney.pairs.margins.kernel import GaussianMixture, fit_kernel, leave_one_out, merge_cells
from spinney.pairs.margins.scales import Asinh, Linear


def log_density_reference(centres, counts, width, y):
    terms = stats.norm.logpdf(y[:, None], centres, width)
    return logsumexp(terms, axis=1, b=counts / counts.sum())


def cdf_reference(centres, counts, width, y):
    return stats.norm.cdf(y[:, None], centres, width) @ (counts / counts.sum())


def leave_one_out_reference(values, width):
    total = 0.0
    for k in range(len(values)):
        others = np.delete(values, k)
        total += logsumexp(stats.norm.logpdf(values[k], others, width)) - np.log(len(others))
    return total


values = st.lists(
    st.integers(-5, 5).map(float) | st.floats(-100, 100), min_size=2, max_size=30
).map(np.sort)
widths = st.floats(0.05, 20)


@given(values, widths)
def test_density_and_cdf_agree_with_plain_formulas(x, width):
    centres, counts = merge_cells(x, 0.0)
    mixture = GaussianMixture(centres, counts, width)
    y = np.linspace(x[0] - 10 * width, x[-1] + 10 * width, 41)
    expected = log_density_reference(centres, counts, width, y)
    np.testing.assert_allclose(mixture.logpdf(y), expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(mixture.cdf(y), cdf_reference(centres, counts, width, y), rtol=1e-9)


@given(values, widths)
def test_leave_one_out_agrees_with_leaving_each_value_out(x, width):
    expected = leave_one_out_reference(x, width)
    assert leave_one_out(*merge_cells(x, 0.0), width) == pytest.approx(expected, rel=1e-10)


@given(values, widths, st.floats(1e-12, 1 - 1e-12))
def test_quantile_undoes_cdf(x, width, u):
    mixture = GaussianMixture(*merge_cells(x, 0.0), width)
    y = mixture.ppf(np.array([u]))
    # To the rounding of y (steep F) and of F (flat F).
    slack = 1e-13 + 4e-15 * np.exp(mixture.logpdf(y)) * (np.abs(y) + width)
    assert abs(mixture.cdf(y) - u) <= max(slack[0], 1e-11 * u)


def test_lower_tail_keeps_its_digits_against_mpmath():
    centres, counts, width = np.array([-1.0, 0.5, 4.0]), np.array([1.0, 3.0, 2.0]), 0.7
    mixture = GaussianMixture(centres, counts, width)
    with mpmath.workdps(40):
        for y in (-3.0, -6.0, -12.0, -20.0):
            exact = (
                sum(
                    int(k) * mpmath.ncdf((y - float(c)) / width)
                    for c, k in zip(centres, counts, strict=True)
                )
                / 6
            )
            assert mixture.cdf(np.array([y]))[0] == pytest.approx(float(exact), rel=1e-12)
            assert mixture.ppf(np.array([float(exact)]))[0] == pytest.approx(y, rel=1e-12)


def test_quantiles_cross_a_wide_gap_in_order():
    mixture = GaussianMixture(np.array([-1e6, 1e6]), np.array([50.0, 50.0]), 0.1)
    u = np.concatenate([np.geomspace(1e-12, 0.5, 200), 1 - np.geomspace(1e-12, 0.5, 200)[-2::-1]])
    y = mixture.ppf(u)
    assert np.isfinite(y).all()
    assert (np.diff(y) >= 0).all()


def test_far_away_the_density_is_zero_and_not_nan():
    mixture = GaussianMixture(np.array([0.0, 1.0]), np.array([1.0, 1.0]), 0.1)
    y = np.array([-np.inf, -1e300, 1e300, np.inf])
    assert np.isneginf(mixture.logpdf(y)).all()
    assert mixture.cdf(y).tolist() == [0, 0, 1, 1]


def test_cells_keep_count_and_centre_of_mass(rng):
    x = np.sort(rng.standard_cauchy(5000))
    centres, counts = merge_cells(x, 0.1)
    assert len(centres) < 2000
    assert counts.sum() == 5000
    assert (np.diff(centres) > 0).all()
    assert centres @ counts == pytest.approx(x.sum(), rel=1e-9)


def test_merged_kernels_are_close_to_those_of_all_values(rng):
    x = np.sort(rng.normal(size=4000))
    fitted = fit_kernel(x, [Linear(0, 0.0, 1.0)])
    exact = GaussianMixture(x, np.ones(4000), fitted.mixture.width)
    assert len(fitted.mixture.centres) < 400
    y = np.linspace(-3, 3, 61)
    difference = np.exp(fitted.mixture.logpdf(y)) - np.exp(exact.logpdf(y))
    assert np.abs(difference).max() < 2e-3
    assert fitted.leave_one_out == pytest.approx(
        leave_one_out(x, np.ones(4000), fitted.mixture.width), rel=1e-4
    )


def test_scale_and_bandwidth_follow_the_data(rng):
    heavy = np.sort(rng.standard_t(1.5, size=400))
    linear = Linear.fit(heavy)
    assert isinstance(fit_kernel(heavy, [linear, Asinh(linear)]).scale, Asinh)
    # Two far clusters: the rule of thumb is far too wide and the likelihood says so.
    clusters = np.sort(np.concatenate([rng.normal(-5, 0.2, 200), rng.normal(5, 0.2, 200)]))
    assert fit_kernel(clusters, [Linear.fit(clusters)]).factor == 0.35
    normal = np.sort(rng.normal(size=400))
    assert fit_kernel(normal, [Linear.fit(normal)]).factor >= 0.7
