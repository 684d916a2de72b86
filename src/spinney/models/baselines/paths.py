"""Graphs along a path of penalties: the graphical lasso, and neighbourhood selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from spinney._core.compile import kernel
from spinney.exceptions import InputError

__all__ = [
    "GlassoPath",
    "GraphPath",
    "PathSolver",
    "glasso_path",
    "kkt_violation",
    "log_likelihood",
    "neighbourhood_path",
    "neighbourhoods_inplace",
    "penalty_path",
    "sweep_glasso_inplace",
    "unit_variances",
]

Floats = NDArray[np.float64]


INNER_PASSES = 200


@kernel
def _descend_inplace(
    Q: Floats, penalty: Floats, left_out: int, x: Floats, gradient: Floats, tol: float, passes: int
) -> None:
    """Cycle over the coordinates of x until none would move its gradient by more than `tol`.

    `gradient` is Qx + b on entry and on exit. Coordinate `left_out` stays fixed.
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


@dataclass(frozen=True, eq=False)
class GraphPath:
    """Graphs for decreasing penalties.

    Attributes
    ----------
    penalties : array of shape (m,)
        From large to small.
    weights : array of shape (m, d, d)
        Symmetric, signed strengths of the edges, zero elsewhere. Partial correlations
        for the graphical lasso; means of the two regression coefficients for neighbourhoods.
    adjacency : boolean array of shape (m, d, d)
        The graphs.
    """

    penalties: Floats
    weights: Floats
    adjacency: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.penalties)

    @property
    def n_edges(self) -> NDArray[np.int64]:
        """Number of edges at each penalty."""
        return self.adjacency.sum(axis=(1, 2)) // 2

    @property
    def mean_strength(self) -> Floats:
        """Absolute weight of each pair, averaged along the path: early and strong edges lead."""
        return np.abs(self.weights).mean(axis=0)


@dataclass(frozen=True, eq=False)
class GlassoPath(GraphPath):
    """Graphs with the precision matrices that they were read from.

    Attributes
    ----------
    precisions : array of shape (m, d, d)
        Symmetric, positive definite, with exact zeros.
    max_kkt_violations : array of shape (m,)
        How far each is from optimal: the largest entry by which the optimality conditions fail.
    sweeps : array of int, shape (m,)
        Sweeps over the rows that each took, starting from the one before.
    """

    precisions: Floats
    max_kkt_violations: Floats
    sweeps: NDArray[np.int64]


PathSolver = Callable[[Floats, Floats], GraphPath]
"""From a correlation matrix and decreasing penalties to a path."""


def penalty_path(S: ArrayLike, n_penalties: int = 10, ratio: float = 0.1) -> Floats:
    r"""Penalties from the smallest that leaves no edge down to `ratio` times it, evenly in logs.

    :math:`\lambda_{\max} = \max_{i \ne j} |S_{ij}|`; ten values down to a tenth of it is what the
    R package huge takes by default.

    Examples
    --------
    >>> penalty_path([[1.0, -0.5], [-0.5, 1.0]], n_penalties=3)
    array([0.5       , 0.15811388, 0.05      ])
    """
    matrix = np.asarray(S, dtype=float)
    if n_penalties < 1 or not 0.0 < ratio <= 1.0:
        raise InputError(
            f"A path needs at least one penalty and a ratio in (0, 1]; got {n_penalties} "
            f"and {ratio}."
        )
    largest = float(np.abs(matrix - np.diag(np.diag(matrix))).max())
    largest = max(largest, 1e-8)  # uncorrelated to the last digit: any penalty leaves no edge
    return np.geomspace(largest, ratio * largest, n_penalties)


def glasso_path(
    S: ArrayLike,
    penalties: ArrayLike,
    *,
    penalise_diagonal: bool = True,
    tol: float = 1e-6,
    max_sweeps: int = 1000,
) -> GlassoPath:
    r"""Graphical lasso for decreasing penalties, each solution the start of the next.

    .. math::
        \min_{\Theta \succ 0} \; -\log\det\Theta + \operatorname{tr}(S\Theta)
        + \lambda \sum_{i \ne j} |\Theta_{ij}| \;(+\, \lambda \sum_i \Theta_{ii})

    Parameters
    ----------
    S : array of shape (d, d)
        Correlation or covariance matrix.
    penalties : array of shape (m,)
        Positive and decreasing.
    penalise_diagonal : bool
        Whether the last term is there. It is in the R packages huge and glasso; it is not in
        scikit-learn, whose solution for ``S + λI`` is the same.
    tol : float
        Largest violation of the optimality conditions, in units of `S`.
    max_sweeps : int
        Sweeps over all rows for one penalty.

    Warns
    -----
    ConvergenceWarning
        If `max_sweeps` did not suffice.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani (2008). Sparse inverse covariance estimation
       with the graphical lasso. Biostatistics 9, 432-441.
    .. [2] R. Mazumder and T. Hastie (2012). The graphical lasso: new insights and alternatives.
       Electronic Journal of Statistics 6, 2125-2149. (The algorithm is their P-glasso.)

    Examples
    --------
    >>> path = glasso_path([[1.0, 0.5], [0.5, 1.0]], [0.5, 0.2], penalise_diagonal=False)
    >>> path.n_edges
    array([0, 1])
    >>> np.linalg.inv(path.precisions[1]).round(3)  # the off-diagonal moves 0.2 towards zero
    array([[1. , 0.3],
           [0.3, 1. ]])
    """
    matrix = _check_matrix(S)
    levels = _check_penalties(penalties)
    d, m = len(matrix), len(levels)
    precisions = np.empty((m, d, d))
    violations = np.empty(m)
    sweeps = np.empty(m, dtype=np.int64)
    precision = np.diag(1.0 / (np.diag(matrix) + penalise_diagonal * levels[0]))
    for k, level in enumerate(levels):
        penalty = np.full((d, d), level)
        if not penalise_diagonal:
            np.fill_diagonal(penalty, 0.0)
        violations[k], sweeps[k] = _solve_inplace(matrix, penalty, precision, tol, max_sweeps)
        precisions[k] = precision
    if violations.max() > tol:
        worst = int(violations.argmax())
        warnings.warn(
            f"The graphical lasso stopped after {max_sweeps} sweeps at penalty {levels[worst]:.3g} "
            f"with its optimality conditions off by {violations[worst]:.1e}. Raise max_sweeps, or "
            "leave out the smallest penalties.",
            ConvergenceWarning,
            stacklevel=2,
        )
    weights = _partial_correlations(precisions)
    return GlassoPath(levels, weights, weights != 0.0, precisions, violations, sweeps)


def neighbourhood_path(
    S: ArrayLike,
    penalties: ArrayLike,
    *,
    rule: Literal["or", "and"] = "or",
    tol: float = 1e-7,
    max_passes: int = 10_000,
) -> GraphPath:
    r"""Neighbourhood selection for decreasing penalties: a lasso of each variable on the others.

    .. math:: \min_{\beta} \; \tfrac12 \beta^\top S_{-p,-p}\, \beta - S_{-p,p}^\top \beta
              + \lambda \|\beta\|_1

    Parameters
    ----------
    S : array of shape (d, d)
        Correlation matrix.
    penalties : array of shape (m,)
        Positive and decreasing.
    rule : {"or", "and"}
        Whether an edge needs one of its two coefficients, or both.
    tol : float
        Largest move of a gradient in the last pass.
    max_passes : int
        Passes over the coefficients of one variable for one penalty.

    References
    ----------
    .. [1] N. Meinshausen and P. Bühlmann (2006). High-dimensional graphs and variable selection
       with the lasso. Annals of Statistics 34, 1436-1462.

    Examples
    --------
    >>> neighbourhood_path([[1.0, 0.5], [0.5, 1.0]], [0.5, 0.2]).weights[:, 0, 1].round(3)
    array([0. , 0.3])
    """
    if rule not in ("or", "and"):
        raise InputError(f"rule must be 'or' or 'and', got {rule!r}.")
    matrix = _check_matrix(S)
    levels = _check_penalties(penalties)
    coefficients = np.empty((len(levels), *matrix.shape))
    neighbourhoods_inplace(matrix, levels, coefficients, tol, max_passes)
    found = coefficients != 0.0
    other = found.transpose(0, 2, 1)
    adjacency = found | other if rule == "or" else found & other
    weights = np.where(adjacency, 0.5 * (coefficients + coefficients.transpose(0, 2, 1)), 0.0)
    return GraphPath(levels, weights, adjacency)


def log_likelihood(precision: Floats, S: Floats) -> float:
    r"""Mean Gaussian log-likelihood of a row, relative to independent standard normal columns.

    .. math:: \tfrac12 \left(\log\det\Theta - \operatorname{tr}(S\Theta) + \operatorname{tr} S
              \right)

    Examples
    --------
    >>> log_likelihood(np.eye(3), np.eye(3))
    0.0
    """
    log_determinant = np.linalg.slogdet(precision)[1]
    return float(0.5 * (log_determinant - np.sum(precision * S) + np.trace(S)))


def unit_variances(precision: Floats) -> Floats:
    """Rescale a model to variances of one, keeping its partial correlations.

    Examples
    --------
    >>> unit_variances(np.diag([0.5, 4.0]))
    array([[1., 0.],
           [0., 1.]])
    """
    deviations = np.sqrt(np.diag(np.linalg.inv(precision)))
    return precision * deviations[:, None] * deviations


def _solve_inplace(
    S: Floats, penalty: Floats, precision: Floats, tol: float, max_sweeps: int
) -> tuple[float, int]:
    """Sweep over the rows until the optimality conditions hold to `tol`."""
    for sweep in range(max_sweeps + 1):
        # Afresh each time: the updates within a sweep gather rounding errors.
        covariance = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        violation = kkt_violation(S, penalty, precision, covariance)
        if violation <= tol or sweep == max_sweeps:
            break
        # Far from the solution a row need not be solved to the last digit.
        inner_tol = max(0.1 * tol, 0.05 * violation)
        sweep_glasso_inplace(S, penalty, precision, covariance, inner_tol)
    return violation, sweep


def _partial_correlations(precisions: Floats) -> Floats:
    scale = np.sqrt(np.diagonal(precisions, axis1=-2, axis2=-1))
    # Zeros stay zeros, and are written without a sign.
    partial = 0.0 - precisions / (scale[..., :, None] * scale[..., None, :])
    d = precisions.shape[-1]
    partial[..., np.arange(d), np.arange(d)] = 0.0
    return partial


def _check_matrix(S: ArrayLike) -> Floats:
    matrix = np.ascontiguousarray(S, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"A correlation matrix is square, but the shape is {matrix.shape}.")
    if not (np.isfinite(matrix).all() and np.allclose(matrix, matrix.T, rtol=0, atol=1e-10)):
        raise InputError("A correlation matrix is finite and symmetric, but this one is not.")
    if not (np.diag(matrix) > 0.0).all():
        raise InputError("A correlation matrix has a positive diagonal, but this one does not.")
    return matrix


def _check_penalties(penalties: Any) -> Floats:
    levels = np.atleast_1d(np.asarray(penalties, dtype=float))
    if levels.ndim != 1 or not levels.size or not (np.isfinite(levels) & (levels > 0.0)).all():
        raise InputError(f"Penalties must be positive numbers, got {penalties!r}.")
    if (np.diff(levels) > 0.0).any():
        raise InputError("Penalties must decrease, because each solution starts from the last.")
    return levels
