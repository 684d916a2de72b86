"""Compiled kernels against the family classes, which are the reference."""

from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import _imported_files, _source_stamp, kernel
from spinney.copulas import Clayton, Frank, Gaussian, Gumbel, Joe, Student, _kernels
from spinney.copulas import _math as fast
from spinney.copulas.candidates import CODES
from spinney.copulas.coordinates import DF_GRID, Coordinates, coordinates

# Rows that do and do not fill the last vector register, and both ends of (0, 1).
RNG = np.random.default_rng(5)
U = np.vstack([RNG.uniform(size=(37, 2)), [[1e-12, 1e-12], [1e-12, 0.5], [1 - 1e-12, 1e-6]]])
WHERE = coordinates(U, DF_GRID)

CASES = [
    *(Clayton(theta, r) for theta in (1e-3, 0.4, 3.0, 50.0) for r in (0, 90, 180, 270)),
    *(Gumbel(theta, r) for theta in (1.001, 1.4, 3.0, 50.0) for r in (0, 90, 180, 270)),
    *(Joe(theta, r) for theta in (1.001, 1.4, 3.0, 50.0) for r in (0, 90, 180, 270)),
    *(Frank(theta) for theta in (-100.0, -3.0, -1e-3, 1e-3, 4.0, 100.0)),
]


def kernel_arguments(copula):
    """Coordinates that the kernels read, from the class's own."""
    flip_u, flip_v = copula._flips
    return copula._coordinate(U[:, 0], flip_u), copula._coordinate(U[:, 1], flip_v)


@pytest.mark.parametrize("copula", CASES, ids=lambda c: f"{c.family}-{c.theta:g}-{c.rotation}")
class TestOneParameter:
    def test_log_density(self, copula):
        out = np.full(len(U), np.nan)
        strength = abs(copula.theta)
        _kernels.scalar_density(
            CODES[copula.family], *kernel_arguments(copula), strength, 0, len(U), out
        )
        np.testing.assert_allclose(out, copula.logpdf(*U.T), rtol=1e-11, atol=1e-10)

    def test_score_is_the_slope_of_the_log_density(self, copula):
        x, y = kernel_arguments(copula)
        out = np.full(len(U), np.nan)
        _kernels.scalar_score(CODES[copula.family], x, y, abs(copula.theta), 0, len(U), out)
        # Five points in exact arithmetic would be overkill: central differences with two steps,
        # extrapolated, on the reference.
        sign = np.sign(copula.theta)

        def slope(step):
            up, down = (
                copula.replace(theta=copula.theta + sign * s) if s else copula
                for s in (step, -step)
            )
            return (up._log_density(x, y) - down._log_density(x, y)) / (2 * step)

        room = abs(copula.theta) - (1.0 if copula.family in ("gumbel", "joe") else 0.0)
        step = min(1e-3, 0.2 * room)
        if abs(copula.theta) == 100.0:
            step = -step  # stay inside the bounds: compare one step below instead
            _kernels.scalar_score(CODES["frank"], x, y, 100.0 + 2 * step, 0, len(U), out)
            copula = copula.replace(theta=sign * (100.0 + 2 * step))
        expected = (4 * slope(step / 2) - slope(step)) / 3
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-4 * (1 + np.abs(out).max()))

    def test_only_the_range_is_written(self, copula):
        out = np.full(len(U), np.nan)
        x, y = kernel_arguments(copula)
        _kernels.scalar_density(CODES[copula.family], x, y, abs(copula.theta), 5, 18, out)
        assert np.isnan(out[:5]).all()
        assert np.isfinite(out[5:18]).all()
        assert np.isnan(out[18:]).all()


@pytest.mark.parametrize("rho", [-0.9999, -0.5, 0.0, 0.8, 0.9999])
def test_gaussian_log_density(rho):
    out = np.empty(len(U))
    _kernels.gaussian_density(*WHERE.plain[6], rho, 0, len(U), out)
    np.testing.assert_allclose(out, Gaussian(rho).logpdf(*U.T), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rho", [-0.9999, -0.5, 0.0, 0.8])
@pytest.mark.parametrize("position", [0, 7, len(DF_GRID) - 1])
def test_student_log_density_and_score(rho, position):
    df, out = DF_GRID[position], np.empty(len(U))
    _kernels.student_density(WHERE, position, 0, 1, rho, 0, len(U), out)
    np.testing.assert_allclose(out, Student(rho, df).logpdf(*U.T), rtol=1e-9, atol=1e-9)
    x, y = WHERE.student[position]
    _kernels.student_score(x, y, rho, df, 0, len(U), out)
    step = 1e-7
    up, down = (Student(rho + s, df).logpdf(*U.T) for s in (step, -step))
    slope = (up - down) / (2 * step)
    np.testing.assert_allclose(out, slope, rtol=1e-4, atol=1e-4 * (1 + np.abs(out).max()))


def test_coordinates_of_ranks_and_of_any_numbers_agree():
    ranks = np.stack([RNG.permutation(20) for _ in range(6)], axis=1)
    shared = (ranks + 1) / 21
    jittered = np.clip(shared + RNG.uniform(-1e-13, 1e-13, shared.shape), 1e-3, 1)
    for one, other in zip(coordinates(shared), coordinates(jittered), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    assert isinstance(coordinates(shared), Coordinates)


@kernel
def _apply(which: int, x: np.ndarray, out: np.ndarray) -> None:
    for k in range(x.size):
        out[k] = fast.exp(x[k]) if which == 0 else fast.log(x[k])


def ulps(got: float, exact: mp.mpf) -> float:
    return float(abs(mp.mpf(got) - exact)) / np.spacing(abs(float(exact)))


@given(st.floats(-700, 700))
def test_exp_against_mpmath(x):
    out = np.empty(1)
    _apply(0, np.array([x]), out)
    with mp.workdps(40):
        assert ulps(out[0], mp.exp(mp.mpf(x))) < 1.5


@given(st.floats(1e-300, 1e300))
def test_log_against_mpmath(x):
    out = np.empty(1)
    _apply(1, np.array([x]), out)
    with mp.workdps(40):
        exact = mp.log(mp.mpf(x))
        assert out[0] == 0 if x == 1 else ulps(out[0], exact) < 1.5


@given(st.floats(0.9, 1.1))
def test_log_near_one_against_mpmath(x):
    out = np.empty(1)
    _apply(1, np.array([x]), out)
    with mp.workdps(40):
        assert out[0] == 0 if x == 1 else ulps(out[0], mp.log(mp.mpf(x))) < 1.5


def test_exp_far_below_underflows_gently():
    out = np.empty(2)
    _apply(0, np.array([-800.0, -1e6]), out)
    assert (out > 0).all()
    assert (out < 1e-300).all()


def test_cached_kernels_depend_on_all_that_they_call():
    # If numba ever renames what `_compile` sets, stale machine code would come back unnoticed.
    home = Path(_kernels.__file__)
    assert _kernels.scalar_score._cache._cache_file._source_stamp == _source_stamp(home)
    assert home.with_name("_math.py") in _imported_files(home)
