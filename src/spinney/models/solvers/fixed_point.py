"""Monotone fixed-point maps (EM, majorise-minimise), accelerated without losing monotony."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney._core.protocols import FixedPoint
from spinney.models.solvers.result import SolverResult, StopReason, check_start

FARTHEST = 256.0
"""Longest extrapolation, in steps of the map."""
SMALLEST_WEIGHT = 1e-200
"""Weights below this are set to zero: a multiplicative map would keep them for ever."""
ROUNDING = 1e-11
"""Relative rise of the objective that is attributed to rounding."""


def accelerated_fixed_point(
    problem: FixedPoint,
    start: ArrayLike,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> SolverResult:
    r"""Follow a monotone map to its fixed point, by squared extrapolation of logarithms.

    Two steps of the map, :math:`r = \log F(\beta) - \log \beta` and
    :math:`v = \log F(F(\beta)) - \log F(\beta) - r`, give the point
    :math:`\log \beta + 2 a r + a^2 v` with :math:`a = \lVert r \rVert / \lVert v \rVert`, weighted
    by β so that weights on their way to zero do not decide. It is taken if its value is no larger
    than that of F(F(β)); otherwise the plain steps are, so the objective never rises. Should a
    plain step raise it by more than rounding, the map is not what it promises, and the solver stops
    before that step. Logarithms, because these maps multiply weights: nothing becomes negative.

    Parameters
    ----------
    problem : FixedPoint
        The map, with its objective and a measure of stationarity.
    start : array of shape (n_pairs,)
        Positive weights; zeros stay zero.
    tol : float
        Stops when the violation is at most this.
    max_iter : int
        Most evaluations of the map.

    Returns
    -------
    SolverResult
        ``trace`` never rises by more than rounding.

    Raises
    ------
    InputError
        If the objective is not finite at the start.

    References
    ----------
    .. [1] R. Varadhan and C. Roland (2008). Simple and globally convergent methods for
       accelerating the convergence of any EM algorithm. Scandinavian Journal of Statistics 35,
       335-353.
    """
    beta = np.asarray(start, dtype=float)
    step = problem.step(beta)
    check_start(step.value)
    trace = [step.value]
    n_evaluations = 1
    reason: StopReason = "max_iter"
    while step.violation > tol and n_evaluations + 2 <= max_iter:
        first = _without_negligible(step.image)
        middle = problem.step(first)
        second = _without_negligible(middle.image)
        plain = problem.step(second)
        n_evaluations += 2
        if not (_no_higher(middle.value, step.value) and _no_higher(plain.value, middle.value)):
            reason = "line_search"
            break
        leap = _extrapolate(beta, first, second)
        beta, step = second, plain
        if leap is not None and plain.violation > tol and n_evaluations < max_iter:
            landed = problem.step(leap)
            n_evaluations += 1
            if landed.value <= plain.value:
                beta, step = leap, landed
        trace.append(step.value)
    if step.violation <= tol:
        reason = "converged"
    return SolverResult(
        beta, step.value, step.violation, reason, len(trace) - 1, n_evaluations, np.array(trace)
    )


def _no_higher(value: float, before: float) -> bool:
    """Whether a value is at most the one before it, up to rounding; NaN is not."""
    return value <= before + ROUNDING * (1.0 + abs(before))


def _without_negligible(beta: Floats) -> Floats:
    return np.where(beta < SMALLEST_WEIGHT, 0.0, beta)


def _extrapolate(start: Floats, first: Floats, second: Floats) -> Floats | None:
    """Extrapolate the last two steps in the logarithm; None if that is no use."""
    alive = second > 0
    origin = np.log(start[alive])
    r = np.log(first[alive]) - origin
    v = np.log(second[alive]) - np.log(first[alive]) - r
    weight = second[alive]
    bend = float(np.sqrt(weight @ v**2))
    if bend == 0.0:
        return None
    length = min(float(np.sqrt(weight @ r**2)) / bend, FARTHEST)
    if length <= 1.0:  # shorter than the two plain steps themselves
        return None
    # A weight may fall a long way in one leap, but not out of sight: the map could not lift it.
    change = np.clip(2.0 * length * r + length**2 * v, -20.0, 20.0)
    leap = np.zeros_like(start)
    leap[alive] = np.exp(origin + change)
    return _without_negligible(leap)
