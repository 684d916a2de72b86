"""Graphs along a path of penalties: the graphical lasso, and neighbourhood selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

from spinney._core.arrays import Bools, Floats, Ints
from spinney.exceptions import InputError

ROUNDING = 1e-11
"""Relative rise of an objective, or size of a coefficient, that is attributed to rounding."""
SUFFICIENT = 1e-4
"""Share of the promised decrease that a step must keep."""


def kkt_violation(S: Floats, penalty: Floats, precision: Floats, covariance: Floats) -> float:
    """Largest distance of 0 from the subdifferential S - Θ⁻¹ + P∘sign(Θ), over all entries."""
    slope = S - covariance
    inactive = np.maximum(np.abs(slope) - penalty, 0.0)
    active = np.abs(slope + penalty * np.sign(precision))
    return float(np.where(precision != 0.0, active, inactive).max())


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
    adjacency: Bools

    def __len__(self) -> int:
        return len(self.penalties)

    @property
    def n_edges(self) -> Ints:
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
    """

    precisions: Floats
    max_kkt_violations: Floats


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
    tol: float = 1e-9,
    max_steps: int = 10_000,
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
    max_steps : int
        Most steps for one penalty.

    Warns
    -----
    ConvergenceWarning
        If `max_steps` did not suffice.

    Notes
    -----
    Proximal gradients with Barzilai-Borwein steps [2]_: a step along the slope, then every entry
    moves towards zero by its penalty. scikit-learn's solver starts each penalty afresh, and takes
    about twenty times as long for the same violation.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani (2008). Sparse inverse covariance estimation
       with the graphical lasso. Biostatistics 9, 432-441.
    .. [2] B. Rolfs, B. Rajaratnam, D. Guillot, I. Wong and A. Maleki (2012). Iterative thresholding
       algorithm for sparse inverse covariance estimation. NeurIPS 25.

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
    # A penalty on the diagonal, which is positive, is the same as larger variances.
    shifts = levels if penalise_diagonal else np.zeros_like(levels)
    d, m = len(matrix), len(levels)
    precisions, violations = np.empty((m, d, d)), np.empty(m)
    precision = np.diag(1.0 / (np.diag(matrix) + shifts[0]))
    for k in range(m):
        penalty = levels[k] * (1.0 - np.eye(d))
        shifted = matrix + shifts[k] * np.eye(d)
        precision, violations[k] = _solve_glasso(shifted, penalty, precision, tol, max_steps)
        precisions[k] = precision
    if violations.max() > tol:
        worst = int(violations.argmax())
        warnings.warn(
            f"The graphical lasso stopped after {max_steps} steps at penalty {levels[worst]:.3g} "
            f"with its optimality conditions off by {violations[worst]:.1e}. Raise max_steps, or "
            "leave out the smallest penalties.",
            ConvergenceWarning,
            stacklevel=2,
        )
    weights = partial_correlations(precisions)
    return GlassoPath(levels, weights, weights != 0.0, precisions, violations)


def neighbourhood_path(
    S: ArrayLike, penalties: ArrayLike, *, rule: Literal["or", "and"] = "or", tol: float = 1e-11
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
        Largest duality gap of a lasso, as in scikit-learn. A coefficient of δ is worth δ² / 2.

    Warns
    -----
    ConvergenceWarning
        If a lasso does not settle, as where columns are nearly copies of each other.

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
    d = len(matrix)
    # d rows whose moments are S: all that a lasso knows of a table.
    values, vectors = np.linalg.eigh(matrix)
    rows = np.sqrt(d * np.maximum(values, 0.0))[:, None] * vectors.T
    coefficients = np.zeros((len(levels), d, d))
    for p in range(d):
        others = np.delete(np.arange(d), p)
        found = lasso_path(rows[:, others], rows[:, p], alphas=levels, tol=tol, max_iter=10_000)[1]
        coefficients[:, others, p] = found.T
    # Where the strongest pair is just about to enter, rounding must not decide.
    coefficients[np.abs(coefficients) < ROUNDING] = 0.0
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


def _solve_glasso(
    S: Floats, penalty: Floats, precision: Floats, tol: float, max_steps: int
) -> tuple[Floats, float]:
    """Step until the optimality conditions hold to `tol`; return the solution and how well."""
    value, covariance = _penalised(S, penalty, precision)
    length = 1.0 / float(np.linalg.norm(covariance)) ** 2
    for step in range(max_steps + 1):
        violation = kkt_violation(S, penalty, precision, covariance)
        if violation <= tol or step == max_steps:
            break
        slope = S - covariance
        slack = ROUNDING * (1.0 + abs(value))
        while True:
            moved = precision - length * slope
            point = moved - np.clip(moved, -length * penalty, length * penalty)
            change = point - precision
            size = float(np.vdot(change, change))
            new_value, new_covariance = _penalised(S, penalty, point)
            if new_value <= value - SUFFICIENT * size / (2.0 * length) + slack:
                break
            length *= 0.5
        curvature = float(np.vdot(change, covariance - new_covariance))
        length = size / curvature if curvature > 0.0 else length
        precision, value, covariance = point, new_value, new_covariance
    return precision, violation


def _penalised(S: Floats, penalty: Floats, precision: Floats) -> tuple[float, Floats]:
    """Penalised objective and inverse of a matrix; infinity if it is not positive definite."""
    factor, failed = lapack.dpotrf(precision, lower=1)
    if failed:
        return np.inf, precision
    half = np.tril(lapack.dpotri(factor, lower=1)[0])
    log_determinant = 2.0 * np.log(np.diag(factor)).sum()
    fit = np.vdot(S, precision) + np.vdot(penalty, np.abs(precision)) - log_determinant
    return float(fit), half + np.tril(half, -1).T


def partial_correlations(precisions: Floats) -> Floats:
    """Partial correlations of precision matrices, shape (..., d, d); the diagonal is zero."""
    variances = np.diagonal(precisions, axis1=-2, axis2=-1)
    scale = np.sqrt(np.maximum(variances, np.finfo(float).tiny))
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
    return 0.5 * (matrix + matrix.T)


def _check_penalties(penalties: Any) -> Floats:
    levels = np.atleast_1d(np.asarray(penalties, dtype=float))
    if levels.ndim != 1 or not levels.size or not (np.isfinite(levels) & (levels > 0.0)).all():
        raise InputError(f"Penalties must be positive numbers, got {penalties!r}.")
    if (np.diff(levels) > 0.0).any():
        raise InputError("Penalties must decrease, because each solution starts from the last.")
    return levels
