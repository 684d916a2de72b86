"""First-order solvers, which know objectives by protocol only, and what every solver answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney._core.protocols import FixedPoint, Objective

StopReason = Literal["converged", "small_change", "line_search", "max_iter"]


@dataclass(frozen=True)
class SolverResult:
    """What a solver returns.

    Attributes
    ----------
    beta : array of shape (n_pairs,)
        The edge weights at the end.
    value : float
        The objective there.
    violation : float
        Distance from stationarity there, in the solver's own measure.
    stop_reason : {"converged", "small_change", "line_search", "max_iter"}
        ``"converged"``: the violation is within the tolerance. ``"small_change"``: it is not, but
        the objective hardly falls any more. ``"line_search"``: no step along the search direction
        lowers the objective by more than rounding.
        ``"max_iter"``: out of iterations.
    n_iterations, n_evaluations : int
        Steps taken, and how often the objective was evaluated.
    trace : array of shape (n_iterations + 1,)
        The objective at the start and after each step.
    """

    beta: Floats
    value: float
    violation: float
    stop_reason: StopReason
    n_iterations: int
    n_evaluations: int
    trace: Floats = field(repr=False)

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stop_reason == "converged"


def onto_orthant(beta: Floats) -> Floats:
    """Set negative weights to zero."""
    return np.maximum(beta, 0.0)


def onto_simplices(
    groups: Sequence[ArrayLike], sums: Sequence[float]
) -> Callable[[Floats], Floats]:
    r"""Make the projection onto weights at least zero with a given sum in each group.

    The nearest point of :math:`\{\beta \ge 0, \sum_{e \in G} \beta_e = s\}` is
    :math:`\max(\beta - \tau, 0)` with the :math:`\tau` that gives the sum [1]_.

    Parameters
    ----------
    groups : sequence of arrays of int
        Positions of the weights in each group; weights in none are set to zero.
    sums : sequence of float
        Sum of each group, positive.

    References
    ----------
    .. [1] M. Held, P. Wolfe and H. P. Crowder (1974). Validation of subgradient optimization.
       Mathematical Programming 6, 62-88.

    Examples
    --------
    >>> onto_simplices([[0, 1]], [1.0])(np.array([1.0, 0.5, 7.0]))
    array([0.75, 0.25, 0.  ])
    """
    members = [np.asarray(group, dtype=np.int64) for group in groups]

    def project(beta: Floats) -> Floats:
        result = np.zeros_like(beta)
        for group, total in zip(members, sums, strict=True):
            if not group.size:
                continue
            # Measured from the largest: far from the origin the sum would be rounded away.
            below = beta[group] - beta[group].max()
            falling = np.sort(below)[::-1]
            shift = (np.cumsum(falling) - total) / np.arange(1, group.size + 1)
            last = np.flatnonzero(falling > shift)[-1]
            result[group] = np.maximum(below - shift[last], 0.0)
        return result

    return project


SMALLEST_STEP, LARGEST_STEP = 1e-10, 1e10
"""Lengths of steps."""
SUFFICIENT = 1e-4
"""Share of the promised decrease that a step must keep (Armijo)."""
PATIENCE = 10
"""Steps over which a decrease is looked for."""
SHORTEST = 1e-10
"""Fraction of a search direction below which the line search gives up."""


def spectral_projected_gradient(
    objective: Objective,
    start: ArrayLike,
    *,
    tol: float = 1e-5,
    max_iter: int = 500,
    value_tol: float = 0.0,
    first_step: float | None = None,
    project: Callable[[Floats], Floats] = onto_orthant,
) -> SolverResult:
    r"""Minimise over a convex set by projected gradients with Barzilai-Borwein steps.

    .. math:: \delta = P(\beta - \alpha g) - \beta, \qquad
              \alpha = \frac{s^\top s}{s^\top y}

    with P the projection, s and y the last changes of β and of the gradient g. The step goes to
    β + t δ, where t = 1 is tried first and then lowered by quadratic interpolation until the value
    has fallen by a fair part of what g promises. The search is monotone: the objectives are not
    convex, and a rise might lead to a worse valley. Projection gives exact zeros.

    Parameters
    ----------
    objective : Objective
        Value and gradient; may be infinite at some points.
    start : array of shape (n_pairs,)
        A point with a finite value; negative entries are projected.
    tol : float
        Stops when :math:`\lVert P(\beta - g) - \beta \rVert_\infty` is at most this: the move that
        the gradient asks for.
    max_iter : int
        Most steps.
    value_tol : float
        Stops also when the last ten steps together lowered the value by no more than this. Zero:
        never for that reason.
    first_step : float, optional
        Length of the first step; by default one that moves no weight by more than one.
    project : callable
        Projection onto the set; by default onto the weights that are at least zero.

    Returns
    -------
    SolverResult
        The last point; ``violation`` is the norm above, at that point.

    References
    ----------
    .. [1] E. G. Birgin, J. M. Martinez and M. Raydan (2000). Nonmonotone spectral projected
       gradient methods on convex sets. SIAM Journal on Optimization 10, 1196-1211.

    Examples
    --------
    >>> class Parabola:
    ...     def evaluate(self, beta):
    ...         gap = beta - np.array([1.0, -1.0])
    ...         return float(gap @ gap), 2 * gap
    >>> result = spectral_projected_gradient(Parabola(), [3.0, 3.0])
    >>> result.beta, result.stop_reason
    (array([1., 0.]), 'converged')
    """
    beta = project(np.asarray(start, dtype=float))
    value, gradient = objective.evaluate(beta)
    trace = [value]
    n_evaluations = 1
    violation = _violation(beta, gradient, project)
    length = first_step or (1.0 / violation if violation > 0 else 1.0)
    reason: StopReason = "max_iter"
    for _ in range(max_iter):
        if violation <= tol:
            break
        full = project(beta - length * gradient)
        direction = full - beta
        promised = float(gradient @ direction)
        fraction = 1.0
        while True:
            # The full step is taken as projected: adding it up again could miss an exact zero.
            point = full if fraction == 1.0 else beta + fraction * direction
            new_value, new_gradient = objective.evaluate(point)
            n_evaluations += 1
            if new_value <= value + SUFFICIENT * fraction * promised:
                break
            fraction = _shorten(fraction, promised, value, new_value)
            if fraction < SHORTEST:
                break
        if fraction < SHORTEST:
            reason = "line_search"
            break
        s, y = point - beta, new_gradient - gradient
        curvature = float(s @ y)
        length = float(s @ s) / curvature if curvature > 0 else LARGEST_STEP
        length = min(max(length, SMALLEST_STEP), LARGEST_STEP)
        beta, value, gradient = point, new_value, new_gradient
        violation = _violation(beta, gradient, project)
        trace.append(value)
        if value_tol > 0 and len(trace) > PATIENCE and trace[-1 - PATIENCE] - value <= value_tol:
            reason = "small_change"
            break
    if violation <= tol:
        reason = "converged"
    return SolverResult(
        beta, value, violation, reason, len(trace) - 1, n_evaluations, np.array(trace)
    )


def _violation(beta: Floats, gradient: Floats, project: Callable[[Floats], Floats]) -> float:
    """Return how far a projected gradient step moves."""
    return float(np.abs(project(beta - gradient) - beta).max(initial=0.0))


def _shorten(fraction: float, promised: float, value: float, new_value: float) -> float:
    """Minimise the interpolating parabola, within safeguards; without one, halve the step."""
    rise = new_value - value - fraction * promised
    if np.isfinite(rise) and rise > 0:
        tried = -0.5 * fraction**2 * promised / rise
        if 0.1 * fraction <= tried <= 0.9 * fraction:
            return float(tried)
    return 0.5 * fraction


FARTHEST = 256.0
"""Longest extrapolation, in steps of the map."""
SMALLEST_WEIGHT = 1e-200
"""Weights below this are set to zero: a multiplicative map would keep them for ever."""


def accelerated_fixed_point(
    problem: FixedPoint, start: ArrayLike, *, tol: float = 1e-6, max_iter: int = 1000
) -> SolverResult:
    r"""Follow a monotone map to its fixed point, by squared extrapolation of logarithms.

    Two steps of the map, :math:`r = \log F(\beta) - \log \beta` and
    :math:`v = \log F(F(\beta)) - \log F(\beta) - r`, give the point
    :math:`\log \beta + 2 a r + a^2 v` with :math:`a = \lVert r \rVert / \lVert v \rVert`, weighted
    by β so that weights on their way to zero do not decide. It is taken if its value is no larger
    than that of F(F(β)); otherwise the plain steps are, so the objective never rises. Logarithms,
    because these maps multiply weights: nothing becomes negative.

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

    References
    ----------
    .. [1] R. Varadhan and C. Roland (2008). Simple and globally convergent methods for
       accelerating the convergence of any EM algorithm. Scandinavian Journal of Statistics 35,
       335-353.
    """
    beta = np.asarray(start, dtype=float)
    step = problem.step(beta)
    trace = [step.value]
    n_evaluations = 1
    reason: StopReason = "max_iter"
    while step.violation > tol and n_evaluations + 2 <= max_iter:
        first = _without_negligible(step.image)
        second = _without_negligible(problem.step(first).image)
        plain = problem.step(second)
        n_evaluations += 2
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
