"""Copulas that the tests run over: every family and rotation, from weak to strong."""

from spinney.pairs.copulas import BB1, Clayton, Frank, Gaussian, Gumbel, Independence, Joe, Student

ROTATIONS = (0, 90, 180, 270)

MODERATE = [
    Independence(),
    *(Gaussian(rho) for rho in (-0.8, 0.05, 0.5, 0.95)),
    *(Student(rho, df) for rho in (-0.7, 0.0, 0.6) for df in (2.0, 4.5, 20.0)),
    *(Clayton(theta, r) for theta in (0.1, 2.0, 8.0) for r in ROTATIONS),
    *(Gumbel(theta, r) for theta in (1.05, 2.0, 6.0) for r in ROTATIONS),
    *(Frank(theta) for theta in (-12.0, -0.3, 0.7, 6.0, 25.0)),
    *(Joe(theta, r) for theta in (1.05, 2.0, 6.0) for r in ROTATIONS),
    *(BB1(*p, r) for p in ((0.2, 1.3), (1.5, 1.0), (2.0, 3.0)) for r in (0, 90)),
]

# At the ends of the documented ranges.
EXTREME = [
    *(Gaussian(rho) for rho in (-0.999999, 0.999999, 0.0)),
    *(Student(rho, df) for rho in (-0.999999, 0.0, 0.999999) for df in (0.5, 1.0, 1000.0)),
    *(Clayton(theta, r) for theta in (1e-10, 1e-4, 100.0) for r in ROTATIONS),
    *(Gumbel(theta, r) for theta in (1.0, 1 + 1e-9, 100.0) for r in ROTATIONS),
    *(Frank(theta) for theta in (-100.0, -1e-9, 0.0, 1e-4, 100.0)),
    *(Joe(theta, r) for theta in (1.0, 1 + 1e-9, 100.0) for r in ROTATIONS),
    *(BB1(theta, delta, r) for theta in (1e-6, 10.0) for delta in (1.0, 10.0) for r in ROTATIONS),
]


def name(copula):
    parameters = "-".join(f"{p:g}" for p in copula.parameters)
    return f"{copula.family}-{parameters}-{copula.rotation}"
