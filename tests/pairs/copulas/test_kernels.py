"""Compiled kernels against the family classes, whose formulas they compile."""

import numpy as np
import pytest

from spinney.pairs.copulas import (
    FAMILIES,
    Clayton,
    Frank,
    Gaussian,
    Gumbel,
    Joe,
    Student,
    kernels,
    search,
)
from spinney.pairs.copulas.base import normal_score
from spinney.pairs.copulas.coordinates import N_ROWS, coordinates, coordinates_of
from spinney.pairs.copulas.elliptical import DF_GRID, quantile
from spinney.pairs.copulas.kernels import NAMES

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


def number(copula):
    return NAMES.index(copula.family)


def kernel_arguments(copula):
    """Coordinates that the kernels read, from the class's own."""
    u, v = np.ascontiguousarray(U.T)
    flip_u, flip_v = copula._flips
    return copula._coordinate(u, flip_u), copula._coordinate(v, flip_v)


@pytest.mark.parametrize("copula", CASES, ids=lambda c: f"{c.family}-{c.theta:g}-{c.rotation}")
class TestOneParameter:
    def test_log_density(self, copula):
        out = np.full(len(U), np.nan)
        kernels.density(number(copula), *kernel_arguments(copula), abs(copula.theta), np.nan, out)
        np.testing.assert_allclose(out, copula.logpdf(*U.T), rtol=1e-11, atol=1e-10)

    def test_score_is_the_slope_of_the_log_density(self, copula):
        x, y = kernel_arguments(copula)
        out = np.full(len(U), np.nan)
        kernels.score(number(copula), x, y, abs(copula.theta), np.nan, out)
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
            kernels.score(number(copula), x, y, 100.0 + 2 * step, np.nan, out)
            copula = copula.replace(theta=sign * (100.0 + 2 * step))
        expected = (4 * slope(step / 2) - slope(step)) / 3
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-4 * (1 + np.abs(out).max()))

    def test_coordinates_are_those_of_the_class(self, copula):
        for k, flip in enumerate(copula._flips):
            mine = copula.batch.coordinate(U[:, k], flip)
            np.testing.assert_array_equal(mine, copula._coordinate(U[:, k], flip))

    def test_sums_leave_a_range_out(self, copula):
        x, y = kernel_arguments(copula)
        scores, work = np.empty(len(U)), np.full(len(U), np.nan)
        kernels.score(number(copula), x, y, abs(copula.theta), np.nan, scores)
        seen = search.Seen(number(copula), x, y, np.nan)
        one = search.Search(seen, 0.0, 1.0, 5, 18, work)
        gradient, information = search.score_sums(one, abs(copula.theta))
        rest = np.delete(scores, np.s_[5:18])
        assert gradient == pytest.approx(rest.sum(), rel=1e-9, abs=1e-9 * np.abs(rest).sum())
        assert information == pytest.approx((rest**2).sum(), rel=1e-9)
        assert np.isnan(work[5:18]).all()


@pytest.mark.parametrize("rho", [-0.9999, -0.5, 0.0, 0.8, 0.9999])
def test_gaussian_log_density(rho):
    out = np.empty(len(U))
    x, y = (normal_score(U[:, k], False) for k in range(2))
    kernels.density(NAMES.index("gaussian"), x, y, rho, np.nan, out)
    np.testing.assert_allclose(out, Gaussian(rho).logpdf(*U.T), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rho", [-0.9999, -0.5, 0.0, 0.8])
@pytest.mark.parametrize("position", [0, 7, len(DF_GRID) - 1])
def test_student_log_density_and_score(rho, position):
    df, out = DF_GRID[position], np.empty(len(U))
    (x, y), student = WHERE.at[N_ROWS + position], NAMES.index("student")
    kernels.density(student, x, y, rho, df, out)
    np.testing.assert_allclose(out, Student(rho, df).logpdf(*U.T), rtol=1e-9, atol=1e-9)
    kernels.score(student, x, y, rho, df, out)
    seen = search.Seen(student, x, y, df)
    one = search.Search(seen, -1.0, 1.0, 5, 18, np.empty(len(U)))
    gradient, _ = search.score_sums(one, rho)
    expected = np.delete(out, np.s_[5:18]).sum()
    assert gradient == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(out).sum())
    step = 1e-7
    up, down = (Student(rho + s, df).logpdf(*U.T) for s in (step, -step))
    slope = (up - down) / (2 * step)
    np.testing.assert_allclose(out, slope, rtol=1e-4, atol=1e-4 * (1 + np.abs(out).max()))


def test_interpolated_quantiles_are_those_of_the_family():
    u = np.concatenate([np.arange(1, 400) / 400, 10.0 ** -np.arange(3, 12)])
    found = coordinates_of(np.concatenate([u, 1 - u[:400]]), DF_GRID)[N_ROWS:]
    exact = np.stack([quantile(df, u, 1 - u) for df in DF_GRID])
    np.testing.assert_allclose(found[:, : u.size], exact, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found[:, u.size :], -found[:, :400], rtol=1e-10, atol=1e-12)


def test_every_family_with_a_batch_has_a_number():
    assert set(NAMES) == {name for name, cls in FAMILIES.items() if cls.batch is not None}
