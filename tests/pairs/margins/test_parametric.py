"""Fitted families against scipy's own (slower) maximum likelihood."""

import numpy as np
import pytest
from scipy import special, stats

from spinney.pairs.margins.parametric import (
    MAX_DF,
    condense,
    fit_families,
    fit_logistic,
    fit_student,
)
from spinney.pairs.margins.scales import Linear


def families(x):
    x = np.sort(x)
    return {fitted.family: fitted for fitted in fit_families(x, Linear.fit(x))}


def log_likelihood(fitted, x):
    y = fitted.scale.forward(x)
    return float((fitted.distribution.logpdf(y) + fitted.scale.log_slope(x)).sum())


CASES = [
    ("normal", stats.norm, {}),
    ("logistic", stats.logistic, {}),
    ("Student t", stats.t, {}),
    ("Gumbel right", stats.gumbel_r, {}),
    ("Gumbel left", stats.gumbel_l, {}),
    ("lognormal", stats.lognorm, {"floc": 0}),
    ("gamma", stats.gamma, {"floc": 0}),
]


@pytest.mark.parametrize(("family", "oracle", "options"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("source", ["gamma", "t"])
def test_likelihood_is_at_least_that_of_scipys_fit(family, oracle, options, source, rng):
    x = rng.gamma(2.0, 3.0, size=300) if source == "gamma" else 40 + rng.standard_t(3, size=300)
    fitted = families(x)[family]
    # Centred where the family allows it: from far away, scipy's search for Student t stops early.
    y = x if options else x - np.median(x)
    best = float(oracle.logpdf(y, *oracle.fit(y, **options)).sum())
    ours = log_likelihood(fitted, x)
    # Degrees of freedom stop at 100, where scipy goes on towards the normal distribution.
    slack = 0.2 if family == "Student t" and fitted.parameters["df"] > 0.9 * MAX_DF else 1e-3
    assert ours >= best - slack
    assert ours <= best + 0.5  # more would be an error in our density


def test_parameters_are_in_the_units_of_the_column(rng):
    x = 1000.0 + 50.0 * rng.standard_t(4, size=20_000)
    student = families(x)["Student t"].parameters
    assert student["location"] == pytest.approx(1000, abs=2)
    assert student["scale"] == pytest.approx(50, rel=0.03)
    assert student["df"] == pytest.approx(4, rel=0.1)
    gamma = families(rng.gamma(0.3, 1e-5, size=20_000))["gamma"].parameters
    assert gamma["shape"] == pytest.approx(0.3, rel=0.03)
    assert gamma["scale"] == pytest.approx(1e-5, rel=0.05)
    lognormal = families(rng.lognormal(2.0, 3.0, size=20_000))["lognormal"].parameters
    assert lognormal["log location"] == pytest.approx(2, abs=0.1)
    assert lognormal["log scale"] == pytest.approx(3, rel=0.03)


@pytest.mark.parametrize("shape", [0.02, 0.5, 1.0, 30.0, 1e4])
def test_gamma_shape_solves_the_likelihood_equation(shape, rng):
    x = rng.gamma(shape, size=3000)
    if x.min() < 1e-300:
        x = x[x > 1e-300]
    fitted = families(x)["gamma"].parameters["shape"]
    gap = np.log(x.mean()) - np.log(x).mean()
    assert np.log(fitted) - special.digamma(fitted) == pytest.approx(gap, rel=1e-7)


def test_logistic_solves_the_likelihood_equations(rng):
    z = np.sort(rng.normal(size=200))
    location, scale = fit_logistic(z, np.ones(200))
    r = (z - location) / scale
    assert np.tanh(r / 2).mean() == pytest.approx(0, abs=1e-7)
    assert (r * np.tanh(r / 2)).mean() == pytest.approx(1, abs=1e-7)


def test_student_has_the_best_degrees_of_freedom(rng):
    z = np.sort(rng.standard_t(3, size=500))
    df, location, scale = fit_student(z, np.ones(500))
    best = stats.t.logpdf(z, df, location, scale).sum()
    for other in (df * 0.97, df * 1.03):
        _, other_location, other_scale = stats.t.fit(z, fdf=other)
        assert stats.t.logpdf(z, other, other_location, other_scale).sum() <= best + 1e-4


def test_positive_families_are_for_positive_columns_only(rng):
    assert not {"lognormal", "gamma"} & set(families(rng.normal(size=50)))
    assert {"lognormal", "gamma"} < set(families(rng.gamma(1.0, size=50)))
    with_zero = np.append(rng.gamma(1.0, size=50), 0.0)
    assert not {"lognormal", "gamma"} & set(families(with_zero))


def test_student_is_left_out_where_its_likelihood_has_no_maximum(rng):
    x = np.where(np.arange(100) < 55, 0.0, rng.normal(size=100))
    assert "Student t" not in families(x)


def test_gumbel_needs_thirty_rows(rng):
    x = rng.normal(size=30)
    assert "Gumbel right" in families(x)
    assert "Gumbel right" not in families(x[:29])


def test_long_columns_are_condensed_without_losing_weight_or_extremes(rng):
    x = np.sort(rng.standard_cauchy(50_000))
    points, counts = condense(x)
    assert len(points) == 4096
    assert counts.sum() == 50_000
    assert (np.diff(points) >= 0).all()
    np.testing.assert_allclose(points[:512], x[:512], rtol=1e-12)
    np.testing.assert_allclose(points[-512:], x[-512:], rtol=1e-12)
    assert points @ counts == pytest.approx(x.sum(), rel=1e-9)
    short, ones = condense(x[:4096])
    assert short is not None
    assert np.array_equal(short, x[:4096])
    assert (ones == 1).all()


def test_condensing_hardly_moves_the_fit(rng):
    z = np.sort(rng.standard_t(4, size=20_000))
    full = fit_student(z, np.ones(len(z)))
    np.testing.assert_allclose(fit_student(*condense(z)), full, rtol=2e-3, atol=1e-4)
