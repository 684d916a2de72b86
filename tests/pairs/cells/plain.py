"""Tables of counts and classes given scores, by plain formulas that the fits are compared with."""

import numpy as np
from scipy import stats
from scipy.special import gammaln, log_softmax, logsumexp


def log_sequence_probability(counts, concentrations):
    """Log-probability of a sequence of observations with some counts, in one given order.

    That of a Dirichlet-multinomial distribution, over the number of orders.
    """
    n, a = np.ravel(counts).astype(float), np.ravel(concentrations)
    n, a = n[a > 0], a[a > 0]  # cells of rows and columns without a count have no prior mass
    orders = gammaln(n.sum() + 1) - gammaln(n + 1).sum()
    return float(stats.dirichlet_multinomial.logpmf(n, a, n.sum()) - orders)


def log_bayes_factors(counts, concentrations):
    """Log Bayes factor of dependence against independence, for each concentration."""
    n = np.asarray(counts, dtype=float)
    rows, columns, m = n.sum(axis=1), n.sum(axis=0), n.sum()
    result = np.empty(np.shape(concentrations))
    for k, alpha in enumerate(concentrations):
        joint = log_sequence_probability(n, alpha * np.outer(rows, columns) / m**2)
        apart = log_sequence_probability(rows, alpha * rows / m)
        apart += log_sequence_probability(columns, alpha * columns / m)
        result[k] = joint - apart
    return result


def shrunk_log_ratio(counts, concentrations):
    """Log w of a table of counts, and the log Bayes factor, under a mixture of concentrations."""
    n, alphas = np.asarray(counts, dtype=float), np.asarray(concentrations, dtype=float)
    factors = log_bayes_factors(n, alphas)
    total = logsumexp(factors)
    share = float(np.exp(factors - total) @ (n.sum() / (n.sum() + alphas)))
    expected = np.outer(n.sum(axis=1), n.sum(axis=0)) / n.sum()
    ratio = np.divide(n, expected, out=np.ones_like(n), where=expected > 0)
    return np.log1p(share * (ratio - 1.0)), float(total - np.log(alphas.size))


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
