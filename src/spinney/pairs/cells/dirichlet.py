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

import numpy as np
from scipy.special import gammaln

from spinney._core.arrays import Floats

MIXTURE: tuple[float, ...] = tuple(2.0**k for k in range(13))
"""Concentrations of the default prior, all equally likely: 1, 2, 4, …, 4096."""


def _rising(a: Floats, counts: Floats) -> Floats:
    """Log of Γ(a + n) / Γ(a); where nothing is counted, a may be zero."""
    a = np.where(counts > 0.0, a, 1.0)
    return np.asarray(gammaln(a + counts) - gammaln(a))


def shrink_tables(counts: Floats) -> tuple[Floats, Floats]:
    """Log w of tables of counts (..., rows, columns), and log Bayes factors (...)."""
    m = np.maximum(counts.sum(axis=(-2, -1)), 1.0)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = rows[..., :, None] * columns[..., None, :] / m[..., None, None]
    alphas = np.reshape(MIXTURE, (-1, *[1] * m.ndim))
    share = alphas / m
    # Three Dirichlet-multinomials, two of which are divided by: their totals leave one over.
    factors = _rising(share[..., None, None] * expected, counts).sum(axis=(-2, -1))
    factors += _rising(alphas, m)
    for margin in (rows, columns):
        factors -= _rising(share[..., None] * margin, margin).sum(axis=-1)
    total = np.logaddexp.reduce(factors)
    kept = (np.exp(factors - total) * m / (m + alphas)).sum(axis=0)
    ratio = np.divide(counts, expected, out=np.ones(counts.shape), where=expected > 0.0)
    return np.log1p(kept[..., None, None] * (ratio - 1.0)), total - np.log(len(MIXTURE))
