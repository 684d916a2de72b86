"""Kernels of the lasso baselines: one coordinate descent, and two ways to loop over it.

Both problems are sums over rows of the same small quadratic program,

    minimise  ½ xᵀQx + bᵀx + Σ_j p_j |x_j|,

so one descent serves the graphical lasso and neighbourhood selection.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel

__all__ = ["kkt_violation", "neighbourhoods_inplace", "sweep_glasso_inplace"]

Floats = NDArray[np.float64]

INNER_PASSES = 200


@kernel
def _descend_inplace(
    Q: Floats, penalty: Floats, left_out: int, x: Floats, gradient: Floats, tol: float, passes: int
) -> None:
    """Cycle over the coordinates of x until none would move its gradient by more than `tol`.

    `gradient` is Qx + b on entry and on exit. Coordinate `left_out` stays as it is.
    """
    d = x.size
    for _ in range(passes):
        largest = 0.0
        for j in range(d):
            curvature = Q[j, j]
            if j == left_out or curvature <= 0.0:
                continue
            pull = curvature * x[j] - gradient[j]
            if pull > penalty[j]:
                target = (pull - penalty[j]) / curvature
            elif pull < -penalty[j]:
                target = (pull + penalty[j]) / curvature
            else:
                target = 0.0
            step = target - x[j]
            if step != 0.0:
                x[j] = target
                for k in range(d):
                    gradient[k] += step * Q[j, k]
                largest = max(largest, abs(step) * curvature)
        if largest <= tol:
            return


@kernel
def kkt_violation(S: Floats, penalty: Floats, precision: Floats, covariance: Floats) -> float:
    """Largest distance of 0 from the subdifferential S - Θ⁻¹ + P∘sign(Θ), over all entries."""
    d = len(S)
    worst = 0.0
    for i in range(d):
        for j in range(i + 1):
            slope = S[i, j] - covariance[i, j]
            if precision[i, j] > 0.0:
                slope = abs(slope + penalty[i, j])
            elif precision[i, j] < 0.0:
                slope = abs(slope - penalty[i, j])
            else:
                slope = max(abs(slope) - penalty[i, j], 0.0)
            worst = max(worst, slope)
    return worst


@kernel
def sweep_glasso_inplace(
    S: Floats, penalty: Floats, precision: Floats, covariance: Floats, tol: float
) -> None:
    """Update each row of the precision matrix Θ once, and its inverse along with it.

    With all but row p fixed, Θ_pp has a closed form, and what is left for θ = Θ_{-p,p} is a lasso
    with Q = (s_pp + P_pp) (Θ_{-p,-p})⁻¹ and b = s_p, solved to `tol`. Θ stays symmetric and
    positive definite, the objective falls at each step, and zeros are exact.
    """
    d = len(S)
    Q = np.empty((d, d))
    gradient = np.empty(d)
    row = np.empty(d)
    for p in range(d):
        diagonal = S[p, p] + penalty[p, p]
        # Q / diagonal is the inverse of Θ without row p, by one rank-one step from Θ⁻¹.
        for i in range(d):
            share = covariance[i, p] / covariance[p, p]
            for j in range(d):
                Q[i, j] = diagonal * (covariance[i, j] - share * covariance[p, j])
        for j in range(d):
            row[j] = precision[j, p]
            gradient[j] = S[j, p]
        row[p] = 0.0
        for j in range(d):
            if row[j] != 0.0:
                for k in range(d):
                    gradient[k] += row[j] * Q[j, k]
        _descend_inplace(Q, penalty[p], p, row, gradient, tol, INNER_PASSES)
        # Here Qθ = gradient - s_p, so that Θ⁻¹'s new column p is -(gradient - s_p).
        quadratic = 0.0
        for j in range(d):
            quadratic += row[j] * (gradient[j] - S[j, p])
        for j in range(d):
            precision[j, p] = row[j]
            precision[p, j] = row[j]
        precision[p, p] = (1.0 + quadratic) / diagonal
        for i in range(d):
            if i == p:
                continue
            column_i = S[i, p] - gradient[i]
            for j in range(d):
                column_j = S[j, p] - gradient[j]
                covariance[i, j] = (Q[i, j] + column_i * column_j) / diagonal
        for j in range(d):
            column_j = S[j, p] - gradient[j]
            covariance[j, p] = column_j
            covariance[p, j] = column_j
        covariance[p, p] = diagonal


@kernel
def neighbourhoods_inplace(
    S: Floats, penalties: Floats, coefficients: Floats, tol: float, max_passes: int
) -> None:
    """Lasso of each variable on all others, for each penalty in turn, each from the one before.

    Fills ``coefficients[m, j, p]``: the coefficient of variable j for variable p.
    """
    d = len(S)
    penalty = np.empty(d)
    x = np.empty(d)
    gradient = np.empty(d)
    for p in range(d):
        for j in range(d):
            x[j] = 0.0
            gradient[j] = -S[j, p]
        for m in range(penalties.size):
            for j in range(d):
                penalty[j] = penalties[m]
            _descend_inplace(S, penalty, p, x, gradient, tol, max_passes)
            for j in range(d):
                coefficients[m, j, p] = x[j]
