"""Extreme arguments and parameters against plain formulas at 400 digits."""

from functools import cache

import mpmath as mp
import numpy as np
import pytest
from tests.pairs.copulas.cases import ROTATIONS, name

from spinney.pairs.copulas import BB1, Clayton, Frank, Gaussian, Gumbel, Joe, Student

POINTS = ["1e-12", "1e-6", "0.003", "0.4", "0.9", "0.999999"]


def clayton(u, v, theta):
    s = u**-theta + v**-theta - 1
    density = (1 + theta) * (u * v) ** (-1 - theta) * s ** (-2 - 1 / theta)
    return density, u ** (-theta - 1) * s ** (-1 / theta - 1)


def gumbel(u, v, theta):
    x, y = -mp.log(u), -mp.log(v)
    t = x**theta + y**theta
    a = t ** (1 / theta)
    density = mp.exp(-a) / (u * v) * (x * y) ** (theta - 1) * t ** (2 / theta - 2)
    density *= 1 + (theta - 1) / a
    return density, mp.exp(-a) / u * x ** (theta - 1) * t ** (1 / theta - 1)


def frank(u, v, theta):
    eu, ev, e = (mp.exp(-theta * z) for z in (u, v, mp.mpf(1)))
    d = (1 - e) - (1 - eu) * (1 - ev)
    return theta * (1 - e) * eu * ev / d**2, eu * (1 - ev) / d


def joe(u, v, theta):
    x, y = (1 - u) ** theta, (1 - v) ** theta
    s = x + y - x * y
    density = s ** (1 / theta - 2) * ((1 - u) * (1 - v)) ** (theta - 1) * (theta - 1 + s)
    return density, s ** (1 / theta - 1) * (1 - u) ** (theta - 1) * (1 - y)


def bb1(u, v, theta, delta):
    x, y = u**-theta - 1, v**-theta - 1
    a = (x**delta + y**delta) ** (1 / delta)
    density = (1 + a) ** (-1 / theta - 2) * a ** (1 - 2 * delta)
    density *= (theta * (delta - 1) + (theta * delta + 1) * a) * (x * y) ** (delta - 1)
    density *= (u * v) ** (-theta - 1)
    h = (1 + a) ** (-1 / theta - 1) * a ** (1 - delta) * x ** (delta - 1) * u ** (-theta - 1)
    return density, h


@cache
def normal_quantile(p):
    """Invert the normal distribution: seconds at 400 digits, for few levels and many pairs."""
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def gaussian(u, v, rho):
    x, y = normal_quantile(u), normal_quantile(v)
    free = 1 - rho**2
    density = mp.exp(-(rho**2 * (x * x + y * y) - 2 * rho * x * y) / (2 * free)) / mp.sqrt(free)
    return density, mp.ncdf((y - rho * x) / mp.sqrt(free))


def t_cdf(x, nu):
    tail = mp.betainc(nu / 2, mp.mpf(1) / 2, 0, nu / (nu + x * x), regularized=True) / 2
    return tail if x < 0 else 1 - tail


def t_density(x, nu):
    constant = mp.gamma((nu + 1) / 2) / (mp.sqrt(nu * mp.pi) * mp.gamma(nu / 2))
    return constant * (1 + x * x / nu) ** (-(nu + 1) / 2)


def t_quantile(p, nu, start):
    return mp.findroot(lambda x: mp.log(t_cdf(x, nu)) - mp.log(p), start)


def student(u, v, rho, nu, starts):
    x, y = (t_quantile(z, nu, mp.mpf(float(s))) for z, s in zip((u, v), starts, strict=True))
    free = 1 - rho**2
    joint = (1 + (x * x - 2 * rho * x * y + y * y) / (nu * free)) ** (-(nu + 2) / 2)
    density = joint / (2 * mp.pi * mp.sqrt(free)) / (t_density(x, nu) * t_density(y, nu))
    z = (y - rho * x) / mp.sqrt((nu + x * x) * free / (nu + 1))
    return density, t_cdf(z, nu + 1)


PLAIN = {
    "clayton": clayton,
    "gumbel": gumbel,
    "frank": frank,
    "joe": joe,
    "bb1": bb1,
    "gaussian": gaussian,
}

CASES = [
    *(Gaussian(rho) for rho in (-0.99, 0.3, 0.9999)),
    *(Clayton(theta, r) for theta in (1e-4, 1.0, 30.0, 100.0) for r in ROTATIONS),
    *(Gumbel(theta, r) for theta in (1 + 1e-6, 1.5, 20.0, 100.0) for r in ROTATIONS),
    *(Frank(theta) for theta in (1e-5, 2.0, 40.0, 100.0)),
    *(Joe(theta, r) for theta in (1 + 1e-6, 1.5, 20.0, 100.0) for r in ROTATIONS),
    *(BB1(theta, delta, r) for theta in (1e-2, 5.0) for delta in (1.0, 2.5) for r in ROTATIONS),
]


def turned(plain, u, v, rotation):
    """Density and P(V <= v | U = u) of a rotated copula, from the unrotated one."""
    flip_u, flip_v = rotation in (90, 180), rotation in (180, 270)
    density, h = plain(1 - u if flip_u else u, 1 - v if flip_v else v)
    return density, (1 - h if flip_v else h)


@pytest.mark.parametrize("copula", CASES, ids=name)
def test_density_and_h_function(copula):
    parameters = [mp.mpf(p) for p in copula.parameters]
    for text_u in POINTS:
        for text_v in POINTS:
            u, v = float(text_u), float(text_v)
            with mp.workdps(400):
                density, h = turned(
                    lambda a, b: PLAIN[copula.family](a, b, *parameters),
                    mp.mpf(u),
                    mp.mpf(v),
                    copula.rotation,
                )
                log_density, h = float(mp.log(density)), float(h)
            assert float(copula.logpdf(u, v)) == pytest.approx(log_density, rel=1e-10, abs=1e-9)
            assert float(copula.hfunc(u, v)) == pytest.approx(h, rel=1e-8, abs=1e-280)


@pytest.mark.parametrize("df", [1.0, 2.5, 7.0, 50.0])
@pytest.mark.parametrize("rho", [-0.95, 0.2, 0.999])
def test_student(rho, df):
    copula = Student(rho, df)
    for u, v in [(1e-12, 0.3), (1e-9, 2e-9), (0.02, 0.98), (0.5001, 0.3), (1e-6, 1e-4)]:
        starts = copula._coordinate(np.array([u, v]), False)
        with mp.workdps(40):
            density, h = student(mp.mpf(u), mp.mpf(v), mp.mpf(rho), mp.mpf(df), starts)
            log_density, h = float(mp.log(density)), float(h)
        assert float(copula.logpdf(u, v)) == pytest.approx(log_density, rel=1e-9, abs=1e-9)
        assert float(copula.hfunc(u, v)) == pytest.approx(h, rel=1e-6, abs=1e-12)
