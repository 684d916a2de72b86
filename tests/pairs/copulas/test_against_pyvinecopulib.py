"""Densities, h-functions, inverses and tau against pyvinecopulib.

pyvinecopulib forms 1 - h by subtraction and inverts some families by bisection, so it is compared
in relative terms only down to the size at which those lose digits; extreme arguments are
compared with mpmath in test_against_mpmath.
"""

import numpy as np
import pytest
import pyvinecopulib as pv
from tests.pairs.copulas.cases import MODERATE, name

GRID = np.array([1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4, 0.5, 0.65, 0.8, 0.95, 0.99, 0.999, 1 - 1e-4])
POINTS = np.array(np.meshgrid(GRID, GRID)).reshape(2, -1)

# pyvinecopulib's Frank subtracts exponentials: at theta = 25 it is off by 1e-7, where mpmath (and
# test_against_mpmath, up to theta = 100) sides with us.
COPULAS = [c for c in MODERATE if not (c.family == "frank" and abs(c.theta) > 15)]
cases = pytest.mark.parametrize("copula", COPULAS, ids=name)


def theirs(copula):
    family = getattr(pv.BicopFamily, copula.family.replace("independence", "indep"))
    parameters = np.array(copula.parameters).reshape(-1, 1)
    return pv.Bicop(family=family, rotation=copula.rotation, parameters=parameters)


@cases
def test_log_density(copula):
    expected = theirs(copula).pdf(POINTS.T)
    np.testing.assert_allclose(copula.pdf(*POINTS), expected, rtol=1e-8, atol=1e-30)


@cases
def test_h_functions(copula):
    other = theirs(copula)
    for given, expected in (("u", other.hfunc1(POINTS.T)), ("v", other.hfunc2(POINTS.T))):
        np.testing.assert_allclose(copula.hfunc(*POINTS, given=given), expected, 1e-8, 1e-11)


@cases
def test_inverse_h_functions(copula):
    other = theirs(copula)
    inner = POINTS[:, (POINTS > 0.005).all(axis=0) & (POINTS < 0.995).all(axis=0)]
    for given, expected in (("u", other.hinv1(inner.T)), ("v", other.hinv2(inner.T))):
        np.testing.assert_allclose(copula.hinv(*inner, given=given), expected, 1e-8, 1e-9)


@cases
def test_cdf(copula):
    if copula.family == "student" and copula.df != int(copula.df):
        return  # pyvinecopulib rounds the degrees of freedom here; see test_properties
    np.testing.assert_allclose(copula.cdf(*POINTS), theirs(copula).cdf(POINTS.T), 1e-8, 1e-10)


@cases
def test_tau(copula):
    expected = theirs(copula).tau
    if copula.family == "joe" and copula.theta == 2:
        # Before its version 1.0 the oracle divides zero by zero there; its neighbours do as well.
        step = 1e-5
        expected = np.mean([theirs(copula.replace(theta=2 + h)).tau for h in (-step, step)])
    assert copula.tau == pytest.approx(expected, rel=1e-9, abs=1e-12)
