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

import numpy as np
from scipy.special import log_softmax

from spinney._core.arrays import Floats

COEFFICIENTS = 4
"""Numbers that are kept of each class: intercept, two slopes, and the log of its share."""
SCALES: tuple[float, ...] = (0.5, 1.0, 2.0)
"""Standard deviations of the slopes' default prior, all equally likely."""
MAX_ITERATIONS = 60
TOLERANCE = 1e-18
"""Newton decrement below which the next step would change nothing that can be seen."""


def features_of(z: Floats, degree: int = 2) -> Floats:
    """One, the score and, for degree 2, its square in standard form, shape (degree + 1, S)."""
    return np.stack([np.ones(len(z)), z, (z * z - 1.0) * np.sqrt(0.5)][: degree + 1])


def class_log_ratios(coefficients: Floats, z: Floats) -> Floats:
    """Log w of every class at each score, shape (K, S); zero for classes that do not occur."""
    result = np.zeros((len(coefficients), len(z)))
    known = coefficients[:, 3] > -np.inf
    if known.any():
        log_p = log_softmax(coefficients[known, :3] @ features_of(z), axis=0)
        result[known] = log_p - coefficients[known, 3, None]
    return result


class _Posterior:
    """Penalised log-likelihood of differences from the last class, class by class.

    Features have shape (width, S), counts and probabilities a row for each class.
    """

    def __init__(self, features: Floats, counts: Floats, scale: float) -> None:
        self.features, self.counts, self.rows = features, counts, counts.sum(axis=0)
        classes, width = len(counts), len(features)
        slopes = np.diag(np.arange(width) > 0) / (scale * scale)
        self.precision = np.kron(np.eye(classes - 1) - 1.0 / classes, slopes)

    def at(self, theta: Floats) -> tuple[float, Floats]:
        """Value, and the probabilities of all classes but the last."""
        logits = theta.reshape(-1, len(self.features)) @ self.features
        log_p = log_softmax(np.vstack([logits, np.zeros(len(self.rows))]), axis=0)
        value = (self.counts * log_p).sum() - 0.5 * theta @ self.precision @ theta
        return float(value), np.exp(log_p[:-1])

    def derivatives(self, theta: Floats, p: Floats) -> tuple[Floats, Floats]:
        """Gradient and negative Hessian."""
        features, expected, width = self.features, self.rows * p, len(self.features)
        gradient = ((self.counts[:-1] - expected) @ features.T).ravel() - self.precision @ theta
        each = (p[:, None, :] * features).reshape(theta.size, -1)
        information = self.precision - (self.rows * each) @ each.T
        for k in range(len(p)):
            own = slice(k * width, (k + 1) * width)
            information[own, own] += (expected[k] * features) @ features.T
        return gradient, information


def fit_classes(
    scores: Floats, counts: Floats, degree: int, scale: float, start: Floats | None = None
) -> tuple[float, Floats]:
    """Fit classes given scores by Newton's method; return the log Bayes factor and coefficients.

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
    start : array of shape (K, 4), optional
        Coefficients from which the search begins.

    Returns
    -------
    float
    array of shape (K, 4)
        Intercept, slopes, and log share of each class; the share is zero where a class does not
        occur.
    """
    totals = counts.sum(axis=0)
    m, active = totals.sum(), np.flatnonzero(totals > 0.0)
    classes, width, log_shares = active.size, degree + 1, np.log(totals[active] / m)
    begin = np.zeros((classes - 1, width))
    begin[:, 0] = log_shares[:-1] - log_shares[-1]
    if start is not None and start[active[-1], 3] > -np.inf:
        known = start[active[:-1], 3] > -np.inf
        begin[known] = (start[active[:-1]] - start[active[-1]])[known, :width]
    target, theta = _Posterior(features_of(scores, degree), counts.T[active], scale), begin.ravel()
    value, p = target.at(theta)
    log_determinant = 0.0
    for _ in range(MAX_ITERATIONS):
        gradient, information = target.derivatives(theta, p)
        sign, log_determinant = np.linalg.slogdet(information)
        if not sign > 0.0:  # singular to rounding: no evidence for such a fit
            log_determinant = np.inf
            break
        step = np.linalg.solve(information, gradient)
        decrement = gradient @ step
        if not decrement > TOLERANCE:
            break
        for length in 0.5 ** np.arange(34):
            trial = theta + length * step
            reached, there = target.at(trial)
            # Near the maximum the rise drowns in rounding; a full step is right there.
            if reached > value or (length == 1.0 and decrement < 1e-6):
                break
        else:
            break
        theta, value, p = trial, reached, there
    # Back to one vector for each class, with sum zero over those that occur.
    whole = np.vstack([theta.reshape(-1, width), np.zeros(width)])
    coefficients = np.zeros((len(totals), COEFFICIENTS))
    coefficients[:, 3] = -np.inf
    coefficients[active, 3] = log_shares
    coefficients[active, :width] = whole - whole.mean(axis=0)
    # The null model's information is m (diag(π) - π π') over all classes but the last, with
    # determinant m^(K-1) times the product of all shares.
    null_determinant = (classes - 1) * np.log(m) + log_shares.sum()
    prior = -degree * (2.0 * (classes - 1) * np.log(scale) + np.log(classes))
    half = 0.5 * (prior - log_determinant + null_determinant)
    return float(value - totals[active] @ log_shares + half), coefficients


def fit_classes_mixed(
    scores: Floats,
    counts: Floats,
    degree: int,
    scales: tuple[float, ...] = SCALES,
    start: Floats | None = None,
) -> tuple[float, Floats, float]:
    """Fit classes under the scale of the largest marginal likelihood.

    Returns the log Bayes factor of the mixture, which is the mean of those of equally likely
    scales, the coefficients, and the scale.
    """
    fits = []
    for scale in scales:
        factor, start = fit_classes(scores, counts, degree, scale, start)
        fits.append((factor, start, scale))
    _, coefficients, scale = max(fits, key=lambda fit: fit[0])
    mixed = np.logaddexp.reduce([factor for factor, *_ in fits]) - np.log(len(scales))
    return float(mixed), coefficients, scale
