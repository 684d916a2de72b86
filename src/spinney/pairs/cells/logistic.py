r"""Classes given a score: multinomial logistic regression, shrunk to one common distribution.

With :math:`z` the normal score of the other column and :math:`x(z) = (z, (z^2 - 1)/\sqrt2)`, or
its first entry alone,

.. math:: p(k \mid z) = \frac{e^{a_k + b_k^\top x(z)}}{\sum_l e^{a_l + b_l^\top x(z)}}, \qquad
          w(k, z) = \frac{p(k \mid z)}{n_k / m}.

Slopes have independent priors :math:`b_k \sim N(0, s^2)`, the same for each class, so that names of
classes do not matter; intercepts have none. At the maximum the derivative by :math:`a_k` is zero,
which says :math:`\sum_j p(k \mid z_j) = n_k`: the mean of :math:`w(k, \cdot)` over the rows is one
for every class, as is the mean of :math:`w(\cdot, z)` over the classes for every z.

Classes whose scores are normal with common variance have exactly the linear form; with unequal
variances, the quadratic one (Anderson 1972).

The search is in :math:`\delta_k = b_k - b_K` against the last class K that occurs, whose prior
precision is :math:`P / s^2` with :math:`P = I - 1 1^\top / K` and determinant 1/K. The Bayes factor
against equal distributions (no slopes) is Laplace's approximation in slopes and intercepts above,
in intercepts below; flat priors and powers of :math:`2 \pi` cancel. Several scales s are equally
likely beforehand: the Bayes factor is the mean of theirs, and the fit that of the likeliest.

References
----------
.. [1] J. A. Anderson (1972). Separate sample logistic discrimination. Biometrika 59, 19-35.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.compile import kernel

COEFFICIENTS = 4
"""Numbers that are kept of each class: intercept, two slopes, and the log of its share."""
SCALES: tuple[float, ...] = (0.5, 1.0, 2.0)
"""Standard deviations of the slopes' default prior, all equally likely."""
MAX_ITERATIONS = 60
TOLERANCE = 1e-18
"""Newton decrement below which the next step would change nothing that can be seen."""


@kernel
def class_log_ratio(coefficients: Floats, k: int, z: float) -> float:
    """Log w of class k at one score."""
    if not coefficients[k, 3] > -np.inf:
        return 0.0
    square = (z * z - 1.0) * np.sqrt(0.5)
    own = coefficients[k, 0] + coefficients[k, 1] * z + coefficients[k, 2] * square
    total = 0.0
    # Relative to the class itself: its own term is one, and an overflow of another gives log w
    # of minus infinity only where p(k | z) is zero to double precision.
    largest = own
    for j in range(coefficients.shape[0]):
        if coefficients[j, 3] > -np.inf:
            value = coefficients[j, 0] + coefficients[j, 1] * z + coefficients[j, 2] * square
            largest = max(largest, value)
    for j in range(coefficients.shape[0]):
        if coefficients[j, 3] > -np.inf:
            value = coefficients[j, 0] + coefficients[j, 1] * z + coefficients[j, 2] * square
            total += np.exp(value - largest)
    return own - largest - np.log(total) - coefficients[k, 3]


@kernel
def _probabilities(theta: Floats, features: Floats, p: Floats) -> float:
    """Write the classes' probabilities at one score; return the log of the last class's."""
    classes = p.size
    largest = 0.0
    for k in range(classes - 1):
        value = 0.0
        for d in range(features.size):
            value += theta[k, d] * features[d]
        p[k] = value
        largest = max(largest, value)
    total = np.exp(-largest)
    for k in range(classes - 1):
        p[k] = np.exp(p[k] - largest)
        total += p[k]
    for k in range(classes - 1):
        p[k] /= total
    p[classes - 1] = np.exp(-largest) / total
    return -largest - np.log(total)


class _Sample(NamedTuple):
    """Rows by score and class, and the prior of the slopes."""

    features: Floats  # (S, width): one, the score, and perhaps its square
    counts: Floats  # (S, K) of the classes that occur
    rows: Floats  # (S,) of all classes
    precision: float


@kernel
def _objective(theta: Floats, sample: _Sample) -> float:
    """Penalised log-likelihood in differences from the last class."""
    features, counts, rows, precision = sample
    classes, width = counts.shape[1], features.shape[1]
    p = np.empty(classes)
    value = 0.0
    for s in range(features.shape[0]):
        if rows[s] == 0.0:
            continue
        value += rows[s] * _probabilities(theta, features[s], p)
        for k in range(classes - 1):
            if counts[s, k] > 0.0:
                logit = 0.0
                for d in range(width):
                    logit += theta[k, d] * features[s, d]
                value += counts[s, k] * logit
    for d in range(1, width):
        squares, total = 0.0, 0.0
        for k in range(classes - 1):
            squares += theta[k, d] * theta[k, d]
            total += theta[k, d]
        value -= 0.5 * precision * (squares - total * total / classes)
    return value


@kernel
def _derivatives(theta: Floats, sample: _Sample, gradient: Floats, information: Floats) -> None:
    """Gradient and negative Hessian (lower triangle) of the objective, entries (class, feature)."""
    features, counts, rows, precision = sample
    classes, width = counts.shape[1], features.shape[1]
    gradient[:] = 0.0
    information[:] = 0.0
    p = np.empty(classes)
    for s in range(features.shape[0]):
        if rows[s] == 0.0:
            continue
        _probabilities(theta, features[s], p)
        for k in range(classes - 1):
            surplus = counts[s, k] - rows[s] * p[k]
            for d in range(width):
                gradient[k * width + d] += surplus * features[s, d]
            for j in range(k + 1):
                weight = rows[s] * p[k] * ((1.0 if j == k else 0.0) - p[j])
                for d in range(width):
                    part = weight * features[s, d]
                    for e in range(width):
                        information[k * width + d, j * width + e] += part * features[s, e]
    for d in range(1, width):
        total = 0.0
        for k in range(classes - 1):
            total += theta[k, d]
        for k in range(classes - 1):
            gradient[k * width + d] -= precision * (theta[k, d] - total / classes)
            for j in range(k + 1):
                share = (1.0 if j == k else 0.0) - 1.0 / classes
                information[k * width + d, j * width + d] += precision * share


@kernel
def _factorise_inplace(matrix: Floats) -> float:
    """Cholesky factor in the lower triangle; return the log-determinant, NaN if there is none."""
    log_determinant = 0.0
    for j in range(matrix.shape[0]):
        pivot = matrix[j, j]
        for e in range(j):
            pivot -= matrix[j, e] * matrix[j, e]
        if not pivot > 0.0:
            return np.nan
        matrix[j, j] = np.sqrt(pivot)
        log_determinant += np.log(pivot)
        for i in range(j + 1, matrix.shape[0]):
            value = matrix[i, j]
            for e in range(j):
                value -= matrix[i, e] * matrix[j, e]
            matrix[i, j] = value / matrix[j, j]
    return log_determinant


@kernel
def _solve_inplace(factor: Floats, vector: Floats) -> None:
    size = vector.size
    for i in range(size):
        for j in range(i):
            vector[i] -= factor[i, j] * vector[j]
        vector[i] /= factor[i, i]
    for i in range(size - 1, -1, -1):
        for j in range(i + 1, size):
            vector[i] -= factor[j, i] * vector[j]
        vector[i] /= factor[i, i]


@kernel
def fit_classes(
    scores: Floats, counts: Floats, degree: int, scale: float, coefficients: Floats
) -> float:
    """Fit classes given scores by Newton's method; return the log Bayes factor.

    Parameters
    ----------
    scores : array of shape (S,)
        Scores; rows with equal ones may be counted together.
    counts : array of shape (S, K)
        Rows of each class at each score. At least two classes must occur.
    degree : int
        1: linear, 2: quadratic.
    scale : float
        Standard deviation of the slopes' prior.
    coefficients : array of shape (K, 4)
        Result: intercept, slopes, and log share of each class; the share is zero where a class
        does not occur. If the first entry is not NaN, the search begins from what stands there.
    """
    totals = counts.sum(axis=0)
    m, active = totals.sum(), np.flatnonzero(totals > 0.0)
    classes, width = active.size, degree + 1
    features = np.ones((scores.size, width))
    for s in range(scores.size):
        features[s, 1] = scores[s]
        if degree == 2:
            features[s, 2] = (scores[s] * scores[s] - 1.0) * np.sqrt(0.5)
    precision = 1.0 / (scale * scale)

    theta = np.zeros((classes - 1, width))
    last = active[classes - 1]
    warm = not np.isnan(coefficients[0, 0]) and coefficients[last, 3] > -np.inf
    for k in range(classes - 1):
        theta[k, 0] = np.log(totals[active[k]] / totals[last])
        if warm and coefficients[active[k], 3] > -np.inf:
            for d in range(width):
                theta[k, d] = coefficients[active[k], d] - coefficients[last, d]
    size = theta.size
    gradient, steps, information = np.empty(size), np.empty(size), np.empty((size, size))
    trial = np.empty(theta.shape)
    rows = np.zeros(scores.size)
    for s in range(scores.size):
        for k in range(classes):
            rows[s] += counts[s, active[k]]
    sample = _Sample(features, np.ascontiguousarray(counts[:, active]), rows, precision)
    value = _objective(theta, sample)
    log_determinant = 0.0
    for _ in range(MAX_ITERATIONS):
        _derivatives(theta, sample, gradient, information)
        for i in range(size):
            steps[i] = gradient[i]
        log_determinant = _factorise_inplace(information)
        _solve_inplace(information, steps)
        decrement = 0.0
        for i in range(size):
            decrement += gradient[i] * steps[i]
        # Written so that a step that is not finite ends the search as well.
        if not decrement > TOLERANCE:
            break
        length, moved = 1.0, False
        while length > 1e-10:
            for i in range(size):
                k, d = i // width, i % width
                trial[k, d] = theta[k, d] + length * steps[i]
            reached = _objective(trial, sample)
            # Near the maximum the rise drowns in rounding; a full step is right there.
            if reached > value or (length == 1.0 and decrement < 1e-6):
                theta, trial = trial, theta
                value, moved = reached, True
                break
            length *= 0.5
        if not moved:
            break

    # Back to one vector for each class, with sum zero over those that occur.
    coefficients[:] = 0.0
    for k in range(counts.shape[1]):
        coefficients[k, 3] = np.log(totals[k] / m) if totals[k] > 0.0 else -np.inf
    for d in range(width):
        mean = 0.0
        for k in range(classes - 1):
            mean += theta[k, d] / classes
        for k in range(classes - 1):
            coefficients[active[k], d] = theta[k, d] - mean
        coefficients[last, d] = -mean
    # The null model's information is m (diag(π) - π π') over all classes but the last, with
    # determinant m^(K-1) times the product of all shares.
    null_value, null_determinant = 0.0, (classes - 1) * np.log(m)
    for k in range(classes):
        log_share = np.log(totals[active[k]] / m)
        null_value += totals[active[k]] * log_share
        null_determinant += log_share
    prior = degree * ((classes - 1) * np.log(precision) - np.log(float(classes)))
    return value - null_value + 0.5 * (prior - log_determinant + null_determinant)


@kernel
def fit_classes_mixed(
    scores: Floats, counts: Floats, degree: int, scales: Floats, coefficients: Floats
) -> tuple[float, int]:
    """Fit classes under the scale of the largest marginal likelihood.

    Returns the log Bayes factor of the mixture, which is the mean of those of equally likely
    scales, and the position of the scale; otherwise as :func:`fit_classes`.
    """
    trial = coefficients.copy()
    best, largest, total = 0, -np.inf, 0.0
    for k in range(scales.size):
        factor = fit_classes(scores, counts, degree, scales[k], trial)
        # The sum is kept in units of the largest term so far.
        if factor > largest:
            total = total * np.exp(largest - factor) + 1.0
            best, largest = k, factor
            for i in range(trial.shape[0]):
                for c in range(trial.shape[1]):
                    coefficients[i, c] = trial[i, c]
        else:
            total += np.exp(factor - largest)
    return largest + np.log(total / scales.size), best
