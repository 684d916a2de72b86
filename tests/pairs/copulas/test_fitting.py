"""Fitting one family to one pair."""

import numpy as np
import pytest
from scipy import stats

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
        for name in fit.bounds:
            for factor in (0.999, 1.001):
                moved = fit.replace(**{name: getattr(fit, name) * factor})
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
