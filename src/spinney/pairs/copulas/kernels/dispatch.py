"""The families compiled, by number: what the fit of all pairs calls."""

from __future__ import annotations

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.pairs.copulas.kernels import clayton, frank, gaussian, gumbel, joe, student

NAMES = ("independence", "gaussian", "student", "clayton", "gumbel", "frank", "joe")
"""Families that can be fitted to all pairs of a table; their numbers are their places here."""
_GAUSSIAN, _STUDENT, _CLAYTON, _GUMBEL, _FRANK = range(1, 6)


@kernel
def density(family: int, x: Floats, y: Floats, theta: float, out: Floats) -> None:
    """Log-densities of an unrotated copula with one parameter, in coordinates."""
    if family == _GAUSSIAN:
        gaussian.density(x, y, theta, out)
    elif family == _CLAYTON:
        clayton.density(x, y, theta, out)
    elif family == _GUMBEL:
        gumbel.density(x, y, theta, out)
    elif family == _FRANK:
        frank.density(x, y, theta, out)
    else:
        joe.density(x, y, theta, out)


@kernel
def score(family: int, x: Floats, y: Floats, theta: float, out: Floats) -> None:
    """Scores: derivatives of the log-densities by the parameter; not of the Gaussian copula."""
    if family == _CLAYTON:
        clayton.score(x, y, theta, out)
    elif family == _GUMBEL:
        gumbel.score(x, y, theta, out)
    elif family == _FRANK:
        frank.score(x, y, theta, out)
    else:
        joe.score(x, y, theta, out)


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
        gaussian.cells(a, b, x, y, theta, second, out)
    elif family == _STUDENT:
        student.cells(a, b, x, y, theta, second, out)
    elif family == _CLAYTON:
        clayton.cells(a, b, x, y, theta, second, out)
    elif family == _GUMBEL:
        gumbel.cells(a, b, x, y, theta, second, out)
    elif family == _FRANK:
        frank.cells(a, b, x, y, theta, second, out)
    else:
        joe.cells(a, b, x, y, theta, second, out)
