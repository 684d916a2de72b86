r"""Tables of counts under Dirichlet priors that are centred on independence.

With counts :math:`n_{ab}` over m rows and margins :math:`\pi_a = n_a / m`, :math:`\pi_b = n_b / m`,
the cells have the prior :math:`\operatorname{Dirichlet}(\alpha \pi_a \pi_b)`. Its mean is
independence, the concentration :math:`\alpha` says how close to it, and the posterior mean

.. math:: p_{ab} = \frac{n_{ab} + \alpha \pi_a \pi_b}{m + \alpha}

keeps both margins exactly. So the potential is the observed ratio, shrunk to one:

.. math:: w_{ab} = \lambda \frac{m \, n_{ab}}{n_a n_b} + 1 - \lambda, \qquad
          \lambda = \frac{m}{m + \alpha}.

Sums of independent parts of a Dirichlet vector are Dirichlet again, so the same prior gives the
margins :math:`\operatorname{Dirichlet}(\alpha \pi_a)` and :math:`\operatorname{Dirichlet}(\alpha
\pi_b)`, and independence keeps them (Gunel and Dickey 1974). With DM the probability of
a sequence of observations, the Bayes factor of dependence is

.. math:: B(\alpha) = \frac{\mathrm{DM}(n_{ab} \mid \alpha \pi_a \pi_b)}
          {\mathrm{DM}(n_a \mid \alpha \pi_a) \, \mathrm{DM}(n_b \mid \alpha \pi_b)},

which tends to one as :math:`\alpha` tends to infinity. The right concentration is not known
beforehand: a mixture over a grid (Good 1976) has the mean of the Bayes factors, and the mean of
:math:`\lambda` under their posterior weights; its margins are exact, too.

References
----------
.. [1] E. Gunel and J. Dickey (1974). Bayes factors for independence in contingency tables.
   Biometrika 61, 545-557.
.. [2] I. J. Good (1976). On the application of symmetric Dirichlet distributions and their
   mixtures to contingency tables. Annals of Statistics 4, 1159-1189.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.compile import kernel

MIXTURE: tuple[float, ...] = tuple(2.0**k for k in range(13))
"""Concentrations of the default prior, all equally likely: 1, 2, 4, …, 4096."""


@kernel
def _rising(concentration: float, count: float) -> float:
    """Log of Γ(a + n) / Γ(a)."""
    return lgamma(concentration + count) - lgamma(concentration) if count > 0.0 else 0.0


@kernel
def shrink_table(counts: Floats, concentrations: Floats, log_ratio: Floats) -> float:
    """Write log w of a table of counts into `log_ratio`; return the log Bayes factor."""
    rows, columns = counts.shape
    row_sums, column_sums = np.zeros(rows), np.zeros(columns)
    for a in range(rows):
        for b in range(columns):
            row_sums[a] += counts[a, b]
            column_sums[b] += counts[a, b]
    m = 0.0
    for a in range(rows):
        m += row_sums[a]
    size = concentrations.size
    factors = np.empty(size)
    for k in range(size):
        alpha = concentrations[k]
        # Three Dirichlet-multinomials, two of which are divided by: their totals leave one over.
        value = _rising(alpha, m)
        for a in range(rows):
            for b in range(columns):
                value += _rising(alpha * (row_sums[a] / m) * (column_sums[b] / m), counts[a, b])
        for a in range(rows):
            value -= _rising(alpha * (row_sums[a] / m), row_sums[a])
        for b in range(columns):
            value -= _rising(alpha * (column_sums[b] / m), column_sums[b])
        factors[k] = value
    largest = factors[0]
    for k in range(1, size):
        largest = max(largest, factors[k])
    total, share = 0.0, 0.0
    for k in range(size):
        weight = np.exp(factors[k] - largest)
        total += weight
        share += weight * m / (m + concentrations[k])
    share /= total
    for a in range(rows):
        for b in range(columns):
            expected = row_sums[a] * column_sums[b] / m
            ratio = counts[a, b] / expected if expected > 0.0 else 1.0
            log_ratio[a, b] = np.log1p(share * (ratio - 1.0))
    return largest + np.log(total / size)
