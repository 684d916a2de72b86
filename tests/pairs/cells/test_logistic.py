"""Classes given scores: against scipy, quadrature and what the formulas promise."""

import numpy as np
import pytest
from scipy import integrate, optimize, special
from tests.pairs.cells.plain import penalised_log_likelihood

from spinney.pairs.cells.logistic import class_log_ratios, fit_classes, fit_classes_mixed

from .tables import draw


def fit(scores, counts, degree, scale=1.0):
    factor, coefficients = fit_classes(scores, counts, degree, scale)
    return coefficients, factor


def log_ratio(coefficients, scores):
    """Log w of every class at every score, shape (S, K), by scipy; all classes occur."""
    z = np.asarray(scores)[:, None]
    intercept, linear, square, log_share = coefficients.T
    logits = intercept + linear * z + square * (z * z - 1) / np.sqrt(2)
    return special.log_softmax(logits, axis=1) - log_share


@pytest.fixture
def sample(rng):
    z = rng.normal(size=200)
    codes = draw(
        special.softmax(np.stack([0.5 + z, -z, 0.7 * z * z - 1, 0 * z], axis=1), axis=1), rng
    )
    return z, np.eye(4)[codes]


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
def test_the_maximum_is_that_of_scipy(sample, degree, scale):
    z, counts = sample
    found = optimize.minimize(
        lambda b: -penalised_log_likelihood(b.reshape(4, degree + 1), z, counts, scale),
        np.zeros(4 * (degree + 1)),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    coefficients, _ = fit(z, counts, degree, scale)
    ours = penalised_log_likelihood(coefficients[:, : degree + 1], z, counts, scale)
    assert ours >= -found.fun - 1e-9
    reference = found.x.reshape(4, degree + 1)
    reference = reference - reference.mean(axis=0)
    np.testing.assert_allclose(coefficients[:, : degree + 1], reference, atol=1e-4)


@pytest.mark.parametrize("degree", [1, 2])
def test_potentials_average_to_one_both_ways(sample, degree):
    z, counts = sample
    w = np.exp(log_ratio(fit(z, counts, degree)[0], z))
    np.testing.assert_allclose(w.mean(axis=0), 1.0, rtol=1e-9)
    np.testing.assert_allclose(w @ counts.mean(axis=0), 1.0, rtol=1e-12)


def test_ratios_are_those_of_the_formula(sample):
    z, counts = sample
    coefficients, _ = fit(z, counts, 2)
    ours, plain = class_log_ratios(coefficients, z).T, log_ratio(coefficients, z)
    np.testing.assert_allclose(ours, plain, rtol=1e-12, atol=1e-13)


def test_rows_with_equal_scores_may_be_counted_together(sample):
    z, counts = sample
    levels = np.round(z)
    distinct, place = np.unique(levels, return_inverse=True)
    grouped = np.zeros((distinct.size, 4))
    np.add.at(grouped, place, counts)
    apart, factor = fit(levels, counts, 2)
    together, same_factor = fit(distinct, grouped, 2)
    np.testing.assert_allclose(together, apart, atol=1e-9)
    assert same_factor == pytest.approx(factor, abs=1e-9)


def test_a_search_from_elsewhere_ends_in_the_same_place(sample):
    z, counts = sample
    cold, factor = fit(z, counts, 2)
    warm, _ = fit(z[:150], counts[:150], 2)
    same_factor, again = fit_classes(z, counts, 2, 1.0, warm)
    np.testing.assert_allclose(again, cold, atol=1e-8)
    assert same_factor == pytest.approx(factor, abs=1e-8)


def test_classes_that_do_not_occur_are_left_alone(sample):
    z, counts = sample
    wider = np.insert(counts, [0, 2], 0.0, axis=1)
    coefficients, factor = fit(z, wider, 1)
    plain, plain_factor = fit(z, counts, 1)
    np.testing.assert_allclose(coefficients[[1, 2, 4, 5]], plain, atol=1e-10)
    assert (class_log_ratios(coefficients, z)[[0, 3]] == 0).all()
    assert factor == pytest.approx(plain_factor, abs=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
def test_separable_classes_stay_finite(degree):
    z = np.linspace(-2.5, 2.5, 60)
    counts = np.eye(3)[np.digitize(z, [-1.0, 1.0])]
    coefficients, factor = fit(z, counts, degree)
    assert np.isfinite(coefficients).all()
    assert factor > 20
    np.testing.assert_allclose(np.exp(log_ratio(coefficients, z)).mean(axis=0), 1.0, rtol=1e-8)


def test_names_of_classes_do_not_matter(sample, rng):
    z, counts = sample
    order = rng.permutation(4)
    plain, factor = fit(z, counts, 2)
    renamed, same_factor = fit(z, counts[:, order], 2)
    np.testing.assert_allclose(renamed, plain[order], atol=1e-8)
    assert same_factor == pytest.approx(factor, abs=1e-8)


def test_the_bayes_factor_is_near_the_integral(rng):
    """Two classes and one slope: flat intercept, b_k ~ N(0, 1), hence their difference N(0, 2)."""
    z = rng.normal(size=150)
    codes = (rng.random(150) < special.expit(0.3 + 0.8 * z)).astype(int)
    counts = np.eye(2)[codes]
    sign = 2.0 * codes - 1.0
    best = optimize.minimize(lambda t: -special.log_expit(sign * (t[0] + t[1] * z)).sum(), [0, 0])
    top = -best.fun

    def with_slope(slope, intercept):
        log_likelihood = special.log_expit(sign * (intercept + slope * z)).sum()
        return np.exp(log_likelihood - top - slope**2 / 4) / np.sqrt(4 * np.pi)

    def without(intercept):
        return np.exp(special.log_expit(sign * intercept).sum() - top)

    centre, slope = best.x
    above, _ = integrate.dblquad(
        with_slope, centre - 2, centre + 2, slope - 2, slope + 2, epsabs=1e-10
    )
    below, _ = integrate.quad(without, -2, 2, epsabs=1e-14)
    assert fit(z, counts, 1)[1] == pytest.approx(np.log(above / below), abs=0.03)


def test_a_mixture_of_scales_has_the_mean_bayes_factor_and_the_best_fit(sample):
    z, counts = sample
    scales = (2.0, 0.25, 1.0, 0.5)
    fits = [fit(z, counts, 2, scale) for scale in scales]
    factors = np.array([factor for _, factor in fits])
    factor, mixed, scale = fit_classes_mixed(z, counts, 2, scales)
    place = np.argmax(factors)
    assert scale == scales[place]
    assert factor == pytest.approx(special.logsumexp(factors) - np.log(4), rel=1e-9)
    np.testing.assert_allclose(mixed, fits[place][0], atol=1e-8)
