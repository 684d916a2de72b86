"""Newton steps in the logarithms of the weights, with a curvature that is given or learned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from spinney._core.arrays import Floats
from spinney._core.protocols import LogarithmicObjective, Probe
from spinney.models.solvers import SolverResult, StopReason

RADIUS = 2.0
"""Most that the logarithm of a weight moves in one step."""
RADIUS_TO_CERTAINTY = 6.0
"""The same for edges that are nearly certain and become more so."""
EDGE_OF_RANGE = 1e-3
"""Edges whose probability is this close to zero or one are watched, and fainter ones than this
move each by itself instead of taking part in the curvature."""
FAINTEST = 1e-8
"""Probability below which no edge falls on the way, so that it can come back."""
RETURNING = 1e-2
"""An edge close to zero or one comes back if its slope, relative to its scale there, exceeds
this."""
MOST_RETURNS = 10
"""How often edges are brought back."""
SUFFICIENT = 1e-4
"""Share of the promised decrease that a step must keep (Armijo)."""
FLATTEST = 1e-6
"""Added to the variance of an edge, the unit that damping is measured in."""
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-6, 1e10
TRUSTED = 0.1
"""With no more damping than this, a small promise means a small gap and not just a short step."""
OLDEST = 5
"""Steps for which a computed curvature is kept, and adapted to what they tell."""
SHORT_STEPS = 4
"""After this many small promises under heavy damping, the learned curvature is blamed."""
NEGLIGIBLE = 1e-6
"""Probability up to which an edge is set to zero in the end, if that costs nothing."""


def log_newton(
    problem: LogarithmicObjective,
    start: ArrayLike,
    *,
    tol: float = 1e-5,
    max_iter: int = 500,
    largest_weight: float = np.inf,
    curvature: Callable[[Floats], Floats] | None = None,
) -> SolverResult:
    r"""Minimise over weights that are at least zero, by damped Newton steps in their logarithms.

    .. math:: (B + \mu D)\, s = -g, \qquad g_e = p_e - q_e, \quad D_{ee} = p_e (1 - p_e)

    p and q are the prior and mean posterior probability of each edge, so that g is the gradient in
    :math:`\log \beta`. B is the Hessian, or where none is given a symmetric rank-one approximation
    that is learned from the steps. The damping :math:`\mu` rises and falls with their success. In
    logarithms the result does not depend on the unit of the weights, and those that grow for ever,
    because their edge is in every forest, gain a factor with each step; gradients and fixed-point
    maps take thousands of steps for that.

    Edges of probability below 0.001 are not part of B; each moves by the fixed-point map, which
    multiplies its weight by q/p. Where slopes vanish because an edge is nearly impossible or nearly
    certain, a small promise is no proof of a minimum: such edges are brought back into range
    wherever q/p, or (1 - q)/(1 - p), says that the objective falls that way. In the end, hopeless
    edges weigh exactly zero and certain ones exactly `largest_weight`.

    Parameters
    ----------
    problem : LogarithmicObjective
        Value, and prior and posterior probability of each edge.
    start : array of shape (n_pairs,)
        Weights with a finite value; zeros stay zero.
    tol : float
        Stops when twice in a row the decrease that a step promises is at most this, in units of the
        objective: an estimate of the gap to the minimum nearby.
    max_iter : int
        Most steps.
    largest_weight : float
        No weight grows beyond this.
    curvature : callable, optional
        Hessian in the logarithms of the weights.

    Returns
    -------
    SolverResult
        ``trace`` never rises; ``violation`` is the decrease that the last step promised.

    References
    ----------
    .. [1] J. Nocedal and S. J. Wright (2006). Numerical Optimization, 2nd edition, chapters 4
       and 6. Springer.
    .. [2] M. Jamshidian and R. I. Jennrich (1997). Acceleration of the EM algorithm by using
       quasi-Newton methods. Journal of the Royal Statistical Society B 59, 569-587.
    """
    beta = np.minimum(np.asarray(start, dtype=float), largest_weight)
    search = _Search(problem, beta, largest_weight, curvature)
    reason: StopReason = "max_iter"
    n_small = n_short = n_returns = 0
    while len(search.trace) <= max_iter:
        if not search.advance():
            reason = "line_search"
            break
        small = search.promised <= tol
        if small and search.damping > TRUSTED:
            n_short += 1
            if n_short % SHORT_STEPS == 0:
                search.forget_curvature()
        n_small = n_small + 1 if small and search.damping <= TRUSTED else 0
        if n_small < 2:
            continue
        if n_returns < MOST_RETURNS and search.bring_back():
            n_small, n_returns = 0, n_returns + 1
            continue
        reason = "converged"
        break
    if search.promised <= 1e-3 * tol:  # nothing left to gain but rounding
        reason = "converged"
    beta, value = search.settle_ends(tol)
    trace = np.array(search.trace)
    return SolverResult(
        beta, value, search.promised, reason, len(trace) - 1, search.n_evaluations, trace
    )


class _Search:
    """A point, what is known of the curvature there, and how far that is trusted."""

    def __init__(
        self,
        problem: LogarithmicObjective,
        beta: Floats,
        largest_weight: float,
        curvature: Callable[[Floats], Floats] | None,
    ) -> None:
        self._problem = problem
        self._hessian = curvature
        self._beta = beta
        self._variable = np.flatnonzero(beta > 0)
        self._largest_weight = largest_weight
        self._ceiling = np.log(largest_weight)
        self._log = np.log(beta[self._variable])
        self.n_evaluations = 0
        self._here = self._probe(self._log)
        self.trace = [self._here.value]
        self.damping = FIRST_DAMPING if curvature else TRUSTED
        self.promised = np.inf
        self._age, self._known = OLDEST, 0
        self._active = np.empty(0, dtype=np.int64)
        self._learned = np.empty((0, 0))
        self._choose_active()

    def _weights(self, log_weights: Floats) -> Floats:
        beta = self._beta.copy()
        beta[self._variable] = np.exp(log_weights)
        return beta

    def _probe(self, log_weights: Floats) -> Probe:
        self.n_evaluations += 1
        found = self._problem.probe(self._weights(log_weights))
        return Probe(found.value, found.prior[self._variable], found.posterior[self._variable])

    def _variance(self) -> Floats:
        p = np.minimum(self._here.prior, 1.0)
        return p * (1.0 - p) + FLATTEST

    def _choose_active(self) -> None:
        """Let edges take part in the curvature once they are likely enough; none leaves it."""
        entering = self._here.prior > EDGE_OF_RANGE
        entering[self._active] = False
        new = np.flatnonzero(entering)
        if not len(new):
            return
        k = len(self._active)
        grown = np.diag(np.concatenate([np.zeros(k), self._variance()[new]]))
        grown[:k, :k] = self._learned
        self._active, self._learned = np.concatenate([self._active, new]), grown

    def advance(self) -> bool:
        """Take one step that lowers the objective, and return whether there was one."""
        here = self._here
        slope = here.prior - here.posterior
        self._refresh()
        curvature = self._curvature(slope)
        while True:
            step = self._step(slope, curvature)
            self.promised = -float(slope @ step)
            point = self._log + step
            there = self._probe(point)
            fall = here.value - there.value
            if np.isfinite(there.value):
                change = there.prior - there.posterior - slope
                self._learn(step[self._active], change[self._active])
            if fall >= max(SUFFICIENT * self.promised, 0.0):
                break
            self.damping = max(4.0 * self.damping, FIRST_DAMPING)
            if self.damping > MOST_DAMPING:
                return False
        if fall > 0.25 * self.promised:
            self.damping = max(self.damping / 4.0, LEAST_DAMPING)
        self._move(point, there)
        return True

    def _move(self, point: Floats, there: Probe) -> None:
        self._log, self._here = point, there
        self.trace.append(there.value)
        self._choose_active()

    def _refresh(self) -> None:
        """Compute the curvature now and then, if possible; in between it is learned."""
        self._age += 1
        if self._hessian is None or (self._age < OLDEST and len(self._active) == self._known):
            return
        at = self._variable[self._active]
        self._learned = self._hessian(self._weights(self._log))[np.ix_(at, at)]
        self._age, self._known = 0, len(self._active)

    def _curvature(self, slope: Floats) -> Floats:
        # Towards certainty the objective falls like exp(-log β): its slope there makes up for most
        # of its curvature, and the step is a long one.
        p, g = self._here.prior[self._active], slope[self._active]
        certain = np.flatnonzero((p > 0.9) & (g < 0.0))
        found = self._learned.copy()
        found[certain, certain] += 0.9 * g[certain]
        return found

    def _step(self, slope: Floats, curvature: Floats) -> Floats:
        at, prior = self._active, self._here.prior
        # Faint edges by the fixed-point map; FAINTEST keeps those of no probability at all still.
        ratio = (self._here.posterior + FAINTEST) / (prior + FAINTEST)
        step = np.log(np.maximum(ratio, 0.1)) / (1.0 + self.damping)
        step[at] = 0.0
        # A weight at the ceiling that would rise cannot move and says nothing about the rest.
        free = ~((self._log[at] >= self._ceiling) & (slope[at] <= 0.0))
        inner = at[free]
        variance = self._variance()[inner]
        while len(inner):
            damped = curvature[np.ix_(free, free)] + np.diag(self.damping * variance)
            try:
                factor = cho_factor(damped, lower=True, check_finite=False)
            except LinAlgError:
                self.damping = max(4.0 * self.damping, LEAST_DAMPING)
                continue
            step[inner] = cho_solve(factor, -slope[inner], check_finite=False)
            break
        lowest = np.log(FAINTEST / np.maximum(prior, FAINTEST))
        highest = np.where((prior > 0.9) & (slope < 0.0), RADIUS_TO_CERTAINTY, RADIUS)
        step = np.clip(step, np.maximum(-RADIUS, lowest), highest)
        return np.minimum(step, self._ceiling - self._log)

    def _learn(self, step: Floats, change: Floats) -> None:
        """Update the curvature by the symmetric rank-one formula, where that is safe."""
        error = change - self._learned @ step
        scale = float(error @ step)
        if abs(scale) > 1e-8 * float(np.linalg.norm(error) * np.linalg.norm(step)):
            self._learned += np.outer(error, error) / scale

    def forget_curvature(self) -> None:
        """Forget the learned curvature: learned elsewhere, it may hold steps back."""
        self._learned = np.diag(self._variance()[self._active])
        self._age = OLDEST
        self.damping = TRUSTED

    def bring_back(self) -> bool:
        """Bring edges back from either end of the range; return whether the objective fell.

        All at once, and if that is no use the one with the steepest slope that is of use: some that
        seem to come back are held where they are by others, or by rounding.
        """
        p, q = self._here.prior, self._here.posterior
        doubt = np.maximum(1.0 - p, 1e-300)
        rising = np.where(p < EDGE_OF_RANGE, q / np.maximum(p, 1e-300), 0.0)
        falling = np.where(doubt < EDGE_OF_RANGE, (1.0 - q) / doubt, 0.0)
        pull = np.maximum(rising, falling)
        returning = np.flatnonzero(pull > 1.0 + RETURNING)
        move = np.where(
            rising >= falling,
            np.log(2.0 * EDGE_OF_RANGE / np.maximum(p, FAINTEST)),
            -np.log(2.0 * EDGE_OF_RANGE / doubt),
        )
        steepest_first = returning[np.argsort(-pull[returning])]
        for chosen in [returning, *steepest_first[:, None]] if len(returning) else []:
            point = self._log.copy()
            point[chosen] += move[chosen]
            there = self._probe(np.minimum(point, self._ceiling))
            if there.value < self._here.value:
                self._move(np.minimum(point, self._ceiling), there)
                return True
        return False

    def settle_ends(self, tol: float) -> tuple[Floats, float]:
        """Return the weights and the value; edges at either end of the range exactly there.

        What an edge of next to no probability weighs, or one that is all but certain, is an
        accident of when the search ended.
        """
        beta, value = self._weights(self._log), self._here.value
        p, q = self._here.prior, self._here.posterior
        at_ends = {0.0: p <= NEGLIGIBLE}
        if np.isfinite(self._largest_weight):
            at_ends[self._largest_weight] = (p > 1.0 - EDGE_OF_RANGE) & (p <= q)
        for end, there in at_ends.items():
            settled = beta.copy()
            settled[self._variable[there]] = end
            if not there.any() or np.array_equal(settled, beta):
                continue
            self.n_evaluations += 1
            found = self._problem.probe(settled).value
            if found <= value + tol:
                beta, value = settled, found
        return beta, value
