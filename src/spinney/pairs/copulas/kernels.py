"""The families compiled, by number: what the fit of all pairs calls.

Formulas are those of the family classes, see :func:`spinney.pairs.copulas._math.formula`. Loops
have no branches inside, so that they become vector code.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import inlined, kernel, reduction
from spinney.pairs.copulas import clayton, elliptical, frank, gumbel, joe
from spinney.pairs.copulas._math import exp, formula, log, log1p, log_gap
from spinney.pairs.copulas.rectangles import LOG_FLOOR, corner_integral

NAMES = ("independence", "gaussian", "student", "clayton", "gumbel", "frank", "joe")
"""Families that can be fitted to all pairs of a table; their numbers are their places here."""
_GAUSSIAN, _STUDENT, _CLAYTON, _GUMBEL, _FRANK, _JOE = range(1, 7)

_FAR = 1e30  # stands for an infinite number whose square does not overflow: exp(-_FAR) is 0
_DEEP = 40.0
_ENDS = np.zeros((7, 2))  # coordinates of 0 and 1, of which e^-40 and 1 - e^-40 take the place
_ENDS[_CLAYTON] = -_DEEP, 0.0
_ENDS[_GUMBEL] = np.log(_DEEP), -_DEEP
_ENDS[_FRANK] = 0.0, 1.0
_ENDS[_JOE] = 0.0, -_DEEP

_gaussian_density = formula(elliptical.gaussian_log_density)
_student_density = formula(elliptical.student_log_density)
_clayton_density = formula(clayton.log_density)
_gumbel_density = formula(gumbel.log_density)
_frank_density = formula(frank.log_density)
_joe_density = formula(joe.log_density)

_student_score = formula(elliptical.student_score)
_clayton_score = formula(clayton.score)
_gumbel_score = formula(gumbel.score)
_frank_score = formula(frank.score)
_joe_score = formula(joe.score)

_student_h_score = formula(elliptical.student_h_score)
_gaussian_h = formula(elliptical.gaussian_log_h)
_clayton_threshold, _clayton_h = formula(clayton.threshold), formula(clayton.log_h)
_gumbel_threshold, _gumbel_h = formula(gumbel.threshold), formula(gumbel.log_h)
_frank_threshold, _frank_h = formula(frank.threshold), formula(frank.log_h)
_joe_threshold, _joe_h = formula(joe.threshold), formula(joe.log_h)

_corner_integral = formula(corner_integral, reduction)
_clayton_step, _clayton_volume = formula(clayton.log_step), formula(clayton.log_volume)
_gumbel_step, _gumbel_volume = formula(gumbel.log_step), formula(gumbel.log_volume)
_frank_step, _frank_volume = formula(frank.log_step), formula(frank.log_volume)
_joe_step, _joe_volume = formula(joe.log_step), formula(joe.log_volume)


# Continuous columns


@kernel
def density(family: int, x: Floats, y: Floats, theta: float, df: float, out: Floats) -> None:
    """Log-densities of an unrotated copula, in coordinates."""
    if family == _GAUSSIAN:
        for k in range(out.size):
            out[k] = _gaussian_density(x[k], y[k], theta)
    elif family == _STUDENT:
        constant = lgamma(0.5 * df + 1.0) + lgamma(0.5 * df) - 2.0 * lgamma(0.5 * df + 0.5)
        for k in range(out.size):
            out[k] = _student_density(x[k], y[k], theta, df, constant)
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
def score(family: int, x: Floats, y: Floats, theta: float, df: float, out: Floats) -> None:
    """Scores: derivatives of the log-densities by the parameter; not of the Gaussian copula."""
    if family == _STUDENT:
        for k in range(out.size):
            out[k] = _student_score(x[k], y[k], theta, df)
    elif family == _CLAYTON:
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


# A column with levels beside a continuous one


@kernel
def strip(
    family: int, x: Floats, cuts: Floats, codes: Ints, flip: bool, theta: float, df: float,
    table: Floats, out: Floats,
) -> None:  # fmt: skip
    """Log-probabilities of the levels of one variable given a continuous one.

    log(h(t[c] | x) - h(t[c - 1] | x)) for each row and its code c, of the unrotated copula. `cuts`
    are the coordinates of the thresholds between levels, in rising order of the variable, which is
    mirrored if `flip`; below the first h is 0, above the last it is 1. `table` is Student's.
    """
    last, ends = cuts.size, np.zeros(cuts.size + 2)
    codes = last - codes if flip else codes
    for j in range(last):
        ends[j + 1] = _threshold(family, cuts[j], theta)
    low, high = np.empty(out.size), np.empty(out.size)
    for k in range(out.size):  # a loop of its own, so that arithmetic stays vector code
        low[k], high[k] = ends[max(codes[k], 1)], ends[min(codes[k] + 1, last)]
    below, above = np.empty(out.size), np.empty(out.size)
    _log_h(family, x, low, theta, df, table, below)
    _log_h(family, x, high, theta, df, table, above)
    for k in range(out.size):
        at_low = -_FAR if codes[k] == 0 else below[k]
        out[k] = log_gap(at_low, 0.0 if codes[k] == last else above[k])


@kernel
def _threshold(family: int, y: float, theta: float) -> float:
    """Return what conditional distributions need of a threshold."""
    if family == _CLAYTON:
        return _clayton_threshold(y, theta)
    if family == _GUMBEL:
        return _gumbel_threshold(y, theta)
    if family == _FRANK:
        return _frank_threshold(y, theta)
    if family == _JOE:
        return _joe_threshold(y, theta)
    return y


@kernel
def _log_h(
    family: int, x: Floats, at: Floats, theta: float, df: float, table: Floats, out: Floats
) -> None:
    """Log of the conditional distribution function of v, at one threshold for each row."""
    if family == _GAUSSIAN:
        for k in range(out.size):
            out[k] = _gaussian_h(x[k], at[k], theta)
    elif family == _STUDENT:
        for k in range(out.size):
            out[k] = _student_h_score(x[k], at[k], theta, df)
        replace_by_log_cdf(out, df + 1.0, table)
    elif family == _CLAYTON:
        for k in range(out.size):
            out[k] = _clayton_h(x[k], at[k], theta)
    elif family == _GUMBEL:
        for k in range(out.size):
            out[k] = _gumbel_h(x[k], at[k], theta)
    elif family == _FRANK:
        for k in range(out.size):
            out[k] = _frank_h(x[k], at[k], theta)
    else:
        for k in range(out.size):
            out[k] = _joe_h(x[k], at[k], theta)


@inlined
def replace_by_log_cdf(z: Floats, df: float, table: Floats) -> None:
    """Replace each z by log P(T <= z) of Student's t, from the table of its tail.

    Beyond the table the line is continued. In two loops, of which the first becomes vector code.
    """
    place = np.empty(z.size)
    for k in range(z.size):
        size = abs(z[k])
        place[k] = log(size + np.sqrt(size * size + 1.0)) * (1.0 / elliptical.WIDTH)
    for k in range(z.size):
        w = place[k]
        inside = min(w, elliptical.PIECES - 1e-9)
        piece = int(inside)
        s = 2.0 * (inside - piece) - 1.0
        at = piece * elliptical.ORDER
        s2 = s * s
        low = (table[at] + s * table[at + 1]) + s2 * (table[at + 2] + s * table[at + 3])
        high = (table[at + 4] + s * table[at + 5]) + s2 * (table[at + 6] + s * table[at + 7])
        place[k] = low + s2 * s2 * high - df * elliptical.WIDTH * (w - inside)
    for k in range(z.size):
        z[k] = place[k] if z[k] < 0.0 else log1p(-exp(place[k]))


# Two columns with levels


@kernel
def cells(
    family: int, a: Floats, b: Floats, x: Floats, y: Floats, flip_u: bool, flip_v: bool,
    theta: float, df: float, out: Floats,
) -> None:  # fmt: skip
    """Log-volumes of all rectangles between thresholds, row by row; none below `LOG_FLOOR`.

    `a` and `b` are the thresholds of the variables, rising, inside (0, 1), `x` and `y` their
    coordinates. With flips those are of mirrored variables, and the last rectangles come first.
    """
    if family in (_GAUSSIAN, _STUDENT):
        _elliptical_cells(a, b, x, y, theta, df if family == _STUDENT else 0.0, out)
        return
    sides = _sides(family, x, theta), _sides(family, y, theta)
    columns, at, volumes = y.size + 1, np.empty((6, out.size)), np.empty(out.size)
    for k in range(out.size):
        i, j = k // columns, k % columns
        for c in range(3):
            at[c, k], at[3 + c, k] = sides[0][c, i], sides[1][c, j]
    _volumes(family, at, theta, volumes)
    for k in range(out.size):
        i, j = k // columns, k % columns
        i, j = x.size - i if flip_u else i, y.size - j if flip_v else j
        out[i * columns + j] = max(volumes[k], LOG_FLOOR)


@kernel
def _sides(family: int, cuts: Floats, theta: float) -> Floats:
    """Both ends of each level, and its step."""
    last = cuts.size
    sides = np.empty((3, last + 1))
    for i in range(last + 1):
        low = cuts[i - 1] if i > 0 else _ENDS[family, 0]
        high = cuts[i] if i < last else _ENDS[family, 1]
        sides[0, i], sides[1, i], sides[2, i] = low, high, _step(family, low, high, theta)
    return sides


@kernel
def _step(family: int, low: float, high: float, theta: float) -> float:
    if family == _CLAYTON:
        return _clayton_step(low, high, theta)
    if family == _GUMBEL:
        return _gumbel_step(low, high, theta)
    if family == _FRANK:
        return _frank_step(low, high, theta)
    return _joe_step(low, high, theta)


@kernel
def _volumes(family: int, at: Floats, theta: float, out: Floats) -> None:
    """Log-volumes of cells, each with both ends and the step of both levels."""
    x1, x2, p, y1, y2, q = at[0], at[1], at[2], at[3], at[4], at[5]
    if family == _CLAYTON:
        for k in range(out.size):
            out[k] = _clayton_volume(x1[k], x2[k], p[k], y1[k], y2[k], q[k], theta)
    elif family == _GUMBEL:
        for k in range(out.size):
            out[k] = _gumbel_volume(x1[k], x2[k], p[k], y1[k], y2[k], q[k], theta)
    elif family == _FRANK:
        for k in range(out.size):
            out[k] = _frank_volume(x1[k], x2[k], p[k], y1[k], y2[k], q[k], theta)
    else:
        for k in range(out.size):
            out[k] = _joe_volume(x1[k], x2[k], p[k], y1[k], y2[k], q[k], theta)


@kernel
def _elliptical_cells(
    a: Floats, b: Floats, x: Floats, y: Floats, rho: float, df: float, out: Floats
) -> None:
    """Log-volumes under the Gaussian copula (`df` = 0) or Student's, from integrals at corners.

    For a positive correlation, min(u, v) - C(u, v) is the probability of {U <= u, V > v} if u is
    the smaller, and an integral of positive numbers. A volume is the length of the diagonal inside
    the cell less a difference of integrals. For a negative one, v is mirrored.
    """
    rows, columns, turned = a.size + 1, b.size + 1, rho < 0.0
    corners = np.zeros((rows + 1, columns + 1))
    ends_u, ends_v = np.zeros(rows + 1), np.zeros(columns + 1)
    ends_u[rows] = ends_v[columns] = 1.0
    for i in range(rows - 1):
        ends_u[i + 1] = a[i]
    for j in range(columns - 1):
        place = columns - 2 - j
        ends_v[j + 1] = 1.0 - b[place] if turned else b[j]
        at = -y[place] if turned else y[j]
        for i in range(rows - 1):
            corners[i + 1, j + 1] = _corner_integral(x[i], at, abs(rho), df, df == 0.0)
    for i in range(rows):
        for j in range(columns):
            diagonal = min(ends_u[i + 1], ends_v[j + 1]) - max(ends_u[i], ends_v[j])
            change = corners[i + 1, j + 1] - corners[i + 1, j] - corners[i, j + 1] + corners[i, j]
            column = columns - 1 - j if turned else j
            volume = max(diagonal, 0.0) - change
            out[i * columns + column] = max(np.log(max(volume, 1e-300)), LOG_FLOOR)
