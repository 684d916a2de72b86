"""The families compiled, by number: what the fit of all pairs calls."""

from __future__ import annotations

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas import clayton as clayton_family
from spinney.pairs.copulas import frank as frank_family
from spinney.pairs.copulas import gaussian as gaussian_family
from spinney.pairs.copulas import gumbel as gumbel_family
from spinney.pairs.copulas import joe as joe_family
from spinney.pairs.copulas import student as student_family
from spinney.pairs.copulas._math import formula
from spinney.pairs.copulas.kernels import clayton, elliptical, frank, gaussian, gumbel, joe, student

NAMES = ("independence", "gaussian", "student", "clayton", "gumbel", "frank", "joe")
"""Families that can be fitted to all pairs of a table; their numbers are their places here."""
_GAUSSIAN, _STUDENT, _CLAYTON, _GUMBEL, _FRANK = range(1, 6)


_gaussian_density = formula(gaussian_family.log_density)
_clayton_density, _clayton_score = map(formula, (clayton_family.log_density, clayton_family.score))
_gumbel_density, _gumbel_score = map(formula, (gumbel_family.log_density, gumbel_family.score))
_frank_density, _frank_score = map(formula, (frank_family.log_density, frank_family.score))
_joe_density, _joe_score = map(formula, (joe_family.log_density, joe_family.score))
_student_density, _student_score = map(formula, (student_family.log_density, student_family.score))


@kernel
def density(family: int, x: Floats, y: Floats, theta: float, out: Floats) -> None:
    """Log-densities of an unrotated copula with one parameter, in coordinates."""
    # A loop each, so that it becomes vector code.
    if family == _GAUSSIAN:
        for k in range(out.size):
            out[k] = _gaussian_density(x[k], y[k], theta)
    elif family == _CLAYTON:
        for k in range(out.size):
            out[k] = _clayton_density(x[k], y[k], theta)
    elif family == _GUMBEL:
        for k in range(out.size):
            out[k] = _gumbel_density(x[k], y[k], theta)
    elif family == _FRANK:
        for k in range(out.size):
            out[k] = _frank_density(x[k], y[k], theta)
    else:
        for k in range(out.size):
            out[k] = _joe_density(x[k], y[k], theta)


@kernel
def score(family: int, x: Floats, y: Floats, theta: float, out: Floats) -> None:
    """Scores: derivatives of the log-densities by the parameter; not of the Gaussian copula."""
    if family == _CLAYTON:
        for k in range(out.size):
            out[k] = _clayton_score(x[k], y[k], theta)
    elif family == _GUMBEL:
        for k in range(out.size):
            out[k] = _gumbel_score(x[k], y[k], theta)
    elif family == _FRANK:
        for k in range(out.size):
            out[k] = _frank_score(x[k], y[k], theta)
    else:
        for k in range(out.size):
            out[k] = _joe_score(x[k], y[k], theta)


@kernel
def student_density(
    x: Floats, y: Floats, log_x: Floats, log_y: Floats, rho: float, df: float, constant: float,
    out: Floats,
) -> None:  # fmt: skip
    """Log-densities of Student's copula, with the parts that one variable decides."""
    for k in range(out.size):
        out[k] = _student_density(x[k], y[k], log_x[k] + log_y[k], rho, df, constant)


@kernel
def student_score(x: Floats, y: Floats, rho: float, df: float, out: Floats) -> None:
    """Differentiate the log-densities by the correlation."""
    for k in range(out.size):
        out[k] = _student_score(x[k], y[k], rho, df)


@kernel
def strip(
    family: int, x: Floats, cuts: Floats, codes: Ints, theta: float, second: float, table: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Log-probabilities of the levels of one variable given a continuous one.

    log(h(t[c] | x) - h(t[c - 1] | x)) for each row and its code c, of the unrotated copula. `cuts`
    are the coordinates of the thresholds between levels, in rising order of the (mirrored)
    variable; below the first h is 0, above the last it is 1. `table` is Student's.
    """
    if family == _GAUSSIAN:
        gaussian.strip(x, cuts, codes, theta, second, table, out)
    elif family == _STUDENT:
        student.strip(x, cuts, codes, theta, second, table, out)
    elif family == _CLAYTON:
        clayton.strip(x, cuts, codes, theta, second, table, out)
    elif family == _GUMBEL:
        gumbel.strip(x, cuts, codes, theta, second, table, out)
    elif family == _FRANK:
        frank.strip(x, cuts, codes, theta, second, table, out)
    else:
        joe.strip(x, cuts, codes, theta, second, table, out)


@kernel
def cells(
    family: int, a: Floats, b: Floats, x: Floats, y: Floats, theta: float, second: float,
    out: Floats,
) -> None:  # fmt: skip
    """Log-volumes of all rectangles between thresholds, row by row; none below `LOG_FLOOR`.

    `a` and `b` are the thresholds of the (mirrored) variables, rising, inside (0, 1), `x` and `y`
    their coordinates.
    """
    if family == _GAUSSIAN:
        elliptical.cells(a, b, x, y, theta, 0.0, out)
    elif family == _STUDENT:
        elliptical.cells(a, b, x, y, theta, second, out)
    elif family == _CLAYTON:
        clayton.cells(a, b, x, y, theta, second, out)
    elif family == _GUMBEL:
        gumbel.cells(a, b, x, y, theta, second, out)
    elif family == _FRANK:
        frank.cells(a, b, x, y, theta, second, out)
    else:
        joe.cells(a, b, x, y, theta, second, out)
