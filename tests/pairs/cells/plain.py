"""Tables of counts and classes given scores, by plain formulas that kernels are compared with."""

import numpy as np
from scipy.special import gammaln, log_softmax, logsumexp


def log_sequence_probability(counts, concentrations):
    r"""Log-probability of a sequence of observations with some counts, in one given order.

    .. math:: \log \frac{\Gamma(A)}{\Gamma(A + m)} \prod_i
              \frac{\Gamma(a_i + n_i)}{\Gamma(a_i)}, \qquad A = \sum_i a_i

    """
    n, a = np.asarray(counts, dtype=float), np.asarray(concentrations, dtype=float)
    cells = float((gammaln(a + n) - gammaln(a)).sum())
    return float(gammaln(a.sum()) - gammaln(a.sum() + n.sum())) + cells


def log_bayes_factors(counts, concentrations):
    """Log Bayes factor of dependence against independence, for each concentration."""
    n = _occupied(np.asarray(counts, dtype=float))
    rows, columns, m = n.sum(axis=1), n.sum(axis=0), n.sum()
    product = np.outer(rows, columns) / m**2
    result = np.empty(np.shape(concentrations))
    for k, alpha in enumerate(np.asarray(concentrations, dtype=float)):
        joint = log_sequence_probability(n, alpha * product)
        apart = log_sequence_probability(rows, alpha * rows / m)
        apart += log_sequence_probability(columns, alpha * columns / m)
        result[k] = joint - apart
    return result


def shrunk_log_ratio(counts, concentrations):
    """Log w of a table of counts, and the log Bayes factor, under a mixture of concentrations.

    Rows and columns without a count
    have log w = 0.

    """
    n, alphas = np.asarray(counts, dtype=float), np.asarray(concentrations, dtype=float)
    factors = log_bayes_factors(n, alphas)
    total = logsumexp(factors)
    share = float(np.exp(factors - total) @ (n.sum() / (n.sum() + alphas)))
    expected = np.outer(n.sum(axis=1), n.sum(axis=0)) / n.sum()
    ratio = np.divide(n, expected, out=np.ones_like(n), where=expected > 0)
    return np.log1p(share * (ratio - 1.0)), float(total - np.log(alphas.size))


def _occupied(n):
    """Leave out rows and columns without a count: they have no prior mass either."""
    return n[n.sum(axis=1) > 0][:, n.sum(axis=0) > 0]


def penalised_log_likelihood(coefficients, scores, counts, scale=1.0):
    r"""Log-likelihood of classes given scores, less :math:`\sum_k |b_k|^2 / (2 s^2)`.

    Parameters
    ----------
    coefficients : array of shape (K, 2) or (K, 3)
        Intercept and slopes of each class.
    scores : array of shape (S,)
        Distinct scores, or one for each row.
    counts : array of shape (S, K)
        Rows of each class at each score.
    scale : float
        Standard deviation s of the slopes' prior.

    """
    beta, z = np.asarray(coefficients, dtype=float), np.asarray(scores, dtype=float)
    features = np.stack([np.ones_like(z), z, (z * z - 1) / np.sqrt(2)], axis=1)
    log_p = log_softmax(features[:, : beta.shape[1]] @ beta.T, axis=1)
    penalty = 0.5 * float(np.square(beta[:, 1:]).sum()) / scale**2
    return float((np.asarray(counts) * log_p).sum()) - penalty


def log_ratio(coefficients, scores):
    """Log w of every class at every score, shape (S, K); zero for classes that did not occur."""
    z = np.asarray(scores, dtype=float)[:, None]
    known = np.isfinite(coefficients[:, 3])
    intercept, linear, square, log_share = coefficients[known].T
    result = np.zeros((len(z), len(coefficients)))
    logits = intercept + linear * z + square * (z * z - 1) / np.sqrt(2)
    result[:, known] = log_softmax(logits, axis=1) - log_share
    return result
